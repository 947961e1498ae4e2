"""A value in the place of another: "from A to B", "A has left, B has taken over", "no longer A"."""

# A pattern is easier to check in one piece.
# ruff: noqa: E501

from __future__ import annotations

import re
from dataclasses import replace

from langgraph_memory.extraction.drafts import Draft
from langgraph_memory.extraction.rules.english.limits import limit_of
from langgraph_memory.extraction.rules.english.mine import read_mine
from langgraph_memory.extraction.rules.english.third_person import about_user, pronouns_changed
from langgraph_memory.extraction.rules.english.topics import is_deictic
from langgraph_memory.extraction.rules.english.word_classes import KIN, PET, SURROUNDINGS
from langgraph_memory.extraction.rules.kinds import FACT
from langgraph_memory.memories.values import Swap
from langgraph_memory.offline.kinship import RELATIVE

__all__ = ["read_replaced"]

_SIGN = re.compile(
    r"\b(?:from|to|over|replac\w+|succe\w+|instead|longer|any\s?more|used\sto|changed|now|nowadays|these\sdays|new|is\s(?:my|our))\b",
    re.I,
)
# What is not so, or not yet, or for once.
_UNREAL = re.compile(
    r"\b(?:not|never|might|may|could|would|should|if|whether|unless|until|wants?|wanted|thinking|thought|consider\w*|wish|plans?|planning|hop(?:e|es|ing)|"
    r"maybe|perhaps|ask(?:s|ed)?|suggest\w*|try\w*|tried|almost|nearly|refus\w*|going\sto|about\sto|will|can|why|when|how)\b",
    re.I,
)
# Before a name that is the subject of a sentence of its own.
_OPENS = re.compile(
    r"^\W*$|.*[,;.:]\s*(?:(?:and|but|so|as|because|since|now|sadly|unfortunately|luckily)\s)*$",
    re.I,
)
_ONCE = re.compile(
    r"\b(?:today|tonight|tomorrow|this\s(?:time|once|week|weekend|morning|evening)|for\s(?:now|once)|temporarily|just\s(?:once|this))\b",
    re.I,
)
_TITLE = r"(?:(?:(?-i:Dr|Mrs?|Ms|Prof|St)\.?)\s)"
_TEXT = r"(?:[^,;.!?()]|,(?=\d)|\.(?=\d)|(?<=\bDr)\.|(?<=\bMr)\.|(?<=\bMs)\.|(?<=\bSt)\.|(?<=\bMrs)\.|(?<=\bProf)\.)"
_END = (
    r"(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bMrs)(?<!\bSt)(?<!\bProf)(?=\s*(?:[,;.!?(]\s*(?!\d)|$)|\s(?:because|since|so|but|and\s(?:I|we|my|our|now)|as\sof|starting|last|a\s(?:week|month|year)\sago|"
    r"now|instead|any\s?more|these\sdays|from\s(?:now|next)|already)\b)"
)
_OLD = rf"(?P<old>{_TEXT}{{1,50}}?)"
_NEW = rf"(?P<new>{_TEXT}{{1,60}}?){_END}"
_WHAT = r"(?<!\bof\s)(?<!\bfor\s)(?<!\bin\s)(?<!\bon\s)(?P<whose>my|our|the)\s(?:new\s|old\s)?(?P<of>(?:[\w-]+\s){0,3}?[\w-]+)"
_PREPOSITIONS = r"(?:at|on|in|with|for|by|to|from)"
_PREPOSITION = re.compile(rf"\s{_PREPOSITIONS}$", re.IGNORECASE)
_DONE = r"(?:(?:has|have|had|is|are|was|were|been|got|just|now|recently|also|finally)\s)*"
_PEOPLE = (
    rf"{_TITLE}?(?-i:(?!(?:The|My|Our|We|I|He|She|It|They|This|That|But|And|So|Now|There|What)\b)"
    r"[A-ZÀ-Þ])[\w’-]+(?:\s(?-i:[A-ZÀ-Þ])[\w’-]+){0,2}"
)
_MOVED = (
    r"(?:changed|moved|switched|shifted|gone|went|go(?:es)?|risen|rose|dropped|fell|fallen|increased|decreased|raised|lowered|cut|"
    r"reduced|upped|bumped|pushed|brought|put|rescheduled|postponed|extended|shortened|replaced|converted|renamed)"
)
_HAS_ENDED = (
    rf"{_DONE}(?:retired|left|gone|quit|resigned|moved|died|passed\saway|closed|shut|stopped|stepped\sdown|promoted|transferred|replaced|sold|"
    r"fired|laid\soff|emigrated|changed\sjobs|no\slonger\s\w+)\b"
)
_TAKES_OVER = r"(?:(?:has|have|is|will\sbe|now)\s)*(?:taken?s?\sover|taking\sover|took\sover|stepped\sin|replac(?:ed|es|ing)|succeed(?:ed|s|ing)|follow(?:ed|s)|filling\sin\sfor\sgood)"

_FRAMES: tuple[re.Pattern[str], ...] = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # My gym day has changed from A to B; the budget went up to B.
        rf"\b{_WHAT}\s{_DONE}(?P<moved>{_MOVED})\s(?:(?:up|down|back|forward|over)\s)?(?:from\s{_OLD}\s)?to\s{_NEW}",
        rf"\b{_WHAT}\s{_DONE}(?P<moved>{_MOVED})\s(?:(?:up|down|back|forward|over)\s)?to\s{_NEW}\sfrom\s{_OLD}{_END}",
        # I had to cut my budget from A to B; the optician moved my appointment to B.
        rf"(?P<by>\b(?!please\b|now\b|just\b|then\b|and\b|also\b|you\b|us\b|to\b)\w+\s(?:had\sto\s)?)(?P<moved>{_MOVED}|(?<=\bhad\sto\s)(?:cut|raise|lower|change|move|increase|reduce|drop|put|push|switch))\s{_WHAT}\s(?:(?:up|down|back|forward|over)\s)?(?:from\s{_OLD}\s)?to\s{_NEW}",
        # My N is not A any more, it is B. My N used to be A, but now it is B.
        rf"\b{_WHAT}\s(?:(?:is|are|was)\s(?:no\slonger|not)|used\sto\sbe|was)\s{_OLD}(?:\sany\s?more|\sany\slonger)?\s*[,;.]?\s*(?:(?:but|and)\s)?(?:now\s|these\sdays\s|nowadays\s)?(?:it|he|she|they|that)\s(?:is|are)\s(?:now\s)?{_NEW}",
        # My N has changed, it is B now.
        rf"\b{_WHAT}\s{_DONE}changed\s*[,:;]?\s*(?:(?:and|to)\s)?(?:it|they)\s(?:is|are)\s(?:now\s)?{_NEW}",
        # A is no longer my N, it is B.
        rf"\b(?P<old>{_PEOPLE})\s(?:is|was)\s(?:no\slonger|not)\s{_WHAT}(?:\sany\s?more|\sany\slonger)?\s*[,;]\s*(?:(?:but|and)\s)?(?:now\s)?(?:it\sis\s(?:now\s)?(?P<new>{_TEXT}{{1,60}}?){_END}|(?P<as>{_PEOPLE})\sis)",
        # A has left, so B has taken over (as my N).
        rf"(?:\b(?P<old>{_PEOPLE})(?:['’]s\s(?:practice|office|shop|surgery|clinic|firm|salon|studio|store))?\s{_HAS_ENDED}{_TEXT}*?\s*[,;]?\s*(?:(?:and|so|but)\s)?(?:now\s|since\sthen\s)?)(?P<new>{_PEOPLE})\s{_TAKES_OVER}(?:\s(?:from|for|him|her|them|it|there)\b)*(?:\sas\s{_WHAT})?{_END}",
        # B has taken over from A (as my N).
        rf"\b(?P<new>{_PEOPLE})\s{_TAKES_OVER}\s(?:(?:from|for)\s)?(?P<old>{_PEOPLE})(?:\sas\s{_WHAT})?{_END}",
        # A has stopped, so I go to B now.
        rf"\b(?P<old>{_PEOPLE})(?:['’]s\s(?:practice|office|shop|surgery|clinic|firm|salon|studio|store))?\s{_HAS_ENDED}{_TEXT}*?\s*[,;]\s*(?:(?:and|so|but)\s)?(?:now\s)?(?:I|we)\s(?:(?:am|are)\swith|go\sto|see|use|have|visit|work\swith)\s(?P<new>{_PEOPLE}){_END}",
        # They handed me over to B, he is my N now.
        rf"\b(?P<new>{_PEOPLE})\b(?:(?!(?-i:\b[A-Z]))[^,;.])*[,;]\s*(?:and\s)?(?:he|she|they|it)\s(?:is|are)\s(?:now\s)?{_WHAT}{_END}",
        # I am down from A to B.
        rf"\b(?P<who>I|we)\s(?:(?:am|are|have)\s)?(?:down|up|back|(?:gone|went)(?:\s(?:down|up|back))?|cut\s(?:down|back))\sfrom\s{_OLD}\sto\s{_NEW}",
        # A has moved away, B teaches me now.
        rf"\b(?P<old>{_PEOPLE})(?:['’]s\s(?:practice|office|shop|surgery|clinic|firm|salon|studio|store))?\s{_HAS_ENDED}{_TEXT}*?\s*[,;]\s*(?:(?:and|so|but)\s)?(?:now\s)?(?P<new>{_PEOPLE})\s(?:now\s)?[a-z]+s\s(?:me|us)\b(?:\snow)?{_END}",
        # B is my N now.
        rf"\b(?P<new>{_PEOPLE})\sis\s{_WHAT}\s(?:now|these\sdays)\b",
        rf"\b(?P<new>{_PEOPLE})\sis\snow\s{_WHAT}{_END}",
        # I have a new N, B.
        rf"\b(?P<whose>I|we)\s(?:(?:have|just|finally|now)\s)*(?:have|got|found|hired|bought)\s(?:a|an|another)\s(?:new|different)\s(?P<of>\w+),\s(?:(?:who\sis\s)?(?:called|named)\s)?(?P<new>(?:an?\s)?(?-i:[A-Z]){_TEXT}{{0,40}}?){_END}",
        # B has taken over as my N.
        rf"\b(?P<new>{_PEOPLE})\s{_TAKES_OVER}\sas\s{_WHAT}{_END}",
    )
)
# I no longer get up at A, these days it is B.
_VERB = re.compile(
    rf"\b(?P<who>I|we)\s(?P<no>no\slonger|do\snot)\s(?P<verb>\w+(?:\s(?:up|out|off))?(?:\s(?:at|on|in|with|for|by|to|from))?)\s{_OLD}(?P<more>\sany\s?more|\sany\slonger)?\s*[,;]\s*"
    r"(?:(?:but|and|rather)\s)?(?:(?:now|these\sdays|nowadays|instead)\s)?(?:it\sis|they\sare|but)\s(?:now\s)?"
    rf"(?:(?:at|on|in|with|for|by|to|from)\s)?{_NEW}",
    re.IGNORECASE,
)
# I am no longer saving for A, I am saving for B.
_SAME_VERB = re.compile(
    rf"\b(?P<who>I|we)\s(?P<being>am\s|are\s)?(?P<no>no\slonger|do\snot|not)\s(?P<verb>\w+(?:\s{_PREPOSITIONS})?)\s{_OLD}(?P<more>\sany\s?more|\sany\slonger)?\s*[,;]\s*"
    rf"(?:(?:but|and|so)\s)?(?:now\s)?(?P=who)\s(?:am\s|are\s)?(?:now\s)?(?P=verb)\s{_NEW}",
    re.IGNORECASE,
)
# I cancelled A and read B instead.
_ENDED = re.compile(
    rf"\b(?P<who>I|we)\s{_DONE}(?:cancell?ed|quit|left|sold|dropped|ditched|(?:gave|given)\sup|gone\soff|went\soff|stopped|got\srid\sof|returned|finished\swith)\s{_OLD}\s*"
    rf"(?:[,;]\s*(?:(?:and|so|but)\s)?|\s(?:and|so)\s)(?:(?:I|we)\s)?(?:(?P<before>now|instead)\s)?(?P<verb>(?!(?:my|our|the|an?|it|he|she|they|that|this|there|in|to|for|at)\b)\w+(?:\s(?:{_PREPOSITIONS}))?)\s{_NEW}"
    r"(?(before)|\s(?:instead|now|these\sdays))[.!\s]*$",
    re.IGNORECASE,
)
# I used to learn A, now I am learning B.
_USED = re.compile(
    rf"^\W*(?P<who>I|we)\sused\sto\s\w+\s(?:{_PREPOSITIONS}\s)?{_OLD}\s*[,;]\s*(?:(?:but|and)\s)?(?:now|nowadays|these\sdays)\s"
    rf"(?P<said>(?P=who)\s(?:am\s\w+ing|are\s\w+ing|\w+)\s(?:{_PREPOSITIONS}\s)?{_NEW})[.!\s]*$",
    re.IGNORECASE,
)
_INSTEAD = re.compile(
    rf"^\W*(?:{_TEXT}{{1,30}}[:,;]\s)?instead\sof\s{_OLD},?\s(?=(?:I|we|my|our)\b)", re.IGNORECASE
)
# My shift starts at B now instead of A.
_NOW = re.compile(
    rf"^(?P<said>\W*(?:I|we|my|our)\s.*?\b(?:is|are|at|on|in|to|with|by|for|use|drink|eat|take|drive|ride|play|read|wear|buy|see|visit|order|have|call)\s(?P<new>{_TEXT}{{1,40}}?))"
    rf"(?P<now>\snow)?,?\s(?:instead\sof|rather\sthan|no\slonger)\s(?:(?:at|on|in|to|with|by|for)\s)?{_OLD}(?P<then>\snow|\sthese\sdays)?[.!]*$",
    re.IGNORECASE,
)
_AMOUNT = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|midnight|once|twice|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekends?|mornings?|evenings?|hundred|thousand)\b",
    re.IGNORECASE,
)
_WHO = re.compile(rf"(?:{SURROUNDINGS}|teams?)$", re.IGNORECASE)


def read_replaced(sentence: str) -> tuple[list[Draft], str, Swap | None]:
    """What a sentence puts in the place of something.

    Args:
        sentence: With its contractions written out.

    Returns:
        Statements; the rest of the sentence, to be read like any other; and what the first
        statement of that rest puts in the place of something.
    """
    if not _SIGN.search(sentence) or _ONCE.search(sentence):
        return [], sentence, None
    for frame in _FRAMES:
        found = frame.search(sentence)
        if found is None or _UNREAL.search(sentence[: found.start()]):
            continue
        groups = found.groupdict()
        if (
            not groups.get("whose")
            and not groups.get("who")
            and not _OPENS.match(sentence[: found.start()])
        ):
            continue
        draft = _replaced(groups, found.group())
        if draft is not None:
            after = re.sub(
                r"^\s*(?:now|instead|any\s?more|these\sdays)\b", "", sentence[found.end() :]
            )
            return [draft], f"{sentence[: found.start()]} {after}".strip(" ,;"), None
    for frame in (_VERB, _SAME_VERB):
        verb = frame.search(sentence)
        if verb and (verb["no"].lower().startswith("no ") or verb["more"]):
            being = "am " if frame is _SAME_VERB and verb["being"] else ""
            swap = _swap(verb["old"], verb["new"], of=_PREPOSITION.sub("", verb["verb"]))
            said = f"{verb['who']} {being}{verb['verb']} {swap.new}"
            return [], f"{sentence[: verb.start()]}{said}{sentence[verb.end() :]}", swap
    ended = _ENDED.search(sentence)
    if ended and not _UNREAL.search(sentence):
        # Where else somebody works says nothing of what as.
        new = "" if re.match(r"(?:work|live|study|am)\b", ended["verb"], re.I) else ended["new"]
        old = re.sub(rf"^\w+ing\s(?:{_PREPOSITIONS}\s)?", "", ended["old"])
        old = re.sub(r"\s(?:last|this|two|three|an?|in|recently|ago)\b.*$", "", old)
        swap = _swap(old, new)
        said = f"{ended['verb']} {swap.new or ended['new']}"
        return [], f"{sentence[: ended.start()]}{ended['who']} {said}", swap
    used = _USED.match(sentence)
    if used:
        return [], used["said"], _swap(used["old"], used["new"])
    instead = _INSTEAD.match(sentence)
    rest = sentence[instead.end() :] if instead else ""
    if instead and not _UNREAL.search(rest.replace("going to", "", 1)):
        new = re.search(r"(?<=\s)[A-Z][\w-]+(?:\s[A-Z][\w-]+)*", rest)
        return [], rest, Swap(instead["old"], new.group()) if new else None
    now = _NOW.match(sentence)
    if now and (now["now"] or now["then"]) and not _UNREAL.search(sentence):
        return [], now["said"], Swap(now["old"], now["new"])
    return [], sentence, None


_AMOUNT_OF = re.compile(r"(?P<many>[$€£]?\d[\d.,:]*|[a-z]+)\s(?P<what>.+)$", re.IGNORECASE)


def _swap(old: str, new: str, of: str = "", *, known_only: bool = False) -> Swap:
    """A swap of full values: "from five miles to three", "the rowing club and the other one"."""
    old, new = pronouns_changed(old.strip()), pronouns_changed(new.strip())
    counted = _AMOUNT_OF.match(old)
    if counted and _AMOUNT.match(counted["many"]) and _AMOUNT.fullmatch(new):
        new = f"{new} {counted['what']}"
    if re.search(r"\w\sone$", new):
        new = f"{new[:-3]}{old.rpartition(' ')[2]}"
    return Swap(old, new, of, known_only)


def _replaced(said: dict[str, str | None], text: str) -> Draft | None:
    old, new = (said.get("old") or "").strip(), (said.get("new") or said.get("as") or "").strip()
    of, whose = (said.get("of") or "").strip(), (said.get("whose") or "").lower()
    moved = (said.get("moved") or "").lower()
    if not new or (is_deictic(new) and not _AMOUNT.search(new)) or is_deictic(old or "x"):
        return None
    if said.get("by") and not old and whose == "the":
        return None
    if moved and re.search(rf"(?:{KIN}|{PET}|{RELATIVE})$", of, re.IGNORECASE):
        return None
    if moved and not _AMOUNT.search(new):
        # "Our team moved to Teams" is of what it uses, and "my notes" are not Obsidian.
        if not old:
            return None
        if not moved.startswith(("chang", "replac", "renam", "switch")) or _WHO.search(of):
            content = f"The user's {of} {moved} from {old} to {new}"
            return Draft(FACT, content, 0.6, swap=Swap(old, new, of, known_only=True))
    # "My old name was Johnson" need not be the whole of it.
    swap = _swap(old, new, of, known_only=whose not in {"my", "our", "i", "we"} or of == "name")
    new = swap.new
    if said.get("who"):
        return Draft(FACT, about_user(text), 0.6, swap=_swap(old, new))
    if not of:
        return Draft(FACT, f"The user has {swap.new} in the place of {swap.old}", 0.6, swap=swap)
    limit = limit_of(f"my {of} is {new}")
    drafts = [limit] if limit else read_mine(f"my {of} is {new}")
    if drafts:
        return replace(drafts[0], swap=swap)
    if not old:
        return None
    content = f"The user's {of} is {swap.new}"
    return Draft(FACT, content, 0.6, 0.8, subject=f"value:{of.lower()}", swap=swap)

"""English sentences cut into clauses that each say one thing, and the clause of "I" taken apart."""

# A pattern is easier to check in one piece.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from langgraph_memory.extraction.rules.english.orders import is_imperative
from langgraph_memory.extraction.rules.english.plain_english import without_filler
from langgraph_memory.extraction.rules.english.third_person import is_adverb
from langgraph_memory.extraction.rules.english.word_classes import (
    KIN,
    PET,
    is_job,
    is_past,
    one_of,
)
from langgraph_memory.extraction.rules.english.word_order import plain_order
from langgraph_memory.offline.words import listed

__all__ = ["Clause", "Predicate", "clauses", "parsed"]

_OWN = r"(?:I|we|my|our)\b"
_ORDER = (
    r"(?:please|do\snot|don't|never|always(?=\s\w)|use|keep|avoid|call|stop|make\ssure|answer|reply|write|give|show|skip|no\s\w+|nothing|not\smore|"
    r"address|speak|talk|explain|stick|only)\b"
)
_CUT = re.compile(
    r"\s*[;]\s*|\s+[–—-]+\s+|\s*\.{2,}\s*|…|\s*[()]\s*|"
    rf"\s*,\s*(?:and|but|so|or|because|cause|as|since|though|plus|yet|which\sis\swhy|hence|while|whereas)?\s*(?={_OWN}|{_ORDER}|(?:had|been|can\snot|could\snot)\b)|"
    rf"\s+(?:and|but|so|because|cuz|cause|coz|plus|while|whereas|yet|though|although|since|therefore|or)\s+(?=(?:also\s|then\s|now\s)?(?:{_OWN}|{_ORDER}|(?:honestly|everything|all\sof)\b))|"
    rf"\s*[,:]\s*(?:and|but|so)?\s*(?=(?:by|in|on|since|from|until|before|after|at|for)\s[\w\s]{{2,20}}?,?\s(?:I|we)\s)|"
    r"\s*,\s*(?:and\s|but\s|so\s|because\s)?(?=(?:it|they|he|she|that|this|there|which)\s(?!are\sallergic))|"
    r"\s+(?:and|but)\s+(?=(?:he|she|they|it)\s|(?:so|neither|nor)\s(?:is|am|are|do|does|can|has|have)\b)|"
    r",?\s+and\s+(?=(?:the|his|her|their|its|both)\s(?:[\w'-]+\s){1,3}?(?:is|are|was|were|has|have|can|does|do|must)\s)|"
    r",?\s+(?:so|but)\s+(?=(?:[\w'-]+\s){1,3}?(?:is|are|was|were|has|have|must|should)\s)|"
    r",\s+(?=just\s(?-i:[A-Z])\w+\s(?:is|will|works)\b)|"
    r"\s*:\s*(?=\w+\s(?:calls?|knows?)\sme\b)|\s+and\s(?=(?:now\s)?all\s(?:of\s)?(?:my|our)\b)|"
    rf"\s*:\s*(?={_OWN}|{_ORDER})|(?<=[a-z0-9])\.(?=(?-i:[A-Z][a-z]))|\s+(?=[我])",
    re.IGNORECASE,
)
# "has asthma and uses …": the second verb of the same subject.
_SECOND_VERB = re.compile(
    r",?\s+(?:and|but)\s+(?=(?:also\s|mostly\s|never\s|only\s|really\s|currently\s|now\s|usually\s)?(?:use|have|love|like|hate|prefer|live|work|am|do\snot|can\snot|speak|drive|own|"
    r"enjoy|study|teach|run|will\snot|moved|joined|started|quit|switched|need|dislike|play|want\sto|commute|eat|drink|follow|keep|avoid|take|code|write)\s)",
    re.IGNORECASE,
)
_DANGLING = re.compile(r"\s(?:now\sthat|so\sthat|because|and|but|so|since)$", re.IGNORECASE)
_LEAD = re.compile(
    r"^((?:on|in|at|during|since|before|after|for|these|nowadays|currently|usually|normally|most|every(?!\s?time)|as|right\snow|"
    r"lately|recently|last|this|next|until|till|now|outside|back|by|from|of\slate|sometimes|generally|typically|today|tomorrow|"
    r"until|with|together\swith|once|due\sto)\b[^,?]{0,45}?),?\s+(?=(?:I|we|my|our)\b)",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"^(?:I\s(?:(?:kinda|kind\sof|sort\sof)\s)?(?:think|guess|believe|suppose|suspect|reckon|assume|feel\slike)|maybe|perhaps|probably|possibly|apparently|"
    r"it\sseems(?:\slike)?|seems\slike|looks\slike|not\ssure\sbut|I\sam\s(?:pretty\s|fairly\s|quite\s)?(?:sure|certain))\s(?:that\s)?(?=(?:I|we|my|our)\b)",
    re.IGNORECASE,
)
# What somebody who leaves out "I" begins with.
_ELLIPSIS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), lead)
    for pattern, lead in (
        (
            r"^(?:been|got)\s(?!promoted|married|divorced|engaged|laid|diagnosed|it\b|the\b|this\b|that\b|you\b|an?\serror)",
            "I have ",
        ),
        (
            r"^(?:allergic|intolerant|based|originally\sfrom|lactose|vegan|vegetarian|married|single|retired|not\sa\s(?:\w+\s){1,3}?(?:fan|person|drinker|eater|lover)\b|not\s(?:into|keen|big|sold)\b|fluent|diabetic|into|"
            r"a\s(?:huge\s|big\s)?fan|(?:huge|big|massive)\sfan|working\s(?:on|at|as|for)|learning|trying\sto|saving|training\sfor|living|planning|hoping|going\sto|working\stowards?|aiming|"
            r"currently\s\w+ing|pregnant|never\sbeen|born\s|no\slonger\s(?=vegan|vegetarian|pregnant|gluten|dairy|single|married|on\b|in\b|at\b)|proud\s(?:mum|mom|dad|parent|owner))\b",
            "I am ",
        ),
        (
            r"^(?:used\sto|(?:really\s|absolutely\s|totally\s|also\s|just\s|simply\s)?(?:love|hate|prefer|dislike|adore|loathe|detest|enjoy)|live\sin|work\s(?:at|as|in|for)|"
            r"(?:(?:just|recently|finally|only|mostly|mainly|usually|now|still)\s)*(?:moved\sto|started\s(?:at|as|working)|write\s(?-i:[A-Z])\w*|retired|relocated|got\s(?:promoted|married|divorced|engaged|laid\soff|diagnosed))|can\snot\s(?:eat|drink|have|stand|do|take|handle|tolerate|spend|afford)|do\snot\s(?:eat|drink|smoke|like|drive|fly|want)\b|moved\sto|quit\s|joined|would\srather|will\snot\s(?:eat|fly|drink|pay)|speak|need\sto\savoid|switched\s(?:from|to))\b",
            "I ",
        ),
        (r"^rather\s(?=(?:have|take|go|stay|eat|drink|walk|be)\b)", "I would "),
        (r"^(?:want|aim)\s(?=to\b)", "I "),
        (r"^(?:mum|mom|dad|grandma|grandpa|hubby|wife|husband)\b(?=\s|'s)", "my "),
        (
            r"^(?:budget|name|birthday|goal|hometown|favou?rite\s\w+)\s(?:is|are|was)\b|^(?:name|budget)'s\b",
            "my ",
        ),
    )
)
_NEW_FAN = re.compile(r"^I am (huge|big|massive) fan", re.I)
_ADVERBS = frozenset(
    listed("""
    really also just always never usually normally often sometimes mostly mainly currently now still only generally
    typically absolutely totally actually personally truly definitely rarely seldom hardly already recently both all
    secretly simply particularly especially much far strongly greatly long once formerly kinda sorta quite primarily
    frequently regularly occasionally constantly deeply passionately barely almost exclusively professionally
    finally officially basically probably honestly genuinely presently even happily proudly again then sadly
    unfortunately luckily well pretty too highly lately severely deathly badly mildly seriously slightly very
    extremely super so terribly incredibly ever do
    """)
)
_AUX = frozenset(
    listed("am are was were have has had do did will would can could must should may might ought")
)


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause, contractions written out.

    Attributes:
        text: Its words; "I" is put in where it was left out.
        hedged: Whether the speaker was not sure.
        before: The clause before it in the sentence.
    """

    text: str
    hedged: bool = False
    before: str = ""


@dataclass(frozen=True, slots=True)
class Predicate:
    """What follows "I" or "we".

    Attributes:
        auxiliary: Its first auxiliary in the form that goes with "I", or nothing.
        verb: The main verb as said, in lower case; nothing after a copula.
        rest: What follows the verb.
        adverbs: Adverbs before the verb.
        negated: Whether it is denied.
        stopped: Whether it is said to be no longer so.
    """

    auxiliary: str
    verb: str
    rest: str
    adverbs: frozenset[str]
    negated: bool
    stopped: bool


def clauses(sentence: str) -> Iterator[Clause]:
    """The clauses of a sentence whose contractions are written out."""
    before = ""
    for piece in _pieces(without_filler(sentence)):
        text = _DANGLING.sub("", without_filler(piece))
        hedge = _HEDGE.match(text)
        if hedge:
            text = text[hedge.end() :]
        condition = _CONDITION.match(text)
        lead = None if condition and _orders(text[condition.end() :]) else _LEAD.match(text)
        if lead and not re.match(
            r"(?:I|we)\b|(?:until|before|after|once|since|as|till|for|with|by|every|from|on|in)$",
            lead.group(1),
            re.I,
        ):
            text = f"{text[lead.end() :]} {lead.group(1)[:1].lower()}{lead.group(1)[1:]}"
        text = plain_order(text)
        for pattern, subject in _ELLIPSIS:
            if pattern.match(text) and not re.match(
                r"(?:vegan|vegetarian)\s(?-i:[A-Z])", text, re.IGNORECASE
            ):
                text = _NEW_FAN.sub(r"I am a \1 fan", subject + text[:1].lower() + text[1:])
                break
        if text:
            yield Clause(text, hedged=hedge is not None, before=before)
            before = text


_CONDITION = re.compile(
    r"^(?:whenever|when|every\s?time|each\stime|any\s?time|if\sI|for\s(?:all|any|every)|in\s(?:all|every|any)|after|before|as\slong\sas|until|on\s\w+days)\b[^,]{2,80}?,\s*(?:please\s)?",
    re.IGNORECASE,
)
# "As a nurse I need …" says who I am; "As a user, I want …" is a story that developers write.
_AS_ONE = re.compile(
    r"^as\s(?P<what>an?\s[^,.]{2,40}?),?\s(?=(?P<who>I|we)\s(?:\w+ly\s)?(?P<verb>(?!want\b)\w+))",
    re.IGNORECASE,
)
# "My flight is not on the 4th, it is on the 5th" says one thing.
_NOT_BUT = re.compile(
    r"(?P<is>\b(?:my|our)\s[\w\s'-]{2,30}?\s(?:is|are))\snot\s[^,;]{1,40}[,;]\s(?:but|it\sis|they\sare)\s(?P<new>\S)",
    re.IGNORECASE,
)
_WITH_ME = re.compile(
    rf"^(my|our)\s((?:\w+\s)?(?:{KIN}|{PET}|friends?|team|colleagues?|boss|(?:room|flat|house)mates?)"
    r"(?:\s(?-i:[A-Z])\w+)?\s)and\s(?:I|me)\s",
    re.IGNORECASE,
)


def _orders(text: str) -> bool:
    return is_imperative(text) or re.match(_ORDER, text, re.IGNORECASE) is not None


def _pieces(sentence: str) -> Iterator[str]:
    as_one = _AS_ONE.match(sentence)
    if as_one and is_job(as_one["what"]) and not is_past(as_one["verb"]):
        yield f"I am {as_one['what']}"
        sentence = sentence[as_one.start("who") :]
    with_me = _WITH_ME.match(sentence)
    if with_me:
        sentence = (
            f"we {sentence[with_me.end() :]} with {with_me.group(1)} {with_me.group(2).strip(' ,')}"
        )
    if (
        re.match(r"(?:if|when|whenever|every\stime|after|as\ssoon\sas)\sI\b", sentence, re.I)
        and plain_order(sentence) != sentence
    ):
        yield sentence
        return
    sentence = _NOT_BUT.sub(r"\g<is> \g<new>", sentence)
    condition = _CONDITION.match(sentence)
    if condition and _orders(sentence[condition.end() :]):
        # The order and when it holds belong together.
        rest = _CUT.split(sentence[condition.end() :])
        yield condition.group() + rest[0]
        sentence = "; ".join(one for one in rest[1:] if one)
    for piece in _CUT.split(sentence):
        if not piece or not piece.strip():
            continue
        own = re.match(r"\W*(?:\w+,\s)?(I|we)\s(\S+\s\S+)", piece, re.I)
        parts = (
            _SECOND_VERB.split(piece)
            if own
            and " to " not in f" {own.group(2)} "
            and not re.search(r"\b(?:rather|would|will|could|can|going)\b", piece)
            else [piece]
        )
        yield parts[0]
        for part in parts[1:]:
            yield f"{own.group(1) if own else 'I'} {part}"


def parsed(text: str) -> Predicate | None:
    """The predicate of a clause whose subject is "I" or "we", or None."""
    if not re.match(r"(?:I|we)\s", text, re.I):
        return None
    words = text.split(" ")[1:]
    auxiliary, adverbs, negated = "", set(), False
    at = 0
    while at < len(words):
        word = words[at].lower().strip(",")
        pair = " ".join(words[at : at + 2]).lower()
        if pair == "no longer":
            negated = True
            adverbs.add("no longer")
            at += 2
        elif word in {"not", "never"} or (
            word in {"rarely", "seldom", "hardly", "barely"} and auxiliary != "am"
        ):
            negated = True
            adverbs.add(word)
            at += 1
        elif (
            (word in _ADVERBS or is_adverb(word))
            and at + 1 < len(words)
            and not (
                word == "do" and (auxiliary or len(words) - at < 2 or not _is_verb_next(words, at))
            )
        ):
            adverbs.add(word)
            at += 1
        elif pair in {"kind of", "sort of", "a bit"}:
            adverbs.add(pair)
            at += 2
        elif pair == "used to" and not auxiliary:
            auxiliary = "used to"
            at += 2
        elif pair in {"have to", "need to", "ought to", "got to"} and auxiliary in {
            "",
            "have",
            "do",
        }:
            auxiliary = "must" if not negated else "need not"
            at += 2
        elif word in _AUX and not auxiliary and _is_auxiliary(word, words, at):
            auxiliary = {"are": "am", "were": "was", "has": "have"}.get(word, word)
            at += 1
        elif word == "been" and auxiliary in {"have", "had"}:
            auxiliary = "have been"
            at += 1
        else:
            break
    rest = words[at:]
    tail = " ".join(rest)
    stopped = "no longer" in adverbs or (
        negated and bool(re.search(r"\b(?:any\s?more|any\slonger)\b", tail, re.I))
    )
    if auxiliary in {"am", "was", "have been"} and not (
        rest and rest[0].lower().endswith("ing") and len(rest[0]) > 4
    ):
        return Predicate(auxiliary, "", tail, frozenset(adverbs), negated, stopped)
    verb = rest[0].lower().strip(",") if rest else ""
    return Predicate(auxiliary, verb, " ".join(rest[1:]), frozenset(adverbs), negated, stopped)


def _is_verb_next(words: list[str], at: int) -> bool:
    """Whether an emphatic "do" stands before a verb, as in "I do love tea"."""
    return words[at + 1].lower() in one_of(
        "love like hate prefer enjoy have eat drink use own speak live work need want"
    )


def _is_auxiliary(word: str, words: list[str], at: int) -> bool:
    """Whether a word that can also be a main verb is an auxiliary here."""
    following = words[at + 1].lower() if at + 1 < len(words) else ""
    if word in {"do", "did"}:
        return following == "not"
    if word in {"have", "has", "had"}:
        rest = words[at + 1 :]
        while rest and (rest[0].lower() in _ADVERBS or rest[0].lower() in {"not", "never"}):
            rest = rest[1:]
        nxt = rest[0].lower() if rest else ""
        return nxt in _PARTICIPLES or (
            len(nxt) > 4 and nxt.endswith("ed") and nxt not in {"limited", "red"}
        )
    return True


_PARTICIPLES = frozenset(
    listed("""
    been got gotten had done gone taken given come seen eaten drunk driven flown written spoken taught kept left met
    made run won lost found felt known grown begun chosen broken spent built read moved become quit bought sold worn
    hurt switched studied lived worked used owned heard told said thought put set forgotten
    """)
)

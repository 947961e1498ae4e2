"""A short reply read with the question it answers: "yes" to "Are you a vegetarian?"."""

# A pattern is easier to check in one piece.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator

from langgraph_memory.offline.words import has_han, sentences

__all__ = ["Reply", "asks_about_user", "completed", "corrected_limit", "last_question"]

_YES = re.compile(
    r"^\W*(?:yes|yeah|yea|yep|yup|ya|sure|correct|right|exactly|indeed|absolutely|definitely|of\scourse|that's\sright|"
    r"i\sam|i\sdo|i\shave|please\sdo|ok(?:ay)?|affirmative|true|always|totally|certainly|对|是的?|嗯+|好的?|可以|行|没错|"
    r"当然|是啊|对啊|对的|好啊|好呀|有的?|要的?|需要|喜欢|没问题|必须的|确实)(?![\w])",
    re.IGNORECASE,
)
_YES_HAN = re.compile(
    r"^\W*(?:对|是的?|嗯+|好的?|可以|行|没错|当然|有|要|需要|喜欢|没问题|确实|必须)(?:[啊呀哦呢的吧啦]*)(?=$|[\s,，。.!！])"
)
_NO = re.compile(
    r"^\W*(?:no|nope|nah|not\s(?:really|at\sall|anymore)|never|negative|i'm\snot|i\sdon't|i\sdo\snot)(?!\w)",
    re.IGNORECASE,
)
_NO_HAN = re.compile(
    r"^\W*(?:不是的?|不|没有?|不对|不会|不用|否|没)(?:[啊呀哦呢的吧]*)(?=$|[\s,，。.!！])"
)
_OFFER = re.compile(
    r"\b(?:shall\swe|would\syou\slike\s(?:me|some|to|a|more|help)|do\syou\swant\s(?:me|to|some|more)|anything\selse|"
    r"(?:shall|should|can|may)\si\b|need\s(?:any|more)\shelp|how\scan\si|what\scan\si)",
    re.IGNORECASE,
)
_OFFER_HAN = re.compile(
    r"需要我|要我|我(?:来|帮|现在|可以)|帮[您你]|还有(?:什么|别的)|可以帮|是否继续|继续吗"
)
_STANDING = re.compile(
    r"\b(?:always|never|from\snow\son|in\s(?:the\s)?future|going\sforward|every\stime|each\stime|by\sdefault|whenever)\b|"
    r"以后|今后|往后|从现在|每次|一直|默认|始终|总是|一律",
    re.IGNORECASE,
)
_YOU = re.compile(r"\b(?:you|your|you're|you've)\b|[你您]", re.IGNORECASE)
_FIRST = re.compile(r"\b(?:i|i'm|im|i've|my|we|our)\b|我|咱", re.IGNORECASE)
_TAG = re.compile(
    r",?\s*(?:right|correct|is\sthat\s(?:right|correct|so)|aren't\syou|don't\syou|yes)\s*\?+\s*$",
    re.I,
)
_TAG_HAN = re.compile(
    r"[，,]?\s*(?:可以吗|好吗|行吗|对吗|是吗|对吧|是吧|好不好|行不行|可不可以|可以么|没错吧)[？?]*$|[吗么吧][？?]*$|[？?]+$"
)
_LEAD = re.compile(
    r"^\W*(?:(?:so|and|ok|okay|great|thanks|got\sit|just\sto\scheck|to\sconfirm|by\sthe\sway)[,\s]+)+",
    re.I,
)


class Reply:
    """A reply completed by its question.

    Attributes:
        text: What the user says in full, in the first person.
        agreed: Whether the user only agreed to what was asked.
        denied: Whether the user denied what was asked.
    """

    __slots__ = ("agreed", "denied", "text")

    def __init__(self, text: str, *, agreed: bool = False, denied: bool = False) -> None:
        self.text = text
        self.agreed = agreed
        self.denied = denied


def last_question(text: str) -> str:
    """The question a message ends with, or nothing."""
    found = [one for one in sentences(text) if one.rstrip("”\"') ").endswith(("?", "？"))]
    if found:
        return found[-1]
    last = sentences(text)[-1:] or [""]
    return last[0] if re.search(r"[吗呢][。.]?$|请问", last[0]) else ""


def asks_about_user(question: str) -> bool:
    """Whether a question wants to know something lasting about the user; an offer does not."""
    if not question:
        return False
    if _STANDING.search(question):
        return True
    if _naming(question):
        return True
    offer = _OFFER_HAN if has_han(question) else _OFFER
    return bool(_YOU.search(question)) and not offer.search(question)


def _naming(question: str) -> bool:
    return bool(
        re.search(
            r"(?:what|how)\s(?:should|shall|may|can)\si\s(?:call|address)|who\s(?:am\si|is\sthis)|称呼",
            question,
            re.I,
        )
    )


def completed(asked: str, reply: str) -> Iterator[Reply]:
    """What a short reply says together with its question; nothing if it stands on its own."""
    if not asks_about_user(asked) or len(reply) > 120:
        return
    han = has_han(asked)
    bare = reply.strip()
    no = (_NO_HAN if han else _NO).match(bare)
    yes = None if no else (_YES_HAN if han else _YES).match(bare)
    verb = re.match(r"[不没](\S{1,2}?)[的了]?$", bare) if han else None
    said = _turned_han(asked) if verb else ""
    if verb and verb.group(1) in said:
        yield Reply(said.replace(verb.group(1), bare.rstrip("的了"), 1), denied=True)
        return
    rest = bare[(yes or no).end() :].strip(" ,，.。!！") if (yes or no) else bare.strip(" .。!！")  # type: ignore[union-attr]
    statement = _turned_han(asked) if han else _turned(asked)
    if yes and statement:
        yield Reply(statement, agreed=True)
        return
    if no and statement and (not rest or _continues_denial(rest)):
        denied = _denied_han(statement) if han else _denied(statement)
        if denied:
            yield Reply(denied, denied=True)
        return
    if _FIRST.search(rest) or not rest:
        return
    filled = _chosen(asked, rest) or (
        _filled_han(asked, rest) if han else _filled(asked, rest, replacing=no is not None)
    )
    if filled:
        yield Reply(filled)


_SUM = r"(?P<sum>[$€£¥]?\s?\d[\d.,]*\d\s?k?(?:\s?(?:dollars?|euros?|pounds?|francs?|yuan|rmb|yen|usd|eur|gbp|块钱?|元|万|欧元?|美元))?)"
_MADE_IT = re.compile(
    rf"^\W*(?:(?:all\sright|alright|ok(?:ay)?|fine|well|sure|then|yes|no|right|good|so)\W+)*(?:(?:let['’]?s|let\sus|please|you\scan|we\scan|i\scan|just)\s)*"
    rf"(?:make|raise|lower|set|change|put|increase|reduce|bump|bring|stretch|go)\s(?:(?:it|that|the\s(?:budget|limit)|my\s(?:budget|limit))\s)?(?:up\s|down\s)?(?:to\s|at\s)?{_SUM}(?:\s(?:then|please|instead|now|from\snow\son|at\s(?:the\s)?most|max))*\W*$",
    re.IGNORECASE,
)
_MADE_IT_HAN = re.compile(
    rf"^\W*(?:(?:好的?|行|可以|嗯+|没问题|那好|算了)[吧啊]?[，,。 ]*)*(?:那?就|那?(?:就)?(?:把?(?:它|预算))?(?:改成|改到|改为|加到|提高到|提到|涨到|放宽到|降到|降为|定在|调到)){_SUM}(?:以内|之内)?[吧了好]*\W*$"
)
_THEIR_LIMIT = re.compile(
    r"\byour\s(?P<what>(?:\w+\s)?(?:budget|spending\slimit|price\slimit|limit))\b|[你您]的?(?:\d[\d,.]*元?的?)?(?P<han>[\u4e00-\u9fff]{0,4}?预算)",
    re.IGNORECASE,
)
_ASKS_FOR_MORE = re.compile(
    r"\b(?:budget|limit|spend|pay|price|higher|lower|more|less|raise|increase|stretch|go\sup|afford)\b|预算|提高|放宽|加一?[点些]|降低|多少钱|价",
    re.IGNORECASE,
)


def corrected_limit(spoken: str, asked: str, reply: str) -> str:
    """A sum that takes the place of the one the assistant has just named as the user's limit.

    "Make it 700" says so only after "Nothing fits your budget of 600. Shall I look higher?".

    Args:
        spoken: The assistant's message before the reply.
        asked: The question it ends with, or nothing.
        reply: The reply.

    Returns:
        The statement in the first person, or nothing.
    """
    if len(reply) > 80:
        return ""
    limit = _THEIR_LIMIT.search(spoken)
    made = _MADE_IT_HAN.match(reply) or _MADE_IT.match(reply)
    if not (limit and made and re.search(r"\d", spoken)):
        return ""
    if asked and not _ASKS_FOR_MORE.search(re.split(r"[，,;；]", asked)[-1]):
        return ""  # It is about something else.
    if limit["han"]:
        return f"我的{limit['han']}是{made['sum'].strip()}"
    return f"my {limit['what'].lower()} is {made['sum'].strip()}"


def _continues_denial(rest: str) -> bool:
    return (
        bool(re.match(r"(?:never\b|not\b|thanks|thank\syou|我不|不)", rest, re.I))
        and len(rest) < 30
    )


_SWAP = {
    "you": "I",
    "your": "my",
    "yours": "mine",
    "yourself": "myself",
    "i": "you",
    "me": "you",
    "my": "your",
}


def _swapped(text: str) -> str:
    """Your side of a sentence as mine."""
    text = re.sub(r"\byou\sare\b|\byou're\b", "I am", text, flags=re.I)
    return re.sub(
        r"\b(?:you|your|yours|yourself|me|my)\b",
        lambda found: _SWAP[found.group().lower()],
        text,
        flags=re.I,
    )


def _turned(asked: str) -> str:
    """A yes-or-no question as the user's statement, or nothing."""
    bare = _LEAD.sub("", asked.strip())
    tagged = _TAG.search(bare)
    if tagged and re.match(r"(?:you|your)\b", bare, re.I):
        return _swapped(bare[: tagged.start()])
    bare = bare.rstrip("?!. ")
    found = re.match(
        r"(are|were|do|did|have|can|would|will|could|must|should)\syou\s(?:still\s|also\s)?(.+)$",
        bare,
        re.I,
    )
    if found:
        aux, rest = found.group(1).lower(), _swapped(found.group(2))
        aux = {"are": "am", "were": "was", "do": "", "did": ""}.get(aux, aux)
        return " ".join(f"I {aux} {re.sub(r'^(?:have )any ', 'have ', rest)}".split())
    found = re.match(r"(?:should|shall|may|can)\si\s(.+)$", bare, re.I)
    if found and _STANDING.search(bare):
        return "please " + re.sub(r"\byou\b", "me", re.sub(r"\byour\b", "my", found.group(1)))
    found = re.match(
        r"(is|are|was)\s(your\s[\w\s-]+?)\s((?:still\s)?(?:in|on|at|a|an|the|called|named|around|under|[A-Z\d$€£]).*)$",
        bare,
    )
    if found:
        return f"{_swapped(found.group(2))} {found.group(1)} {found.group(3)}"
    found = re.match(r"(is|are)\s(.+?)\s(your\s.+)$", bare, re.I)
    if found:
        return f"{found.group(2)} {found.group(1)} {_swapped(found.group(3))}"
    return ""


def _denied(statement: str) -> str:
    found = re.match(r"I (am|was|have|can|would|will|must|should)\s(.+)$", statement)
    if found and not (
        found.group(1) == "have" and re.match(r"(?:a|an|any|\w+s\b)", found.group(2))
    ):
        return f"I {found.group(1)} not {found.group(2)}"
    if statement.startswith("I "):
        return f"I do not {statement[2:]}"
    found = re.match(r"(.+?)\s(is|are)\s(.+)$", statement)
    return f"{found.group(1)} {found.group(2)} not {found.group(3)}" if found else ""


def _filled(asked: str, rest: str, *, replacing: bool) -> str:
    """An open question with the gap filled in by the reply."""
    bare = _LEAD.sub("", asked.strip()).rstrip("?!. ")
    rest = re.sub(
        r"^(?:(?:just|only|um|uh|well|probably|maybe|about|(?:it|that|this)(?:['’]?s|\sis|\swould\sbe))\s)+",
        "",
        rest,
        flags=re.I,
    )
    low = bare.lower()
    if re.match(r"who\s(?:am\si|do\si\shave|is\sthis|are\syou$)", low):
        return f"my name is {rest}"
    if re.match(
        r"(?:what|how)\s(?:should|shall|may|can|do|would)\s(?:i|you)\s(?:like\sme\sto\s|want\sme\sto\s|prefer\sto\s)?(?:call|address|be\scalled)",
        low,
    ):
        return f"call me {rest}"
    if re.search(r"\ballerg", low):
        return f"I am allergic to {rest}"
    if re.match(r"how\sold\sare\syou", low):
        return f"I am {rest}"
    if re.match(r"what\s(?:do\syou\sdo|is\syour\s(?:job|profession|occupation))", low):
        return f"I work as {rest}"
    if re.match(r"how\smuch\b.*\b(?:spend|pay|afford|budget)", low):
        return f"my budget is {rest}"
    found = re.match(
        r"(?:what|when|where|who|which|how\s\w+)(?:'s|\sis|\sare)\s(your\s.+)$", bare, re.I
    )
    if found:
        return f"{_swapped(found.group(1))} is {rest}"
    found = re.match(
        r"(what|which|where|when|how|who)(?:\s[\w\s]+?)?\s(?:do|are|would|can|did)\syou\s(.+)$",
        bare,
        re.I,
    )
    if found:
        verb = _swapped(re.sub(r"^(?:usually|currently|mostly|normally)\s", "", found.group(2)))
        verb = re.sub(
            r"\s(?:in|at|for|from)$",
            lambda one: "" if re.match(one.group().strip() + r"\b", rest, re.I) else one.group(),
            verb,
        )
        link = (
            ""
            if found.group(1).lower() != "where"
            or re.match(r"(?:in|at|near|on|from|just|outside)\b|\w+s?\s(?:from|at)\b", rest, re.I)
            else "in "
        )
        rest = re.sub(
            r"^(?:In|At|For|On|Near|From|With|By|The|A|An)\b", lambda one: one.group().lower(), rest
        )
        lead = "I am" if re.search(r"\bare\syou\b", bare, re.I) else "I"
        return f"{lead} {verb} {link}{rest}"
    found = re.match(r"(?:is|are)\s(.+?)\s(your\s.+)$", bare, re.I)
    if found and replacing:
        return f"{rest} is {_swapped(found.group(2))}"
    found = re.match(r"(?:do|are|would)\syou\s(\w+(?:\s(?:in|at|for|as|to|on))?)\s", bare, re.I)
    if found and replacing and len(rest.split()) <= 4:
        return f"I {'am ' if low.startswith('are') else ''}{found.group(1)} {rest}"
    return ""


def _turned_han(asked: str) -> str:
    bare = re.split(r"[。！!]", asked.strip().rstrip("？?"))[-1].strip()
    bare = re.sub(r"^(?:请问|那么?|所以|确认一下)[，,]?", "", bare)
    if re.search(r"什么|哪|谁|多少|几|怎么|如何|多[大久高]", bare):
        return ""
    tagless = _TAG_HAN.sub("", bare + "？")
    tagless = re.sub(r"是不是", "是", tagless)
    tagless = re.sub(r"有没有", "有", tagless)
    tagless = re.sub(r"(会|能|喜|吃|喝|用)不\1", r"\1", tagless)
    return re.sub(r"[你您]", "我", tagless)


def _denied_han(statement: str) -> str:
    found = re.match(
        r"(我(?:们|家)?(?:平时|现在|一般|目前)?)(是|有|会|能|用|吃|喝|抽|住|在|喜欢|爱|要|开|养|对)(.*)$",
        statement,
    )
    if not found:
        return ""
    denial = "没" if found.group(2) == "有" else "不"
    return f"{found.group(1)}{denial}{found.group(2)}{found.group(3)}"


# "Do you prefer the aisle or the window?" leaves a choice, and the reply names one of the two.
_EITHER = re.compile(
    r"^(?P<aux>do|are|would)\syou\s(?P<head>(?:\w+\s)*?(?:prefer|like|use|drink|eat|live\sin|rather|a|an))\s(?P<one>.+?)\sor\s(?:an?\s)?(?P<two>.+)$",
    re.IGNORECASE,
)
_EITHER_HAN = re.compile(
    r"^[你您](?P<head>\S*?(?:喜欢|偏好|偏爱|习惯|倾向于?|在|用|学|喝|吃|坐|住))(?P<one>\S+?)还是(?P<two>\S+)$"
)


def _chosen(asked: str, rest: str) -> str:
    """A choice of two with the one that the reply names, or nothing."""
    bare = _LEAD.sub("", asked.strip()).rstrip("?？!. ")
    han = has_han(bare)
    either = (_EITHER_HAN if han else _EITHER).match(re.sub("^请问", "", bare))
    said = re.sub(r"^(?:the|an?)\s", "", rest.lower()).rstrip("的吧呢")
    if not either or not said or said not in f"{either['one']}\n{either['two']}".lower():
        return ""
    one, two = either["one"], either["two"]
    if han:
        of = re.search(rf"(?<={re.escape(said)}).+|的.+|$", two)
        return f"我{either['head']}{rest.rstrip('的吧呢')}{of.group() if of else ''}"
    # "Short or long answers" are answers either way.
    shared = two.split()[len(one.split()) :]
    more = "" if shared and rest.lower().endswith(shared[-1].lower()) else " ".join(shared)
    lead = {"do": "I", "are": "I am", "would": "I would"}[either["aux"].lower()]
    return f"{lead} {either['head']} {rest} {more}".strip()


def _filled_han(asked: str, rest: str) -> str:
    if re.search(r"称呼|叫什么|贵姓|名字", asked):
        return f"我叫{rest}"
    if re.search(r"过敏", asked) and len(rest) <= 12:
        return f"我对{rest}过敏"
    bare = re.split(r"[。！!，,]", asked.strip().rstrip("？?"))[-1]
    bare = re.sub(r"^请问", "", bare)
    if re.match(r"[不没别]|只|能|会|要|喜欢|爱|用|吃|喝|住|在|是", rest):
        return f"我{rest}"
    gap = re.search(
        r"(?:是)?(?:多少钱|多少|什么时候|什么|哪[里儿个种些家座天]?|谁|几[点号岁])", bare
    )
    if gap and re.search(r"[你您]", bare):
        kept = "是" if gap.group().startswith("是") else ""
        head, tail = bare[: gap.start()], bare[gap.end() :]
        return re.sub(r"[你您]", "我", f"{head}{kept}{rest}{re.sub('[呢呀啊]$', '', tail)}")
    return ""

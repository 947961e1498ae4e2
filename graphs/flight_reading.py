"""What a message says about a trip, in English or Chinese: cities, days, choices.

It is the part of the clerk that a language model does not need.
"""

# A pattern is easier to check in one piece.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from graphs.flight_limits import Limits, read_limits
from langgraph_memory.extraction.dates import days

Role = Literal["origin", "destination", ""]

_TO = re.compile(
    r"(?:\b(?:to|into|for)|→|->|到|去|飞往?|往|至|抵达?|改成|换成)\s*(?:the\s)?$", re.I
)
_FROM = re.compile(
    r"(?:\b(?:from|leav(?:e|ing)|depart(?:ing|ure)?|out of|(?:origin|departure)(?: city)? (?:to|is|should be))|从|由|自|出发(?:地|城市)?(?:改成|换成|改为|是|:|：))\s*(?:the\s)?$",
    re.I,
)
_STARTS = re.compile(r"^\s*(?:出发|起飞|(?:to|→|->|-|–|—|至|到|飞往?|去)\s*$)", re.I)
_NOT = re.compile(r"(?:\bnot|不是|别|不)\s*(?:to\s|from\s|去|到|从|飞)?$", re.I)
_STRANGE = re.compile(
    r"\b(?P<role>to|from)\s+(?P<name>[A-Z][\w'’]+(?:\s[A-Z][\w'’]+)?)|"
    r"(?P<han>从|去|飞往|飞到)(?P<place>[\u4e00-\u9fff]{2,4}?)(?=$|[\W的吧]|出发|起飞|飞|去|到)"
)

_NUMBER = re.compile(r"(?<![A-Za-z])(?:([A-Z]{2})[\s-]?|([a-z]{2}))(\d{3,4})(?!\d)")
_PLACES = (
    re.compile(r"\b(?:first|1st|number one)\b|第[一1]|头一", re.I),
    re.compile(r"\b(?:second|2nd|number two)\b|第[二2]", re.I),
    re.compile(r"\b(?:third|3rd|number three)\b|第[三3]", re.I),
)
_BEST = {
    "cheapest": re.compile(
        r"\b(?:cheapest|cheaper one|least expensive)\b|最便宜|便宜的|最低价|最实惠", re.I
    ),
    "fastest": re.compile(r"\b(?:fastest|faster one|quickest|shortest)\b|最快|最短|快的", re.I),
    "earliest": re.compile(r"\b(?:earliest|earlier one)\b|最早|早一?点?的", re.I),
    "latest": re.compile(r"\b(?:latest|later one|last one)\b|最晚|晚一?点?的", re.I),
}
_IT = re.compile(
    r"\b(?:it|that|this|that one|this one)\b|这[个班趟张]|那[个班趟张]|就它|就这", re.I
)
_BUY = re.compile(
    r"\b(?:book|buy|reserve|take|choose|pick|purchase|go (?:with|for)|i['’]?ll have|order)\b|订|预定|买|选|就要|要这|就这",
    re.I,
)
_YES = re.compile(
    r"^\W*(?:yes|yeah|yep|sure|ok(?:ay)?|please do|do it|go ahead|confirm(?:ed)?|sounds good|perfect|great|i do|it is|of course|好的?|是的?|对|接受|可以|行|确认|没问题|嗯)(?:[\s,，]*(?:please|do|it is|i do|then|thanks|go ahead|吧|的|啊|呀|请))*\W*$",
    re.I,
)
_NO = re.compile(
    r"^\W*(?:no|nope|nah|never|not (?:really|at all)|it (?:isn['’]t|is not)|i (?:do(?:n['’]t| not))|(?:不|不是|不用|不要|不接受|没有|否|不行|不坐)(?!\w))(?:[\s,，]*(?:thanks|thank you|please|it (?:isn['’]t|is not)|i do(?:n['’]t| not)|的|谢谢|了|吧))*\W*$",
    re.I,
)
# Where a city was blanked out, there is more than one space.
_BACK = re.compile(
    r"(?:^\W*|(?<=[,:;.(—]\s)|(?<=[，：；。—(])|(?<=\s\s)|\b(?:(?:fl(?:y|ies|ying)|com(?:e|ing)|get(?:ting)?|go(?:ing)?|head(?:ing)?|travel(?:l?ing)?|bring|take|need|want)(?:\s(?:me|us))?|flights?|tickets?|trip|way|journey|leg|one|there|and|then|also|now|again|home)\s)back\b(?!\s(?:up\b|pain|row|seat))|"
    r"\breturn(?:ing)?\b(?!\s(?:an?|my|it|this|that|your|the(?!\s(?:same|next|following)))\b)|\bround[\s-]trip\b|"
    r"返程|返航|返回|回程|回来|回去|往返|来回|回(?=\s\s)",
    re.I,
)
_NO_BACK = re.compile(
    r"(?:\b(?:no|without|(?:not|n['’]t)\s(?:need|want|book))\s(?:an?\s|the\s|any\s)?|(?:不|别|无需)[要用需订买坐]{0,3}|没有)$",
    re.I,
)
_BACK_TO = re.compile(r"\sto\s\w", re.I)  # Another choice, or a day that was named before.
_CLAUSE = re.compile(r"[,，;；。.!！?？、\n]|\b(?:and|then|but)\b|然后|再", re.I)
_ASKS = re.compile(
    r"^\W*(?:and )?(?:which|what|how|when|show|tell|list|is|are|does|should)\b|哪|什么|看看|显示|[?？吗]\W*$",
    re.I,
)
_AGAIN = re.compile(
    r"\b(?:try|book|do|pay)\b.{0,16}?\b(?:again|once more)\b|\bretry\b|^\W*(?:once )?(?:again|more)\b.{0,8}$|再试|重试|再来一次|再付",
    re.I,
)

_SUBJECT = re.compile(
    r"\b(?:flights?|fly(?:ing)?|tickets?|air ?fares?|fares?|itinerary|red[\s-]?eyes?|planes? (?:to|from))\b|\bround[\s-]trip\b|航班|机票|飞机票|订票|返程|回程|往返|红眼|的票|张票|第.班|[这那]班",
    re.I,
)
_ASIDE = re.compile(
    r"\b(?:poems?|story|stories|songs?|jokes?|essays?|code|recipes?|weather|movies?|novels?)\b|诗|故事|歌|笑话|作文|代码|天气|菜谱|电影|小说",
    re.I,
)
_ABOUT_THE_WORLD = re.compile(
    r"\b(?:who|why|invented|history|how (?:do|does|did|many|old|long))\b|为什么|谁|发明|历史", re.I
)
_SMALL_WORDS = re.compile(
    r"\b(?:i['’]?(?:d|m|ll|ve)?|me|we|us|my|a|an|the|to|from|on|in|at|by|for|of|and|or|but|not|no|yes|yeah|ok|okay|please|like|want|need|have|must|would|could|can|you|go|going|will|do|sit|seat|get|be|travel|trip|leav(?:e|ing)|arriv(?:e|ing)|depart(?:ing)?|one|ones|which|flights?|option|way|is|it|it['’]s|that|this|make|change|actually|instead|rather|sorry|oh|hm+|wait|let['’]?s?|then|also|with|back|home|when|if possible|there|city|mean|meant|what about|how about|out|looking|plan(?:ning)?|new|search|find|show|again|thanks?|next|same|day|morning|afternoon|evening|earlier|later)\b|[我们想要去到从飞往至的了吧呢啊呀哦嗯是不在那就改成换为请帮给一下个还有和也把对好可以您你起出发搜查找看怎么样天走坐乘哪儿里什么地有班趟张]|没错|多少钱|价格|\W|\d",
    re.I,
)


@dataclass(frozen=True)
class Said:
    """What one message says.

    Attributes:
        cities: Names as they are written, and whether they are where a trip begins or ends.
        replaced: The city that another takes the place of.
        day: The day named first, if it is not only that of a flight back.
        returns: Whether it is about a flight back.
        back: The day of the flight back.
        besides: The message without what it says of the flight back.
        limits: What it says of the price and of red-eye flights.
        numbers: Of flights that are chosen.
        best: By what a flight is chosen, such as `cheapest`.
        place: Of a chosen flight in the list that was offered, from 0.
        points: Whether it says "that one".
        buys: Whether it is about booking.
        agrees: Whether it is nothing but a yes.
        denies: Whether it is nothing but a no.
        again: Whether something is to be tried once more.
        is_about_flights: Whether it is, or could be, about a flight.
    """

    cities: tuple[tuple[str, Role], ...]
    replaced: str
    day: date | None
    returns: bool
    back: date | None
    besides: str
    limits: Limits
    numbers: tuple[str, ...]
    best: str
    place: int | None
    points: bool
    buys: bool
    agrees: bool
    denies: bool
    again: bool
    is_about_flights: bool


def read_message(text: str, called: Mapping[str, str], today: date) -> Said:
    """Read a message.

    Args:
        text: What the user wrote.
        called: Cities by the names that people call them by.
        today: What "tomorrow" counts from.
    """
    named = days(text, today)
    without_days = _blanked(text, [(day.start, day.end) for day in named])
    numbers = tuple("".join(parts).upper() for parts in _NUMBER.findall(without_days))
    rest = _NUMBER.sub(lambda number: " " * len(number[0]), without_days)
    limits = read_limits(rest)
    cities, replaced, spans = _cities(rest, called)
    best = next((name for name, pattern in _BEST.items() if pattern.search(text)), "")
    place = next((at for at, pattern in enumerate(_PLACES) if pattern.search(rest)), None)
    chooses = bool(numbers or best or place is not None)
    buys = bool(_BUY.search(rest))
    left = _blanked(rest, spans)
    start, end = _about_return(left, _blanked(text, spans))
    returns = end > start
    returning = [day for day in named if start <= day.start < end]
    is_elsewhere = not any(start <= at < end for at, _ in spans)
    going = [day for day in named if not (is_elsewhere and day in returning)]
    for pattern in (_BACK, *_PLACES, *_BEST.values(), _SMALL_WORDS):
        left = pattern.sub("", left)
    fragment = not left and bool(cities or named or chooses)
    agrees, again = bool(_YES.match(text)), bool(_AGAIN.search(text))
    on_offer = again or (buys and (chooses or returns or bool(_IT.search(rest))))
    aside = _ASIDE.search(text) or (not (cities or numbers) and _ABOUT_THE_WORLD.search(text))
    is_route = {"origin", "destination"} <= {role for _, role in cities}
    is_about = fragment or agrees or bool(limits.stated or limits.unclear)
    is_about = is_about or (
        not aside and (bool(numbers or is_route or _SUBJECT.search(text)) or on_offer)
    )
    if (asks := _ASKS.search(text)) and not (buys and asks.start() > 0):
        numbers, best, place = (), "", None  # To ask about a flight is not to choose it.
    return Said(
        cities=cities,
        replaced=replaced,
        day=going[0].date if going else None,
        returns=returns,
        back=returning[0].date if returning else None,
        besides=_blanked(text, [(start, end)]),
        limits=limits,
        numbers=numbers,
        best=best,
        place=place,
        points=bool(_IT.search(rest)),
        buys=buys,
        agrees=agrees,
        denies=bool(_NO.match(text)),
        again=again,
        is_about_flights=is_about,
    )


def _about_return(text: str, with_days: str) -> tuple[int, int]:
    """Where the clause stands that is about a flight back; nowhere if there is none.

    Args:
        text: Without cities and days.
        with_days: Without cities.
    """
    found = _BACK.search(text)
    if found is None or _NO_BACK.search(text[: found.start()]):
        return 0, 0
    if _BACK_TO.match(with_days, found.end()):
        return 0, 0
    start = max((each.end() for each in _CLAUSE.finditer(text, 0, found.start())), default=0)
    after = _CLAUSE.search(text, found.end())
    if joined := _CLAUSE.search(text, found.start(), found.end()):
        start = joined.start()
    return start, after.start() if after else len(text)


def limits_of(text: str, today: date) -> Limits:
    """The limits that a text states, or may state; days and numbers of flights are none."""
    named = [(day.start, day.end) for day in days(text, today)]
    return read_limits(_NUMBER.sub(" ", _blanked(text, named)))


def _cities(
    text: str, called: Mapping[str, str]
) -> tuple[tuple[tuple[str, Role], ...], str, list[tuple[int, int]]]:
    """Cities with their roles, the one that is replaced, and where all of them stand."""
    names = "|".join(sorted(map(re.escape, called), key=len, reverse=True))
    mentions = [
        mention
        for mention in re.finditer(rf"(?<![a-z])(?:{names})(?![a-z])", text, re.I)
        # Codes of airports are words, too, unless they are written as codes.
        if len(mention[0]) != 3 or mention[0].isupper() or not mention[0].isascii()
    ]
    found: list[tuple[str, Role]] = []
    replaced = ""
    for at, mention in enumerate(mentions):
        before = text[: mention.start()]
        until = mentions[at + 1].start() if at + 1 < len(mentions) else len(text)
        between = text[mention.end() : until]
        if _NOT.search(before):
            replaced = called[mention[0].casefold()]
        elif _FROM.search(before) or _STARTS.match(between):
            found.append((mention[0], "origin"))
        elif _TO.search(before):
            found.append((mention[0], "destination"))
        else:
            found.append((mention[0], ""))
    spans = [mention.span() for mention in mentions]
    for strange in _STRANGE.finditer(text):
        name = strange["name"] or strange["place"]
        if _SMALL_WORDS.sub("", name) and not any(
            start < strange.end() and strange.start() < end for start, end in spans
        ):
            role: Role = (
                "origin" if strange["role"] == "from" or strange["han"] == "从" else "destination"
            )
            found.append((name, role))
            spans.append(strange.span())
    return tuple(found), replaced, spans


def _blanked(text: str, spans: Sequence[tuple[int, int]]) -> str:
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text

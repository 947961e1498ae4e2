"""What a text says about the price of a ticket and about flights through the night.

What is plainly a limit is taken. What may be one, and cannot be read, is not passed over: it is
named, so that the user can be asked.
"""

# A pattern is easier to check in one piece.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from graphs.flight_nights import takes_red_eyes
from graphs.flight_sums import sums_in, upper_ends

_OFF = r"(?:\b(?:no|not|nothing|none|never|without|avoid\w*|refus\w+|exclude|skip|drop|hate|forget|out|stop|cannot)\b|n['’]t\b|\brule out\b|\bleave out\b|\bspare me\b|\btoo (?:much|dear|expensive|high|steep)\b)"
_ABOVE = r"\b(?:over|above|exceed\w*|beyond|past|north of|upwards? of|(?:more|higher|\w+[a-z]{2}er|\w+ier)(?: \w+)? than)\b"
_CAP_BEFORE = re.compile(
    rf"\b(?:budget\w*|limit\w*|cap(?:ped)?|ceiling|max(?:imum)?|most|under|below|beneath|within|(?:less|lower|cheaper) than|(?:up|stretch|stretching|as (?:far|high|much)) (?:to|as)|afford\w*|spend|pay|allow(?:s|ance|ed)?|aside|make (?:that|it)|(?:raise|lower|increase|change|set|move)\b[^.!?;]{{0,24}}|all (?:i|we|that)\b[^.!?;]*|(?:only|just) (?:\w+ )?(?:have|got|has|spend|pay|want)|(?:have|got|ve) (?:only|just)|the roof|keep)\b(?!\s?n['’]t)[^!?;]*$|"
    rf"{_OFF}[^!?;]*{_ABOVE}[^!?;]*$",
    re.I,
)
_CAP_AFTER = re.compile(
    r"^[^,.!?;]{0,24}?(?:\bor (?:less|under|below|cheaper|lower)\b|\b(?:max\b|maximum|tops?\b|limit\b|cap\b|ceiling\b|at (?:the )?(?:very )?most|to spend\b|left\b)|\b(?:is|as|was|s) (?:\w+ )?(?:the|my|our|all|what)\b[^.!?;]{0,20}\b(?:limit|ceiling|cap|max\w*|most|roof|top|budget|have|got|can|spend|pay|afford))|"
    r"^[^.!?;]{0,16}?\b(?:and|then|,) ?(?:no|not a|nothing|that['’]?s (?:it|all|my))\b(?! red)",
    re.I,
)
_CAP_BEFORE_HAN = re.compile(
    r"(?:预算|低于|少于|小于|不到|最多|最高|至多|顶多|顶天|撑死|控制在|上限|限额|限价|极限|封顶|价格|票价|机票钱|花|出到|掏|付|报销|批了|只有|就有|只剩|就剩|只带|只能|只够|就只|压[到在]|准备了|留了|[到成为]|最贵)[^。！？；]{0,12}$"
)
_CAP_AFTER_HAN = re.compile(
    r"^[^，。！？；]{0,4}?(?:以内|以下|之内|之下|内(?!容|地)|封顶|为限|为上限|到顶|顶天|打住|是?(?:我的?)?(?:上限|极限|预算|底线))"
)
_ABOVE_HAN = re.compile(
    r"(?:超过?出?|高[于过]|贵[于过]|多[于过]|大于|比)[^，。！？；]{0,4}$|^[^，。！？；]{0,4}(?:以上|往上|之上|起)"
)
_OFF_HAN = re.compile(r"不|别|算了|免|没法|勿|拒|太贵|莫|甭|受不")
_FINE_HAN = re.compile(r"没关系|没问题|无所谓|不介意|不要紧|也行|可以|不在乎")
_OFF_EN = re.compile(_OFF, re.I)
_OFF_ABOVE = re.compile(rf"{_ABOVE}[^.!?;]*$", re.I)
_AND_UP = re.compile(r"^[^,.!?;]{0,16}?\b(?:or|and) (?:more|up|above|over|higher|upwards?)\b", re.I)
_FLOOR = re.compile(
    r"\b(?:at least|minimum|no less than|not (?:under|below|less than))[^.!?;]*$|至少|最少|起码|不低于|不少于",
    re.I,
)
_OTHER = r"(?:hotels?|rooms?|rent|laptops?|computers?|phones?|cameras?|cars?|bikes?|furniture|sofas?|house|apartment|wedding|dinners?|lunch(?:es)?|breakfasts?|meals?|food|groceries|restaurants?|gifts?|presents?|clothes|shoes|courses?|insurance|taxis?|trains?|games?)"
_OTHER_HAN = r"(?:酒店|住宿|宾馆|旅馆|房租|房间|电脑|手机|相机|装修|家具|礼物|吃饭|餐饮|饭|衣服|鞋|保险|打车|出租车|火车|高铁|婚礼|买车|学费)"
_ON_OTHER = re.compile(
    rf"\b{_OTHER}(?:'s)? (?:budget|limit|cap|price|costs?)\b|\b(?:for|on) (?:(?>(?:an?|the|my|our|this|that|new|each|every|all|some)\s))*{_OTHER}\b|{_OTHER_HAN}[^，。！？；]{{0,6}}(?:预算|不超过|最多|[\d一二两三四五六七八九百千])|(?:买|换|租)(?!机票|票|张)[\u4e00-\u9fff]{{1,4}}的?预算",
    re.I,
)
_OF_TRIP = re.compile(
    r"\b(?:flights?|fly\w*|tickets?|(?:air ?)?fares?|trips?|journey|one[\s-]way|travel\w*|seats?)\b|机票|票|航班|飞|行程|旅",
    re.I,
)
_FOR_WHAT = re.compile(
    r"\b(?:for|on) (?>(?:(?:an?|the|my|our|this|that|each|every|all|whole|one|both) )*)(?!me\b|us\b|it\b|them\b|now\b|sure\b|good\b|this\b|that\b|everything|one\b|two\b|mon|tue|wed|thu|fri|sat|sun|tomorrow|today)(?=[a-z])",
)
_WHOSE_BUDGET = re.compile(
    r"\b(?!(?:my|our|the|a|an|this|that|your|new|whole|total|overall|max\w*|tight|strict|small|own|spending|price|s|user['’]s|it)\b)[a-z]+ (?:budget|limit)\b",
    re.I,
)
_DOUBT = re.compile(
    r"[?？]|吗|\b(?:was|were|had|used to|last (?:time|year|month|week)|paid|spent|cost|if|maybe|perhaps|might|about|around|roughly)\b|\b(?:s?he|they|his|her|their|wife|husband|friends?|brother|sister|mother|father|colleagues?|some|people)\b|如果|要是|也许|可能|大概|上次|以前|他|她|别人|朋友|同事|老婆|老公|妈|爸",
    re.I,
)
_ASKS = re.compile(
    r"^\W*(?:and |so |but |well )?(?:which|what|how|when|why|where|who|is|are|was|does|do|did|has|have)\b|哪|什么|为何|几[点个]|多少|是不是",
    re.I,
)
# A bare figure is a sum if nothing that is counted follows, and the user speaks of themselves, of money, or hardly says more.
_BARE_AFTER = re.compile(
    r"^\s*(?:$|[^\w\s]|之|(?:is|are|was|to|for|in|on|at|and|or|but|please|then|would|will|should|max|left|each|per|a|all|altogether|total|with|as|seems?|sounds?|the|that|it|so|now|if|too|i|we|my|yuan)\b|[左上的以就吧差给来钱够也是可能对我再还])",
    re.I,
)
_OF_MONEY = re.compile(
    r"\b(?:i|me|my|we|us|our|price\w*|cost\w*|cheap\w*|expensive|dear|money|wallet|budget|yuan|pay\w*|spen[dt]\w*)\b|我|咱|钱|价|贵|便宜|预算|花|付",
    re.I,
)
_YEAR = re.compile(r"\b(?:in|since|year|until|from|of)\s*$", re.I)
_SENTENCES = re.compile(r"(?<=[!?;。！？；\n])|(?<=\.)\s")
_FEW = 6


@dataclass(frozen=True)
class Limits:
    """What a text says of `max_price`, in CNY, and `red_eye`, whether such flights are taken.

    Attributes:
        stated: What is plain enough to be held.
        unclear: What it may say, to be asked. What is in both, may only make a limit stricter
            before the user has been asked.
    """

    stated: Mapping[str, Any] = field(default_factory=dict)
    unclear: Mapping[str, Any] = field(default_factory=dict)


def is_of_trip(text: str) -> bool:
    """Whether a text mentions flights, tickets or a journey."""
    return bool(_OF_TRIP.search(text))


def read_limits(text: str) -> Limits:
    """Read the limits in a text that has no days and no numbers of flights left in it."""
    stated: dict[str, Any] = {}
    unclear: dict[str, Any] = {}
    prices = [
        price for sentence in _SENTENCES.split(upper_ends(text)) for price in _prices(sentence)
    ]
    caps = [amount for amount, kind in prices if kind != "unclear"]
    doubtful = [amount for amount, kind in prices if kind != "cap"]
    if caps:
        stated["max_price"] = min(caps)
    if doubtful and min(doubtful) <= min(caps, default=min(doubtful)):
        unclear["max_price"] = min(doubtful)
    red_eye = takes_red_eyes(text)
    if red_eye == "unclear":
        unclear["red_eye"] = False
    elif red_eye is not None:
        stated["red_eye"] = red_eye
    return Limits(stated, unclear)


def _prices(sentence: str) -> list[tuple[int, str]]:
    """The sums of a sentence, each as a `cap`, one in `doubt`, or `unclear`."""
    found = list(sums_in(sentence))
    if not found:
        return []
    on_other, doubted = _ON_OTHER.search(sentence), _DOUBT.search(sentence)
    asks, of_trip = _ASKS.search(sentence), is_of_trip(sentence)
    few = len(re.findall(r"[\w'’]+|[\u4e00-\u9fff]", sentence)) <= _FEW
    of_money = few or _OF_MONEY.search(sentence)
    prices = []
    start = 0
    for one, until in zip(found, [*(each.start for each in found[1:]), len(sentence)], strict=True):
        before, after = sentence[start : one.start], sentence[one.end : until]
        start = one.end
        if on_other and not is_of_trip(before + after):
            continue
        if _is_cap(before, after) and not _FLOOR.search(before):
            about = _OF_TRIP.sub("it", before + after)
            doubts = doubted or _FOR_WHAT.search(about) or _WHOSE_BUDGET.search(about)
            prices.append((one.amount, "doubt" if doubts else "cap"))
            continue
        is_year = 1900 <= one.amount < 2100 and _YEAR.search(before)
        may_be_price = one.is_money or of_trip or (of_money and _BARE_AFTER.search(after))
        if may_be_price and not (asks or is_year):
            prices.append((one.amount, "unclear"))
    return prices


def _is_cap(before: str, after: str) -> bool:
    if _CAP_BEFORE.search(before) or _CAP_AFTER.search(after):
        return True
    if _OFF_ABOVE.search(before) and _OFF_EN.search(after):
        return True
    if _AND_UP.search(after) and (_OFF_EN.search(before) or _OFF_EN.search(after)):
        return True
    if _ABOVE_HAN.search(before) or _ABOVE_HAN.search(after):
        around = _FINE_HAN.sub("", before + after)
        return bool(_OFF_HAN.search(around)) and not _FINE_HAN.search(before + after)
    return bool(_CAP_BEFORE_HAN.search(before) or _CAP_AFTER_HAN.search(after))

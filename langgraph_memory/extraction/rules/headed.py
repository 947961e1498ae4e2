"""Limits beneath or behind the name of what they are for: "flights: 300 at most"."""

# A pattern is easier to check in one piece.

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["with_things"]

_MOST = r"(?:max(?:imum)?\.?|at\smost|under|below|up\sto|no\smore\sthan|within|less\sthan)"
_SUM = r"[$€£¥]?\s?\d[\d,.]*\s?(?:k\b|euros?|dollars?|pounds?|eur|usd|gbp|kr|chf)?"
_LIMIT = re.compile(
    rf"(?P<bound>(?:budget:?\s|{_MOST}\s)+)?(?P<sum>{_SUM})(?P<last>(?:\s(?:max(?:imum)?|tops|at\smost|or\sless|(?:an?|per|each|every)\s\w+))*)(?:\splease)?[.!]?",
    re.IGNORECASE,
)
_LIMIT_HAN = re.compile(
    r"(?P<bound>(?:预算|最多|至多|不超过|控制在)*)(?P<sum>(?:\d[\d,.]*|[一二两三四五六七八九十百千]+)\s?[万千]?[元块]?)(?P<last>(?:以内|之内|以下|封顶)?)[。！]?"
)
_BEHIND = re.compile(r"^(for\s(?:the|our|my|an?)\s[^,:]{2,30}),", re.IGNORECASE)
_LIMIT_FOR = re.compile(
    r"^(?:(?:my|our)\s)?(?:(?:spending|price)\s)?(?:limit|budget)\s(for\s[^,:]{2,30}):",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"(?:[-*•]\s*)?(?:for\s)?(?P<the>(?:the|our|my|an?)\s)?(?P<what>[A-Za-z][\w'’-]*(?:\s[\w'’-]+){0,3}?)(?P<budget>\s(?:budget|limit))?",
    re.IGNORECASE,
)
_HEADING_HAN = re.compile(r"(?:[-*•]\s*)?(?P<what>[\u4e00-\u9fff]{2,8}?)的?(?P<budget>预算)?")
_OF_BUDGETS = re.compile(
    r"(?:\w+\s){0,2}budgets?(?:\sfor\s.+|\sthis\s\w+)?|\S{0,6}预算(?:如下|安排|明细)?",
    re.IGNORECASE,
)
_FRONTED = re.compile(
    r"^(?P<of>for\s(?:the|our|my|an?)\s[^,:.\d]{2,30}),\s(?P<limit>(?=.*\b(?:budget|limit|spend|pay|afford)\b)(?:my|our|I|we)\b[^,.]*\d[^,.]*)(?P<end>[.!]?)$",
    re.IGNORECASE,
)
# What is no thing to be paid for, or all of them.
_NO_THING = re.compile(
    r"\b(?:notes?|fyi|ps|edit|update|max\w*|min\w*|total|overall|budgets?|limit|price|cost|answers?|length|words?|pages?|"
    r"guests?|people|kids|children|seats|players|members|participants|users|requests|tokens|retries|files|rows|columns|items|"
    r"timeout|memory|workers|threads|calories|kcal|sugar|salt|carbs|protein|fat|steps|reps|temperature|distance|volume|rooms?|"
    r"hi|hello|hey|thanks|thank|ok|okay|yes|no|please|sorry|find|book|get|show|need|want|buy|make|plan|me|us|something|characters|lines?|deadline|time|age|size|weight|height|number|phone|code|score|speed|my|our|i|we|is|are|the)\b|"
    r"^\S{1,2}月$|今年|全年|家庭|总|合计|预算|上限|价格|花费|要求|人数|字数|时间|年龄|电话|手机号|编号|号码|数量|重量|身高|体重|次数|我|页",
    re.IGNORECASE,
)


def with_things(lines: Sequence[str]) -> list[str]:
    """The lines of a message, where a limit on spending names the thing before or above it."""
    found: list[str] = []
    listed = False
    above = ""
    for line in lines:
        front = _FRONTED.match(line)
        if front:
            line = f"{front['limit']} {front['of'][:1].lower()}{front['of'][1:]}{front['end']}"
        line = _LIMIT_FOR.sub(r"\1 budget:", line)
        name, colon, rest = _BEHIND.sub(r"\1:", line.replace("：", ":")).partition(":")
        budgets = _OF_BUDGETS.fullmatch(name.strip()) and not rest.strip()
        whole = line.strip()
        own = _of_thing(name.strip(), rest.strip(), listed=listed) if colon else None
        beneath = _of_thing(above, whole, listed=False) if above else None
        listed = bool(budgets or (listed and (own or (colon and rest.strip()))))
        if beneath and not own:
            found.pop()
        found.append(own or beneath or line)
        short = colon or len(whole.split()) <= 2
        above = name.strip() if short and not rest.strip() else ""
    return found


def _of_thing(name: str, limit: str, *, listed: bool) -> str | None:
    """A sentence for a limit with the name of its thing, or None if these are no such."""
    for heading, figure, sentence in (
        (_HEADING, _LIMIT, "My budget for {what} is {limit}"),
        (_HEADING_HAN, _LIMIT_HAN, "{what}预算{limit}"),
    ):
        thing, amount = heading.fullmatch(name), figure.fullmatch(limit)
        if thing is None or amount is None or _NO_THING.search(thing["what"]):
            continue
        if not (listed or thing["budget"] or amount["bound"] or amount["last"].strip()):
            continue
        what = (thing.groupdict().get("the") or "") + thing["what"]
        bare = re.sub(r"^(?:budget:?\s|预算)+", "", limit, flags=re.IGNORECASE)
        return sentence.format(what=what[:1].lower() + what[1:], limit=bare)
    return None

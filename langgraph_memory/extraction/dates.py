"""Days named in a statement, as dates: "next Tuesday" means nothing when it is read a year later."""

# A pattern is easier to check in one piece.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

__all__ = ["Day", "days", "end_of_current", "has_date", "period"]

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<m>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_WEEKDAY = r"(?P<w>mon|tues|wednes|thurs|fri|satur|sun)day"
_HAN_DIGITS = {one: at for at, one in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}

_PATTERNS = (
    re.compile(r"\b(?P<y>\d{4})-(?P<n>\d\d?)-(?P<d>\d\d?)\b"),
    re.compile(
        rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\s(?:of\s)?{_MONTH}\b(?:,?\s(?P<y>\d{{4}}))?", re.I
    ),
    re.compile(
        rf"\b{_MONTH}\.?\s(?:the\s)?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s(?P<y>\d{{4}}))?", re.I
    ),
    re.compile(rf"\b(?P<rel>next|this|on|coming|by|until|till|last)?\s?{_WEEKDAY}\b(?!s)", re.I),
    re.compile(r"\b(?P<word>today|tonight|tomorrow|day after tomorrow|yesterday)\b", re.I),
    re.compile(
        r"\bin (?P<count>\d+|an?|one|two|three|four|five|six|ten) (?P<unit>day|week|month)s?\b",
        re.I,
    ),
    re.compile(
        r"(?:(?P<y>\d{4})年)?(?P<n>\d{1,2}|[一二三四五六七八九十]{1,2})月(?P<d>\d{1,2}|[一二三四五六七八九十]{1,3})[号日]?"
    ),
    re.compile(r"(?P<rel>下下|下|这|本|上)?个?(?:周|星期|礼拜)(?P<hw>[一二三四五六日天])"),
    re.compile(r"(?P<word>今天|今晚|明天|明晚|后天|大后天|昨天|昨晚|前天)"),
)
_LOOSE = re.compile(
    rf"\b(?:in|by|this|next|since|until|before|after|end\sof|early|late|mid)[\s-](?:the\s)?{_MONTH}\b|"
    r"\b(?:next|this|coming)\s(?:week|weekend|month|year|spring|summer|autumn|fall|winter)\b|"
    r"\b(?:in|by)\s(?:the\s)?(?:spring|summer|autumn|fall|winter|(?:19|20)\d\d)\b|\b(?:19|20)\d\d\b|"
    r"\bsoon\b|\bchristmas\b|\beaster\b|下个?(?:周|月|星期|季度|学期|礼拜)|明年|后年|年底|月底|周末|"
    r"[春夏秋冬](?:天|季)|暑假|寒假|国庆|春节|过年|元旦|五一|中秋|圣诞|端午|清明|元宵|情人节|开学|\d+月|[一二三四五六七八九十]+月(?:份|底|初)?|\d{4}年",
    re.IGNORECASE,
)
_OFFSETS = {
    "today": 0, "tonight": 0, "今天": 0, "今晚": 0, "tomorrow": 1, "明天": 1, "明晚": 1,
    "day after tomorrow": 2, "后天": 2, "大后天": 3, "yesterday": -1, "昨天": -1, "昨晚": -1, "前天": -2,
}  # fmt: skip
_COUNTS = {
    "a": 1,
    "an": 1,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "ten": 10,
}
_SINCE = re.compile(
    r"\b(?:since|from|starting|as\sof)\s(?:(?:early|late|mid)[\s-])?(?:\w+\s)?(?P<y>(?:19|20)\d\d)\b|从?(?P<hy>(?:19|20)\d\d)年(?:起|开始|以来)",
    re.IGNORECASE,
)
_UNTIL = re.compile(
    r"\b(?:until|till|through|ends?|expires?|runs?\sout|up)\s(?:at\sthe\send\sof\s|on\s|in\s)?|"
    r"(?:到|至|截止|有效期)(?:到|至)?$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Day:
    """A day named in a text.

    Attributes:
        start: Where its name begins.
        end: Where its name ends.
        date: The day.
        relative: Whether the name depends on when it was said.
    """

    start: int
    end: int
    date: date
    relative: bool


def has_date(text: str) -> bool:
    """Whether a day, month, season or year is named."""
    return _LOOSE.search(text) is not None or any(one.search(text) for one in _PATTERNS)


def days(text: str, said_on: date) -> list[Day]:
    """The days a text names, in its order."""
    found: list[Day] = []
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            day = _resolved(match.groupdict(), said_on)
            if day is not None and not any(
                one.start < match.end() and match.start() < one.end for one in found
            ):
                found.append(
                    Day(
                        match.start(),
                        match.end(),
                        day,
                        not {"n", "m"} & {k for k, v in match.groupdict().items() if v},
                    )
                )
    return sorted(found, key=lambda one: one.start)


def period(text: str, said_on: date, *, event: bool) -> tuple[datetime | None, datetime | None]:
    """Since when and until when a statement says that it is true.

    An event is over at the end of the last day it names.
    """
    since = _SINCE.search(text)
    start = _midnight(date(int(since.group("y") or since.group("hy")), 1, 1)) if since else None
    named = days(text, said_on)
    end = None
    until = [one for one in named if _UNTIL.search(text[: one.start].rstrip()[-14:] + " ")]
    if until:
        end = _midnight(until[-1].date + timedelta(days=1))
    elif event and named:
        end = _midnight(max(one.date for one in named) + timedelta(days=1))
    if start and end and start > end:
        start = None
    return start, end


_CURRENT = re.compile(
    r"(?<!from )(?<!since )(?<!starting )\bthis (?P<unit>week|month|year)\b(?! on\b)|"
    r"(?<!从)(?:这|本)个?(?P<han>周|星期|礼拜|月)(?![一二三四五六日天末起]|开始)|(?P<year>(?<!从)今年)(?!起|开始)",
    re.IGNORECASE,
)
_UNITS = {"周": "week", "星期": "week", "礼拜": "week", "月": "month"}


def end_of_current(text: str, said_on: date) -> datetime | None:
    """When the week, month or year ends that a limit names as the one it is for, or None."""
    found = _CURRENT.search(text)
    if found is None:
        return None
    unit = "year" if found["year"] else (found["unit"] or _UNITS[found["han"]]).lower()
    if unit == "week":
        return _midnight(said_on + timedelta(days=7 - said_on.weekday()))
    if unit == "year" or said_on.month == 12:
        return _midnight(date(said_on.year + 1, 1, 1))
    return _midnight(date(said_on.year, said_on.month + 1, 1))


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), tzinfo=UTC)


def _resolved(parts: dict[str, str | None], said_on: date) -> date | None:
    try:
        return next(_readings(parts, said_on), None)
    except (ValueError, OverflowError):
        return None  # The 31st of February, or a year no calendar has.


def _readings(parts: dict[str, str | None], said_on: date) -> Iterator[date]:
    if word := parts.get("word"):
        yield said_on + timedelta(days=_OFFSETS[word.lower()])
    elif unit := parts.get("unit"):
        count = parts["count"] or "1"
        number = int(count) if count.isdigit() else _COUNTS[count.lower()]
        yield said_on + timedelta(days=number * {"day": 1, "week": 7, "month": 30}[unit.lower()])
    elif weekday := parts.get("w"):
        yield _weekday(
            said_on, _WEEKDAYS.index(weekday[:3].lower()), (parts.get("rel") or "").lower()
        )
    elif weekday := parts.get("hw"):
        number = "一二三四五六日".index(weekday.replace("天", "日"))
        weeks = {"下下": 2, "下": 1, "上": -1}.get(parts.get("rel") or "")
        monday = said_on - timedelta(days=said_on.weekday())
        if weeks is None:
            ahead = monday + timedelta(days=number)
            yield ahead if ahead >= said_on or parts.get("rel") else ahead + timedelta(days=7)
        else:
            yield monday + timedelta(days=7 * weeks + number)
    else:
        month = parts.get("m")
        number = _MONTHS.index(month[:3].lower()) + 1 if month else _number(parts.get("n") or "")
        day = _number(parts.get("d") or "")
        year = parts.get("y")
        if year:
            yield date(int(year), number, day)
        else:
            this = date(said_on.year, number, day)
            yield this if this >= said_on else date(said_on.year + 1, number, day)


def _weekday(said_on: date, number: int, relation: str) -> date:
    ahead = (number - said_on.weekday()) % 7
    if relation == "last":
        return said_on - timedelta(days=(said_on.weekday() - number) % 7 or 7)
    # "Next Tuesday" is that of the coming week, whatever day it is now.
    if relation == "next":
        return said_on - timedelta(days=said_on.weekday()) + timedelta(days=7 + number)
    return said_on + timedelta(days=ahead or 7)


def _number(written: str) -> int:
    if written.isdigit():
        return int(written)
    tens, ten, ones = written.rpartition("十")
    if not ten:
        return _HAN_DIGITS[written]
    return 10 * (_HAN_DIGITS[tens] if tens else 1) + (_HAN_DIGITS[ones] if ones else 0)

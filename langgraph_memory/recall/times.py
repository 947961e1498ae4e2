"""When a question asks about: its dates and time words as spans, in English and Chinese.

Rules rather than a model, so that the same question always means the same time. What is told
without a year is the latest such date that has begun. Words about the future name no span: what
is planned was said earlier, and nobody knows when. Nor does "today": what is wanted today was said
before, and what was said today is still in the conversation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

__all__ = ["Span", "closeness", "spans"]

DAY = timedelta(days=1)
_DAYS = {"day": 1.0, "week": 7.0, "month": 30.4, "year": 365.25}
_SLACK = {"day": 0, "week": 3, "month": 15, "year": 180}
_MONTHS = "january february march april may june july august september october november december"
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday"
_COUNTS = "one two three four five six seven eight nine ten eleven twelve"


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of time.

    Attributes:
        start: Its first moment, aware.
        end: The first moment after it, aware.
    """

    start: datetime
    end: datetime


def spans(question: str, now: datetime, known_until: datetime | None = None) -> tuple[Span, ...]:
    """The times that a question names, in the order of its words.

    Args:
        question: What the user asks.
        now: When it is asked; aware. Its time zone is the one days are counted in.
        known_until: The newest moment anything is known of, as far as it is before `now`: a month
            without a year is the latest one before this.

    Returns:
        Spans; two that a word like "to" or 至 joins are one.
    """
    latest = min(now, known_until.astimezone(now.tzinfo)) if known_until else now
    text = question.translate(_FULL_WIDTH)
    found: list[tuple[int, int, Span]] = []
    for pattern, meaning in _RULES:
        for match in pattern.finditer(text):
            span = meaning(match, now, latest)
            if span is not None:
                found.append((_beginning(match), match.end(), span))
        # Each word counts once, for the most telling rule.
        text = pattern.sub(lambda match: "\0" * len(match.group()), text)
    return tuple(_joined(question, sorted(found, key=lambda each: each[0])))


def closeness(moment: datetime, asked: tuple[Span, ...], before: float, after: float) -> float:
    """How near a moment is to the nearest of several spans.

    ``1 / (1 + (days outside / (slack * (1 + days of the span))) ** 2)``.

    Args:
        moment: Aware.
        asked: The spans; without any, everything is equally near, 0.
        before: Slack of moments before a span.
        after: Slack of moments after one; what happened is often told later.

    Returns:
        1 within a span, towards 0 far from all.
    """
    best = 0.0
    for span in asked:
        early = (span.start - moment) / DAY
        late = (moment - span.end) / DAY
        slack = before if early > 0 else after
        outside = max(early, late, 0.0) / (slack * (1 + (span.end - span.start) / DAY))
        best = max(best, 1 / (1 + outside * outside))
    return best


def _joined(question: str, found: list[tuple[int, int, Span]]) -> Iterator[Span]:
    """The spans, those from one time to another as one."""
    last: tuple[int, int, Span] | None = None
    for start, end, span in found:
        if last is not None:
            between = question[last[1] : start]
            first = last[2]
            if _TO.fullmatch(between) or (
                _AND.fullmatch(between) and _BETWEEN.search(question[: last[0]])
            ):
                if first.start > span.start:  # "from May to July 2023": the year is told once.
                    first = _back_to(first, span.start)
                span = Span(first.start, max(first.end, span.end))
                start = last[0]
            else:
                yield first
        last = (start, end, span)
    if last is not None:
        yield last[2]


def _back_to(span: Span, latest: datetime) -> Span:
    """The same dates in the last year in which they begin before a moment."""
    try:
        start = span.start.replace(year=latest.year)
        if start > latest:
            start = start.replace(year=latest.year - 1)
    except ValueError:  # 29 February, or before the first year.
        start = latest
    return Span(start, start + (span.end - span.start))


def _beginning(match: re.Match[str]) -> int:
    """Where the time itself begins, behind a preposition."""
    groups = match.groupdict()
    starts = [match.start(name) for name in ("part", "month", "year") if groups.get(name)]
    return min(starts) if starts else match.start()


Meaning = Callable[[re.Match[str], datetime, datetime], Span | None]


def _date(match: re.Match[str], now: datetime, latest: datetime) -> Span | None:
    """A year, a month or a day, as far as the pattern's groups say."""
    groups = match.groupdict()
    year = _number(groups.get("year"))
    month = _month(groups.get("month"))
    day = _number(groups.get("day"))
    try:
        if not month:
            return _within(_year(year, now), groups.get("part")) if year else None
        if year:
            span = _calendar(year, month, day, now)
        else:
            span = _calendar(latest.year, month, day, now)
            if span.start > latest:
                span = _calendar(latest.year - 1, month, day, now)
        if groups.get("until"):
            last = _calendar(span.start.year, month, _number(groups["until"]), now)
            return Span(span.start, max(span.end, last.end))
    except ValueError:  # No such day, such as 31 April or day 45.
        return None
    return span if day else _within(span, groups.get("part"))


def _within(span: Span, part: str | None) -> Span:
    """The first, middle or last third of a span."""
    third = (span.end - span.start) / 3
    word = (part or "").lower()
    if word in {"early", "beginning of", "start of", "初", "上旬"}:
        return replace(span, end=span.start + third)
    if word in {"mid", "middle of", "中", "中旬"}:
        return Span(span.start + third, span.end - third)
    if word in {"late", "end of", "底", "末", "下旬"}:
        return replace(span, start=span.end - third)
    return span


def _calendar(year: int, month: int, day: int | None, now: datetime) -> Span:
    start = datetime(year, month, day or 1, tzinfo=now.tzinfo)
    if day:
        return Span(start, start + DAY)
    return Span(start, datetime(year + month // 12, month % 12 + 1, 1, tzinfo=now.tzinfo))


def _year(year: int, now: datetime) -> Span:
    return Span(
        datetime(year, 1, 1, tzinfo=now.tzinfo), datetime(year + 1, 1, 1, tzinfo=now.tzinfo)
    )


def _ago(match: re.Match[str], now: datetime, latest: datetime) -> Span | None:
    unit = _unit(match["unit"])
    count = _number(match["count"])
    try:
        if count is None:  # A few, several.
            return Span(now - timedelta(_DAYS[unit] * 6), now - timedelta(_DAYS[unit] * 1.5))
        slack = _SLACK[unit]
        return _days(now, -round(_DAYS[unit] * count) - slack, 2 * slack + 1)
    except (OverflowError, ValueError):
        return None


def _lately(match: re.Match[str], now: datetime, latest: datetime) -> Span | None:
    """The last so many days, weeks, months, years."""
    count = _number(match["count"]) or (5 if match["count"] else 1)
    try:
        return Span(now - timedelta(_DAYS[_unit(match["unit"])] * count), now)
    except (OverflowError, ValueError):
        return None


def _unit_before(match: re.Match[str], now: datetime, latest: datetime) -> Span | None:
    """This or the last week, month, year."""
    word = match["which"].lower()
    back = _BACK.get(word, 0)
    unit = _unit(match["unit"])
    if unit == "week":
        return _days(now, -now.weekday() - 7 * back, 7)
    if unit == "month":
        months = now.year * 12 + now.month - 1 - back
        return _calendar(months // 12, months % 12 + 1, None, now)
    return _year(now.year - back, now) if unit == "year" else None


def _weekday(match: re.Match[str], now: datetime, latest: datetime) -> Span | None:
    """The last such day of the week; in Chinese of the week that is named."""
    word = match["weekday"].lower()
    which = (match["which"] or "").lower()
    if word in {"weekend", "末"}:
        first = 5
        length = 2
    else:
        first = (
            _WEEKDAYS.split().index(word) if word.isascii() else "一二三四五六日天".index(word) % 7
        )
        first, length = (6 if word == "天" else first), 1
    if word.isascii():
        back = (now.weekday() - first) % 7 or 7
        return _days(now, -back, length)
    ahead = not which and first > now.weekday()
    return _days(now, first - now.weekday() - 7 * (1 if ahead else _BACK.get(which, 0)), length)


def _named_day(match: re.Match[str], now: datetime, latest: datetime) -> Span | None:
    return _days(now, -_BACK[match.group().lower()], 1)


def _days(now: datetime, first: int, length: int) -> Span:
    start = now.replace(hour=0, minute=0, second=0, microsecond=0) + DAY * first
    return Span(start, start + DAY * length)


def _number(text: str | None) -> int | None:
    """A number in digits, English or Chinese; None for "few" and nothing."""
    if not text:
        return None
    word = text.lower()
    if word.isdecimal():
        return int(word)
    if word in {"a", "an"}:
        return 1
    if word in {"两", "couple", "couple of"}:
        return 2
    if word in _COUNTS.split():
        return _COUNTS.split().index(word) + 1
    if len(word) == 4 and all(each in _NUMERALS for each in word):  # A year, digit by digit.
        return int("".join(str(_NUMERALS.index(each)) for each in word.replace("〇", "零")))
    tens, ten, ones = word.rpartition("十")
    try:
        return (10 * (_NUMERALS.index(tens) if tens else 1) if ten else 0) + (
            _NUMERALS.index(ones) if ones else 0
        )
    except ValueError:
        return None


def _month(text: str | None) -> int | None:
    if not text:
        return None
    for number, name in enumerate(_MONTHS.split(), 1):
        if name.startswith(text.lower()[:3]):
            return number
    number_told = _number(text)
    return number_told if number_told and number_told <= 12 else None


def _unit(text: str) -> str:
    chinese = {"天": "day", "日": "day", "周": "week", "星期": "week", "礼拜": "week"}
    chinese |= {"月": "month", "年": "year"}
    return chinese.get(text) or text.lower().removesuffix("s")


_FULL_WIDTH = {0xFF10 + digit: str(digit) for digit in range(10)} | {0xFF0F: "/", 0xFF0D: "-"}
_NUMERALS = "零一二三四五六七八九"
_BACK = {
    "yesterday": 1, "last night": 1, "昨天": 1, "昨日": 1, "昨晚": 1,
    "the day before yesterday": 2, "前天": 2, "大前天": 3,
    "this": 0, "本": 0, "这": 0, "这个": 0, "今": 0,
    "last": 1, "previous": 1, "上": 1, "上个": 1, "上一个": 1, "去": 1,
    "上上": 2, "上上个": 2, "前": 2,
}  # fmt: skip
_N = "[0-9]{1,2}|[一二三]?十[一二三四五六七八九]?|[一二三四五六七八九]"
_Y = "[12][0-9]{3}|[一二][零〇一二三四五六七八九]{3}"
_MONTH_NAME = "(?P<month>" + "|".join(
    rf"{name[:3]}(?:{name[3:]})?" if name != "may" else name for name in _MONTHS.split()
) + r"|sept)\b\.?"  # fmt: skip
_DAY_NUMBER = r"(?P<day>[0-3]?[0-9])(?:st|nd|rd|th)?"
_COUNT = rf"(?P<count>[0-9]+|an?|(?:a )?(?:few|couple(?: of)?)|several|{'|'.join(_COUNTS.split())})"
_UNIT = "(?P<unit>day|week|month|year)s?"
_PART = "(?P<part>early|mid|late|beginning of|start of|middle of|end of)"
_PART_EN = rf"(?:{_PART}[ -]+)?"
_PART_ZH = "(?P<part>上旬|中旬|下旬|初|中(?!旬)|底|末)?"
_UNTIL_ZH = f"(?:(?:日|号)?(?:至|到|[-~—–]+)(?P<until>{_N})(?=日|号))?"
_TO = re.compile(r"\s*(?:to|through|until|till|[-–—~]|至|到)\s*(?:the\s+)?", re.IGNORECASE)
_AND = re.compile(r"\s*and\s+(?:the\s+)?", re.IGNORECASE)
_BETWEEN = re.compile(r"\bbetween\s+(?:the\s+)?$", re.IGNORECASE)
_RULES: tuple[tuple[re.Pattern[str], Meaning], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), meaning)
    for pattern, meaning in (
        (
            rf"(?P<year>{_Y})年(?:(?P<month>{_N})月份?(?:(?P<day>{_N}){_UNTIL_ZH}[日号])?)?"
            rf"{_PART_ZH}",
            _date,
        ),
        (rf"(?P<month>{_N})月份?(?P<day>{_N}){_UNTIL_ZH}[日号]", _date),
        (rf"(?<![0-9个])(?P<month>{_N})月份?{_PART_ZH}", _date),
        (r"\b(?P<year>[12][0-9]{3})[-/.](?P<month>[01]?[0-9])(?:[-/.](?P<day>[0-3]?[0-9]))?\b",
         _date),
        (rf"\b{_DAY_NUMBER}(?: of)? {_MONTH_NAME}(?:,? (?P<year>[12][0-9]{{3}})\b)?", _date),
        (rf"\b{_MONTH_NAME} (?:the )?{_DAY_NUMBER}\b(?:,? (?P<year>[12][0-9]{{3}})\b)?", _date),
        (rf"\b{_PART_EN}{_MONTH_NAME}(?: of)?,? (?P<year>[12][0-9]{{3}})\b", _date),
        (rf"\b{_PART}[ -]+{_MONTH_NAME}",
         _date),
        (rf"(?<=\bin )(?:the month of )?{_MONTH_NAME}", _date),
        (rf"\b(?:during|since|of|by|around|last|this|from|to|between|and|until) {_MONTH_NAME}",
         _date),
        (rf"\b(?:in|of|during|since|by|from|to|{_PART}) (?P<year>(?:19|20)[0-9]{{2}})\b",
         _date),
        (rf"\b{_COUNT} {_UNIT} (?:ago|earlier|back)\b", _ago),
        (rf"\b(?:last|past|previous) {_COUNT} {_UNIT}\b", _lately),
        (r"\bpast (?P<count>)(?P<unit>day|week|month|year)\b", _lately),
        (r"\bthe day before yesterday\b|\byesterday\b|\blast night\b",
         _named_day),
        (r"\b(?P<which>this|last|previous) (?P<unit>week|month|year)\b", _unit_before),
        (rf"\b(?P<which>last|on|this|past) (?P<weekday>{'|'.join(_WEEKDAYS.split())}|weekend)\b",
         _weekday),
        ("大前天|前天|昨天|昨日|昨晚", _named_day),
        ("(?P<which>上上个?|上个?|这个?|本)?(?:周|星期|礼拜)(?P<weekday>[一二三四五六日天末])",
         _weekday),
        ("(?P<which>上上个?|上一个|上个?|这个?|本)(?P<unit>周|星期|礼拜|月)", _unit_before),
        ("(?P<which>今|去|前)(?P<unit>年)", _unit_before),
        (f"(?:最近|过去|近)(?:的|这)?(?P<count>{_N}|两|几)个?(?P<unit>天|日|周|星期|礼拜|月|年)",
         _lately),
        (f"(?P<count>{_N}|两|几)个?(?P<unit>天|日|周|星期|礼拜|月|年)(?:之|以)?前", _ago),
    )
)  # fmt: skip

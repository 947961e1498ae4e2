"""Whether the figures of a statement were said: amounts, ages, dates and times of day."""

# A pattern is easier to check in one piece.

from __future__ import annotations

import re
from datetime import date, timedelta

from langgraph_memory.extraction.by_model.numerals import numerals
from langgraph_memory.extraction.dates import days, has_date

__all__ = ["figures_were_said", "names_a_time"]

_CLOCK = re.compile(r"(?<!\d)(\d{1,2})[:：](\d{2})(?!\d)")
_MONTH = re.compile(
    r"(?<!\d)(?:(?P<y>\d{4})[-/年]\s?)?(?P<n>\d{1,2})月|(?<!\d)(?P<iy>\d{4})[-/](?P<in>\d\d)(?![-/\d])"
)
_TIME = re.compile(
    r"\b(?:year|month|week|day|morning|evening|night|spring|summer|autumn|fall|winter|ago|"
    r"last|next|term|semester)s?\b|[年月周天季春夏秋冬晚]|星期|礼拜|学期",
    re.IGNORECASE,
)
_ENDS_OF_PERIODS = frozenset({1, 28, 29, 30, 31})
_UNASKED = frozenset({"0", "1"})
_SOON = timedelta(days=14)


def figures_were_said(content: str, said: str, said_on: date) -> bool:
    """Whether every number of a statement is in what was said, or a date that follows from it.

    Numbers count by what they amount to, in digits or words (English and Chinese): 1,200 was said
    by "1.2k", 2500 by 两千五. "One" and "a" prove nothing and are not asked about.

    Args:
        content: The statement.
        said: Everything it may come from.
        said_on: The day it was said, for "tomorrow" and "last year".
    """
    known = _known(said)
    dates = {day.date for day in days(said, said_on)}
    vague = not dates and has_date(said)
    years = _years(known, said_on) if names_a_time(said) else frozenset()
    years |= {str(one.year) for one in dates}
    for day in reversed(days(content, said_on)):
        named = content[day.start : day.end]
        content = content[: day.start] + " " + content[day.end :]
        meant = day.date in dates or (vague and _may_be_meant(day.date, said_on))
        if not meant and not _all_in(named, known | years):
            return False
    months = {str(one.month) for one in dates}
    for found in _MONTH.finditer(content):
        year, month = found["y"] or found["iy"], str(int(found["n"] or found["in"]))
        if (year and year not in known | years) or not (vague or month in known | months):
            return False
    content = _MONTH.sub(" ", content)
    if not all(_time_was_said(found[1], found[2], known) for found in _CLOCK.finditer(content)):
        return False
    return _all_in(_CLOCK.sub(" ", content), known | years)


def names_a_time(text: str) -> bool:
    """Whether a text says when something is, was or will be, however vaguely."""
    return has_date(text) or _TIME.search(text) is not None


def _known(said: str) -> frozenset[str]:
    known = {value for one in numerals(said) for value in one.values | one.parts}
    known |= {str(int(part)) for found in _CLOCK.finditer(said) for part in found.groups()}
    return frozenset(known)


def _all_in(text: str, known: frozenset[str]) -> bool:
    wanted = (one.values for one in numerals(text) if one.certain)
    return all(values & (known | _UNASKED) for values in wanted)


def _years(known: frozenset[str], said_on: date) -> frozenset[str]:
    """The years that "last year" and "four years ago" can mean."""
    spans = {1} | {int(value) for value in known if value.isdecimal() and len(value) < 4}
    return frozenset(str(said_on.year + way * span) for span in spans for way in (-1, 0, 1))


def _may_be_meant(day: date, said_on: date) -> bool:
    """Whether "next week", "until spring" and the like can come to this day."""
    return day.day in _ENDS_OF_PERIODS or abs(day - said_on) <= _SOON


def _time_was_said(hour: str, minute: str, known: frozenset[str]) -> bool:
    hours = {str(int(hour)), str((int(hour) + 12) % 24)}
    return bool(hours & known) and (minute == "00" or str(int(minute)) in known)

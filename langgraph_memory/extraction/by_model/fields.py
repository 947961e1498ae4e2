"""The fields of an entry, of whatever kind a model made them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from typing import Any, TypeVar

from langgraph_memory import clock
from langgraph_memory.extraction.proposals import DropReason
from langgraph_memory.offline.words import clean

__all__ = [
    "Entry",
    "EntryDroppedError",
    "alias_in",
    "choice",
    "line",
    "lines",
    "moment",
    "names",
    "object_in",
    "share",
]

_LONGEST_LINE = 1_000
_BLANKS = re.compile(r"\s+")

Entry = Mapping[str, Any]
Choice = TypeVar("Choice", bound=StrEnum)


class EntryDroppedError(Exception):
    """An entry is not proposed; caught where the next entry is read."""

    def __init__(self, reason: DropReason) -> None:
        super().__init__(reason.value)
        self.reason = reason


def object_in(entry: Any) -> Entry:
    """An entry that has fields."""
    if not isinstance(entry, dict):
        raise EntryDroppedError(DropReason.UNREADABLE)
    return entry


def line(value: Any, longest: int = _LONGEST_LINE) -> str:
    """A text on one line; empty if there is none."""
    if value is not None and not isinstance(value, str):
        raise EntryDroppedError(DropReason.UNREADABLE)
    text = _BLANKS.sub(" ", clean(value or "").replace("\0", " ")).strip()
    if len(text) > longest:
        raise EntryDroppedError(DropReason.UNREADABLE)
    return text


def lines(value: Any) -> tuple[str, ...]:
    """Texts on a line each, without empty ones."""
    return tuple(text for one in names(value) if (text := line(one)))


def names(value: Any) -> list[str]:
    """A list of texts; one text is a list of one."""
    values = [] if value is None else [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not all(isinstance(one, str) for one in values):
        raise EntryDroppedError(DropReason.UNREADABLE)
    return [one for one in values if one.strip()]


def alias_in(name: str) -> str:
    """A short name as it was given, without what models put around it."""
    return name.strip(" []()").lower()


def choice(choices: type[Choice], value: Any, default: Choice | None) -> Choice:
    """One of some values; without a default it must be given."""
    if value is None and default is not None:
        return default
    try:
        return choices(value.strip().lower() if isinstance(value, str) else value)
    except ValueError:
        raise EntryDroppedError(DropReason.UNREADABLE) from None


def share(value: Any, default: float) -> float:
    """A number from 0 to 1."""
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise EntryDroppedError(DropReason.UNREADABLE)
    try:
        number = float(value)
    except (ValueError, OverflowError):
        number = math.nan
    if not 0 <= number <= 1:
        raise EntryDroppedError(DropReason.UNREADABLE)
    return number


def moment(value: Any, *, ends: bool) -> datetime | None:
    """A day or moment as one in UTC; the end of the day if a time ends with it.

    A date that nobody can read is none: it is no reason to lose the memory.
    """
    if not isinstance(value, str):
        return None
    try:
        if len(value.strip()) == len("2000-01-01"):
            day = date.fromisoformat(value.strip()) + timedelta(days=int(ends))
            return datetime.combine(day, time(), tzinfo=UTC)
        given = datetime.fromisoformat(value.strip())
        return clock.to_utc(given if given.tzinfo else given.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        return None

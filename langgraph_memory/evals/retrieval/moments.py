"""Moments as recorded conversations write them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

__all__ = ["moment_of"]

_MONTH = re.compile(r"(\d{4})-(\d{2})")
_WEEKDAY = re.compile(r"\s*\([A-Za-z]+\)")
_FORMS = ("%I:%M %p on %d %B, %Y", "%Y/%m/%d %H:%M", "%Y/%m/%d")


def moment_of(written: Any, *, last: bool = False) -> datetime | None:
    """Read a moment; without a time zone it is UTC.

    Args:
        written: ISO 8601, `1:56 pm on 8 May, 2023`, `2023/05/20 (Sat) 01:20`, or a month,
            `2025-01`.
        last: Read a month as its last hour, not as its first.

    Returns:
        An aware moment; None if it cannot be read.
    """
    if not isinstance(written, str) or not written.strip():
        return None
    text = _WEEKDAY.sub("", written.strip())
    month = _MONTH.fullmatch(text)
    if month:
        return _month(int(month[1]), int(month[2]), last)
    for form in (None, *_FORMS):
        try:
            moment = datetime.strptime(text, form) if form else datetime.fromisoformat(text)
        except ValueError:
            continue
        return moment if moment.utcoffset() is not None else moment.replace(tzinfo=UTC)
    return None


def _month(year: int, number: int, last: bool) -> datetime | None:
    try:
        first = datetime(year, number, 1, tzinfo=UTC)
    except ValueError:
        return None
    if not last:
        return first
    return (first + timedelta(days=31)).replace(day=1) - timedelta(hours=1)

"""The time that everything in this package goes by, and the one form it is written in.

Stores, records and scores ask `now` instead of the system, so that a test can say what time it
is. `utc_text` is the form of a moment inside stored JSON: because every moment has the same
length and zone there, comparing the texts compares the moments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from langgraph_memory.errors import InvalidInputError

__all__ = ["now", "set_to", "to_utc", "utc_text"]


def _system() -> datetime:
    return datetime.now(UTC)


_source: Callable[[], datetime] = _system


def now() -> datetime:
    """The current moment: aware, in UTC, to the microsecond.

    Raises:
        InvalidInputError: a source given to `set_to` returned a moment without a time zone.
    """
    return to_utc(_source())


@contextmanager
def set_to(source: datetime | Callable[[], datetime]) -> Iterator[None]:
    """Let the clock show something else, for tests.

    It holds for the whole process and all its threads until the block is left; blocks may be
    nested, but not overlap between threads.

    Args:
        source: An aware moment at which the clock stands still, or a function called at each
            reading of the clock.

    Raises:
        InvalidInputError: the moment has no time zone.
    """
    global _source  # noqa: PLW0603 - one clock for the process is what this is for
    before = _source
    _source = _standing_at(to_utc(source)) if isinstance(source, datetime) else source
    try:
        yield
    finally:
        _source = before


def _standing_at(moment: datetime) -> Callable[[], datetime]:
    return lambda: moment


def to_utc(moment: datetime) -> datetime:
    """The same moment in UTC.

    Raises:
        InvalidInputError: it has no time zone, so nobody can say which moment it is, or its UTC
            form is outside the years 1 to 9999.
    """
    if moment.utcoffset() is None:
        raise InvalidInputError(
            f"The time {moment.isoformat()!r} has no time zone, so it is not one moment. "
            "Give it one, e.g. moment.replace(tzinfo=datetime.UTC) or datetime.now(datetime.UTC)."
        )
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise InvalidInputError(
            f"The time {moment.isoformat()!r} has no form in UTC: it would be outside the years "
            "1 to 9999. Use a moment a day further from that limit."
        ) from None


def utc_text(moment: datetime) -> str:
    """A moment as text whose order is the order of time, e.g. `2026-03-01T09:30:00.000000Z`.

    Always UTC, six fractional digits and `Z`.

    Raises:
        InvalidInputError: as for `to_utc`.
    """
    return to_utc(moment).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"

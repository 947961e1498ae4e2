"""How use and time change what a memory is worth: pure functions of plain numbers and moments.

Time is counted in days of 86,400 seconds. Clocks of several machines differ and may be set back,
so a use that lies in the future counts as one of this moment, never as a reason to grow.
"""

from __future__ import annotations

import math
from datetime import datetime

from langgraph_memory.errors import InvalidInputError

__all__ = ["days_between", "decay", "decayed_heat", "effective_importance", "heat_after_use"]

SECONDS_PER_DAY = 86_400.0

AGEING_PER_DAY = 0.01
"""Importance loses about 1 % a day."""

RECENT_DAYS, RECENT_BONUS = 7.0, 1.2
KNOWN_DAYS, KNOWN_BONUS = 30.0, 1.0
STALE_BONUS = 0.8


def days_between(earlier: datetime, later: datetime) -> float:
    """Days from one aware moment to another, 0 if they come the other way round.

    Raises:
        InvalidInputError: one of them has no time zone.
    """
    for moment in (earlier, later):
        if moment.utcoffset() is None:
            raise InvalidInputError(
                f"The time {moment.isoformat()!r} has no time zone. Use an aware one, "
                "e.g. langgraph_memory.clock.now()."
            )
    return max(0.0, (later - earlier).total_seconds() / SECONDS_PER_DAY)


def decayed_heat(
    heat: float, last_accessed_at: datetime, now: datetime, half_life_days: float = 30.0
) -> float:
    """What is left of a memory's heat if it has not been used since.

    `heat * exp(-λ Δt)` with λ = ln 2 / `half_life_days` and Δt in days: half is left after one
    half-life.

    Args:
        heat: At the last use; 0 or more.
        last_accessed_at: The last use, aware.
        now: The moment asked about, aware.
        half_life_days: Days in which heat halves, above 0; `types.LIFETIMES` has each type's.

    Raises:
        InvalidInputError: a number is outside its range, or a moment has no time zone.
    """
    _check(heat >= 0 and math.isfinite(heat), f"heat is {heat!r}; it is 0 or more")
    _check(half_life_days > 0, f"half_life_days is {half_life_days!r}; it is above 0")
    rate = math.log(2) / half_life_days
    return heat * math.exp(-rate * days_between(last_accessed_at, now))


def heat_after_use(
    heat: float, last_accessed_at: datetime, now: datetime, half_life_days: float = 30.0
) -> float:
    """A memory's heat when it is used now: `heat * exp(-λ Δt) + 1`.

    Used once every half-life it tends to 2; the more often, the higher. Arguments and errors as
    for `decayed_heat`.
    """
    return decayed_heat(heat, last_accessed_at, now, half_life_days) + 1.0


def decay(days: float, factor: float = 0.995) -> float:
    """How much relevance is left after some days without use: `factor ** days`, from 1 to 0.

    Args:
        days: Days since the last use; negative counts as 0.
        factor: What is left after one day, above 0 and at most 1.

    Raises:
        InvalidInputError: the factor is outside its range, or `days` is not a number.
    """
    _check(0 < factor <= 1, f"factor is {factor!r}; it is above 0 and at most 1")
    _check(not math.isnan(days), f"days is {days!r}; it is a number")
    return float(factor ** max(0.0, days))


def effective_importance(
    importance: float, created_at: datetime, last_accessed_at: datetime, now: datetime
) -> float:
    """What a memory's importance has come to: from 0 to 1.

    `min(1, importance * exp(-0.01 * age_days) * bonus)`, with a bonus of 1.2 if it was used
    within the last 7 days, 1.0 within 30, else 0.8.

    Args:
        importance: As recorded, 0 to 1.
        created_at: Since when it ages, aware.
        last_accessed_at: The last use, aware; that of a record never used is its creation.
        now: The moment asked about, aware.

    Raises:
        InvalidInputError: importance is outside its range, or a moment has no time zone.
    """
    _check(0 <= importance <= 1, f"importance is {importance!r}; it is from 0 to 1")
    aged = importance * math.exp(-AGEING_PER_DAY * days_between(created_at, now))
    return min(1.0, aged * _bonus(days_between(last_accessed_at, now)))


def _bonus(idle_days: float) -> float:
    if idle_days <= RECENT_DAYS:
        return RECENT_BONUS
    return KNOWN_BONUS if idle_days <= KNOWN_DAYS else STALE_BONUS


def _check(holds: bool, otherwise: str) -> None:
    if not holds:
        raise InvalidInputError(f"A memory's score cannot be computed: {otherwise}.")

"""Counting a use of a record without reading all of it as a model."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from langgraph_memory import clock
from langgraph_memory.records.record import is_record
from langgraph_memory.records.scoring import heat_after_use
from langgraph_memory.records.types import LIFETIMES, MemoryType

__all__ = ["used"]


def used(value: Mapping[str, Any], now: datetime) -> dict[str, Any] | None:
    """A record's JSON value after one more use; None if the value is no record.

    Changed are `heat` (see `scoring.heat_after_use`), `access_count` and `last_accessed_at`, which
    never goes back.
    """
    if not is_record(value):
        return None
    try:
        last = clock.to_utc(datetime.fromisoformat(value["last_accessed_at"]))
    except ValueError:
        return None
    half_life = LIFETIMES[MemoryType(value["type"])].half_life_days
    return {
        **value,
        "heat": heat_after_use(max(0.0, value["heat"]), last, now, half_life),
        "access_count": int(value["access_count"]) + 1,
        "last_accessed_at": clock.utc_text(max(last, now)),
    }

"""What became of a memory that was to be saved."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from langgraph_memory.records import MemoryRecord

__all__ = ["Outcome", "Saved"]


class Outcome(StrEnum):
    """What was done."""

    ADDED = "added"
    """A new record was stored."""
    UPDATED = "updated"
    """A record that says nearly the same was replaced by it."""
    DUPLICATE = "duplicate"
    """A record says it already; nothing was stored."""


@dataclass(frozen=True, slots=True)
class Saved:
    """What became of a memory that was to be saved.

    Attributes:
        outcome: What was done.
        record: The record that holds the statement now.
        replaced: The record that it replaced, if any.
        archived: Records archived because there were more than may be kept.
    """

    outcome: Outcome
    record: MemoryRecord
    replaced: MemoryRecord | None = None
    archived: tuple[MemoryRecord, ...] = ()

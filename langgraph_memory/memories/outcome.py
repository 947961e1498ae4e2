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
    """It was stored in place of records that say nearly the same, or what is no longer true."""
    DUPLICATE = "duplicate"
    """A record says it already; nothing was stored."""


@dataclass(frozen=True, slots=True)
class Saved:
    """What became of a memory that was to be saved.

    Attributes:
        outcome: What was done.
        record: The record that holds the statement now.
        replaced: The records that it replaced.
        archived: Records archived because there were more than may be kept.
    """

    outcome: Outcome
    record: MemoryRecord
    replaced: tuple[MemoryRecord, ...] = ()
    archived: tuple[MemoryRecord, ...] = ()

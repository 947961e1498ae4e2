"""What is to become of a user's memories, and what became of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from langgraph_memory.memories.values import Swap
from langgraph_memory.records import MemoryRecord
from langgraph_memory.store import Change

__all__ = ["Edit", "Edited", "Outcome", "Remember", "Retire", "Saved"]


@dataclass(frozen=True, slots=True)
class Remember:
    """A memory to be added.

    Attributes:
        record: The memory. Its `subject`, if it has that extra field, names what has one value at
            a time: an older memory on the same subject is superseded.
        replaces: Ids of memories that it takes the place of; unknown ones are left out.
        retracts: Statements that are no longer true, as they may be remembered.
        swap: A value in the place of another: the memory that has the old one is restated with the
            new, and the record is that restatement.
    """

    record: MemoryRecord
    replaces: tuple[str, ...] = ()
    retracts: tuple[str, ...] = ()
    swap: Swap | None = None


@dataclass(frozen=True, slots=True)
class Retire:
    """Memories to be archived, because the user withdrew them.

    Attributes:
        topic: What they are about: those whose statement has all of its words.
        ids: Their ids, where they are known; then the topic does not matter.
        subject: What they have a value of: those with that `subject` are meant, too.
    """

    topic: str
    ids: tuple[str, ...] = ()
    subject: str | None = None


Edit = Remember | Retire


class Outcome(StrEnum):
    """What was done."""

    ADDED = "added"
    """A new record was stored."""
    UPDATED = "updated"
    """It was stored in place of records that say nearly the same, or what is no longer true."""
    DUPLICATE = "duplicate"
    """A record says it already; nothing was stored."""
    UNKNOWN = "unknown"
    """It changes what is not remembered, and says nothing by itself; nothing was stored."""


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


@dataclass(frozen=True, slots=True)
class Edited:
    """What edits come to, to be committed.

    Attributes:
        changes: For `MemoryStore.commit`, alone or with others.
        saved: What becomes of each memory to be added, in order.
        retired: Memories archived because they were withdrawn.
        archived: Memories archived because there were more than may be kept.
    """

    changes: tuple[Change, ...]
    saved: tuple[Saved, ...] = ()
    retired: tuple[MemoryRecord, ...] = ()
    archived: tuple[MemoryRecord, ...] = ()

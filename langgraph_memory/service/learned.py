"""What came of reading turns: as figures, and as events."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime

from langgraph_memory.events import Event, Listener, announce
from langgraph_memory.extraction import DropReason, Extraction
from langgraph_memory.identity import Identity
from langgraph_memory.memories import Edited, Outcome
from langgraph_memory.service.batch import Batch
from langgraph_memory.service.profiling import Profiled
from langgraph_memory.tasks import TaskChanges

__all__ = ["Learned", "Written", "tell"]


@dataclass(frozen=True, slots=True)
class Written:
    """What was written of one batch of turns."""

    batch: Batch
    extraction: Extraction
    edited: Edited
    tasks: TaskChanges
    profiled: Profiled


@dataclass
class Learned:
    """What came of reading a thread.

    Attributes:
        turns: How many turns were read.
        skipped: How many of them the gate kept from the extractor, by reason.
        saved: Memories added.
        updated: Memories added in place of others.
        duplicates: Statements that were known.
        retired: Memories archived because the user withdrew them.
        archived: Memories archived because there were too many.
        tasks: Tasks changed.
        profile: Fields of the profile changed.
        dropped: Proposals that were no good, by reason.
        calls: Calls of a model.
        passed_over: Turns that could not be read, and are left unread.
        waits_until: When turns that had to wait may be read; None if none wait.
    """

    turns: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    saved: int = 0
    updated: int = 0
    duplicates: int = 0
    retired: int = 0
    archived: int = 0
    tasks: int = 0
    profile: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    calls: int = 0
    passed_over: int = 0
    waits_until: datetime | None = None

    def add(self, written: Written) -> None:
        """Count one batch."""
        batch, extraction, edited = written.batch, written.extraction, written.edited
        outcomes = Counter(saved.outcome for saved in edited.saved)
        self.turns += len(batch.keys)
        self.skipped.update(reason.value for _, reason in batch.skipped)
        self.saved += outcomes[Outcome.ADDED]
        self.updated += outcomes[Outcome.UPDATED]
        self.duplicates += outcomes[Outcome.DUPLICATE]
        self.retired += len(edited.retired)
        self.archived += len(edited.archived)
        self.tasks += len(written.tasks.changes)
        self.profile += len(written.profiled.changed)
        self.dropped.update(each.reason.value for each in extraction.dropped)
        self.calls += extraction.calls + written.profiled.calls


def tell(listener: Listener | None, who: Identity, thread: str, written: Written) -> None:
    """Announce what came of a batch: every skip, drop, write and loss, with ids."""
    batch, extraction, edited = written.batch, written.extraction, written.edited

    def event(name: str, *ids: str, reason: str = "", **counts: int) -> None:
        announce(listener, Event(name, reason, who.agent, who.user, thread, ids, counts))

    for turn, reason in batch.skipped:
        event("extraction_skipped", turn.key, reason=reason.value)
    for dropped in extraction.dropped:
        if dropped.reason is DropReason.EVERYTHING:
            event("forget_everything_asked", dropped.message_id)
        else:
            event("dropped", dropped.message_id, reason=dropped.reason.value)
    if batch.worth:
        keys = [turn.key for turn in batch.worth]
        calls = extraction.calls + written.profiled.calls
        event("extracted", *keys, model_calls=calls, proposals=len(extraction.proposals))
    for saved in edited.saved:
        if saved.outcome is Outcome.UNKNOWN:
            continue
        event("saved", saved.record.id, reason=saved.outcome.value)
        if saved.replaced:
            event("superseded", *(old.id for old in saved.replaced), reason=saved.record.id)
    if edited.retired:
        event("archived", *(old.id for old in edited.retired), reason="withdrawn")
    if edited.archived:
        event("archived", *(old.id for old in edited.archived), reason="max_items")
    for change in written.tasks.changes:
        event("task_changed", change.key)
    for refused in written.tasks.refused:
        event("dropped", *refused.note.source_message_ids, reason=refused.fault.value)
    for field_name in written.profiled.changed:
        event("profile_changed", reason=field_name)
    if written.profiled.refused:
        event("dropped", reason="profile", values=written.profiled.refused)

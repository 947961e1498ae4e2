"""What came of reading turns: as figures, and as events."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime

from langgraph_memory.events import Event, Listener, announce
from langgraph_memory.extraction import Extraction
from langgraph_memory.identity import Identity
from langgraph_memory.memories import Edited, Outcome
from langgraph_memory.service.batch import Batch

__all__ = ["Learned", "tell"]


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
        dropped: Proposals that were no good, by reason.
        calls: Calls of a model.
        waits_until: When turns that had to wait may be read; None if none wait.
    """

    turns: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    saved: int = 0
    updated: int = 0
    duplicates: int = 0
    retired: int = 0
    archived: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    calls: int = 0
    waits_until: datetime | None = None

    def add(self, batch: Batch, extraction: Extraction, edited: Edited) -> None:
        """Count one batch."""
        outcomes = Counter(saved.outcome for saved in edited.saved)
        self.turns += len(batch.keys)
        self.skipped.update(reason.value for _, reason in batch.skipped)
        self.saved += outcomes[Outcome.ADDED]
        self.updated += outcomes[Outcome.UPDATED]
        self.duplicates += outcomes[Outcome.DUPLICATE]
        self.retired += len(edited.retired)
        self.archived += len(edited.archived)
        self.dropped.update(each.reason.value for each in extraction.dropped)
        self.calls += extraction.calls


def tell(
    listener: Listener | None,
    who: Identity,
    thread: str,
    batch: Batch,
    extraction: Extraction,
    edited: Edited,
) -> None:
    """Announce what came of a batch: every skip, drop, write and loss, with ids."""

    def event(name: str, *ids: str, reason: str = "", **counts: int) -> None:
        announce(listener, Event(name, reason, who.agent, who.user, thread, ids, counts))

    for turn, reason in batch.skipped:
        event("extraction_skipped", turn.key, reason=reason.value)
    for dropped in extraction.dropped:
        event("dropped", dropped.message_id, reason=dropped.reason.value)
    if batch.worth:
        keys = [turn.key for turn in batch.worth]
        proposals = len(extraction.proposals)
        event("extracted", *keys, model_calls=extraction.calls, proposals=proposals)
    for saved in edited.saved:
        event("saved", saved.record.id, reason=saved.outcome.value)
        if saved.replaced:
            event("superseded", *(old.id for old in saved.replaced), reason=saved.record.id)
    if edited.retired:
        event("archived", *(old.id for old in edited.retired), reason="withdrawn")
    if edited.archived:
        event("archived", *(old.id for old in edited.archived), reason="max_items")

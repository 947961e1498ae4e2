"""The memories of one user: saved without duplicates, corrected with their history, kept few."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from langgraph_memory.calls import Call, Steps, adrive, drive
from langgraph_memory.drawn import table
from langgraph_memory.errors import InvalidInputError, UnknownMemoryError
from langgraph_memory.memories.edits import Edit, Edited, Remember, Saved
from langgraph_memory.memories.plan import ACTIVE, Plan
from langgraph_memory.memories.reading import record_in
from langgraph_memory.records import MemoryRecord, Status
from langgraph_memory.store import Change, MemoryHit, MemoryStore, committed
from langgraph_memory.store.operations import Mode

__all__ = ["FoundMemory", "Memories"]

Namespace = tuple[str, ...]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FoundMemory:
    """A memory that a query found, with the store's hit and the parts of its score."""

    record: MemoryRecord
    hit: MemoryHit

    def _repr_html_(self) -> str:
        """A small table for notebooks."""
        parts = {"score": self.hit.score, "meaning": self.hit.similarity, "words": self.hit.keyword}
        return table(
            [
                ("type", self.record.type),
                ("content", self.record.content),
                *((name, f"{part:.2f}") for name, part in parts.items() if part is not None),
                ("id", self.record.id),
            ]
        )


class Memories:
    """The memories in one namespace, usually one user's.

    Tools, extraction and the command line write through this, so that all keep the same rules.
    Methods have async forms (`asave`, …) that do not block the event loop. What one call changes
    is changed together or not at all.

    Args:
        store: Where they are.
        namespace: As `Identity.memories` gives it.
        max_items: How many active memories are kept; beyond it the least valuable are archived.
        duplicate_similarity: Cosine from which on two statements are taken for one, if neither
            denies what the other says. It depends on the embedder.
    """

    def __init__(
        self,
        store: MemoryStore,
        namespace: Namespace,
        *,
        max_items: int = 100,
        duplicate_similarity: float = 0.95,
    ) -> None:
        if max_items < 1:
            raise InvalidInputError(f"max_items must be at least 1, got {max_items}.")
        if not 0 < duplicate_similarity <= 1:
            raise InvalidInputError(
                f"duplicate_similarity must be above 0 and at most 1, got {duplicate_similarity}."
            )
        self.store = store
        self.namespace = namespace
        self._max_items = max_items
        self._duplicate_similarity = duplicate_similarity

    # -- saving

    def save(self, record: MemoryRecord) -> Saved:
        """Store a memory, unless one says it already; supersede one that says nearly the same.

        So is one that says the contrary, or the same with other figures, unless it is an episode.
        """
        return drive(self._save(record))

    async def asave(self, record: MemoryRecord) -> Saved:
        """`save` without blocking the event loop."""
        return await adrive(self._save(record))

    def _save(self, record: MemoryRecord) -> Steps[Saved]:
        def edit(plan: Plan) -> Steps[Saved]:
            return (yield from plan.remember(Remember(record)))

        saved, edited = yield from self._committed(edit)
        return replace(saved, archived=edited.archived)

    def plan(self, edits: Sequence[Edit]) -> Steps[Edited]:
        """What several edits come to together, as steps; nothing is written.

        Later edits see what earlier ones will have done.
        """
        plan = self._planned()
        for edit in edits:
            yield from plan.remember(edit) if isinstance(edit, Remember) else plan.retire(edit)
        return (yield from plan.finish())

    # -- correcting and forgetting

    def update(self, memory_id: str, content: str, **changes: Any) -> MemoryRecord:
        """Replace a memory by a new version; the old one stays as its history.

        Args:
            memory_id: Of the memory.
            content: What it says now.
            **changes: Other fields of the record.

        Returns:
            The new record, which keeps the heat of the old one.

        Raises:
            UnknownMemoryError: If there is no active memory of this id here.
        """
        return drive(self._update(memory_id, content, changes))

    async def aupdate(self, memory_id: str, content: str, **changes: Any) -> MemoryRecord:
        """`update` without blocking the event loop."""
        return await adrive(self._update(memory_id, content, changes))

    def _update(
        self, memory_id: str, content: str, changes: Mapping[str, Any]
    ) -> Steps[MemoryRecord]:
        fresh = MemoryRecord(content=content)

        def edit(plan: Plan) -> Steps[MemoryRecord]:
            old = yield from self._known(plan, memory_id)
            carried = {
                name: value for name, value in old.to_value().items() if name not in _OF_A_VERSION
            }
            return plan.revise(old, fresh.revised(**{**carried, **changes}))

        new, _ = yield from self._committed(edit)
        return new

    def forget(self, memory_id: str) -> MemoryRecord:
        """Archive a memory: it is not recalled any more, and can be restored.

        Raises:
            UnknownMemoryError: If there is no active memory of this id here.
        """
        return drive(self._forget(memory_id))

    async def aforget(self, memory_id: str) -> MemoryRecord:
        """`forget` without blocking the event loop."""
        return await adrive(self._forget(memory_id))

    def _forget(self, memory_id: str) -> Steps[MemoryRecord]:
        def edit(plan: Plan) -> Steps[MemoryRecord]:
            return plan.forget((yield from self._known(plan, memory_id)))

        archived, _ = yield from self._committed(edit)
        return archived

    # -- reading

    def get(self, memory_id: str) -> MemoryRecord | None:
        """A memory by its id, whatever its status."""
        item = self.store.get(self.namespace, memory_id)
        return None if item is None else record_in(item)

    async def aget(self, memory_id: str) -> MemoryRecord | None:
        """`get` without blocking the event loop."""
        item = await self.store.aget(self.namespace, memory_id)
        return None if item is None else record_in(item)

    def search(self, query: str, *, limit: int = 10) -> list[FoundMemory]:
        """Active memories by relevance to a query; a blank one lists the newest."""
        return drive(self.finding(query, limit))

    async def asearch(self, query: str, *, limit: int = 10) -> list[FoundMemory]:
        """`search` without blocking the event loop."""
        return await adrive(self.finding(query, limit))

    def finding(self, query: str, limit: int, *, mode: Mode = "hybrid") -> Steps[list[FoundMemory]]:
        """`search` as steps; by words alone with the mode ``"keyword"``."""
        given: dict[str, Any] = {"filter": ACTIVE, "limit": limit, "mode": mode}
        hits: list[MemoryHit] = yield Call.of(
            self.store.find, self.store.afind, self.namespace, query, **given
        )
        read = [(record_in(hit), hit) for hit in hits]
        return [FoundMemory(record, hit) for record, hit in read if record is not None]

    # -- how

    def _planned(self) -> Plan:
        return Plan(self.store, self.namespace, self._max_items, self._duplicate_similarity)

    def _committed(self, edit: Callable[[Plan], Steps[T]]) -> Steps[tuple[T, Edited]]:
        """Plan an edit and write it; if others were quicker, plan it anew."""

        def decide() -> Steps[tuple[Sequence[Change], tuple[T, Edited]]]:
            plan = self._planned()
            result = yield from edit(plan)
            edited = yield from plan.finish()
            return edited.changes, (result, edited)

        return (yield from committed(self.store, decide))

    def _known(self, plan: Plan, memory_id: str) -> Steps[MemoryRecord]:
        record = (yield from plan.read(memory_id)) if memory_id else None
        if record is not None and record.status is Status.ARCHIVED:
            raise UnknownMemoryError(f"The memory {memory_id!r} is forgotten already.")
        if record is None or record.status is not Status.ACTIVE:
            raise UnknownMemoryError(
                f"There is no active memory with the id {memory_id!r}. Search for it first; ids "
                "change when a memory is corrected."
            )
        return record


_OF_A_VERSION = frozenset(
    {
        *("id", "content", "created_at", "updated_at", "status", "supersedes", "superseded_by"),
        *("heat", "access_count"),
    }
)

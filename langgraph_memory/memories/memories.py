"""The memories of one user: saved without duplicates, corrected with their history, kept few."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Literal

from langgraph_memory import clock
from langgraph_memory.calls import Call, Steps, adrive, drive
from langgraph_memory.errors import InvalidInputError, UnknownMemoryError, VersionConflictError
from langgraph_memory.memories.outcome import Outcome, Saved
from langgraph_memory.memories.statements import is_contained, negations
from langgraph_memory.records import MemoryRecord, Status, is_record
from langgraph_memory.store import MemoryHit, MemoryStore

__all__ = ["FoundMemory", "Memories"]

Namespace = tuple[str, ...]

ACTIVE: Mapping[str, Any] = {"status": Status.ACTIVE.value}
SIMILAR = 5
"""How many neighbours a new memory is compared with."""
EVERYTHING = 2**31
ATTEMPTS = 10
"""How often a change is tried that others get in the way of."""


@dataclass(frozen=True, slots=True)
class FoundMemory:
    """A memory that a query found, with the store's hit and the parts of its score."""

    record: MemoryRecord
    hit: MemoryHit


class Memories:
    """The memories in one namespace, usually one user's.

    Tools, extraction and the command line write through this, so that all keep the same rules.
    Methods have async forms (`asave`, …) that do not block the event loop.

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
        """Store a memory, unless one says it already; replace one that says nearly the same."""
        return drive(self._save(record))

    async def asave(self, record: MemoryRecord) -> Saved:
        """`save` without blocking the event loop."""
        return await adrive(self._save(record))

    def _save(self, record: MemoryRecord) -> Steps[Saved]:
        there: MemoryRecord | None = yield self._reading(record.id)
        if there is not None:
            # The same origin again: a node that ran twice changes nothing.
            return Saved(Outcome.DUPLICATE, there)
        near: list[FoundMemory] = yield self._finding(record.content, SIMILAR)
        for found in near:
            if is_contained(record.content, found.record.content):
                return Saved(Outcome.DUPLICATE, found.record)
        replaced = next(
            (found.record for found in near if self._says_the_same(record, found)), None
        )
        if replaced is not None:
            record = _in_place_of(replaced, record)
        yield self._adding(record)
        if replaced is not None:
            yield from self._change(replaced.id, partial(_superseded, by=record.id))
            return Saved(Outcome.UPDATED, record, replaced)
        archived = yield from self._keep_few(record.id)
        return Saved(Outcome.ADDED, record, archived=archived)

    def _says_the_same(self, record: MemoryRecord, found: FoundMemory) -> bool:
        return (
            found.hit.similarity is not None
            and found.hit.similarity > self._duplicate_similarity
            and negations(record.content) == negations(found.record.content)
            and _numbers(record.content) == _numbers(found.record.content)
        ) or is_contained(found.record.content, record.content)

    def _keep_few(self, newest: str) -> Steps[tuple[MemoryRecord, ...]]:
        """Archive the least valuable beyond the bound; the newest is not among them."""
        beyond = yield self._finding("", 1, self._max_items)
        if not beyond:
            return ()
        found: list[FoundMemory] = yield self._finding("", EVERYTHING)
        kept = [each.record for each in found]
        others = sorted(
            (record for record in kept if record.id != newest),
            key=partial(_value, now=clock.now()),
        )
        archived = []
        for record in others[: max(0, len(kept) - self._max_items)]:
            changed = yield from self._change(record.id, _archived)
            archived.append(changed)
        return tuple(archived)

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
        old = yield from self._known(memory_id)
        fresh = MemoryRecord(content=content)
        carried = {
            name: value
            for name, value in old.to_value().items()
            if name not in _OF_A_VERSION and name not in ("content", "heat", "access_count")
        }
        new = _in_place_of(old, fresh.revised(**{**carried, **changes}))
        yield self._adding(new)
        yield from self._change(old.id, partial(_superseded, by=new.id))
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
        yield from self._known(memory_id)
        return (yield from self._change(memory_id, _archived))

    # -- reading

    def get(self, memory_id: str) -> MemoryRecord | None:
        """A memory by its id, whatever its status."""
        found: MemoryRecord | None = self._reading(memory_id).run()
        return found

    async def aget(self, memory_id: str) -> MemoryRecord | None:
        """`get` without blocking the event loop."""
        reading = self._reading(memory_id)
        assert reading.arun is not None
        found: MemoryRecord | None = await reading.arun()
        return found

    def search(self, query: str, *, limit: int = 10) -> list[FoundMemory]:
        """Active memories by relevance to a query; a blank one lists the newest."""
        found: list[FoundMemory] = self._finding(query, limit).run()
        return found

    async def asearch(self, query: str, *, limit: int = 10) -> list[FoundMemory]:
        """`search` without blocking the event loop."""
        finding = self._finding(query, limit)
        assert finding.arun is not None
        found: list[FoundMemory] = await finding.arun()
        return found

    # -- steps on the store

    def _known(self, memory_id: str) -> Steps[MemoryRecord]:
        record: MemoryRecord | None = yield self._reading(memory_id)
        if record is None or record.status is not Status.ACTIVE:
            raise UnknownMemoryError(
                f"There is no active memory with the id {memory_id!r}. Search for it first, and "
                "give an id that the search returned."
            )
        return record

    def _change(
        self, memory_id: str, change: Callable[[MemoryRecord], MemoryRecord]
    ) -> Steps[MemoryRecord]:
        """Change a record, again and again until nobody else has changed it in between."""
        for _ in range(ATTEMPTS):
            item = yield Call(
                partial(self.store.get, self.namespace, memory_id),
                partial(self.store.aget, self.namespace, memory_id),
            )
            if item is None:
                break
            changed = change(MemoryRecord.from_value(item.value))
            given = (self.namespace, memory_id, changed.to_value())
            # What does not count any more needs no place in the index, and no embedder.
            index: Literal[False] | None = None if changed.status is Status.ACTIVE else False
            version = item.updated_at
            try:
                yield Call(
                    partial(self.store.put_if_version, *given, version=version, index=index),
                    partial(self.store.aput_if_version, *given, version=version, index=index),
                )
            except VersionConflictError:
                continue
            return changed
        raise UnknownMemoryError(
            f"The memory {memory_id!r} is gone, or is changed by others all the time."
        )

    def _adding(self, record: MemoryRecord) -> Call:
        given = (self.namespace, record.id, record.to_value())
        return Call(
            partial(self.store.put_if_version, *given, version=None),
            partial(self.store.aput_if_version, *given, version=None),
        )

    def _reading(self, memory_id: str) -> Call:
        def read(item: Any) -> MemoryRecord | None:
            return None if item is None else MemoryRecord.from_value(item.value)

        async def arun() -> MemoryRecord | None:
            return read(await self.store.aget(self.namespace, memory_id))

        return Call(lambda: read(self.store.get(self.namespace, memory_id)), arun)

    def _finding(self, query: str, limit: int, offset: int = 0) -> Call:
        def read(hits: list[MemoryHit]) -> list[FoundMemory]:
            records = [hit for hit in hits if is_record(hit.value)]
            return [FoundMemory(MemoryRecord.from_value(hit.value), hit) for hit in records]

        find = partial(
            self.store.find, self.namespace, query, filter=ACTIVE, limit=limit, offset=offset
        )
        afind = partial(
            self.store.afind, self.namespace, query, filter=ACTIVE, limit=limit, offset=offset
        )

        async def arun() -> list[FoundMemory]:
            return read(await afind())

        return Call(lambda: read(find()), arun)


_OF_A_VERSION = frozenset(
    {"id", "created_at", "updated_at", "status", "supersedes", "superseded_by"}
)


def _in_place_of(old: MemoryRecord, new: MemoryRecord) -> MemoryRecord:
    """The new version of a record: it goes on with the old one's use."""
    return new.revised(
        supersedes=[old.id],
        heat=old.heat,
        access_count=old.access_count,
        last_accessed_at=old.last_accessed_at,
    )


def _superseded(record: MemoryRecord, *, by: str) -> MemoryRecord:
    return record.revised(status=Status.SUPERSEDED, superseded_by=by, updated_at=clock.now())


def _archived(record: MemoryRecord) -> MemoryRecord:
    return record.revised(status=Status.ARCHIVED, updated_at=clock.now())


def _value(record: MemoryRecord, now: datetime) -> tuple[bool, float, str]:
    """What a memory is worth keeping for; standing orders and limits before all others."""
    lasting = not record.lifetime.archived_by_time
    worth = record.lifetime.weight * record.effective_importance_at(now) * (1 + record.heat_at(now))
    return lasting, worth, record.id


def _numbers(text: str) -> list[str]:
    """Figures of a statement: 'budget 500' and 'budget 5000' are near, and not the same."""
    return re.findall(r"\d+(?:[.,:/-]\d+)*", text)

"""Whose threads are, kept beside them: a graph that knows nothing of memory cannot drop it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.store.base import Item

from langgraph_memory.calls import Call, Steps
from langgraph_memory.checkpoints.database import database_of
from langgraph_memory.identity import Owner, encode_label
from langgraph_memory.store import Change, MemoryStore, committed

__all__ = ["Owners", "ThreadPlace"]

REMEMBERED = 10_000
THREADS = "threads"

Saver = BaseCheckpointSaver[Any]


@dataclass(frozen=True, slots=True)
class ThreadPlace:
    """Where a thread's owner is kept.

    Attributes:
        thread: Its id.
        space: Namespace of the threads of one database; None for those of this process alone.
        here: Where the latter are kept.
    """

    thread: str
    space: tuple[str, ...] | None
    here: dict[str, Owner] = field(default_factory=dict, compare=False)


class Owners:
    """Keeps whose threads are.

    All agents on one database of threads share it, whatever checkpointers they have on it. Threads
    of another database are kept apart, as their ids may mean other threads.

    Args:
        store: Where it is kept.
    """

    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        self._databases: WeakKeyDictionary[Saver, str | None] = WeakKeyDictionary()
        self._known: OrderedDict[ThreadPlace, Owner] = OrderedDict()
        self._lock = threading.Lock()

    def database(self, saver: Saver) -> Steps[str | None]:
        """The name of the database of a checkpointer's threads; None for those in memory."""
        if saver not in self._databases:
            self._databases[saver] = yield Call(partial(database_of, saver))
        return self._databases[saver]

    def place(self, thread: str, saver: Saver) -> Steps[ThreadPlace]:
        """Where the owner of a thread of a checkpointer is kept."""
        database = yield from self.database(saver)
        if database is None:
            with _IN_MEMORY_LOCK:
                return ThreadPlace(thread, None, _IN_MEMORY.setdefault(saver, {}))
        own = database == self._store.database
        return ThreadPlace(thread, (THREADS,) if own else (THREADS, encode_label(database)))

    def known(self, place: ThreadPlace) -> Owner | None:
        """What this process has last read or written of a thread; None if nothing."""
        if place.space is None:
            return place.here.get(place.thread)
        with self._lock:
            return self._known.get(place)

    def reading(self, place: ThreadPlace) -> Steps[Owner | None]:
        """What is kept of a thread; None if nobody owns it yet."""
        if place.space is None:
            return place.here.get(place.thread)
        item = yield from self._item(place)
        return None if item is None else Owner.of(item.value)

    def settling(self, place: ThreadPlace, decide: Callable[[Owner | None], Owner]) -> Steps[Owner]:
        """Decide on a thread's owner, given what is kept, and keep that; again if others did.

        Args:
            place: Where.
            decide: Gives the owner; what it raises leaves everything as it was.
        """
        if place.space is None:
            with _IN_MEMORY_LOCK:
                owner = place.here[place.thread] = decide(place.here.get(place.thread))
            return owner

        def decision() -> Steps[tuple[Sequence[Change], Owner]]:
            item = yield from self._item(place)
            kept = None if item is None else Owner.of(item.value)
            owner = decide(kept)
            if owner == kept:
                return [], owner
            version = None if item is None else item.updated_at
            return [self._change(place, owner.to_value(), version)], owner

        owner = yield from committed(self._store, decision)
        self._remember(place, owner)
        return owner

    def forget(self, place: ThreadPlace) -> None:
        """A thread is gone: its id may be another's from now on."""
        place.here.pop(place.thread, None)
        with self._lock:
            self._known.pop(place, None)
        if place.space is not None:
            self._store.commit([self._change(place, None, "any")])

    def _item(self, place: ThreadPlace) -> Steps[Item | None]:
        found: Item | None = yield Call.of(
            self._store.get, self._store.aget, place.space, place.thread, refresh_ttl=False
        )
        if found is not None:
            self._remember(place, Owner.of(found.value))
        return found

    def _change(self, place: ThreadPlace, value: Mapping[str, Any] | None, version: Any) -> Change:
        return Change(place.space or (), place.thread, value, version, index=False)

    def _remember(self, place: ThreadPlace, owner: Owner) -> None:
        with self._lock:
            self._known[place] = owner
            self._known.move_to_end(place)
            while len(self._known) > REMEMBERED:
                self._known.popitem(last=False)


_IN_MEMORY: WeakKeyDictionary[Saver, dict[str, Owner]] = WeakKeyDictionary()
_IN_MEMORY_LOCK = threading.RLock()
"""Threads that end with this process, by their checkpointer, for all agents on it."""

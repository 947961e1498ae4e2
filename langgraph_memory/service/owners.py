"""Whose threads are, kept in the store: a graph that knows nothing of memory cannot drop it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from langgraph.store.base import Item

from langgraph_memory.calls import Call, Steps
from langgraph_memory.identity import encode_label
from langgraph_memory.store import Change, MemoryStore

__all__ = ["Owners", "ThreadPlace"]

REMEMBERED = 10_000
THREADS = "threads"
KEPT = ("user", "environment", "incognito")

ThreadPlace = tuple[tuple[str, ...], str]
"""Namespace and key under which a thread's owner is kept."""


class Owners:
    """Keeps whose threads are, and since when they are incognito.

    The agents of one database share its threads. Threads of a checkpointer that the application
    brings may have the same ids as those of another, so they are kept for each agent.

    Args:
        store: Where they are kept.
        agent: Name of the agent.
    """

    def __init__(self, store: MemoryStore, agent: str) -> None:
        self._store = store
        self._agent = agent
        self._known: OrderedDict[ThreadPlace, Mapping[str, Any]] = OrderedDict()
        self._lock = threading.Lock()

    def place(self, thread: str, *, ours: bool) -> ThreadPlace:
        """Where a thread's owner is kept.

        Args:
            thread: Its id.
            ours: Whether its checkpointer is the memory's own.
        """
        space = (THREADS,) if ours else (THREADS, f"agent:{encode_label(self._agent)}")
        return space, thread

    def known(self, place: ThreadPlace) -> Mapping[str, Any] | None:
        """What this process has last read or written of a thread; None if nothing."""
        with self._lock:
            return self._known.get(place)

    def read(self, place: ThreadPlace) -> Steps[Item | None]:
        """What is kept of a thread; None if nobody owns it yet."""
        item: Item | None = yield Call.of(
            self._store.get, self._store.aget, *place, refresh_ttl=False
        )
        if item is not None:
            self.remember(place, item.value)
        return item

    def change(
        self, place: ThreadPlace, item: Item | None, owner: Mapping[str, Any]
    ) -> list[Change]:
        """What is to be committed so that an owner is kept in place of what was read."""
        value = {name: owner.get(name) for name in KEPT}
        if item is not None and item.value == value:
            return []
        version = None if item is None else item.updated_at
        return [Change(*place, value, version, index=False)]

    def remember(self, place: ThreadPlace, owner: Mapping[str, Any]) -> None:
        """So that the later steps of a run need not read it again."""
        with self._lock:
            self._known[place] = {name: owner.get(name) for name in KEPT}
            self._known.move_to_end(place)
            while len(self._known) > REMEMBERED:
                self._known.popitem(last=False)

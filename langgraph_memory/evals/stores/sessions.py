"""A session of any LangGraph `BaseStore`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langgraph.store.base import BaseStore, PutOp
from langgraph.store.memory import InMemoryStore

from langgraph_memory.evals.stores.contender import MODES, Document, Mode, Namespace
from langgraph_memory.store import MemoryStore

__all__ = ["BaseStoreSession"]

_LOADED_AT_ONCE = 500


class BaseStoreSession:
    """A LangGraph store; one of this package's is searched in each of its modes.

    Args:
        store: An open store that is set up.
    """

    def __init__(self, store: BaseStore) -> None:
        self.store = store
        self.modes: Sequence[Mode] = MODES if isinstance(store, MemoryStore) else ("vector",)

    def load(self, documents: Sequence[Document]) -> None:
        """Put everything, some hundred documents at once."""
        # LangGraph's store in memory refuses a batch in which a text occurs twice.
        at_once = 1 if isinstance(self.store, InMemoryStore) else _LOADED_AT_ONCE
        for start in range(0, len(documents), at_once):
            self.put(documents[start : start + at_once])

    def put(self, documents: Sequence[Document]) -> None:
        """One batch."""
        self.store.batch([PutOp(each.namespace, each.key, each.value) for each in documents])

    def search(
        self,
        namespace: Namespace,
        query: str,
        *,
        mode: Mode,
        limit: int = 10,
        topic: str | None = None,
    ) -> list[str]:
        """Search with the store's own method."""
        conditions: dict[str, Any] | None = None if topic is None else {"topic": topic}
        if isinstance(self.store, MemoryStore):
            hits = self.store.find(namespace, query, mode=mode, filter=conditions, limit=limit)
            return [hit.key for hit in hits]
        found = self.store.search(namespace, query=query, filter=conditions, limit=limit)
        return [item.key for item in found]

    def get(self, namespace: Namespace, key: str) -> bool:
        """Read an item."""
        return self.store.get(namespace, key) is not None

    def list(self, namespace: Namespace, limit: int = 10) -> list[str]:
        """Search without a query."""
        return [item.key for item in self.store.search(namespace, limit=limit)]

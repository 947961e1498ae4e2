"""An archive in a namespace of a LangGraph store."""

from __future__ import annotations

from langgraph.store.base import BaseStore, SearchItem

from langgraph_memory.history.archive import Archive, ArchiveEntry
from langgraph_memory.identity import encode_label

__all__ = ["StoreArchive"]

PAGE = 100


class StoreArchive(Archive):
    """A namespace of any store; nothing of it is indexed, so no search for memories finds it.

    Args:
        store: The store.
        namespace: Where in it; each thread has a namespace of its own below.
    """

    def __init__(self, store: BaseStore, namespace: tuple[str, ...] = ("threads", "archive")):
        self.store = store
        self.namespace = namespace

    def __repr__(self) -> str:
        return f"StoreArchive({type(self.store).__name__}, {self.namespace!r})"

    def add(self, entry: ArchiveEntry) -> None:
        """Put an entry."""
        known = self.store.get(self._of(entry.thread), entry.id)
        if known is None or known.value.get("undone"):
            value = {**entry.to_json(), "undone": False}
            self.store.put(self._of(entry.thread), entry.id, value, index=False)

    def entries(self, thread: str) -> list[ArchiveEntry]:
        """A thread's entries that were not undone, oldest first."""
        values = [item.value for item in self._items(thread) if not item.value.get("undone")]
        values.sort(key=lambda value: str(value.get("at")))
        return [ArchiveEntry.from_json(value) for value in values]

    def mark_undone(self, entry: ArchiveEntry) -> None:
        """Note it on the entry."""
        value = {**entry.to_json(), "undone": True}
        self.store.put(self._of(entry.thread), entry.id, value, index=False)

    def erase(self, thread: str) -> int:
        """Delete the thread's entries."""
        items = self._items(thread)
        for item in items:
            self.store.delete(item.namespace, item.key)
        return len(items)

    def _of(self, thread: str) -> tuple[str, ...]:
        return (*self.namespace, encode_label(thread))

    def _items(self, thread: str) -> list[SearchItem]:
        items: list[SearchItem] = []
        while True:
            page = self.store.search(self._of(thread), limit=PAGE, offset=len(items))
            items.extend(page)
            if len(page) < PAGE:
                return items

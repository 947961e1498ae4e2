"""An archive in a namespace of a LangGraph store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from langgraph.store.base import BaseStore, SearchItem

from langgraph_memory.history.archive import Archive, ArchiveEntry
from langgraph_memory.history.errors import ArchiveError
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
        with self._asked("Nothing was removed."):
            known = self.store.get(self._of(entry.thread), entry.id)
            if known is None or known.value.get("undone"):
                self._put(entry, undone=False)

    def entries(self, thread: str) -> list[ArchiveEntry]:
        """A thread's entries that were not undone, oldest first."""
        with self._asked("Nothing was put back."):
            items = self._items(thread)
        values = [item.value for item in items if not item.value.get("undone")]
        values.sort(key=lambda value: str(value.get("at")))
        return [ArchiveEntry.from_json(value) for value in values]

    def mark_undone(self, entry: ArchiveEntry) -> None:
        """Note it on the entry."""
        with self._asked("What it has is back; undone again, nothing more happens."):
            self._put(entry, undone=True)

    def erase(self, thread: str) -> int:
        """Delete the thread's entries."""
        with self._asked("Some of the thread's entries may be there still; erase them again."):
            items = self._items(thread)
            for item in items:
                self.store.delete(item.namespace, item.key)
        return len(items)

    @contextmanager
    def _asked(self, so: str) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # Each store has errors of its own.
            raise ArchiveError(f"The archive {self!r} failed: {error!r}. {so}") from error

    def _put(self, entry: ArchiveEntry, *, undone: bool) -> None:
        value = {**entry.to_json(), "undone": undone}
        self.store.put(self._of(entry.thread), entry.id, value, index=False)

    def _of(self, thread: str) -> tuple[str, ...]:
        return (*self.namespace, encode_label(thread))

    def _items(self, thread: str) -> list[SearchItem]:
        items: list[SearchItem] = []
        while True:
            page = self.store.search(self._of(thread), limit=PAGE, offset=len(items))
            items.extend(page)
            if len(page) < PAGE:
                return items

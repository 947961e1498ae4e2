"""Namespaces that a transaction changes: locked first, in one order, and saved last."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from langgraph_memory.store.postgres.connections import Session
from langgraph_memory.store.postgres.tables import Tables

__all__ = ["Space", "lock", "save"]


@dataclass(slots=True)
class Space:
    """A namespace's row while a transaction changes it."""

    ns: int
    path: str
    items: int
    documents: int
    length: int
    vectors: int
    stamp: int
    most_vectors: int

    def next_stamp(self, now: int) -> int:
        """The time of a write: now, or just after the last one if clocks disagree."""
        self.stamp = max(now, self.stamp + 1)
        return self.stamp

    def add(self, length: int, vectors: int) -> None:
        """Count an item that enters the index."""
        self.length += length
        self.documents += length > 0
        self.vectors += vectors
        self.most_vectors = max(self.most_vectors, vectors)

    def subtract(self, length: int, vectors: int) -> None:
        """Count an item that leaves the index."""
        self.length -= length
        self.documents -= length > 0
        self.vectors -= vectors


def lock(session: Session, tables: Tables, paths: Iterable[str]) -> dict[str, Space]:
    """Rows of namespaces, made where there is none, locked until the transaction ends.

    They are locked in the order of their paths, by every writer, so that no two of them can wait
    for each other.
    """
    rows = session.rows(
        f"INSERT INTO {tables.namespaces} (path) "
        'SELECT path FROM unnest(%(paths)s::text[]) AS p (path) ORDER BY path COLLATE "C" '
        "ON CONFLICT (path) DO UPDATE SET path = excluded.path "
        "RETURNING ns, path, items, documents, length, vectors, stamp, most_vectors",
        {"paths": sorted(set(paths))},
    )
    return {row[1]: Space(*row) for row in rows}


def save(session: Session, tables: Tables, spaces: Iterable[Space]) -> None:
    """Write the rows back.

    A namespace without items keeps its row, and with it the stamp: were it made anew, a version
    of an item could be given twice. Only one that was made for a delete of nothing goes again.
    """
    spaces = list(spaces)
    changed = [space for space in spaces if space.stamp]
    unused = [space.ns for space in spaces if not space.stamp]
    if changed:
        session.run(
            f"UPDATE {tables.namespaces} n SET items = c.items, documents = c.documents, "
            "length = c.length, vectors = c.vectors, stamp = c.stamp, most_vectors = c.most_vectors "
            "FROM unnest(%(ns)s::int8[], %(items)s::int8[], %(documents)s::int8[], "
            "%(length)s::int8[], %(vectors)s::int8[], %(stamp)s::int8[], %(most)s::int4[]) "
            "AS c (ns, items, documents, length, vectors, stamp, most_vectors) WHERE n.ns = c.ns",
            {
                "ns": [space.ns for space in changed],
                "items": [space.items for space in changed],
                "documents": [space.documents for space in changed],
                "length": [space.length for space in changed],
                "vectors": [space.vectors for space in changed],
                "stamp": [space.stamp for space in changed],
                "most": [space.most_vectors for space in changed],
            },
        )
    if unused:
        session.run(f"DELETE FROM {tables.namespaces} WHERE ns = ANY (%(ns)s)", {"ns": unused})


def forget_unused(session: Session, tables: Tables, now: int) -> int:
    """Delete the rows of namespaces that have been empty for a day; how many.

    No clock that writers go by may be a day behind another's.
    """
    return session.run(
        f"DELETE FROM {tables.namespaces} WHERE items = 0 AND stamp < %(before)s",
        {"before": now - _DAY},
    )


_DAY = 86_400_000_000

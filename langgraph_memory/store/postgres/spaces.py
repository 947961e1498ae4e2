"""Namespaces that a transaction changes: locked first, in one order, and saved last."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from langgraph_memory.store.postgres.connections import Session
from langgraph_memory.store.postgres.statement import Together, numbers
from langgraph_memory.store.postgres.tables import Tables

__all__ = ["Space", "Spaces"]


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


class Spaces:
    """The namespaces of one transaction."""

    def __init__(self, session: Session, tables: Tables) -> None:
        self._session = session
        self._tables = tables
        self._held: dict[str, Space] = {}
        self._removed = 0

    def lock(self, paths: Iterable[str]) -> dict[str, Space]:
        """Rows of namespaces, made where there is none, locked until the transaction ends.

        They are locked in the order of their paths, by every writer, so that no two of them can
        wait for each other. One that is held already is not read again: nobody else can change it.
        """
        wanted = set(paths)
        if missing := sorted(wanted - self._held.keys()):
            self._take(missing)
        return {path: self._held[path] for path in wanted}

    def _take(self, paths: list[str]) -> None:
        rows = self._session.rows(
            f"INSERT INTO {self._tables.namespaces} (path) "
            'SELECT path FROM unnest(%(paths)s::text[]) AS p (path) ORDER BY path COLLATE "C" '
            "ON CONFLICT (path) DO UPDATE SET path = excluded.path "
            "RETURNING ns, path, items, documents, length, vectors, stamp, most_vectors",
            {"paths": paths},
        )
        held = [Space(*row) for row in rows]
        made = [space for space in held if not space.stamp]
        if made:
            # Only now, with the new row held, as whoever removed the old one has committed.
            [[high]] = self._session.rows(f"SELECT stamp FROM {self._tables.high_water}")
            for space in made:
                space.stamp = max(high, self._removed)
        self._held.update({space.path: space for space in held})

    def save(self, together: Together, spaces: Iterable[Space]) -> None:
        """Write the rows back; those of namespaces without items go."""
        spaces = list(spaces)
        empty = [space for space in spaces if not space.items]
        kept = [space for space in spaces if space.items]
        if empty:
            self._removed = max(self._removed, *(space.stamp for space in empty))
            for space in empty:
                del self._held[space.path]
            together.add(
                f"DELETE FROM {self._tables.namespaces} WHERE ns = ANY (%(empty_ns)s)",
                empty_ns=[space.ns for space in empty],
            )
        if kept:
            together.add(
                f"UPDATE {self._tables.namespaces} n SET items = c.items, "
                "documents = c.documents, length = c.length, vectors = c.vectors, "
                "stamp = c.stamp, most_vectors = c.most_vectors FROM unnest(%(space_ns)s::int8[], "
                "%(space_items)s::int8[], %(space_documents)s::int8[], %(space_lengths)s::int8[], "
                "%(space_vectors)s::int8[], %(space_stamps)s::int8[], %(space_most)s::int4[]) "
                "AS c (ns, items, documents, length, vectors, stamp, most_vectors) "
                "WHERE n.ns = c.ns",
                space_ns=numbers(space.ns for space in kept),
                space_items=numbers(space.items for space in kept),
                space_documents=numbers(space.documents for space in kept),
                space_lengths=numbers(space.length for space in kept),
                space_vectors=numbers(space.vectors for space in kept),
                space_stamps=numbers(space.stamp for space in kept),
                space_most=numbers(space.most_vectors for space in kept),
            )

    def finish(self) -> None:
        """Remember the stamps of removed namespaces: the last lock that a transaction takes."""
        if self._removed:
            self._session.run(
                f"UPDATE {self._tables.high_water} SET stamp = %(stamp)s WHERE stamp < %(stamp)s",
                {"stamp": self._removed},
            )

"""The rows of namespaces, and changing their statistics in a transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Any

from langgraph_memory.store.namespaces import bounds
from langgraph_memory.store.sqlite.namespace_index import NamespaceRow

__all__ = ["Space", "below", "locked", "save"]


class Space:
    """A namespace's row while a transaction changes it; attributes as in `NamespaceRow`."""

    def __init__(self, row: NamespaceRow) -> None:
        self.ns = row.ns
        self.items = row.items
        self.documents = row.documents
        self.length = row.length
        self.stamp = row.stamp
        self.removals = row.removals

    def next_stamp(self, now: int) -> int:
        """The stamp of one more write: the time, or a microsecond after the last one."""
        self.stamp = max(now, self.stamp + 1)
        return self.stamp


def below(connection: sqlite3.Connection, path: str) -> list[NamespaceRow]:
    """Namespaces at or below a path that hold items."""
    low, high = bounds(path)
    if high is None:
        return _rows(connection, "items > 0", ())
    return _rows(connection, "path >= ? AND path < ? AND items > 0", (low, high))


def locked(connection: sqlite3.Connection, path: str) -> Space:
    """A namespace to be changed, made if there is none."""
    connection.execute(
        "INSERT INTO memory_namespaces (path, stamp) SELECT ?, stamp FROM memory_high_water "
        "WHERE true ON CONFLICT DO NOTHING",
        (path,),
    )
    [row] = _rows(connection, "path = ?", (path,))
    return Space(row)


def save(connection: sqlite3.Connection, spaces: Iterable[Space]) -> None:
    """Write changed namespaces back; one without items goes."""
    for space in spaces:
        if space.items:
            connection.execute(
                "UPDATE memory_namespaces SET items = ?, documents = ?, length = ?, stamp = ?, "
                "removals = ? WHERE ns = ?",
                (
                    space.items,
                    space.documents,
                    space.length,
                    space.stamp,
                    space.removals,
                    space.ns,
                ),
            )
            continue
        connection.execute("DELETE FROM memory_namespaces WHERE ns = ?", (space.ns,))
        connection.execute("UPDATE memory_high_water SET stamp = max(stamp, ?)", (space.stamp,))


def _rows(
    connection: sqlite3.Connection, condition: str, values: tuple[Any, ...]
) -> list[NamespaceRow]:
    rows = connection.execute(
        "SELECT ns, path, items, documents, length, stamp, removals FROM memory_namespaces "
        f"WHERE {condition} ORDER BY path",
        values,
    )
    return [NamespaceRow(*row) for row in rows]

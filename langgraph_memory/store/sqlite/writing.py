"""Puts and deletes, with everything that belongs to an item."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from langgraph_memory.store.operations import Write
from langgraph_memory.store.sqlite import indexing
from langgraph_memory.store.sqlite.spaces import Space, locked, save
from langgraph_memory.store.versions import check_version

__all__ = ["sweep", "write"]


def write(
    connection: sqlite3.Connection, writes: Sequence[Write], generation: int, now: int
) -> tuple[list[int], set[int]]:
    """Do writes in order.

    Returns:
        The stamp of each, and the ids of the namespaces that were changed.
    """
    spaces: dict[str, Space] = {}
    stamps = []
    for one in writes:
        if one.path not in spaces:
            spaces[one.path] = locked(connection, one.path)
        stamps.append(_apply(connection, one, spaces[one.path], generation, now))
    save(connection, spaces.values())
    return stamps, {space.ns for space in spaces.values()}


def _apply(
    connection: sqlite3.Connection, write: Write, space: Space, generation: int, now: int
) -> int:
    found = connection.execute(
        "SELECT item, length, terms, updated_at, expires_at FROM memory_items "
        "WHERE ns = ? AND key = ?",
        (space.ns, write.key),
    ).fetchone()
    if found and found[4] is not None and found[4] <= now:
        _remove(connection, space, *found[:3])
        found = None
    check_version(write, None if found is None else found[3])
    if write.value is not None:
        return _put(connection, write, space, None if found is None else found[:3], generation, now)
    if found is None:
        return now
    _remove(connection, space, *found[:3])
    return space.next_stamp(now)


def _put(
    connection: sqlite3.Connection,
    write: Write,
    space: Space,
    old: tuple[int, int, str] | None,
    generation: int,
    now: int,
) -> int:
    stamp = space.next_stamp(now)
    columns = {
        "ns": space.ns,
        "key": write.key,
        "stamp": stamp,
        "expires_at": None if write.ttl is None else now + round(write.ttl * 60_000_000),
        "ttl": write.ttl,
        "length": write.length,
        "generation": generation,
        "indexing": write.indexing,
        "value": write.value,
        "terms": indexing.terms_text(write),
        "item": old[0] if old else None,
    }
    if old is None:
        cursor = connection.execute(
            "INSERT INTO memory_items (ns, key, created_at, updated_at, expires_at, ttl_minutes, "
            "length, generation, indexing, value, terms) VALUES (:ns, :key, :stamp, :stamp, "
            ":expires_at, :ttl, :length, :generation, :indexing, :value, :terms)",
            columns,
        )
        space.items += 1
        item = cursor.lastrowid
        assert item is not None
    else:
        item = old[0]
        indexing.drop(connection, space, *old)
        connection.execute("DELETE FROM memory_vectors WHERE ns = ? AND item = ?", (space.ns, item))
        connection.execute(
            "UPDATE memory_items SET updated_at = :stamp, expires_at = :expires_at, "
            "ttl_minutes = :ttl, length = :length, generation = :generation, "
            "indexing = :indexing, value = :value, terms = :terms WHERE item = :item",
            columns,
        )
    indexing.add(connection, space, item, generation, write)
    return stamp


def _remove(
    connection: sqlite3.Connection, space: Space, item: int, length: int, terms: str
) -> None:
    indexing.drop(connection, space, item, length, terms)
    connection.execute("DELETE FROM memory_vectors WHERE ns = ? AND item = ?", (space.ns, item))
    connection.execute("DELETE FROM memory_items WHERE item = ?", (item,))
    space.items -= 1
    space.removals += 1


def sweep(connection: sqlite3.Connection, now: int, limit: int) -> tuple[int, set[int]]:
    """Delete expired items; how many, and the ids of the namespaces that were changed."""
    rows = connection.execute(
        "SELECT i.item, i.length, i.terms, n.path FROM memory_items i "
        "JOIN memory_namespaces n ON n.ns = i.ns WHERE i.expires_at <= ? LIMIT ?",
        (now, limit),
    ).fetchall()
    spaces = {path: locked(connection, path) for path in {row[3] for row in rows}}
    for item, length, terms, path in rows:
        _remove(connection, spaces[path], item, length, terms)
    save(connection, spaces.values())
    return len(rows), {space.ns for space in spaces.values()}

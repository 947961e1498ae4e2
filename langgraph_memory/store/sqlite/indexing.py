"""Vectors and postings of items, and the generations of the index."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from langgraph_memory.store.operations import IndexIdentity, Row, Write
from langgraph_memory.store.sqlite.spaces import Space, locked, save

__all__ = [
    "add",
    "begin",
    "being_built",
    "build",
    "current",
    "discard",
    "drop",
    "finish",
    "identity_of_current",
    "lacking",
    "new_generation",
    "terms_text",
]


def terms_text(write: Write) -> str:
    """What an item puts into the keyword index, as kept in its row."""
    return json.dumps(list(write.terms), ensure_ascii=False)


def add(
    connection: sqlite3.Connection, space: Space, item: int, generation: int, write: Write
) -> None:
    """Index an item that has no postings, and no vectors in this generation."""
    connection.executemany(
        "INSERT INTO memory_postings VALUES (?, ?, ?, ?)",
        [(space.ns, term, item, tf) for term, tf in write.terms.items()],
    )
    connection.executemany(
        "INSERT INTO memory_vectors (ns, generation, item, embedding) VALUES (?, ?, ?, ?)",
        [(space.ns, generation, item, vector.tobytes()) for vector in write.vectors],
    )
    space.length += write.length
    space.documents += write.length > 0


def drop(connection: sqlite3.Connection, space: Space, item: int, length: int, terms: str) -> None:
    """Take an item's postings away, and its share of the statistics."""
    connection.executemany(
        "DELETE FROM memory_postings WHERE ns = ? AND term = ? AND item = ?",
        [(space.ns, term, item) for term in json.loads(terms)],
    )
    space.length -= length
    space.documents -= length > 0


def current(connection: sqlite3.Connection) -> int | None:
    """The number of the current generation."""
    row = connection.execute(
        "SELECT generation FROM memory_generations WHERE is_current"
    ).fetchone()
    return None if row is None else int(row[0])


def identity_of_current(connection: sqlite3.Connection) -> IndexIdentity | None:
    """Who made the current generation."""
    row = connection.execute(
        "SELECT embedder, dims, fields FROM memory_generations WHERE is_current"
    ).fetchone()
    return None if row is None else _identity(*row)


def new_generation(
    connection: sqlite3.Connection, identity: IndexIdentity, *, is_current: bool
) -> int:
    """Enter one more generation."""
    cursor = connection.execute(
        "INSERT INTO memory_generations (embedder, dims, fields, is_current) VALUES (?, ?, ?, ?)",
        (identity.embedder, identity.dims, json.dumps(identity.fields), is_current),
    )
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def begin(connection: sqlite3.Connection, identity: IndexIdentity) -> int:
    """The generation that an identity is building, a new one if there is none."""
    row = connection.execute(
        "SELECT generation, embedder, dims, fields FROM memory_generations WHERE NOT is_current"
    ).fetchone()
    if row is not None and _identity(*row[1:]) == identity:
        return int(row[0])
    connection.execute("DELETE FROM memory_generations WHERE NOT is_current")
    return new_generation(connection, identity, is_current=False)


def being_built(connection: sqlite3.Connection) -> int | None:
    """The number of the generation that is not finished, if there is one."""
    row = connection.execute(
        "SELECT generation FROM memory_generations WHERE NOT is_current"
    ).fetchone()
    return None if row is None else int(row[0])


def lacking(connection: sqlite3.Connection, generation: int) -> int:
    """How many items are not in a generation."""
    [(count,)] = connection.execute(
        "SELECT count(*) FROM memory_items WHERE generation <> ?", (generation,)
    )
    return int(count)


def build(
    connection: sqlite3.Connection, generation: int, writes: Sequence[tuple[Row, Write]]
) -> int:
    """Index items in a generation, those that have not changed since their row was read."""
    spaces: dict[str, Space] = {}
    built = 0
    for row, write in writes:
        found = connection.execute(
            "SELECT length, terms FROM memory_items WHERE item = ? AND updated_at = ?",
            (row.item, row.updated_at),
        ).fetchone()
        if found is None:
            continue
        if row.path not in spaces:
            spaces[row.path] = locked(connection, row.path)
        space = spaces[row.path]
        drop(connection, space, row.item, *found)
        connection.execute(
            "DELETE FROM memory_vectors WHERE ns = ? AND generation = ? AND item = ?",
            (space.ns, generation, row.item),
        )
        add(connection, space, row.item, generation, write)
        connection.execute(
            "UPDATE memory_items SET generation = ?, length = ?, terms = ? WHERE item = ?",
            (generation, write.length, terms_text(write), row.item),
        )
        built += 1
    save(connection, spaces.values())
    return built


def finish(connection: sqlite3.Connection, generation: int) -> bool:
    """Make a generation the current and only one, if it lacks nothing."""
    if lacking(connection, generation):
        return False
    connection.execute("DELETE FROM memory_generations WHERE generation <> ?", (generation,))
    connection.execute("UPDATE memory_generations SET is_current = 1")
    return True


def discard(connection: sqlite3.Connection, limit: int) -> int:
    """Delete vectors of generations that are gone."""
    cursor = connection.execute(
        "DELETE FROM memory_vectors WHERE vector IN (SELECT vector FROM memory_vectors "
        "WHERE generation NOT IN (SELECT generation FROM memory_generations) LIMIT ?)",
        (limit,),
    )
    return cursor.rowcount


def _identity(embedder: str | None, dims: int | None, fields: str) -> IndexIdentity:
    return IndexIdentity(embedder, dims, tuple(json.loads(fields)))

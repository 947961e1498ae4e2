"""What a store asks of SQLite, in one transaction."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from langgraph_memory.records import used
from langgraph_memory.store.escape import dump, load
from langgraph_memory.store.filters import MATCH_ALL, Condition, matches
from langgraph_memory.store.hits import StoreStats
from langgraph_memory.store.namespaces import bounds
from langgraph_memory.store.operations import (
    Candidates,
    Get,
    IndexIdentity,
    Listing,
    Ranked,
    Row,
    Write,
    moment,
)
from langgraph_memory.store.sqlite import indexing, spaces, writing
from langgraph_memory.store.sqlite.candidates import candidates
from langgraph_memory.store.sqlite.namespace_index import (
    NamespaceCache,
    NamespaceIndex,
    NamespaceRow,
    NamespaceView,
)
from langgraph_memory.store.transaction import Transaction

__all__ = ["SQLiteTransaction"]

_ROW = "i.item, n.path, i.key, i.value, i.created_at, i.updated_at, i.ttl_minutes"
_FROM = "memory_items i JOIN memory_namespaces n ON n.ns = i.ns"
_ALIVE = "(i.expires_at IS NULL OR i.expires_at > :now)"


class SQLiteTransaction(Transaction):
    """One transaction on an SQLite connection.

    Args:
        connection: In a transaction already.
        cache: Of namespaces' states that are committed.
    """

    def __init__(self, connection: sqlite3.Connection, cache: NamespaceCache) -> None:
        self._connection = connection
        self._cache = cache
        self._current: int | None = None
        self._written: set[int] = set()

    # -- items

    def get(self, gets: Sequence[Get], now: int) -> list[Row | None]:
        return [
            self._one(
                f"SELECT {_ROW} FROM {_FROM} WHERE n.path = :path AND i.key = :key AND {_ALIVE}",
                {"path": wanted.path, "key": wanted.key, "now": now},
            )
            for wanted in gets
        ]

    def write(self, writes: Sequence[Write], now: int) -> list[int]:
        stamps, changed = writing.write(self._connection, writes, self._index(), now)
        self._written |= changed
        return stamps

    def touch(self, path: str, keys: Sequence[str], now: int) -> int:
        self._connection.create_function("memory_touched", 2, _touched)
        cursor = self._connection.execute(
            "UPDATE memory_items AS i SET value = memory_touched(value, :now) "
            "WHERE ns = (SELECT ns FROM memory_namespaces WHERE path = :path) "
            f"AND key IN (SELECT value FROM json_each(:keys)) AND {_ALIVE} "
            "AND memory_touched(value, :now) IS NOT NULL",
            {"path": path, "keys": json.dumps(list(keys)), "now": now},
        )
        return cursor.rowcount

    def renew(self, items: Sequence[int], now: int) -> None:
        self._connection.execute(
            "UPDATE memory_items SET expires_at = :now + CAST(round(ttl_minutes * 60000000) AS "
            "INTEGER) WHERE item IN (SELECT value FROM json_each(:items)) AND expires_at > :now",
            {"items": json.dumps(list(items)), "now": now},
        )

    def sweep(self, now: int, limit: int) -> int:
        swept, changed = writing.sweep(self._connection, now, limit)
        self._written |= changed
        return swept

    # -- namespaces

    def namespaces(self, low: str, high: str | None, now: int) -> list[str]:
        rows = self._connection.execute(
            "SELECT path FROM memory_namespaces n WHERE path >= :low "
            "AND (:high IS NULL OR path < :high) AND EXISTS (SELECT 1 FROM memory_items i "
            f"WHERE i.ns = n.ns AND {_ALIVE})",
            {"low": low, "high": high, "now": now},
        )
        return [path for (path,) in rows]

    # -- searching

    def listing(self, search: Listing, now: int) -> list[Row]:
        found = spaces.below(self._connection, search.path)
        if len(found) == 1:
            # One namespace has an index in this very order; ties are not possible in it.
            where, order = "i.ns = :ns", "i.updated_at DESC"
        else:
            where = "n.path >= :low AND (:high IS NULL OR n.path < :high)"
            order = "i.updated_at DESC, n.path, i.key"
        low, high = bounds(search.path)
        everything = search.condition == MATCH_ALL
        rows = self._connection.execute(
            f"SELECT {_ROW} FROM {_FROM} WHERE {where} AND {_ALIVE} ORDER BY {order}"
            + (" LIMIT :limit OFFSET :offset" if everything else ""),
            {
                "ns": found[0].ns if found else 0,
                "low": low,
                "high": high,
                "now": now,
                "limit": search.limit,
                "offset": search.offset,
            },
        )
        if everything:
            return [Row(*row) for row in rows]
        return list(_slice(rows, search))

    def candidates(self, search: Ranked, now: int) -> Candidates:
        generation = self._index()
        with_vectors = search.vector is not None
        found = spaces.below(self._connection, search.path)
        views = []
        for space in found:
            view, index = self._view(space, generation, with_vectors)
            views.append((space.ns, view, self._allowed(space, view, search.condition, now)))
            if index is not None:
                self._cache.measure(space.ns, index)
        return candidates(self._connection, found, views, search)

    def _view(
        self, space: NamespaceRow, generation: int, with_vectors: bool
    ) -> tuple[NamespaceView, NamespaceIndex | None]:
        """A namespace as this transaction sees it, with its cached index if it is that."""
        if space.ns not in self._written:
            index = self._cache.of(space.ns, generation)
            view = index.view(self._connection, space, generation, with_vectors=with_vectors)
            if view is not None:
                return view, index
        # What is not committed, or already history, is nobody else's.
        view = NamespaceIndex().view(self._connection, space, generation, with_vectors=with_vectors)
        assert view is not None
        return view, None

    def _allowed(
        self, space: NamespaceRow, view: NamespaceView, condition: Condition, now: int
    ) -> Any:
        """Which places hold an item that is not expired and meets the condition."""
        allowed = view.alive
        if condition != MATCH_ALL:
            rows = self._connection.execute(
                "SELECT item, value FROM memory_items WHERE ns = ?", (space.ns,)
            )
            met = {item for item, value in rows if matches(condition, load(value))}
            allowed = allowed & view.among(met)
        expired = {
            item
            for (item,) in self._connection.execute(
                "SELECT item FROM memory_items WHERE ns = ? AND expires_at <= ?", (space.ns, now)
            )
        }
        return allowed & ~view.among(expired) if expired else allowed

    def rows(self, items: Sequence[int], now: int) -> list[Row]:
        return self._many(
            f"SELECT {_ROW} FROM {_FROM} WHERE i.item IN (SELECT value FROM json_each(:items)) "
            f"AND {_ALIVE}",
            {"items": json.dumps(list(items)), "now": now},
        )

    def page(self, path: str, after: tuple[str, str] | None, limit: int, now: int) -> list[Row]:
        low, high = bounds(path)
        after_path, after_key = after or ("", "")
        return self._many(
            f"SELECT {_ROW} FROM memory_namespaces n JOIN memory_items i ON n.ns = i.ns "
            "WHERE n.path >= max(:low, :after_path) AND (:high IS NULL OR n.path < :high) "
            "AND (n.path > :after_path OR i.key > :after_key) "
            f"AND {_ALIVE} ORDER BY n.path, i.key LIMIT :limit",
            {
                "low": low,
                "high": high,
                "after_path": after_path,
                "after_key": after_key,
                "now": now,
                "limit": limit,
            },
        )

    # -- the index

    def _index(self) -> int:
        if self._current is None:
            self._current = self.generation()
        assert self._current is not None
        return self._current

    def generation(self) -> int | None:
        return indexing.current(self._connection)

    def identity(self) -> IndexIdentity | None:
        return indexing.identity_of_current(self._connection)

    def adopt(self, identity: IndexIdentity) -> int:
        self._connection.execute("DELETE FROM memory_generations")
        return indexing.new_generation(self._connection, identity, is_current=True)

    def has_items(self) -> bool:
        return self._connection.execute("SELECT 1 FROM memory_items LIMIT 1").fetchone() is not None

    def begin_generation(self, identity: IndexIdentity) -> tuple[int, int]:
        generation = indexing.begin(self._connection, identity)
        return generation, indexing.lacking(self._connection, generation)

    def building(self) -> int | None:
        return indexing.being_built(self._connection)

    def unbuilt(self, generation: int, after: int, limit: int) -> list[tuple[Row, str | None]]:
        rows = self._connection.execute(
            f"SELECT {_ROW}, i.indexing FROM {_FROM} WHERE i.item > ? AND i.generation <> ? "
            "ORDER BY i.item LIMIT ?",
            (after, generation, limit),
        )
        return [(Row(*row[:-1]), row[-1]) for row in rows]

    def build(self, generation: int, writes: Sequence[tuple[Row, Write]]) -> int:
        return indexing.build(self._connection, generation, writes)

    def finish_generation(self, generation: int) -> bool:
        return indexing.finish(self._connection, generation)

    def discard_generations(self, limit: int) -> int:
        return indexing.discard(self._connection, limit)

    def stats(self, now: int) -> StoreStats:
        def number(sql: str, *values: Any) -> int:
            return int(self._connection.execute(sql, values).fetchone()[0] or 0)

        identity = self.identity() or IndexIdentity(None, None, ())
        return StoreStats(
            namespaces=number("SELECT count(*) FROM memory_namespaces"),
            items=number("SELECT count(*) FROM memory_items"),
            vectors=number(
                "SELECT count(*) FROM memory_vectors WHERE generation = ?", self._index()
            ),
            postings=number("SELECT count(*) FROM memory_postings"),
            expired=number("SELECT count(*) FROM memory_items WHERE expires_at <= ?", now),
            bytes=number("PRAGMA page_count") * number("PRAGMA page_size"),
            embedder=identity.embedder,
            dims=identity.dims,
            fields=identity.fields,
        )

    # -- rows

    def _one(self, sql: str, values: dict[str, Any]) -> Row | None:
        row = self._connection.execute(sql, values).fetchone()
        return None if row is None else Row(*row)

    def _many(self, sql: str, values: dict[str, Any]) -> list[Row]:
        return [Row(*row) for row in self._connection.execute(sql, values)]


def _slice(rows: Iterable[Sequence[Any]], search: Listing) -> Iterator[Row]:
    """The page of those rows that meet the condition, reading no further than needed."""
    met = 0
    for columns in rows:
        row = Row(*columns)
        if matches(search.condition, load(row.value)):
            met += 1
            if met > search.offset:
                yield row
            if met >= search.offset + search.limit:
                return


def _touched(value: str, now: int) -> str | None:
    after = used(load(value), moment(now))
    return None if after is None else dump(after)

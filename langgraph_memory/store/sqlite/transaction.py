"""What a store asks of SQLite, in one transaction."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from langgraph_memory.errors import VersionConflictError
from langgraph_memory.records import used
from langgraph_memory.store.escape import dump, load, unescape
from langgraph_memory.store.filters import MATCH_ALL, Condition, matches
from langgraph_memory.store.hits import StoreStats
from langgraph_memory.store.namespaces import bounds, labels_of
from langgraph_memory.store.operations import (
    ANY_VERSION,
    Candidates,
    Get,
    Identity,
    Listing,
    Ranked,
    Row,
    Write,
    moment,
)
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
        namespaces: dict[str, _Counted] = {}
        stamps = []
        for write in writes:
            space = namespaces.get(write.path)
            if space is None:
                space = namespaces[write.path] = self._counted(write.path)
            stamps.append(self._put(write, space, now))
        for space in namespaces.values():
            self._save(space)
        return stamps

    def _put(self, write: Write, space: _Counted, now: int) -> int:
        execute = self._connection.execute
        found = execute(
            "SELECT item, created_at, updated_at, length, terms, expires_at FROM memory_items "
            "WHERE ns = ? AND key = ?",
            (space.ns, write.key),
        ).fetchone()
        if found and found[5] is not None and found[5] <= now:
            self._remove(space, found[0], found[3], found[4])
            found = None
        _check_version(write, None if found is None else found[2])
        if write.value is None and found is None:
            return now
        stamp = space.stamp = max(now, space.stamp + 1)
        if write.value is None:
            self._remove(space, found[0], found[3], found[4])
            return stamp
        expires = None if write.ttl is None else now + round(write.ttl * 60_000_000)
        columns = (
            stamp,
            expires,
            write.ttl,
            write.length,
            self._index(),
            write.indexing,
            write.value,
            json.dumps(list(write.terms), ensure_ascii=False),
        )
        if found is None:
            space.items += 1
            cursor = execute(
                "INSERT INTO memory_items (updated_at, expires_at, ttl_minutes, length, generation,"
                " indexing, value, terms, ns, key, created_at) VALUES (?,?,?,?,?,?,?,?,?,?,?)",
                (*columns, space.ns, write.key, stamp),
            )
            item = cursor.lastrowid
        else:
            item = found[0]
            self._unindex(space, item, found[3], found[4])
            execute(
                "UPDATE memory_items SET updated_at = ?, expires_at = ?, ttl_minutes = ?, "
                "length = ?, generation = ?, indexing = ?, value = ?, terms = ? WHERE item = ?",
                (*columns, item),
            )
            execute("DELETE FROM memory_vectors WHERE ns = ? AND item = ?", (space.ns, item))
        assert item is not None
        self._add_to_index(space, item, self._index(), write)
        return stamp

    def _add_to_index(self, space: _Counted, item: int, generation: int, write: Write) -> None:
        self._connection.executemany(
            "INSERT INTO memory_postings VALUES (?, ?, ?, ?)",
            [(space.ns, term, item, tf) for term, tf in write.terms.items()],
        )
        self._connection.executemany(
            "INSERT INTO memory_vectors (ns, generation, item, embedding) VALUES (?, ?, ?, ?)",
            [(space.ns, generation, item, vector.tobytes()) for vector in write.vectors],
        )
        space.length += write.length
        space.documents += write.length > 0

    def _unindex(self, space: _Counted, item: int, length: int, terms: str) -> None:
        """Take an item's postings and its share of the statistics away."""
        self._connection.executemany(
            "DELETE FROM memory_postings WHERE ns = ? AND term = ? AND item = ?",
            [(space.ns, term, item) for term in json.loads(terms)],
        )
        space.length -= length
        space.documents -= length > 0

    def _remove(self, space: _Counted, item: int, length: int, terms: str) -> None:
        self._unindex(space, item, length, terms)
        self._connection.execute(
            "DELETE FROM memory_vectors WHERE ns = ? AND item = ?", (space.ns, item)
        )
        self._connection.execute("DELETE FROM memory_items WHERE item = ?", (item,))
        space.items -= 1
        space.removals += 1

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
        rows = self._connection.execute(
            "SELECT i.item, i.length, i.terms, n.path FROM memory_items i "
            "JOIN memory_namespaces n ON n.ns = i.ns WHERE i.expires_at <= ? LIMIT ?",
            (now, limit),
        ).fetchall()
        spaces = {path: self._counted(path) for path in {row[3] for row in rows}}
        for item, length, terms, path in rows:
            self._remove(spaces[path], item, length, terms)
        for space in spaces.values():
            self._save(space)
        return len(rows)

    # -- namespaces

    def _counted(self, path: str) -> _Counted:
        """A namespace's row to be changed, made if there is none."""
        self._connection.execute(
            "INSERT INTO memory_namespaces (path, stamp) SELECT ?, stamp FROM memory_high_water "
            "WHERE true ON CONFLICT DO NOTHING",
            (path,),
        )
        [row] = self._spaces("path = ?", path)
        self._written.add(row.ns)
        return _Counted(row)

    def _save(self, space: _Counted) -> None:
        if not space.items:
            self._connection.execute("DELETE FROM memory_namespaces WHERE ns = ?", (space.ns,))
            self._connection.execute(
                "UPDATE memory_high_water SET stamp = max(stamp, ?)", (space.stamp,)
            )
            return
        self._connection.execute(
            "UPDATE memory_namespaces SET items = ?, documents = ?, length = ?, stamp = ?, "
            "removals = ? WHERE ns = ?",
            (space.items, space.documents, space.length, space.stamp, space.removals, space.ns),
        )

    def _spaces(self, condition: str, *values: Any) -> list[NamespaceRow]:
        rows = self._connection.execute(
            "SELECT ns, path, items, documents, length, stamp, removals FROM memory_namespaces "
            f"WHERE {condition} ORDER BY path",
            values,
        )
        return [NamespaceRow(*row) for row in rows]

    def _below(self, path: str) -> list[NamespaceRow]:
        low, high = bounds(path)
        if high is None:
            return self._spaces("path >= ?", low)
        return self._spaces("path >= ? AND path < ?", low, high)

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
        spaces = self._below(search.path)
        if len(spaces) == 1:
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
                "ns": spaces[0].ns if spaces else 0,
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
        spaces = [space for space in self._below(search.path) if space.items]
        views = []
        for space in spaces:
            view, index = self._view(space, generation, with_vectors)
            views.append((space.ns, view, self._allowed(space, view, search.condition, now)))
            if index is not None:
                self._cache.measure(space.ns, index)
        return candidates(self._connection, spaces, views, search)

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
        row = self._connection.execute(
            "SELECT generation FROM memory_generations WHERE is_current"
        ).fetchone()
        return None if row is None else int(row[0])

    def identity(self) -> Identity | None:
        row = self._connection.execute(
            "SELECT embedder, dims, fields FROM memory_generations WHERE is_current"
        ).fetchone()
        return None if row is None else _identity(*row)

    def adopt(self, identity: Identity) -> int:
        self._connection.execute("DELETE FROM memory_generations")
        return self._new_generation(identity, is_current=True)

    def _new_generation(self, identity: Identity, *, is_current: bool) -> int:
        cursor = self._connection.execute(
            "INSERT INTO memory_generations (embedder, dims, fields, is_current) "
            "VALUES (?, ?, ?, ?)",
            (identity.embedder, identity.dims, json.dumps(identity.fields), is_current),
        )
        assert cursor.lastrowid is not None
        return cursor.lastrowid

    def has_items(self) -> bool:
        return self._connection.execute("SELECT 1 FROM memory_items LIMIT 1").fetchone() is not None

    def begin_generation(self, identity: Identity) -> tuple[int, int]:
        row = self._connection.execute(
            "SELECT generation, embedder, dims, fields FROM memory_generations WHERE NOT is_current"
        ).fetchone()
        if row is not None and _identity(*row[1:]) == identity:
            generation = int(row[0])
        else:
            self._connection.execute("DELETE FROM memory_generations WHERE NOT is_current")
            generation = self._new_generation(identity, is_current=False)
        return generation, self._lacking(generation)

    def _lacking(self, generation: int) -> int:
        [(lacking,)] = self._connection.execute(
            "SELECT count(*) FROM memory_items WHERE generation <> ?", (generation,)
        )
        return int(lacking)

    def unbuilt(self, generation: int, after: int, limit: int) -> list[tuple[Row, str | None]]:
        rows = self._connection.execute(
            f"SELECT {_ROW}, i.indexing FROM {_FROM} WHERE i.item > ? AND i.generation <> ? "
            "ORDER BY i.item LIMIT ?",
            (after, generation, limit),
        )
        return [(Row(*row[:-1]), row[-1]) for row in rows]

    def build(self, generation: int, writes: Sequence[tuple[Row, Write]]) -> int:
        spaces: dict[str, _Counted] = {}
        built = 0
        for row, write in writes:
            found = self._connection.execute(
                "SELECT length, terms FROM memory_items WHERE item = ? AND updated_at = ?",
                (row.item, row.updated_at),
            ).fetchone()
            if found is None:
                continue
            if row.path not in spaces:
                spaces[row.path] = self._counted(row.path)
            space = spaces[row.path]
            self._unindex(space, row.item, *found)
            self._connection.execute(
                "DELETE FROM memory_vectors WHERE ns = ? AND generation = ? AND item = ?",
                (space.ns, generation, row.item),
            )
            self._add_to_index(space, row.item, generation, write)
            self._connection.execute(
                "UPDATE memory_items SET generation = ?, length = ?, terms = ? WHERE item = ?",
                (
                    generation,
                    write.length,
                    json.dumps(list(write.terms), ensure_ascii=False),
                    row.item,
                ),
            )
            built += 1
        for space in spaces.values():
            self._save(space)
        return built

    def finish_generation(self, generation: int) -> bool:
        if self._lacking(generation):
            return False
        self._connection.execute(
            "DELETE FROM memory_generations WHERE generation <> ?", (generation,)
        )
        self._connection.execute("UPDATE memory_generations SET is_current = 1")
        return True

    def discard_generations(self, limit: int) -> int:
        cursor = self._connection.execute(
            "DELETE FROM memory_vectors WHERE vector IN (SELECT vector FROM memory_vectors "
            "WHERE generation NOT IN (SELECT generation FROM memory_generations) LIMIT ?)",
            (limit,),
        )
        return cursor.rowcount

    def stats(self, now: int) -> StoreStats:
        def number(sql: str, *values: Any) -> int:
            return int(self._connection.execute(sql, values).fetchone()[0] or 0)

        identity = self.identity() or Identity(None, None, ())
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


class _Counted:
    """A namespace's row while a transaction changes it."""

    def __init__(self, row: NamespaceRow) -> None:
        self.ns = row.ns
        self.items = row.items
        self.documents = row.documents
        self.length = row.length
        self.stamp = row.stamp
        self.removals = row.removals


def _check_version(write: Write, there: int | None) -> None:
    if write.expected in (ANY_VERSION, there):
        return
    expected = "no item" if write.expected is None else f"version {moment(write.expected)}"
    found = "none" if there is None else f"version {moment(there)}"
    raise VersionConflictError(
        f"Key {unescape(write.key)!r} in {labels_of(write.path)}: expected {expected}, found "
        f"{found}. Read it again and decide anew. Nothing was written."
    )


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


def _identity(embedder: str | None, dims: int | None, fields: str) -> Identity:
    return Identity(embedder, dims, tuple(json.loads(fields)))

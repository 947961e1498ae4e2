"""What a store asks of Postgres, in one transaction."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from langgraph_memory.records import LIFETIMES
from langgraph_memory.store.filters import MATCH_ALL
from langgraph_memory.store.hits import StoreStats
from langgraph_memory.store.operations import (
    Candidates,
    Get,
    IndexIdentity,
    Listing,
    Ranked,
    Row,
    Write,
)
from langgraph_memory.store.postgres import indexing, writing
from langgraph_memory.store.postgres.candidates import Sizes, TornError, candidates, within
from langgraph_memory.store.postgres.connections import Session
from langgraph_memory.store.postgres.filters import to_sql
from langgraph_memory.store.postgres.indexing import Entry, Indexed
from langgraph_memory.store.postgres.spaces import Spaces
from langgraph_memory.store.postgres.statement import Parameters, Together
from langgraph_memory.store.postgres.tables import Tables
from langgraph_memory.store.transaction import Transaction

__all__ = ["PostgresTransaction"]

MOST = 2**62
"""More rows than any table has, and a number that Postgres can hold."""

_HALF_LIVES = json.dumps({type_: life.half_life_days for type_, life in LIFETIMES.items()})

_ROW = "i.item, n.path, i.key, i.value, i.created_at, i.updated_at, i.ttl_minutes"
_ALIVE = "(i.expires_at IS NULL OR i.expires_at > %(now)s)"


class PostgresTransaction(Transaction):
    """One transaction on a connection, or some reads outside any.

    Args:
        session: Takes vectors as parameters.
        tables: Where the store's tables are.
        sizes: Remembers how large namespaces are.
        generation: The current index; None if there is none. It stays the current one as long as
            a writing transaction lasts, see `finish_generation`. Outside a transaction it is the
            one last known to be, and a search finds out if it is not any more.
    """

    def __init__(
        self, session: Session, tables: Tables, sizes: Sizes, generation: int | None
    ) -> None:
        self._session = session
        self._tables = tables
        self._sizes = sizes
        self._current = generation
        self._found: dict[int, Row] = {}
        self._versions: dict[int, int] = {}
        self._spaces = Spaces(session, tables)
        self._from = f"{tables.items} i JOIN {tables.namespaces} n ON n.ns = i.ns"

    def finish(self) -> None:
        """What comes last in a transaction that writes."""
        self._spaces.finish()

    # -- items

    def get(self, gets: Sequence[Get], now: int) -> list[Row | None]:
        if len(gets) == 1:
            one = self._many(
                f"SELECT {_ROW} FROM {self._from} WHERE n.path = %(path)s AND i.key = %(key)s "
                f"AND {_ALIVE}",
                {"path": gets[0].path, "key": gets[0].key, "now": now},
            )
            return [one[0] if one else None]
        found = self._many(
            f"SELECT {_ROW} FROM unnest(%(paths)s::text[], %(keys)s::text[]) AS w (path, key) "
            f"JOIN {self._tables.namespaces} n ON n.path = w.path "
            f"JOIN {self._tables.items} i ON i.ns = n.ns AND i.key = w.key WHERE {_ALIVE}",
            {
                "paths": [wanted.path for wanted in gets],
                "keys": [wanted.key for wanted in gets],
                "now": now,
            },
        )
        rows = {(row.path, row.key): row for row in found}
        return [rows.get((wanted.path, wanted.key)) for wanted in gets]

    def reserve(self, paths: Sequence[str]) -> None:
        """Lock all namespaces that will be written to, whatever the order of the writes."""
        self._spaces.lock(paths)

    def write(self, writes: Sequence[Write], now: int) -> list[int]:
        return writing.write(self._session, self._tables, self._spaces, writes, self._index(), now)

    def touch(self, path: str, keys: Sequence[str], now: int) -> int:
        # The row itself is what is computed from: if another use is just being counted, Postgres
        # waits for it and computes again.
        used = f"{self._tables.used}(i.value, %(now)s::int8, %(half_lives)s::jsonb)"
        return self._session.run(
            f"UPDATE {self._tables.items} i SET value = {used} FROM {self._tables.namespaces} n "
            f"WHERE n.ns = i.ns AND n.path = %(path)s AND i.key = ANY (%(keys)s) AND {_ALIVE} "
            f"AND {used} IS NOT NULL",
            {"path": path, "keys": list(keys), "now": now, "half_lives": _HALF_LIVES},
        )

    def renew(self, items: Sequence[int], now: int) -> None:
        # Locked in the order that writers lock them in, so that neither can wait for the other.
        self._session.run(
            f"UPDATE {self._tables.items} i "
            "SET expires_at = %(now)s + round(i.ttl_minutes * 60000000)::int8 "
            f"FROM (SELECT item FROM {self._tables.items} WHERE item = ANY (%(items)s) "
            "AND expires_at > %(now)s ORDER BY item FOR UPDATE) r WHERE i.item = r.item",
            {"items": list(items), "now": now},
        )

    def sweep(self, now: int, limit: int) -> int:
        return writing.sweep(self._session, self._tables, self._spaces, now, limit)

    # -- searching

    def listing(self, search: Listing, now: int) -> list[Row]:
        where, values = within(search.path, "n.path")
        parameters = Parameters(
            now=now, limit=min(search.limit, MOST), offset=min(search.offset, MOST), **values
        )
        parsed, meets = "", ""
        if search.condition != MATCH_ALL:
            condition, operands = to_sql(search.condition, "d.value")
            # The subquery with OFFSET keeps the text from being parsed once for every member.
            parsed = " CROSS JOIN LATERAL (SELECT i.value::jsonb AS value OFFSET 0) d"
            meets = f" AND {parameters.positional(condition, operands)}"
        return self._many(
            f"SELECT {_ROW} FROM {self._from}{parsed} WHERE {where} AND {_ALIVE}{meets} "
            "ORDER BY i.updated_at DESC, n.path, i.key LIMIT %(limit)s OFFSET %(offset)s",
            parameters.values,
        )

    def candidates(self, search: Ranked, now: int) -> Candidates:
        found, rows = candidates(
            self._session, self._tables, self._sizes, search, self._index(), now
        )
        self._found = {row.item: row for row in rows}
        self._versions = dict(zip(found.items.tolist(), found.updated.tolist(), strict=True))
        return found

    def rows(self, items: Sequence[int], now: int) -> list[Row]:
        wanted = [item for item in items if item not in self._found]
        rows = [self._found[item] for item in items if item in self._found]
        if wanted:
            rows += self._many(
                f"SELECT {_ROW} FROM {self._from} WHERE i.item = ANY (%(items)s) AND {_ALIVE}",
                {"items": wanted, "now": now},
            )
        there = {row.item: row.updated_at for row in rows}
        if any(there.get(item) != self._versions.get(item) for item in items):
            raise TornError
        return rows

    def page(self, path: str, after: tuple[str, str] | None, limit: int, now: int) -> list[Row]:
        where, values = within(path, "n.path")
        after_path, after_key = after or ("", "")
        # Compared one by one as well, so that the namespaces' index leads to the first of them.
        return self._many(
            f"SELECT {_ROW} FROM {self._from} WHERE {where} AND n.path >= %(after_path)s "
            "AND (n.path, i.key) > (%(after_path)s, %(after_key)s) "
            f"AND {_ALIVE} ORDER BY n.path, i.key LIMIT %(limit)s",
            {
                **values,
                "after_path": after_path,
                "after_key": after_key,
                "limit": limit,
                "now": now,
            },
        )

    def namespaces(self, low: str, high: str | None, now: int) -> list[str]:
        rows = self._session.rows(
            f"SELECT n.path FROM {self._tables.namespaces} n WHERE n.path >= %(low)s "
            "AND (%(high)s::text IS NULL OR n.path < %(high)s) AND EXISTS (SELECT 1 "
            f"FROM {self._tables.items} i WHERE i.ns = n.ns AND {_ALIVE})",
            {"low": low, "high": high, "now": now},
        )
        return [path for (path,) in rows]

    # -- the index

    def _index(self) -> int:
        assert self._current is not None, "a store recognises its index before it uses it"
        return self._current

    def generation(self) -> int | None:
        return self._current

    def identity(self) -> IndexIdentity | None:
        rows = self._session.rows(
            "SELECT generation, embedder, dims, fields "
            f"FROM {self._tables.generations} WHERE is_current"
        )
        if not rows:
            return None
        # Another store may have made the first index since this transaction began.
        self._current = int(rows[0][0])
        return _identity(*rows[0][1:])

    def adopt(self, identity: IndexIdentity) -> int:
        # Two stores may find a fresh database empty at the same time.
        self._session.script(f"SELECT pg_advisory_xact_lock({self._tables.lock('identity')})")
        if self.identity() == identity:
            return self._index()
        self._session.run(f"DELETE FROM {self._tables.generations}")
        self._current = self._new_generation(identity, is_current=True)
        return self._current

    def _new_generation(self, identity: IndexIdentity, *, is_current: bool) -> int:
        [[generation]] = self._session.rows(
            f"INSERT INTO {self._tables.generations} (embedder, dims, fields, is_current) "
            "VALUES (%(embedder)s, %(dims)s, %(fields)s, %(current)s) RETURNING generation",
            {
                "embedder": identity.embedder,
                "dims": identity.dims,
                "fields": json.dumps(identity.fields),
                "current": is_current,
            },
        )
        return int(generation)

    def has_items(self) -> bool:
        [[found]] = self._session.rows(f"SELECT EXISTS (SELECT 1 FROM {self._tables.items})")
        return bool(found)

    def begin_generation(self, identity: IndexIdentity) -> tuple[int, int]:
        self._session.script(f"SELECT pg_advisory_xact_lock({self._tables.lock('identity')})")
        rows = self._session.rows(
            f"SELECT generation, embedder, dims, fields FROM {self._tables.generations} "
            "WHERE NOT is_current"
        )
        if rows and _identity(*rows[0][1:]) == identity:
            generation = int(rows[0][0])
        else:
            self._session.run(f"DELETE FROM {self._tables.generations} WHERE NOT is_current")
            generation = self._new_generation(identity, is_current=False)
        return generation, self._lacking(generation)

    def _lacking(self, generation: int) -> int:
        [[lacking]] = self._session.rows(
            f"SELECT count(*) FROM {self._tables.items} WHERE generation <> %(generation)s",
            {"generation": generation},
        )
        return int(lacking)

    def building(self) -> int | None:
        rows = self._session.rows(
            f"SELECT generation FROM {self._tables.generations} WHERE NOT is_current"
        )
        return int(rows[0][0]) if rows else None

    def unbuilt(self, generation: int, after: int, limit: int) -> list[tuple[Row, str | None]]:
        rows = self._session.rows(
            f"SELECT {_ROW}, i.indexing FROM {self._from} WHERE i.item > %(after)s "
            "AND i.generation <> %(generation)s ORDER BY i.item LIMIT %(limit)s",
            {"after": after, "generation": generation, "limit": limit},
        )
        return [(Row(*row[:-1]), row[-1]) for row in rows]

    def build(self, generation: int, writes: Sequence[tuple[Row, Write]]) -> int:
        held = self._spaces.lock(row.path for row, _ in writes)
        rows = self._session.rows(
            "SELECT i.ns, i.item, i.length, i.vectors, i.terms FROM "
            "unnest(%(items)s::int8[], %(updated)s::int8[]) AS w (item, updated_at) "
            f"JOIN {self._tables.items} i USING (item, updated_at) ORDER BY i.item FOR UPDATE OF i",
            {
                "items": [row.item for row, _ in writes],
                "updated": [row.updated_at for row, _ in writes],
            },
        )
        there = {row[1]: Indexed(*row) for row in rows}
        removal, addition = Together(self._session), Together(self._session)
        indexing.remove(removal, self._tables, list(there.values()), generation=generation)
        kept = [(row, write) for row, write in writes if row.item in there]
        entries = [
            Entry(there[row.item].ns, row.item, row.updated_at, write) for row, write in kept
        ]
        indexing.add(addition, self._tables, generation, entries)
        for row, write in kept:
            before = there[row.item]
            held[row.path].subtract(before.length, before.vectors)
            held[row.path].add(write.length, len(write.vectors))
        addition.add(
            f"UPDATE {self._tables.items} i SET generation = %(generation)s, length = b.length, "
            "vectors = b.vectors, terms = b.terms FROM unnest(%(items)s::int8[], "
            "%(lengths)s::int4[], %(counts)s::int4[], %(terms)s::text[]) "
            "AS b (item, length, vectors, terms) WHERE i.item = b.item",
            generation=generation,
            items=[row.item for row, _ in kept],
            lengths=[write.length for _, write in kept],
            counts=[len(write.vectors) for _, write in kept],
            terms=[" ".join(write.terms) for _, write in kept],
        )
        self._spaces.save(addition, held.values())
        removal.run()
        addition.run()
        return len(kept)

    def finish_generation(self, generation: int) -> bool:
        # Writers hold a share of the second lock from their first statement on, so that none can
        # put an item into the old index after the new one was found complete. The first lock lets
        # only one transaction at a time wait for all others.
        one, all_of_them = self._tables.lock("finishing"), self._tables.lock("generation")
        [[[alone]]] = self._session.script(f"SELECT pg_try_advisory_xact_lock({one})")
        if not alone:
            return False
        self._session.script(f"SELECT pg_advisory_xact_lock({all_of_them})")
        # From here on no other reindex can take this one's place.
        self._session.script(f"SELECT pg_advisory_xact_lock({self._tables.lock('identity')})")
        if self.building() != generation:
            return False
        if self._lacking(generation):
            return False
        self._session.run(
            f"DELETE FROM {self._tables.generations} WHERE generation <> %(generation)s",
            {"generation": generation},
        )
        finished = self._session.run(
            f"UPDATE {self._tables.generations} SET is_current = true "
            "WHERE generation = %(generation)s",
            {"generation": generation},
        )
        return finished > 0

    def discard_generations(self, limit: int) -> int:
        return indexing.forget_generations(self._session, self._tables, limit)

    def stats(self, now: int) -> StoreStats:
        tables = self._tables
        identity = self.identity() or IndexIdentity(None, None, ())
        [row] = self._session.rows(
            f"SELECT (SELECT count(*) FROM {tables.namespaces} WHERE items > 0), "
            f"(SELECT count(*) FROM {tables.items}), "
            f"(SELECT coalesce(sum(vectors), 0)::int8 FROM {tables.namespaces}), "
            f"(SELECT count(*) FROM {tables.postings}), "
            f"(SELECT count(*) FROM {tables.items} WHERE expires_at <= %(now)s), "
            "(SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::int8 "
            "FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace s ON s.oid = c.relnamespace "
            "WHERE s.nspname = %(schema)s AND c.relkind = 'r' AND c.relname LIKE %(pattern)s)",
            {
                "now": now,
                "schema": tables.schema,
                "pattern": r"memory\_%",
            },
        )
        namespaces, items, vectors, postings, expired, size = map(int, row)
        return StoreStats(
            namespaces=namespaces,
            items=items,
            vectors=vectors,
            postings=postings,
            expired=expired,
            bytes=size,
            embedder=identity.embedder,
            dims=identity.dims,
            fields=identity.fields,
        )

    # -- rows

    def _many(self, sql: str, values: Mapping[str, Any]) -> list[Row]:
        return [Row(*row) for row in self._session.rows(sql, values)]


def _identity(embedder: str | None, dims: int | None, fields: str) -> IndexIdentity:
    return IndexIdentity(embedder, dims, tuple(json.loads(fields)))

"""Puts and deletes: what they come to is decided in Python, then done by few large statements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from langgraph_memory.errors import VersionConflictError
from langgraph_memory.store.escape import unescape
from langgraph_memory.store.namespaces import labels_of
from langgraph_memory.store.operations import ANY_VERSION, Write, moment
from langgraph_memory.store.postgres import indexing, spaces
from langgraph_memory.store.postgres.connections import Session
from langgraph_memory.store.postgres.indexing import Indexed
from langgraph_memory.store.postgres.spaces import Space
from langgraph_memory.store.postgres.tables import Tables

__all__ = ["sweep", "write"]

Key = tuple[str, str]


@dataclass(slots=True)
class Place:
    """One key of a namespace, from what it held before some writes to what it holds after.

    Attributes:
        space: The namespace.
        there: What the database has, also if it has expired.
        created_at: Of the item that is there now.
        version: Its `updated_at`; None if there is no item.
        expired: Whether what the database has is as good as deleted.
        put: The write that made it; None if that was not one of these.
    """

    space: Space
    there: Indexed | None = None
    created_at: int = 0
    version: int | None = None
    expired: bool = False
    put: Write | None = None

    def apply(self, write: Write, now: int) -> int:
        """Do one write; its stamp."""
        check_version(write, self.version)
        if write.value is None:
            if self.version is None:
                return now
            self.version = self.put = None
            self.space.items -= 1
            return self.space.next_stamp(now)
        stamp = self.space.next_stamp(now)
        if self.version is None:
            self.created_at = stamp
            self.space.items += 1
        self.version, self.put = stamp, write
        return stamp


def write(
    session: Session, tables: Tables, writes: Sequence[Write], generation: int, now: int
) -> list[int]:
    """See `Transaction.write`."""
    held = spaces.lock(session, tables, (write.path for write in writes))
    places = {(write.path, write.key): Place(held[write.path]) for write in writes}
    _read(session, tables, places, now)
    before = {key: place.version for key, place in places.items()}
    stamps = [places[write.path, write.key].apply(write, now) for write in writes]
    changed = [
        place
        for key, place in places.items()
        if place.put is not None or place.version != before[key] or place.expired
    ]
    replaced = [(place, place.there) for place in changed if place.there is not None]
    indexing.remove(session, tables, [there for _, there in replaced])
    for place, there in replaced:
        place.space.subtract(there.length, there.vectors)
    _delete(session, tables, [there.item for place, there in replaced if place.put is None])
    _put(session, tables, [place for place in changed if place.put is not None], generation, now)
    spaces.save(session, tables, held.values())
    return stamps


def check_version(write: Write, there: int | None) -> None:
    """Compare the version that a write expects with the one that is there.

    Raises:
        VersionConflictError: If they differ.
    """
    if write.expected == ANY_VERSION or write.expected == there:
        return
    expected = "no item" if write.expected is None else f"version {moment(int(write.expected))}"
    found = "none" if there is None else f"version {moment(there)}"
    raise VersionConflictError(
        f"Key {unescape(write.key)!r} in {labels_of(write.path)}: expected {expected}, found "
        f"{found}. Read it again and decide anew. Nothing was written."
    )


def _read(session: Session, tables: Tables, places: Mapping[Key, Place], now: int) -> None:
    by_id = {place.space.ns: path for (path, _), place in places.items()}
    rows = session.rows(
        "SELECT i.ns, i.item, i.length, i.vectors, i.terms, "
        "i.key, i.created_at, i.updated_at, i.expires_at "
        "FROM unnest(%(ns)s::int8[], %(keys)s::text[]) AS w (ns, key) "
        f"JOIN {tables.items} i ON i.ns = w.ns AND i.key = w.key ORDER BY i.item FOR UPDATE OF i",
        {
            "ns": [place.space.ns for place in places.values()],
            "keys": [key for _, key in places],
        },
    )
    for *indexed, key, created_at, updated_at, expires_at in rows:
        there = Indexed(*indexed)
        place = places[by_id[there.ns], key]
        place.there = there
        if expires_at is not None and expires_at <= now:
            place.expired = True
            place.space.items -= 1  # A put makes another.
        else:
            place.created_at, place.version = created_at, updated_at


def _put(
    session: Session, tables: Tables, places: Sequence[Place], generation: int, now: int
) -> None:
    if not places:
        return
    puts = [(place, place.put) for place in places if place.put is not None]
    rows = session.rows(
        f"INSERT INTO {tables.items} (ns, key, value, indexing, terms, length, vectors, ttl_minutes, "
        "expires_at, created_at, updated_at, generation) SELECT *, %(generation)s FROM unnest("
        "%(ns)s::int8[], %(keys)s::text[], %(values)s::text[], %(indexing)s::text[], "
        "%(terms)s::text[], %(lengths)s::int4[], %(vectors)s::int4[], %(ttl)s::float8[], %(expires)s::int8[], "
        "%(created)s::int8[], %(updated)s::int8[]) "
        "ON CONFLICT (ns, key) DO UPDATE SET value = excluded.value, indexing = excluded.indexing, "
        "terms = excluded.terms, length = excluded.length, vectors = excluded.vectors, "
        "ttl_minutes = excluded.ttl_minutes, "
        "expires_at = excluded.expires_at, created_at = excluded.created_at, "
        "updated_at = excluded.updated_at, generation = excluded.generation "
        "RETURNING ns, key, item",
        {
            "generation": generation,
            "ns": [place.space.ns for place, _ in puts],
            "keys": [put.key for _, put in puts],
            "values": [put.value for _, put in puts],
            "indexing": [put.indexing for _, put in puts],
            "terms": [" ".join(put.terms) for _, put in puts],
            "lengths": [put.length for _, put in puts],
            "vectors": [len(put.vectors) for _, put in puts],
            "ttl": [put.ttl for _, put in puts],
            "expires": [_expiry(put, now) for _, put in puts],
            "created": [place.created_at for place, _ in puts],
            "updated": [place.version for place, _ in puts],
        },
    )
    items = {(ns, key): item for ns, key, item in rows}
    entries = [
        (place.space.ns, items[place.space.ns, put.key], put) for place, put in puts
    ]
    indexing.add(session, tables, generation, entries)
    for place, put in puts:
        place.space.add(put.length, len(put.vectors))


def _expiry(put: Write, now: int) -> int | None:
    return None if put.ttl is None else now + round(put.ttl * 60_000_000)


def _delete(session: Session, tables: Tables, items: Sequence[int]) -> None:
    if items:
        session.run(f"DELETE FROM {tables.items} WHERE item = ANY (%(items)s)", {"items": items})


def sweep(session: Session, tables: Tables, now: int, limit: int) -> int:
    """See `Transaction.sweep`."""
    paths = session.rows(
        f"SELECT DISTINCT n.path FROM (SELECT ns FROM {tables.items} "
        "WHERE expires_at <= %(now)s LIMIT %(limit)s) e "
        f"JOIN {tables.namespaces} n USING (ns)",
        {"now": now, "limit": limit},
    )
    if not paths:
        return 0
    held = spaces.lock(session, tables, (path for (path,) in paths))
    by_id = {space.ns: space for space in held.values()}
    # Looked up again: only now nobody can give them a new value or a new time to live.
    rows = session.rows(
        f"SELECT ns, item, length, vectors, terms FROM {tables.items} WHERE ns = ANY (%(ns)s) "
        "AND expires_at <= %(now)s ORDER BY item LIMIT %(limit)s FOR UPDATE",
        {"ns": list(by_id), "now": now, "limit": limit},
    )
    expired = [Indexed(*row) for row in rows]
    indexing.remove(session, tables, expired)
    _delete(session, tables, [entry.item for entry in expired])
    for entry in expired:
        by_id[entry.ns].items -= 1
        by_id[entry.ns].subtract(entry.length, entry.vectors)
    spaces.save(session, tables, held.values())
    return len(expired)

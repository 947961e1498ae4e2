"""Puts and deletes: what they come to is decided in Python, then done by few large statements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from langgraph_memory.store.operations import Write
from langgraph_memory.store.postgres import indexing
from langgraph_memory.store.postgres.connections import Session
from langgraph_memory.store.postgres.indexing import Entry, Indexed
from langgraph_memory.store.postgres.spaces import Space, Spaces
from langgraph_memory.store.postgres.statement import Together, numbers
from langgraph_memory.store.postgres.tables import Tables
from langgraph_memory.store.versions import check_version

__all__ = ["sweep", "write"]

Key = tuple[str, str]


@dataclass(slots=True)
class Place:
    """One key of a namespace, from what it held before some writes to what it holds after.

    Attributes:
        space: The namespace.
        item: Id of the item that is there, or of the one that will be.
        there: What the database has, also if it has expired.
        there_expired: Whether what the database has is as good as deleted.
        created_at: Of the item that is there now.
        version: Its `updated_at`; None if there is no item.
        put: The write that made it; None if that was not one of these.
    """

    space: Space
    item: int = 0
    there: Indexed | None = None
    there_expired: bool = False
    created_at: int = 0
    version: int | None = None
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
    session: Session,
    tables: Tables,
    spaces: Spaces,
    writes: Sequence[Write],
    generation: int,
    now: int,
) -> list[int]:
    """See `Transaction.write`."""
    held = spaces.lock(write.path for write in writes)
    places = {(write.path, write.key): Place(held[write.path]) for write in writes}
    _read(session, tables, places, now)
    before = {key: place.version for key, place in places.items()}
    stamps = [places[write.path, write.key].apply(write, now) for write in writes]
    changed = [
        place
        for key, place in places.items()
        if place.put is not None or place.version != before[key] or place.there_expired
    ]
    replaced = [(place, place.there) for place in changed if place.there is not None]
    removal, addition = Together(session), Together(session)
    indexing.remove(removal, tables, [there for _, there in replaced])
    for place, there in replaced:
        place.space.subtract(there.length, there.vectors)
    _delete(removal, tables, [there.item for place, there in replaced if place.put is None])
    _put(addition, tables, changed, generation, now)
    spaces.save(addition, held.values())
    removal.run()
    addition.run()
    return stamps


def _read(session: Session, tables: Tables, places: Mapping[Key, Place], now: int) -> None:
    """Find what is there, and the ids of what will be."""
    by_id = {place.space.ns: path for (path, _), place in places.items()}
    rows = session.rows(
        "SELECT w.ns, w.key, coalesce(i.item, nextval(%(sequence)s::regclass)), "
        "i.item IS NOT NULL, i.length, i.vectors, i.terms, "
        "i.created_at, i.updated_at, i.expires_at "
        "FROM unnest(%(ns)s::int8[], %(keys)s::text[]) AS w (ns, key) "
        f"LEFT JOIN {tables.items} i ON i.ns = w.ns AND i.key = w.key",
        {
            "sequence": tables.item_ids,
            "ns": numbers(place.space.ns for place in places.values()),
            "keys": [key for _, key in places],
        },
    )
    for ns, key, item, exists, *columns in rows:
        place = places[by_id[ns], key]
        place.item = item
        if not exists:
            continue
        length, vectors, terms, created_at, updated_at, expires_at = columns
        place.there = Indexed(ns, item, length, vectors, terms)
        if expires_at is not None and expires_at <= now:
            place.there_expired = True
            place.space.items -= 1  # A put makes another.
        else:
            place.created_at, place.version = created_at, updated_at


def _put(
    together: Together, tables: Tables, places: Sequence[Place], generation: int, now: int
) -> None:
    # Other writers wait for the namespace; those who count a use or renew a time to live lock
    # items in this order.
    puts = sorted(
        ((place, place.put) for place in places if place.put is not None),
        key=lambda pair: pair[0].item,
    )
    if not puts:
        return
    together.add(
        f"INSERT INTO {tables.items} (item, ns, key, value, indexing, terms, length, vectors, "
        "ttl_minutes, expires_at, created_at, updated_at, generation) OVERRIDING SYSTEM VALUE "
        "SELECT *, %(generation)s FROM unnest(%(items)s::int8[], %(ns)s::int8[], "
        "%(keys)s::text[], %(values)s::text[], %(indexing)s::text[], %(terms)s::text[], "
        "%(lengths)s::int4[], %(counts)s::int4[], %(ttl)s::float8[], %(expires)s::int8[], "
        "%(created)s::int8[], %(updated)s::int8[]) "
        "ON CONFLICT (ns, key) DO UPDATE SET value = excluded.value, indexing = excluded.indexing, "
        "terms = excluded.terms, length = excluded.length, vectors = excluded.vectors, "
        "ttl_minutes = excluded.ttl_minutes, expires_at = excluded.expires_at, "
        "created_at = excluded.created_at, updated_at = excluded.updated_at, "
        "generation = excluded.generation",
        generation=generation,
        items=numbers(place.item for place, _ in puts),
        ns=numbers(place.space.ns for place, _ in puts),
        keys=[put.key for _, put in puts],
        values=[put.value for _, put in puts],
        indexing=[put.indexing for _, put in puts],
        terms=[" ".join(put.terms) for _, put in puts],
        lengths=numbers(put.length for _, put in puts),
        counts=numbers(len(put.vectors) for _, put in puts),
        ttl=numbers(put.ttl for _, put in puts),
        expires=numbers(_expiry(put, now) for _, put in puts),
        created=numbers(place.created_at for place, _ in puts),
        updated=numbers(place.version for place, _ in puts),
    )
    entries = [Entry(place.space.ns, place.item, place.version or 0, put) for place, put in puts]
    indexing.add(together, tables, generation, entries)
    for place, put in puts:
        place.space.add(put.length, len(put.vectors))


def _expiry(put: Write, now: int) -> int | None:
    return None if put.ttl is None else now + round(put.ttl * 60_000_000)


def _delete(together: Together, tables: Tables, items: Sequence[int]) -> None:
    if items:
        together.add(f"DELETE FROM {tables.items} WHERE item = ANY (%(gone)s)", gone=list(items))


def sweep(session: Session, tables: Tables, spaces: Spaces, now: int, limit: int) -> int:
    """See `Transaction.sweep`."""
    paths = session.rows(
        f"SELECT DISTINCT n.path FROM (SELECT ns FROM {tables.items} "
        "WHERE expires_at <= %(now)s LIMIT %(limit)s) e "
        f"JOIN {tables.namespaces} n USING (ns)",
        {"now": now, "limit": limit},
    )
    if not paths:
        return 0
    held = spaces.lock(path for (path,) in paths)
    by_id = {space.ns: space for space in held.values()}
    # Looked up again: only now nobody can give them a new value.
    rows = session.rows(
        f"SELECT ns, item, length, vectors, terms FROM {tables.items} WHERE ns = ANY (%(ns)s) "
        "AND expires_at <= %(now)s ORDER BY item LIMIT %(limit)s FOR UPDATE",
        {"ns": list(by_id), "now": now, "limit": limit},
    )
    expired = [Indexed(*row) for row in rows]
    together = Together(session)
    indexing.remove(together, tables, expired)
    _delete(together, tables, [entry.item for entry in expired])
    for entry in expired:
        by_id[entry.ns].items -= 1
        by_id[entry.ns].subtract(entry.length, entry.vectors)
    spaces.save(together, held.values())
    together.run()
    return len(expired)

"""Adding items to the keyword and vector index, and taking them out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from langgraph_memory.store.operations import Write
from langgraph_memory.store.postgres.connections import Session
from langgraph_memory.store.postgres.tables import Tables

__all__ = ["Indexed", "add", "forget_generation", "remove"]


@dataclass(frozen=True, slots=True)
class Indexed:
    """What of an item is in the index: its terms, with spaces between, and some vectors."""

    ns: int
    item: int
    length: int
    vectors: int
    terms: str


def add(
    session: Session,
    tables: Tables,
    generation: int,
    entries: Sequence[tuple[int, int, Write]],
) -> None:
    """Put items (namespace id, item id, what was written) into the index."""
    postings = [
        (ns, item, write.length, term, tf)
        for ns, item, write in entries
        for term, tf in write.terms.items()
    ]
    if postings:
        ns, items, lengths, terms, tfs = map(list, zip(*postings, strict=True))
        session.run(
            f"INSERT INTO {tables.postings} (ns, item, length, term, tf) SELECT * FROM unnest("
            "%(ns)s::int8[], %(items)s::int8[], %(lengths)s::int4[], %(terms)s::text[], "
            "%(tfs)s::int4[])",
            {"ns": ns, "items": items, "lengths": lengths, "terms": terms, "tfs": tfs},
        )
    vectors = [
        (ns, item, field, vector)
        for ns, item, write in entries
        for field, vector in enumerate(write.vectors)
    ]
    if vectors:
        from pgvector import Vector

        session.run(
            "WITH v AS (SELECT * FROM unnest(%(ns)s::int8[], %(items)s::int8[], %(fields)s::int4[], "
            "%(vectors)b::vector[]) AS u (ns, item, field, embedding)), "
            f"exact AS (INSERT INTO {tables.embeddings} (ns, item, generation, field, embedding) "
            "SELECT ns, item, %(generation)s, field, embedding FROM v) "
            f"INSERT INTO {tables.sketches} (ns, item, generation, field, embedding) "
            "SELECT ns, item, %(generation)s, field, embedding::halfvec FROM v",
            {
                "generation": generation,
                "ns": [vector[0] for vector in vectors],
                "items": [vector[1] for vector in vectors],
                "fields": [vector[2] for vector in vectors],
                "vectors": [Vector(vector[3]) for vector in vectors],
            },
        )


def remove(
    session: Session,
    tables: Tables,
    entries: Sequence[Indexed],
    *,
    generation: int | None = None,
) -> None:
    """Take items out of the index.

    Args:
        session: In a transaction that has locked the items' namespaces.
        tables: Where to do it.
        entries: What is in the keyword index.
        generation: Of the vectors that go; None for all.
    """
    if not entries:
        return
    places = {
        "ns": [entry.ns for entry in entries],
        "items": [entry.item for entry in entries],
        "generation": generation,
    }
    postings = [(entry.ns, entry.item, term) for entry in entries for term in entry.terms.split()]
    if postings:
        ns, items, terms = map(list, zip(*postings, strict=True))
        session.run(
            f"DELETE FROM {tables.postings} p USING "
            "unnest(%(ns)s::int8[], %(items)s::int8[], %(terms)s::text[]) AS r (ns, item, term) "
            "WHERE p.ns = r.ns AND p.term = r.term AND p.item = r.item",
            {"ns": ns, "items": items, "terms": terms},
        )
    of = "" if generation is None else "AND v.generation = %(generation)s"
    for table in (tables.embeddings, tables.sketches):
        session.run(
            f"DELETE FROM {table} v USING unnest(%(ns)s::int8[], %(items)s::int8[]) AS r (ns, item) "
            f"WHERE v.ns = r.ns AND v.item = r.item {of}",
            places,
        )


def forget_generation(session: Session, tables: Tables, limit: int) -> int:
    """Delete up to `limit` vectors of generations that are neither current nor being built."""
    gone = 0
    for table in (tables.embeddings, tables.sketches):
        gone = session.run(
            f"DELETE FROM {table} WHERE ctid = ANY (ARRAY (SELECT ctid FROM {table} "
            f"WHERE generation NOT IN (SELECT generation FROM {tables.generations}) "
            "LIMIT %(limit)s))",
            {"limit": limit},
        )
    return gone

"""Adding items to the keyword and vector index, and taking them out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from langgraph_memory.store.operations import Write
from langgraph_memory.store.postgres.connections import Session
from langgraph_memory.store.postgres.statement import Together
from langgraph_memory.store.postgres.tables import Tables

__all__ = ["Indexed", "add", "forget_generations", "remove"]


@dataclass(frozen=True, slots=True)
class Indexed:
    """What of an item is in the index: its terms, with spaces between, and some vectors."""

    ns: int
    item: int
    length: int
    vectors: int
    terms: str


def add(
    together: Together,
    tables: Tables,
    generation: int,
    entries: Sequence[tuple[int, int, Write]],
) -> None:
    """Put items (namespace id, item id, what was written) into the index."""
    postings = [
        (ns, item, write.length, tf, term)
        for ns, item, write in entries
        for term, tf in write.terms.items()
    ]
    if postings:
        spaces, items, lengths, tfs, terms = map(list, zip(*postings, strict=True))
        together.add(
            f"INSERT INTO {tables.postings} (ns, item, length, tf, term) SELECT * FROM unnest("
            "%(posting_ns)s::int8[], %(posting_items)s::int8[], %(posting_lengths)s::int4[], "
            "%(posting_tfs)s::int4[], %(posting_terms)s::text[])",
            posting_ns=spaces,
            posting_items=items,
            posting_lengths=lengths,
            posting_tfs=tfs,
            posting_terms=terms,
        )
    vectors = [
        (ns, item, field, vector)
        for ns, item, write in entries
        for field, vector in enumerate(write.vectors)
    ]
    if vectors:
        from pgvector import Vector

        values = {
            "vector_generation": generation,
            "vector_ns": [vector[0] for vector in vectors],
            "vector_items": [vector[1] for vector in vectors],
            "vector_fields": [vector[2] for vector in vectors],
            "vectors": [Vector(vector[3]) for vector in vectors],
        }
        for table, kind in ((tables.embeddings, "vector"), (tables.sketches, "halfvec")):
            together.add(
                f"INSERT INTO {table} (ns, item, generation, field, embedding) "
                f"SELECT ns, item, %(vector_generation)s, field, embedding::{kind} FROM unnest("
                "%(vector_ns)s::int8[], %(vector_items)s::int8[], %(vector_fields)s::int4[], "
                "%(vectors)b::vector[]) AS v (ns, item, field, embedding)",
                **values,
            )


def remove(
    together: Together,
    tables: Tables,
    entries: Sequence[Indexed],
    *,
    generation: int | None = None,
) -> None:
    """Take items out of the index.

    Args:
        together: Of a transaction that has locked the items' namespaces.
        tables: Where to do it.
        entries: What is in the keyword index.
        generation: Of the vectors that go; None for all.
    """
    postings = [(entry.ns, entry.item, term) for entry in entries for term in entry.terms.split()]
    if postings:
        spaces, items, terms = map(list, zip(*postings, strict=True))
        together.add(
            f"DELETE FROM {tables.postings} p USING unnest(%(unposted_ns)s::int8[], "
            "%(unposted_items)s::int8[], %(unposted_terms)s::text[]) AS r (ns, item, term) "
            "WHERE p.ns = r.ns AND p.term = r.term AND p.item = r.item",
            unposted_ns=spaces,
            unposted_items=items,
            unposted_terms=terms,
        )
    if entries:
        of = "" if generation is None else "AND v.generation = %(removed_generation)s"
        for table in (tables.embeddings, tables.sketches):
            together.add(
                f"DELETE FROM {table} v USING "
                "unnest(%(removed_ns)s::int8[], %(removed_items)s::int8[]) AS r (ns, item) "
                f"WHERE v.ns = r.ns AND v.item = r.item {of}",
                removed_ns=[entry.ns for entry in entries],
                removed_items=[entry.item for entry in entries],
                removed_generation=generation,
            )


def forget_generations(session: Session, tables: Tables, limit: int) -> int:
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

"""Adding items to the keyword and vector index, and taking them out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from langgraph_memory.store.operations import Write
from langgraph_memory.store.postgres.connections import Session
from langgraph_memory.store.postgres.statement import Together, numbers
from langgraph_memory.store.postgres.tables import Tables

__all__ = ["Entry", "Indexed", "add", "forget_generations", "remove"]


@dataclass(frozen=True, slots=True)
class Entry:
    """An item that is to be in the index."""

    ns: int
    item: int
    updated_at: int
    write: Write


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
    entries: Sequence[Entry],
) -> None:
    """Put items into the index."""
    postings = [
        (entry.ns, entry.item, entry.write.length, tf, term)
        for entry in entries
        for term, tf in entry.write.terms.items()
    ]
    if postings:
        spaces, items, lengths, tfs, terms = map(list, zip(*postings, strict=True))
        together.add(
            f"INSERT INTO {tables.postings} (ns, item, length, tf, term) SELECT * FROM unnest("
            "%(posting_ns)s::int8[], %(posting_items)s::int8[], %(posting_lengths)s::int4[], "
            "%(posting_tfs)s::int4[], string_to_array(%(posting_terms)s, ' '))",
            posting_ns=numbers(spaces),
            posting_items=numbers(items),
            posting_lengths=numbers(lengths),
            posting_tfs=numbers(tfs),
            posting_terms=" ".join(terms),
        )
    vectors = [
        (entry, field, vector)
        for entry in entries
        for field, vector in enumerate(entry.write.vectors)
    ]
    if vectors:
        from pgvector import Vector

        values = {
            "vector_generation": generation,
            "vector_ns": numbers(entry.ns for entry, _, _ in vectors),
            "vector_items": numbers(entry.item for entry, _, _ in vectors),
            "vector_updated": numbers(entry.updated_at for entry, _, _ in vectors),
            "vector_lengths": numbers(entry.write.length for entry, _, _ in vectors),
            "vector_fields": numbers(field for _, field, _ in vectors),
            "vectors": [Vector(vector) for _, _, vector in vectors],
        }
        together.add(
            f"INSERT INTO {tables.embeddings} (ns, item, updated_at, length, field, embedding, "
            "generation) SELECT *, %(vector_generation)s FROM unnest(%(vector_ns)s::int8[], "
            "%(vector_items)s::int8[], %(vector_updated)s::int8[], %(vector_lengths)s::int4[], "
            "%(vector_fields)s::int4[], %(vectors)b::vector[])",
            **values,
        )
        together.add(
            f"INSERT INTO {tables.sketches} (ns, item, field, embedding, generation) "
            "SELECT ns, item, field, embedding::halfvec, %(vector_generation)s FROM unnest("
            "%(vector_ns)s::int8[], %(vector_items)s::int8[], %(vector_fields)s::int4[], "
            "%(vectors)b::vector[]) AS v (ns, item, field, embedding)"
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
            "%(unposted_items)s::int8[], string_to_array(%(unposted_terms)s, ' ')) "
            "AS r (ns, item, term) "
            "WHERE p.ns = r.ns AND p.term = r.term AND p.item = r.item",
            unposted_ns=numbers(spaces),
            unposted_items=numbers(items),
            unposted_terms=" ".join(terms),
        )
    if entries:
        of = "" if generation is None else "AND v.generation = %(removed_generation)s"
        for table in (tables.embeddings, tables.sketches):
            together.add(
                f"DELETE FROM {table} v USING "
                "unnest(%(removed_ns)s::int8[], %(removed_items)s::int8[]) AS r (ns, item) "
                f"WHERE v.ns = r.ns AND v.item = r.item {of}",
                removed_ns=numbers(entry.ns for entry in entries),
                removed_items=numbers(entry.item for entry in entries),
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

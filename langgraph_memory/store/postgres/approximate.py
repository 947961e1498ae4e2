"""An approximate index for each namespace that is too large to be scanned.

Exact search in a namespace costs a time that grows with it: about half a microsecond per vector
of 512 dimensions. Beyond `LARGE` vectors `optimize` gives a namespace an HNSW index of its own, a
partial one, so that no other namespace's search or recall has to do with it. Never is one index
shared by all: its nearest neighbours would be other tenants', and of the asker's few would remain.

The index is asked in passes until it has given as many vectors as were wanted, which are then
compared exactly. If it gives fewer, because a filter lets in too little, the namespace is scanned.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from langgraph_memory.store.postgres.connections import Connections, Session
from langgraph_memory.store.postgres.statement import Parameters
from langgraph_memory.store.postgres.tables import Tables

__all__ = ["LARGE", "drop_unused", "index_name", "large", "make", "nearest"]

LARGE = 100_000
"""Vectors of a namespace above which `optimize` makes it an index."""

MAX_DIMS = 4_000
"""Dimensions that pgvector can index, in half precision."""

MIN_EF, MAX_EF = 40, 1_000
_PREFIX = "memory_sketches_near_"


def index_name(ns: int, generation: int) -> str:
    """The name of a namespace's index."""
    return f"{_PREFIX}{ns}_{generation}"


def nearest(
    session: Session,
    tables: Tables,
    spaces: Sequence[int],
    permitted: str,
    passing: str,
    parameters: Parameters,
    wanted: int,
) -> tuple[list[int], list[int]]:
    """The nearest vectors of namespaces that have an index.

    Args:
        session: Where to ask.
        tables: Where to look.
        spaces: Ids of namespaces with an index.
        permitted: A WITH clause that `passing` refers to.
        passing: Condition of a sketch `s` that its item may be found.
        parameters: Of the clause and the condition, with `vector` and `generation`.
        wanted: How many vectors of each.

    Returns:
        The namespaces that were searched, and the items found in them. A namespace that gave less
        than was wanted is not among them.
    """
    searched: list[int] = []
    found: set[int] = set()
    dims = parameters.values["vector"].dimensions()
    with _settings(session, wanted):
        for ns in map(int, spaces):
            # Numbers stand in the text: only so does the planner know that the index fits.
            rows = session.rows(
                f"{permitted} SELECT s.item FROM {tables.sketches} s WHERE s.ns = {ns} "
                f"AND s.generation = {int(parameters.values['generation'])} AND {passing} "
                f"ORDER BY s.embedding::halfvec({dims}) <#> %(vector)b::halfvec({dims}) "
                f"LIMIT {wanted}",
                parameters.values,
            )
            if len(rows) >= wanted:
                searched.append(ns)
                found.update(row[0] for row in rows)
    return searched, sorted(found)


@contextmanager
def _settings(session: Session, wanted: int) -> Iterator[None]:
    """Let the index go on until enough passes; settings end with their transaction."""
    if not session.in_transaction:
        session.script("BEGIN READ ONLY")
    try:
        session.rows(
            "SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true), "
            "set_config('hnsw.ef_search', %(ef)s, true), "
            # The planner trusts the index to be the faster way only when tables are very large.
            "set_config('enable_seqscan', 'off', true), set_config('enable_sort', 'off', true)",
            {"ef": str(min(MAX_EF, max(2 * wanted, MIN_EF)))},
        )
        yield
        session.rows("SELECT set_config('enable_sort', 'on', true)")
    finally:
        if not session.in_transaction:
            session.script("COMMIT")


def large(session: Session, tables: Tables, generation: int, above: int) -> list[int]:
    """Namespaces with more vectors than that and without an index."""
    rows = session.rows(
        f"SELECT n.ns FROM {tables.namespaces} n WHERE n.approximate <> %(generation)s "
        "AND n.vectors > %(above)s ORDER BY n.ns",
        {"generation": generation, "above": above},
    )
    return [int(ns) for (ns,) in rows]


def make(connections: Connections, tables: Tables, ns: int, generation: int, dims: int) -> None:
    """Give a namespace an index; readers and writers go on meanwhile."""
    name, number = index_name(ns, generation), int(ns)
    with connections.reading() as session:
        # One left by a build that was cut off is not usable.
        session.script(f"DROP INDEX IF EXISTS {tables.quoted}.{name}")
        session.script(
            f"CREATE INDEX CONCURRENTLY {name} ON {tables.quoted}.memory_sketches "
            f"USING hnsw ((embedding::halfvec({dims})) halfvec_ip_ops) "
            f"WHERE ns = {number} AND generation = {generation}"
        )
        session.run(
            f"UPDATE {tables.namespaces} SET approximate = %(generation)s WHERE ns = %(ns)s",
            {"ns": ns, "generation": generation},
        )


def drop_unused(session: Session, tables: Tables, generation: int) -> int:
    """Drop the indexes of namespaces and generations that are gone; how many."""
    rows = session.rows(
        "SELECT c.relname FROM pg_catalog.pg_class c "
        "JOIN pg_catalog.pg_namespace s ON s.oid = c.relnamespace "
        "WHERE s.nspname = %(schema)s AND c.relkind = 'i' AND c.relname LIKE %(pattern)s",
        {"schema": tables.schema, "pattern": _PREFIX.replace("_", r"\_") + "%"},
    )
    there = {str(name) for (name,) in rows}
    used = session.rows(
        f"SELECT ns FROM {tables.namespaces} WHERE approximate = %(generation)s",
        {"generation": generation},
    )
    unused = there - {index_name(ns, generation) for (ns,) in used}
    for name in sorted(unused):
        session.script(f"DROP INDEX {tables.quoted}.{name}")
    return len(unused)

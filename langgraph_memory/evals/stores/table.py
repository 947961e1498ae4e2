"""The table of stores that are compared."""

from __future__ import annotations

from collections.abc import Sequence

from langgraph_memory.errors import InvalidInputError
from langgraph_memory.evals.stores import langgraph, mem0, ours, raw
from langgraph_memory.evals.stores.contender import StoreContender
from langgraph_memory.evals.stores.databases import Databases

__all__ = ["CONTENDERS", "choose", "present"]

_POSTGRES = {
    "psycopg_pool": "langgraph-layered-memory[postgres]",
    "psycopg": "langgraph-layered-memory[postgres]",
    "pgvector": "langgraph-layered-memory[postgres]",
}


CONTENDERS: tuple[StoreContender, ...] = (
    StoreContender("SQLiteMemoryStore", "sqlite", ours.open_sqlite, {}),
    StoreContender(
        "SqliteStore",
        "sqlite",
        langgraph.open_sqlite,
        {"sqlite_vec": "langgraph-checkpoint-sqlite"},
        unable=langgraph.why_no_sqlite,
    ),
    # Twelve kilobytes for a vector of 384 numbers: a million items would take 13 gigabytes.
    StoreContender("InMemoryStore", "memory", langgraph.open_memory, {}, largest=200_000),
    StoreContender("numpy brute force", "memory", raw.open_numpy, {}),
    StoreContender("PostgresMemoryStore", "postgres", ours.open_postgres, _POSTGRES),
    StoreContender(
        "PostgresStore",
        "postgres",
        langgraph.open_postgres,
        {"langgraph.store.postgres": "langgraph-checkpoint-postgres"},
    ),
    StoreContender("raw exact SQL", "postgres", raw.open_sql, _POSTGRES),
    StoreContender(
        "mem0 on pgvector", "postgres", mem0.open_pgvector, _POSTGRES, unable=mem0.why_not
    ),
)


def choose(contenders: Sequence[StoreContender], only: Sequence[str]) -> list[StoreContender]:
    """The contenders whose name contains one of some parts, whatever the case; all without parts.

    Raises:
        InvalidInputError: None does.
    """
    wanted = [part.casefold() for part in only]
    chosen = [
        each for each in contenders if not wanted or any(p in each.name.casefold() for p in wanted)
    ]
    if not chosen:
        names = ", ".join(repr(each.name) for each in contenders)
        raise InvalidInputError(f"--only {' '.join(only)} matches no store. There are: {names}.")
    return chosen


def present(
    stores: Sequence[StoreContender], databases: Databases | None, left_out: dict[str, str]
) -> list[StoreContender]:
    """Those that can run here; `left_out` is told why the others cannot, by their names."""
    running = []
    for each in stores:
        reason = each.missing()
        if reason is None and each.backend == "postgres" and databases is None:
            reason = "there is no Postgres server. Give --postgres a connection string."
        if reason is None:
            running.append(each)
        else:
            left_out[each.name] = reason
    return running

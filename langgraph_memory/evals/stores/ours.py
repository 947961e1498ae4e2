"""This package's stores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from langgraph_memory.evals.stores.contender import Place
from langgraph_memory.evals.stores.sessions import BaseStoreSession
from langgraph_memory.store import SQLiteMemoryStore

__all__ = ["open_postgres", "open_sqlite"]


@contextmanager
def open_sqlite(place: Place, index: Mapping[str, Any]) -> Iterator[BaseStoreSession]:
    """`SQLiteMemoryStore` in a file."""
    with SQLiteMemoryStore(place.folder / "memory.db", index=index) as store:
        store.setup()
        yield BaseStoreSession(store)


@contextmanager
def open_postgres(place: Place, index: Mapping[str, Any]) -> Iterator[BaseStoreSession]:
    """`PostgresMemoryStore` in a database."""
    from langgraph_memory.store.postgres import PostgresMemoryStore

    assert place.dsn is not None
    with PostgresMemoryStore(place.dsn, index=index) as store:
        store.setup()
        yield BaseStoreSession(store)

"""`SQLiteMemoryStore`: one file, no loadable extension, exact search with numpy."""

from __future__ import annotations

import os
import sqlite3
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Self

from langgraph.store.base import TTLConfig

from langgraph_memory import clock as clocks
from langgraph_memory.errors import InvalidInputError
from langgraph_memory.store import migrations
from langgraph_memory.store.base import MemoryStore
from langgraph_memory.store.database import sqlite_database
from langgraph_memory.store.sqlite.connections import Connections
from langgraph_memory.store.sqlite.namespace_index import NamespaceCache
from langgraph_memory.store.sqlite.transaction import SQLiteTransaction

__all__ = ["SQLiteMemoryStore"]


class SQLiteMemoryStore(MemoryStore):
    """A long-term store in one SQLite file, for many threads and several processes.

    Search is exact: vectors are compared with numpy, keywords by the namespace's own postings. The
    file may also hold LangGraph checkpoints.

    Args:
        path: The file, created if it is not there; ``:memory:`` for a store that ends with this
            object.
        index: LangGraph's index configuration (`dims`, `embed`, `fields`).
        ttl: LangGraph's time-to-live configuration, in minutes.
        clock: Gives the time; for tests.
        cache_megabytes: Memory for the vectors and postings of the namespaces searched last. A
            namespace takes 4 bytes per dimension and item, and is loaded anew when it has fallen
            out.

    Raises:
        InvalidInputError: If an argument cannot be used.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] = ":memory:",
        *,
        index: Mapping[str, Any] | None = None,
        ttl: TTLConfig | None = None,
        clock: Callable[[], datetime] = clocks.now,
        cache_megabytes: float = 256.0,
    ) -> None:
        if not cache_megabytes >= 0:
            raise InvalidInputError(f"cache_megabytes must be 0 or more, got {cache_megabytes!r}.")
        super().__init__(index=index, ttl=ttl, clock=clock)
        self._path = os.fspath(path)
        self._database = sqlite_database(self._path)  # Once: it asks the file system.
        self._connections = Connections(self._path)
        self._cache_megabytes = cache_megabytes
        self._cache = NamespaceCache(cache_megabytes)
        weakref.finalize(self, self._connections.close)

    @classmethod
    def from_conn_string(
        cls,
        conn_string: str,
        *,
        index: Mapping[str, Any] | None = None,
        ttl: TTLConfig | None = None,
    ) -> Self:
        """The store in a file, to be used with ``with`` or ``async with``, or closed by hand."""
        return cls(conn_string, index=index, ttl=ttl)

    @property
    def database(self) -> str | None:
        """The file by its real path; None for a store in memory."""
        return self._database

    def _migrate(self) -> None:
        with self._connections.writing() as connection:
            connection.execute(
                "CREATE TABLE IF NOT EXISTS memory_migrations "
                "(number INTEGER PRIMARY KEY, name TEXT NOT NULL)"
            )
            [(applied,)] = connection.execute("SELECT max(number) FROM memory_migrations")
            for migration in migrations.missing(migrations.of(__package__), applied or 0):
                for statement in _statements(migration.sql):
                    connection.execute(statement)
                connection.execute(
                    "INSERT INTO memory_migrations VALUES (?, ?)",
                    (migration.number, migration.name),
                )

    @contextmanager
    def _transaction(self, *, write: bool, one_state: bool = True) -> Iterator[SQLiteTransaction]:
        if self._connections.is_forked():
            # A thread of the parent may have held a lock of it, and is not here to give it back.
            self._cache = NamespaceCache(self._cache_megabytes)
        opened = self._connections.writing() if write else self._connections.reading()
        with opened as connection:
            yield SQLiteTransaction(connection, self._cache)

    def _disconnect(self) -> None:
        self._connections.close()


def _statements(sql: str) -> Iterator[str]:
    """The statements of a script, one by one, so that they stay in one transaction."""
    statement = ""
    for line in sql.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""

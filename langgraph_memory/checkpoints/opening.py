"""Opening the checkpointer that a URL names, for synchronous and asynchronous graphs alike."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.sqlite import SqliteSaver

from langgraph_memory.checkpoints.off_loop import OffLoop
from langgraph_memory.checkpoints.sqlite import connect as connect_sqlite
from langgraph_memory.checkpoints.upkeep import Upkeep
from langgraph_memory.errors import MissingExtraError, StoreClosedError, StoreUnavailableError
from langgraph_memory.store.opening import location_of

__all__ = ["SQLiteCheckpointer", "open_checkpointer"]

SETUPS = 10
"""How often setting up is tried that other processes get in the way of."""


class SQLiteCheckpointer(Upkeep, OffLoop, SqliteSaver):
    """LangGraph's SQLite checkpointer, awaitable as well."""

    @contextmanager
    def cursor(self, transaction: bool = True) -> Iterator[sqlite3.Cursor]:
        """See `SqliteSaver.cursor`.

        Raises:
            StoreClosedError: If the file was closed.
        """
        try:
            with super().cursor(transaction) as cursor:
                yield cursor
        except sqlite3.ProgrammingError as error:
            if "closed database" not in str(error):
                raise
            raise StoreClosedError(
                "The threads' database was closed, with Memory.close() or by the end of its with "
                "block. Open it anew to go on."
            ) from error


@contextmanager
def open_checkpointer(url: str | os.PathLike[str]) -> Iterator[BaseCheckpointSaver[Any]]:
    """The threads at a URL: one SQLite file, or a Postgres database.

    The tables are set up. Memories may be in the same database.

    Args:
        url: As for `langgraph_memory.store.open`.

    Raises:
        InvalidInputError: There is no such scheme, or the file is no SQLite database.
        StoreUnavailableError: The server cannot be reached.
        MissingExtraError: The driver is not installed.
    """
    kind, target = location_of(url)
    if kind == "sqlite":
        with closing(connect_sqlite(target)) as connection:
            saver = SQLiteCheckpointer(connection)
            saver.setup()
            yield saver
        return
    with _postgres(target) as postgres:
        yield postgres


@contextmanager
def _postgres(dsn: str) -> Iterator[BaseCheckpointSaver[Any]]:
    try:
        from psycopg import OperationalError, connect, errors
        from psycopg.rows import dict_row
        from psycopg_pool import ConnectionPool, PoolTimeout

        from langgraph_memory.checkpoints.postgres import PostgresCheckpointer
    except ImportError as error:
        raise MissingExtraError(
            str(error.name), "postgres", "A checkpointer on Postgres"
        ) from error
    # As LangGraph's checkpointer wants its connections.
    given = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
    pool: ConnectionPool[Any] = ConnectionPool(
        dsn, min_size=1, max_size=10, kwargs=given, open=False
    )
    try:
        # A pool tries for half a minute, and logs every time that it had no success.
        connect(dsn).close()
        pool.open(wait=True, timeout=30.0)
    except (OperationalError, PoolTimeout) as error:
        raise StoreUnavailableError(
            f"The Postgres server of the threads cannot be reached: {error}"
        ) from error
    with closing(pool):
        saver = PostgresCheckpointer(pool)
        for attempt in range(SETUPS):
            try:
                saver.setup()
                break
            except (errors.UniqueViolation, errors.DuplicateTable, errors.DuplicateObject):
                # Another process sets it up at the same moment.
                if attempt == SETUPS - 1:
                    raise
                time.sleep(0.2)
        yield saver

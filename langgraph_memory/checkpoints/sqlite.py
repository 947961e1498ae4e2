"""Threads in one SQLite file, with LangGraph's own checkpointers."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from langgraph_memory.errors import InvalidInputError

BUSY_SECONDS = 30.0


@contextmanager
def sqlite_saver(path: str | Path) -> Iterator[SqliteSaver]:
    """Open a file of threads for synchronous graphs; it is made if it does not exist.

    Args:
        path: The file, or `:memory:`.

    Raises:
        InvalidInputError: The file cannot be opened, or is not an SQLite database.
    """
    with closing(connect(path)) as connection:
        saver = SqliteSaver(connection)
        saver.setup()
        yield saver


@asynccontextmanager
async def async_sqlite_saver(path: str | Path) -> AsyncIterator[AsyncSqliteSaver]:
    """The same as `sqlite_saver`, for asynchronous graphs.

    Args:
        path: The file, or `:memory:`.

    Raises:
        InvalidInputError: The file cannot be opened, or is not an SQLite database.
    """
    # Looked at off the event loop first: what fails later would leave a thread behind.
    (await asyncio.to_thread(connect, path)).close()
    async with AsyncSqliteSaver.from_conn_string(str(path)) as saver:
        await saver.conn.execute(f"PRAGMA busy_timeout = {int(BUSY_SECONDS * 1000)}")
        await saver.setup()
        yield saver


def thread_ids(saver: SqliteSaver) -> list[str]:
    """Ids of the threads in a file, the one used last first."""
    with saver.cursor(transaction=False) as cursor:
        rows = cursor.execute(
            "SELECT thread_id FROM checkpoints GROUP BY thread_id ORDER BY MAX(checkpoint_id) DESC"
        ).fetchall()
    return [str(row[0]) for row in rows]


def connect(path: str | Path) -> sqlite3.Connection:
    """A connection to a file of threads, for use from several threads under a lock.

    Raises:
        InvalidInputError: The file cannot be opened, or is not an SQLite database.
    """
    try:
        connection = sqlite3.connect(str(path), timeout=BUSY_SECONDS, check_same_thread=False)
    except sqlite3.Error as error:
        raise InvalidInputError(
            f"The file {str(path)!r} cannot be opened: {error}. Is its folder there and writable?"
        ) from error
    try:
        connection.execute("PRAGMA schema_version").fetchone()
        connection.execute("PRAGMA journal_mode = WAL").fetchone()
    except sqlite3.OperationalError as error:
        connection.close()
        raise InvalidInputError(
            f"The file {str(path)!r} cannot be used: {error}. Another process may be holding it, "
            "or it or its folder may not be writable."
        ) from error
    except sqlite3.DatabaseError as error:
        connection.close()
        raise InvalidInputError(
            f"The file {str(path)!r} is not an SQLite database ({error}). Name another file; this "
            "one was left as it is."
        ) from error
    return connection

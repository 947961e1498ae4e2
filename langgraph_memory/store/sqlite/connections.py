"""Connections to one SQLite file: any number of readers, one writer at a time in this process."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from langgraph_memory.errors import StoreClosedError, StoreUnavailableError

__all__ = ["Connections"]

BUSY_SECONDS = 60.0
"""How long to wait for a writer of another process."""

_CACHED_KIBIBYTES = 16_384
_PARENTS: list[sqlite3.Connection] = []


class Connections:
    """A pool of connections, each used by one thread at a time.

    In-process writers queue up for a lock, so that only whole processes compete for the file.
    A database in memory lives in one connection, which readers and writers share.

    Args:
        path: A file, or ``:memory:``.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        # What is in memory, or in a temporary file, is in the one connection that made it.
        self._shared = path in ("", ":memory:") or (
            path.startswith("file:") and (":memory:" in path or "mode=memory" in path)
        )
        self._idle: list[sqlite3.Connection] = []
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._closed = False
        self._process = os.getpid()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection in a read transaction: one state of the database throughout."""
        self._leave_to_parent()
        if self._shared:
            with self.writing() as connection:
                yield connection
            return
        connection = self._take()
        try:
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                connection.rollback()
        finally:
            self._give(connection)

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A connection in a write transaction, committed at the end, rolled back on an error."""
        self._leave_to_parent()
        with self._writing:
            connection = self._take()
            try:
                connection.execute("BEGIN IMMEDIATE")
                try:
                    yield connection
                except BaseException:
                    connection.rollback()
                    raise
                connection.commit()
            finally:
                self._give(connection)

    def close(self) -> None:
        """Close the idle connections; those in use are closed when they are given back."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def is_forked(self) -> bool:
        """Whether this is another process than the one that used the connections last."""
        return self._process != os.getpid()

    def _leave_to_parent(self) -> None:
        """In a forked process, leave the parent's connections alone and begin anew.

        SQLite forbids using them, and closing them would do so.
        """
        if self.is_forked() and not self._shared:
            self._process = os.getpid()
            _PARENTS.extend(self._idle)
            self._idle = []
            self._lock, self._writing = threading.Lock(), threading.Lock()

    def _take(self) -> sqlite3.Connection:
        with self._lock:
            if self._closed:
                raise StoreClosedError("This store was closed. Open a new one to go on.")
            if self._idle:
                return self._idle.pop()
        return self._connect()

    def _give(self, connection: sqlite3.Connection) -> None:
        with self._lock:
            if not self._closed:
                self._idle.append(connection)
                return
        connection.close()

    def _connect(self) -> sqlite3.Connection:
        try:
            connection = sqlite3.connect(
                self._path,
                timeout=BUSY_SECONDS,
                isolation_level=None,
                check_same_thread=False,
                uri=self._path.startswith("file:"),
            )
        except sqlite3.OperationalError as error:
            raise StoreUnavailableError(
                f"SQLite cannot open the file {self._path!r} ({error}). Does its folder exist, and "
                "may this process write there?"
            ) from error
        try:
            _use_write_ahead_log(connection)
            # With a write-ahead log a commit survives the process; only a power cut may undo the
            # last ones, and never leaves the file damaged.
            connection.execute("PRAGMA synchronous = NORMAL")
            # What was deleted is overwritten, not only unlinked.
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute(f"PRAGMA cache_size = -{_CACHED_KIBIBYTES}")
        except BaseException as error:
            connection.close()
            if type(error) is sqlite3.DatabaseError:
                raise StoreUnavailableError(
                    f"{self._path!r} cannot be used as a store ({error}). Name another file."
                ) from error
            raise
        return connection


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Readers and a writer then do not wait for each other; the file remembers it.

    Changing the mode does not wait for others as statements do, so it is tried again.
    """
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL").fetchall()
            return
        except sqlite3.OperationalError:
            if time.monotonic() > until:
                raise
            time.sleep(0.01)

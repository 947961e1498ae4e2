"""Connections to Postgres: a pool of our own or one handed in, and transactions on them."""

from __future__ import annotations

import importlib
import os
import threading
import time
import weakref
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, cast

from langgraph_memory.errors import (
    InvalidInputError,
    InvalidStateError,
    MissingExtraError,
    StoreClosedError,
    StoreUnavailableError,
)

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg.rows import TupleRow
    from psycopg.types import TypeInfo
    from psycopg_pool import ConnectionPool

    PostgresConnection = Connection[TupleRow]

__all__ = ["Connections", "Session"]

PURPOSE = "PostgresMemoryStore"
WAIT_SECONDS = 0.25
_PARENTS: list[Any] = []


def require_driver() -> None:
    """Import what talks to Postgres.

    Raises:
        MissingExtraError: If it is not installed.
    """
    for module in ("psycopg", "psycopg_pool", "pgvector.psycopg"):
        try:
            importlib.import_module(module)
        except ImportError as error:
            raise MissingExtraError(module.partition(".")[0], "postgres", PURPOSE) from error


class Session:
    """A connection for the length of one transaction, or of some reads outside any.

    Statements name their parameters psycopg's way. Whether the driver prepares them on the server
    is the connection's `prepare_threshold`.
    """

    def __init__(self, connection: PostgresConnection, *, in_transaction: bool) -> None:
        self.connection = connection
        self.in_transaction = in_transaction

    def script(self, sql: str) -> list[list[tuple[Any, ...]]]:
        """Run statements without parameters in one round trip; the rows of each."""
        with self.connection.cursor() as cursor:
            cursor.execute(sql.encode(), prepare=False)
            results = []
            while True:
                results.append(cursor.fetchall() if cursor.description else [])
                if not cursor.nextset():
                    return results

    def rows(self, sql: str, parameters: Mapping[str, Any] | None = None) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        with self.connection.cursor(binary=True) as cursor:
            return cursor.execute(sql.encode(), parameters or {}).fetchall()

    def run(self, sql: str, parameters: Mapping[str, Any] | None = None) -> int:
        """Run a statement; how many rows it touched."""
        with self.connection.cursor() as cursor:
            return cursor.execute(sql.encode(), parameters or {}).rowcount


class Connections:
    """A pool, opened when it is first needed.

    Args:
        source: A connection string, or a `psycopg_pool.ConnectionPool`, which stays open.
        size: Connections at most, of a pool of our own.
        prepare_threshold: After how many uses a statement is prepared on the server, of a pool of
            our own; None for never, which PgBouncer needs.
    """

    def __init__(
        self,
        source: str | ConnectionPool[Any],
        *,
        size: int,
        prepare_threshold: int | None,
    ) -> None:
        require_driver()
        from psycopg_pool import ConnectionPool

        if not isinstance(source, str | ConnectionPool):
            raise InvalidInputError(
                "Postgres is reached by a connection string such as "
                "'postgresql://user:password@host/database' or by a psycopg_pool.ConnectionPool, "
                f"got {type(source).__name__}."
            )
        if size < 1:
            raise InvalidInputError(f"max_connections must be at least 1, got {size}.")
        self._pool: ConnectionPool[Any] | None = source if not isinstance(source, str) else None
        self._own = isinstance(source, str)
        self._source = source
        self._size = size
        self._prepare_threshold = prepare_threshold
        self._opening = threading.Lock()
        self._process = os.getpid()
        self._closed = False
        self._vector: TypeInfo | None = None
        self._registered: weakref.WeakSet[Any] = weakref.WeakSet()

    @contextmanager
    def transaction(self, begin: str) -> Iterator[tuple[Session, list[list[tuple[Any, ...]]]]]:
        """A transaction, committed at the end and rolled back on an error.

        Args:
            begin: Statements that begin it, without parameters; they go out in one round trip.

        Returns:
            A session, and the rows that each of these statements gave.
        """
        with ExitStack() as stack:
            session, begun = self._begun(stack, begin)
            try:
                yield session, begun
                session.script("COMMIT")
            except BaseException:
                if not session.connection.closed:
                    session.connection.rollback()
                raise

    def _begun(self, stack: ExitStack, begin: str) -> tuple[Session, list[list[tuple[Any, ...]]]]:
        from psycopg import OperationalError

        with ExitStack() as lending:
            session = Session(lending.enter_context(self._lent()), in_transaction=True)
            try:
                begun = session.script(begin)
            except OperationalError:
                # An idle connection that the server has closed meanwhile. Nothing was done yet.
                if not session.connection.closed:
                    raise
            else:
                stack.push(lending.pop_all())
                return session, begun
        self.check()
        session = Session(stack.enter_context(self._lent()), in_transaction=True)
        return session, session.script(begin)

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A session outside any transaction: each statement sees what is committed before it.

        Statements that Postgres allows in no transaction can be run here, too.
        """
        with self._lent() as connection:
            yield Session(connection, in_transaction=False)

    @contextmanager
    def _lent(self) -> Iterator[PostgresConnection]:
        pool = self._opened()
        connection = self._waited_for(pool)
        try:
            with _without_implicit_begin(connection):
                yield connection
        finally:
            pool.putconn(connection)

    def _waited_for(self, pool: ConnectionPool[Any]) -> PostgresConnection:
        """A connection; whoever waits for one learns soon when the store is closed."""
        from psycopg_pool import PoolClosed, PoolTimeout

        deadline = time.monotonic() + pool.timeout
        while True:
            try:
                return cast("PostgresConnection", pool.getconn(timeout=WAIT_SECONDS))
            except PoolClosed:
                if not self._closed:  # A pool that was handed in, closed by its owner.
                    raise
                raise _closed() from None
            except PoolTimeout:
                if self._closed:
                    raise _closed() from None
                if time.monotonic() >= deadline:
                    raise StoreUnavailableError(
                        f"None of the {pool.max_size} connections to Postgres became free within "
                        f"{pool.timeout:g} s. Is the server there? If so, raise max_connections."
                    ) from None

    def check(self) -> None:
        """Look at idle connections, and replace those that the server has closed."""
        self._opened().check()

    def take_vectors(self, session: Session) -> None:
        """Let a session take vectors as parameters; the extension must be there."""
        connection = session.connection
        if connection in self._registered:
            return
        from pgvector.psycopg.vector import register_vector_info
        from psycopg.types import TypeInfo

        if self._vector is None:
            self._vector = TypeInfo.fetch(connection, "vector")
        if self._vector is None:
            raise InvalidStateError(
                "The type 'vector' of the extension pgvector is not visible to this connection. "
                "Put the schema that the extension is installed in on the search_path of the "
                "database user: ALTER ROLE … SET search_path = …"
            )
        register_vector_info(connection, self._vector)
        self._registered.add(connection)

    def _opened(self) -> ConnectionPool[Any]:
        if self._closed:
            raise _closed()
        if self._process != os.getpid() and self._own:
            # A forked process must not touch the sockets of its parent, nor close them.
            self._process = os.getpid()
            _PARENTS.append(self._pool)
            self._pool, self._opening = None, threading.Lock()
            self._registered = weakref.WeakSet()
        if self._pool is None:
            with self._opening:
                if self._pool is None:
                    self._pool = self._open()
        return self._pool

    def _open(self) -> ConnectionPool[Any]:
        from psycopg import OperationalError, connect
        from psycopg_pool import ConnectionPool

        assert isinstance(self._source, str)
        # A pool tries for half a minute and then says only that it had no success.
        try:
            connect(self._source).close()
        except OperationalError as error:
            raise StoreUnavailableError(f"Postgres cannot be reached: {error}") from error
        return ConnectionPool(
            self._source,
            min_size=1,
            max_size=self._size,
            kwargs={"autocommit": True, "prepare_threshold": self._prepare_threshold},
            configure=None if self._prepare_threshold is None else _plan_once,
            name="langgraph-memory",
            open=True,
        )

    def refuse(self) -> None:
        """Lend no more connections."""
        self._closed = True

    def close(self) -> None:
        """Close a pool of our own; a pool that was handed in is its owner's to close."""
        self._closed = True
        with self._opening:
            pool, self._pool = self._pool, None
        if pool is not None and self._own:
            pool.close()


def _plan_once(connection: PostgresConnection) -> None:
    """Let a prepared statement keep its plan.

    Left to itself Postgres plans a search anew each time, which takes longer than the search: with
    thousands of namespaces it does not foresee that a path matches only one of them.
    """
    connection.execute("SET plan_cache_mode = force_generic_plan")


def _closed() -> StoreClosedError:
    return StoreClosedError("This store was closed. Open a new one to go on.")


@contextmanager
def _without_implicit_begin(connection: PostgresConnection) -> Iterator[None]:
    """Keep psycopg from beginning transactions by itself, on a connection that was handed in."""
    if connection.autocommit:
        yield
        return
    connection.autocommit = True
    try:
        yield
    finally:
        if not connection.closed:
            connection.autocommit = False

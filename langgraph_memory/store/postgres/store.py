"""`PostgresMemoryStore`: exact search within namespaces, for many processes and machines."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any, Self, TypeVar

from langgraph.store.base import TTLConfig

from langgraph_memory import clock as clocks
from langgraph_memory.errors import InvalidInputError
from langgraph_memory.store import migrations
from langgraph_memory.store.base import MemoryStore
from langgraph_memory.store.database import postgres_database
from langgraph_memory.store.postgres import approximate
from langgraph_memory.store.postgres.candidates import OutdatedError, Sizes, TornError
from langgraph_memory.store.postgres.connections import Connections, Session
from langgraph_memory.store.postgres.schema import migrate
from langgraph_memory.store.postgres.tables import Tables
from langgraph_memory.store.postgres.transaction import PostgresTransaction
from langgraph_memory.store.transaction import Transaction

if TYPE_CHECKING:
    from psycopg_pool import ConnectionPool

__all__ = ["PostgresMemoryStore"]

T = TypeVar("T")

MAX_DIMS = 16_000
ATTEMPTS = 5
"""How often a transaction is tried that the server has ended for the sake of another."""


class PostgresMemoryStore(MemoryStore):
    """A long-term store in Postgres with the extension pgvector (0.8 or newer is best).

    Search is exact and reads the rows of the namespaces searched and no others, so it is as fast
    with a million other users as with one. For a namespace of more than 100,000 vectors `optimize`
    makes an approximate index. Vectors may have up to 16,000 dimensions.

    Tables live in a schema of their own, which `setup` creates along with the extension where the
    database user may do so.

    Args:
        source: A connection string (`postgresql://…`), or a `psycopg_pool.ConnectionPool`, which
            is used as it is and not closed.
        schema: Of the store's tables.
        index: LangGraph's index configuration (`dims`, `embed`, `fields`).
        ttl: LangGraph's time-to-live configuration, in minutes.
        clock: Gives the time; for tests.
        max_connections: Of the store's own pool.
        prepare_threshold: After how many uses of a statement it is prepared on the server, in the
            store's own pool. None for never, as PgBouncer in transaction mode wants it; searches
            then take about a millisecond more. No session state is used otherwise.

    Raises:
        InvalidInputError: If an argument cannot be used.
        MissingExtraError: If psycopg, psycopg_pool or pgvector is not installed.
    """

    def __init__(
        self,
        source: str | ConnectionPool[Any],
        *,
        schema: str = "langgraph_memory",
        index: Mapping[str, Any] | None = None,
        ttl: TTLConfig | None = None,
        clock: Callable[[], datetime] = clocks.now,
        max_connections: int = 10,
        prepare_threshold: int | None = 5,
    ) -> None:
        super().__init__(index=index, ttl=ttl, clock=clock)
        if self._embedder and self._embedder.dims > MAX_DIMS:
            raise InvalidInputError(
                f"pgvector holds vectors of up to {MAX_DIMS:,} dimensions, got "
                f"index['dims']={self._embedder.dims}. Use an embedder that has fewer, or SQLite."
            )
        self._source = source
        self._tables = Tables(schema)
        self._connections = Connections(
            source, size=max_connections, prepare_threshold=prepare_threshold
        )
        self._current = (
            f"SELECT generation FROM {self._tables.quoted}.memory_generations WHERE is_current"
        )
        self._begin = (
            "BEGIN ISOLATION LEVEL READ COMMITTED, READ WRITE; "
            # All writing is by keys. Left alone, the planner would rather read a whole table than
            # look up a few hundred rows of it, as long as it is not very large.
            "SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; "
            "SET LOCAL enable_seqscan = off; "
            f"SELECT pg_advisory_xact_lock_shared({self._tables.lock('generation')}); "
            f"{self._current}"
        )
        self._sizes = Sizes()
        self._doubtful = False
        weakref.finalize(self, self._connections.close)

    @classmethod
    def from_conn_string(
        cls,
        conn_string: str,
        *,
        index: Mapping[str, Any] | None = None,
        ttl: TTLConfig | None = None,
    ) -> Self:
        """The store at a connection string, to be used with `with` or closed by hand."""
        return cls(conn_string, index=index, ttl=ttl)

    @property
    def database(self) -> str | None:
        """Host, port and name."""
        return postgres_database(self._source)

    def optimize(self, *, above: int = approximate.LARGE) -> int:
        """Bring the server's statistics up to date and index namespaces too large to be scanned.

        Searches of such a namespace are approximate from then on, see
        `langgraph_memory.store.postgres.approximate`. Run it after large imports, or from time to
        time; readers and writers go on meanwhile.

        Args:
            above: Vectors of a namespace above which it is indexed.

        Returns:
            How many namespaces were given an index.

        Raises:
            InvalidInputError: If `above` is negative.
        """
        if above < 0:
            raise InvalidInputError(f"above must be 0 or more, got {above}.")
        made = 0
        dims = self._embedder.dims if self._embedder else 0
        if 0 < dims <= approximate.MAX_DIMS:
            generation = self._within(False, lambda tx: tx.generation()) or 0
            with self._connections.transaction("BEGIN") as (session, _):
                found = approximate.large(session, self._tables, generation, above)
            for ns in found:
                approximate.make(self._connections, self._tables, ns, generation, dims)
                made += 1
            with self._connections.transaction("BEGIN") as (session, _):
                approximate.drop_unused(session, self._tables, generation)
        self._analyze()
        return made

    async def aoptimize(self, *, above: int = approximate.LARGE) -> int:
        """`optimize` without blocking the event loop."""
        return await asyncio.to_thread(self.optimize, above=above)

    def _analyze(self) -> None:
        self.setup()
        with self._connections.reading() as session:
            session.script(
                "; ".join(
                    f"ANALYZE {self._tables.quoted}.memory_{name}"
                    for name in ("namespaces", "items", "postings", "embeddings", "sketches")
                )
            )

    def _migrate(self) -> None:
        migrate(self._connections, self._tables, migrations.of(__package__))

    def _within(
        self, write: bool, work: Callable[[Transaction], T], *, one_state: bool = False
    ) -> T:
        """See `MemoryStore`; repeated where the server or another process made it impossible."""
        import psycopg
        from psycopg_pool import PoolTimeout

        attempt = 0
        while True:
            attempt += 1
            try:
                return super()._within(write, work, one_state=one_state)
            except OutdatedError:
                # Another process has finished an index. Read anew which one is current.
                self._doubtful = True
                if attempt >= ATTEMPTS:
                    raise
            except TornError:
                # Found by one statement and changed before the next: once more, on one state of
                # the database. Doing so each time would cost two round trips.
                one_state = True
            except (psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure):
                # Batches that write to the same namespaces in different orders.
                if attempt >= ATTEMPTS:
                    raise
            except psycopg.OperationalError as error:
                # A server that was restarted has closed connections. What was being written may
                # have been: only who asked can say whether to do that again.
                if write or attempt >= ATTEMPTS or isinstance(error, PoolTimeout):
                    raise
                self._connections.check()

    @contextmanager
    def _transaction(self, *, write: bool, one_state: bool = True) -> Iterator[PostgresTransaction]:
        if write:
            with self._connections.transaction(self._begin) as (session, begun):
                transaction = self._on(session, begun[-1])
                yield transaction
                transaction.finish()
            return
        if one_state:
            begin = f"BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY; {self._current}"
            with self._connections.transaction(begin) as (session, begun):
                yield self._on(session, begun[-1])
            return
        with self._connections.reading() as session:
            known: list[tuple[Any, ...]] = [(self._generation,)]
            if self._doubtful or self._generation is None:
                known = session.rows(self._current)
                self._doubtful = False
            yield self._on(session, known)

    def _on(self, session: Session, current: Sequence[tuple[Any, ...]]) -> PostgresTransaction:
        self._connections.take_vectors(session)
        generation = current[0][0] if current else None
        return PostgresTransaction(session, self._tables, self._sizes, generation)

    def close(self) -> None:
        """Stop the sweep and close the store's own pool. Closing twice is harmless."""
        # Before the sweep is waited for, which may itself be waiting for a server that is gone.
        self._connections.refuse()
        super().close()

    def _disconnect(self) -> None:
        self._connections.close()

"""`MemoryStore`: LangGraph's `BaseStore` with hybrid search, whatever the database.

Every operation is checked first, then embedded outside any transaction, then done in one
transaction. What differs between databases is in `Transaction`.
"""

from __future__ import annotations

import asyncio
import os
import threading
from abc import abstractmethod
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from types import TracebackType
from typing import Any, Literal, Self, TypeVar, cast

from langgraph.store.base import (
    NOT_PROVIDED,
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    NotProvided,
    Op,
    PutOp,
    Result,
    SearchOp,
    TTLConfig,
)

from langgraph_memory import clock as clocks
from langgraph_memory.calls import Call, Steps, adrive, drive
from langgraph_memory.errors import InvalidInputError, StoreClosedError
from langgraph_memory.store import drafts, reindexing
from langgraph_memory.store.change import Change
from langgraph_memory.store.drafts import Draft, Request
from langgraph_memory.store.embedding import Embedder, fields_of
from langgraph_memory.store.execution import execute, item_of
from langgraph_memory.store.hits import MemoryHit, SearchReport, StoreStats
from langgraph_memory.store.namespaces import path_of, validate
from langgraph_memory.store.operations import (
    ANY_VERSION,
    Expected,
    IndexIdentity,
    Mode,
    Row,
    Write,
    microseconds,
    moment,
)
from langgraph_memory.store.ownership import recognise, refuse_foreign, refuse_unindexed
from langgraph_memory.store.ranking import Weights
from langgraph_memory.store.sweeper import Sweeper
from langgraph_memory.store.transaction import Transaction

__all__ = ["MemoryStore"]

Namespace = tuple[str, ...]
Conditions = Mapping[str, Expected]
"""What a write expects of what is there, by the names of arguments of `drafts.put`."""
T = TypeVar("T")


class MemoryStore(BaseStore):
    """A long-term store whose search finds by meaning and by keyword within a namespace.

    Use `SQLiteMemoryStore`, `PostgresMemoryStore` or `MemoryStore.open(url)`. Every method has an
    async form that never blocks the event loop; the sync forms work anywhere, also inside a
    running loop. The database is set up at first use.

    Args:
        index: LangGraph's index configuration (`dims`, `embed`, `fields`). Without one, search is
            by keyword.
        ttl: LangGraph's time-to-live configuration, in minutes. Expired items are never returned,
            whether `omit_expired` is set or not; a background sweep deletes them every
            `sweep_interval_minutes` (5 by default).
        clock: Gives the time; for tests.
    """

    supports_ttl = True

    def __init__(
        self,
        *,
        index: Mapping[str, Any] | None = None,
        ttl: TTLConfig | None = None,
        clock: Callable[[], datetime] = clocks.now,
    ) -> None:
        if isinstance(index, str):
            raise InvalidInputError(
                f"index must be LangGraph's index configuration, got the name {index!r}: use "
                f"index=langgraph_memory.embeddings.index_named({index!r})."
            )
        self.index_config = index
        self.ttl_config = ttl
        self._embedder = Embedder(index) if index and index.get("embed") is not None else None
        if index and self._embedder is None and index.get("dims") is not None:
            Embedder(index)  # Says what is missing.
        self._fields = fields_of(index)
        self._clock = clock
        self._generation: int | None = None
        self._foreign: IndexIdentity | None = None
        self._closed = False
        self._setting_up = threading.RLock()
        self._sweeper = Sweeper(self, ttl)

    @staticmethod
    def open(
        url: str | os.PathLike[str],
        *,
        index: Mapping[str, Any] | None = None,
        ttl: TTLConfig | None = None,
    ) -> MemoryStore:
        """The store at a URL, by its scheme; see `langgraph_memory.store.open`."""
        from langgraph_memory.store.opening import open_store

        return open_store(url, index=index, ttl=ttl)

    # -- what a database provides

    @property
    @abstractmethod
    def database(self) -> str | None:
        """The name of the database, as `checkpoints.database_of` gives it for a checkpointer."""

    @abstractmethod
    def _migrate(self) -> None:
        """Create the tables or bring them up to date; several processes may do so at once."""

    @abstractmethod
    def _transaction(
        self, *, write: bool, one_state: bool = True
    ) -> AbstractContextManager[Transaction]:
        """A transaction, committed at the end and rolled back on an error.

        One that only reads, and is not asked to see `one_state` of the database throughout, may be
        cheaper.
        """

    @abstractmethod
    def _disconnect(self) -> None:
        """Give connections back."""

    # -- LangGraph's interface; get, put, search, delete and list_namespaces end here

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do operations in order, in one transaction; later ones see what earlier ones wrote.

        Raises:
            InvalidNamespaceError: If a namespace is not legal.
            InvalidInputError: If a value, limit, offset, filter or time to live is not.
            EmbeddingError: If the embedder gave no usable vectors.
            EmbedderMismatchError: If the database was indexed by another embedder.
        """
        return drive(self._batch(list(ops)))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """`batch` without blocking the event loop."""
        return await adrive(self._batch(list(ops)))

    def _batch(self, ops: Sequence[Op]) -> Steps[list[Result]]:
        results = yield from self._steps(ops)
        return [
            None if isinstance(op, PutOp) else done for op, done in zip(ops, results, strict=True)
        ]

    # -- search with all its parts

    def find(
        self,
        namespace_prefix: Namespace,
        query: str,
        *,
        mode: Mode = "hybrid",
        weights: Weights | None = None,
        filter: Mapping[str, Any] | None = None,
        limit: int = 10,
        offset: int = 0,
        refresh_ttl: bool | None = None,
    ) -> list[MemoryHit]:
        """Search at or below a namespace; `search` is this with mode ``hybrid``.

        Args:
            namespace_prefix: Labels; whole segments are matched.
            query: What to look for. A blank one lists the newest items, without scores.
            mode: ``vector``, ``keyword``, or both fused. Without an embedder, ``hybrid`` is
                ``keyword``.
            weights: How the halves are weighed, by default as measured.
            filter: Conditions on the value, see `langgraph_memory.store.filters`.
            limit: At most so many hits.
            offset: Leave out so many of the best.
            refresh_ttl: Whether finding an item renews its time to live; by default as the store
                was configured.

        Returns:
            Hits by descending score, ties newest first.

        Raises:
            InvalidInputError: If an argument is not usable, or vectors are asked for and there is
                no embedder.
        """
        return self.explain(
            namespace_prefix,
            query,
            mode=mode,
            weights=weights,
            filter=filter,
            limit=limit,
            offset=offset,
            refresh_ttl=refresh_ttl,
        ).hits

    async def afind(
        self,
        namespace_prefix: Namespace,
        query: str,
        *,
        mode: Mode = "hybrid",
        weights: Weights | None = None,
        filter: Mapping[str, Any] | None = None,
        limit: int = 10,
        offset: int = 0,
        refresh_ttl: bool | None = None,
    ) -> list[MemoryHit]:
        """`find` without blocking the event loop."""
        op = self._search_op(namespace_prefix, query, filter, limit, offset, refresh_ttl)
        steps = self._steps([op], mode=mode, weights=weights, report=True)
        return cast(SearchReport, (await adrive(steps))[0]).hits

    def explain(
        self,
        namespace_prefix: Namespace,
        query: str,
        *,
        mode: Mode = "hybrid",
        weights: Weights | None = None,
        filter: Mapping[str, Any] | None = None,
        limit: int = 10,
        offset: int = 0,
        refresh_ttl: bool | None = None,
    ) -> SearchReport:
        """`find` with what it read: namespaces, items, postings, vectors."""
        op = self._search_op(namespace_prefix, query, filter, limit, offset, refresh_ttl)
        steps = self._steps([op], mode=mode, weights=weights, report=True)
        return cast(SearchReport, drive(steps)[0])

    def _search_op(
        self,
        namespace_prefix: Namespace,
        query: str,
        filter: Mapping[str, Any] | None,
        limit: int,
        offset: int,
        refresh_ttl: bool | None,
    ) -> SearchOp:
        if refresh_ttl is None:
            refresh_ttl = (self.ttl_config or {}).get("refresh_on_read", True)
        conditions = dict(filter) if filter else None
        return SearchOp(namespace_prefix, conditions, limit, offset, query, refresh_ttl)

    # -- beside LangGraph's interface

    def put_if_version(
        self,
        namespace: Namespace,
        key: str,
        value: Mapping[str, Any],
        *,
        version: datetime | None,
        index: Literal[False] | list[str] | None = None,
        ttl: float | NotProvided | None = NOT_PROVIDED,
    ) -> datetime:
        """Put an item only if nobody changed it since it was read (compare and set).

        Args:
            namespace: Where to put it.
            key: Its key.
            value: Its new value.
            version: `updated_at` of the item as it was read; None if there must not be one.
            index: As for `put`.
            ttl: As for `put`, in minutes.

        Returns:
            The new version, which is the item's `updated_at`.

        Raises:
            VersionConflictError: If the item there has another version; nothing was written.
        """
        return drive(self._put_if_version(namespace, key, value, version, index, ttl))

    async def aput_if_version(
        self,
        namespace: Namespace,
        key: str,
        value: Mapping[str, Any],
        *,
        version: datetime | None,
        index: Literal[False] | list[str] | None = None,
        ttl: float | NotProvided | None = NOT_PROVIDED,
    ) -> datetime:
        """`put_if_version` without blocking the event loop."""
        return await adrive(self._put_if_version(namespace, key, value, version, index, ttl))

    def _put_if_version(
        self,
        namespace: Namespace,
        key: str,
        value: Mapping[str, Any],
        version: datetime | None,
        index: Literal[False] | list[str] | None,
        ttl: float | NotProvided | None,
    ) -> Steps[datetime]:
        if isinstance(ttl, NotProvided):
            ttl = (self.ttl_config or {}).get("default_ttl")
        op = PutOp(namespace, str(key), cast(dict[str, Any], value), index=index, ttl=ttl)
        [stamp] = yield from self._steps([op], conditions=[{"expected": _expected(version)}])
        return moment(stamp)

    def commit(self, changes: Iterable[Change]) -> None:
        """Make several changes together, if none of the items was changed since it was read.

        Raises:
            VersionConflictError: If an item has another version than its change expects, or its
                namespace another newest item; nothing was written. Read again, decide anew.
        """
        drive(self._commit(list(changes)))

    async def acommit(self, changes: Iterable[Change]) -> None:
        """`commit` without blocking the event loop."""
        await adrive(self._commit(list(changes)))

    def _commit(self, changes: Sequence[Change]) -> Steps[None]:
        ops = [
            PutOp(
                each.namespace,
                str(each.key),
                cast(dict[str, Any], each.value),
                index=each.index,
                ttl=each.ttl,
            )
            for each in changes
        ]
        conditions = [
            {"expected": _expected(each.version), "newest": _expected(each.newest)}
            for each in changes
        ]
        yield from self._steps(ops, conditions=conditions)

    def touch(self, namespace: Namespace, keys: Sequence[str]) -> int:
        """Count a use of records: access count, last access and heat, in one statement.

        Items that are no records, and everything else of the records, stay as they are; so does
        `updated_at`.

        Args:
            namespace: Where the records are; not below.
            keys: Their keys; unknown ones are left out.

        Returns:
            How many records were touched.
        """
        validate(GetOp(namespace, ""))
        if isinstance(keys, str):
            raise InvalidInputError(f"keys must be a list of keys, got the text {keys!r}.")
        path, wanted = (
            path_of(tuple(namespace)),
            [drafts.key_of(key) for key in dict.fromkeys(keys)],
        )
        if not wanted:
            return 0
        return self._within(True, lambda tx: tx.touch(path, wanted, self._now()))

    async def atouch(self, namespace: Namespace, keys: Sequence[str]) -> int:
        """`touch` without blocking the event loop."""
        return await asyncio.to_thread(self.touch, namespace, keys)

    def scan(self, namespace_prefix: Namespace, *, page_size: int = 500) -> Iterator[Item]:
        """Every item at or below a namespace, ordered by namespace and key, read in pages.

        What is written meanwhile may or may not be seen; nothing is seen twice. Reading so does
        not renew a time to live.

        Args:
            namespace_prefix: Labels; empty for the whole store.
            page_size: Items read at once.
        """
        path = self._scanned(namespace_prefix, page_size)
        after: tuple[str, str] | None = None
        while page := self._page(path, after, page_size):
            yield from map(item_of, page)
            after = (page[-1].path, page[-1].key)

    async def ascan(
        self, namespace_prefix: Namespace, *, page_size: int = 500
    ) -> AsyncIterator[Item]:
        """`scan` without blocking the event loop."""
        path = self._scanned(namespace_prefix, page_size)
        after: tuple[str, str] | None = None
        while page := await asyncio.to_thread(self._page, path, after, page_size):
            for row in page:
                yield item_of(row)
            after = (page[-1].path, page[-1].key)

    def _scanned(self, namespace_prefix: Namespace, page_size: int) -> str:
        validate(SearchOp(namespace_prefix))
        if page_size < 1:
            raise InvalidInputError(f"page_size must be at least 1, got {page_size}.")
        return path_of(tuple(namespace_prefix))

    def _page(self, path: str, after: tuple[str, str] | None, limit: int) -> list[Row]:
        return self._within(False, lambda tx: tx.page(path, after, limit, self._now()))

    def stats(self) -> StoreStats:
        """How large the store is, and who indexed it."""
        return self._within(False, lambda tx: tx.stats(self._now()))

    async def astats(self) -> StoreStats:
        """`stats` without blocking the event loop."""
        return await asyncio.to_thread(self.stats)

    def sweep_ttl(self) -> int:
        """Delete expired items, with their vectors and postings; how many it were."""
        swept = 0
        while True:
            # Little at a time, so that writers do not wait.
            found = self._within(True, lambda tx: tx.sweep(self._now(), _SWEPT_AT_ONCE))
            swept += found
            if found < _SWEPT_AT_ONCE:
                return swept

    async def asweep_ttl(self) -> int:
        """`sweep_ttl` without blocking the event loop."""
        return await asyncio.to_thread(self.sweep_ttl)

    def reindex(
        self, *, progress: Callable[[int, int], None] | None = None, batch_size: int = 100
    ) -> int:
        """Index everything anew with this store's embedder and fields.

        Readers keep working with the old index until the new one is complete. What was done
        before an interruption is not done again.

        Args:
            progress: Told (items done, items in all) after every batch.
            batch_size: Items embedded at once.

        Returns:
            How many items were indexed.
        """
        if batch_size < 1:
            raise InvalidInputError(f"batch_size must be at least 1, got {batch_size}.")
        return drive(self._reindex(progress, batch_size))

    async def areindex(
        self, *, progress: Callable[[int, int], None] | None = None, batch_size: int = 100
    ) -> int:
        """`reindex` without blocking the event loop."""
        if batch_size < 1:
            raise InvalidInputError(f"batch_size must be at least 1, got {batch_size}.")
        return await adrive(self._reindex(progress, batch_size))

    def _reindex(self, progress: Callable[[int, int], None] | None, batch_size: int) -> Steps[int]:
        done = yield from reindexing.reindex(
            self._raw, self._embedder, self._identity, progress, batch_size
        )
        self._generation = self._foreign = None
        return done

    # -- life

    def setup(self) -> None:
        """Create or update the tables and check who indexed them; done by itself at first use.

        Raises:
            EmbedderMismatchError: If the database was indexed by another embedder, in other
                dimensions or on other fields.
        """
        if self._closed:
            raise StoreClosedError("This store was closed. Open a new one to go on.")
        if self._generation is not None:
            return
        with self._setting_up:
            if self._generation is None:
                self._migrate()
                with self._transaction(write=True) as tx:
                    self._generation = self._recognise(tx)

    async def asetup(self) -> None:
        """`setup` without blocking the event loop."""
        await asyncio.to_thread(self.setup)

    def close(self) -> None:
        """Stop the sweep and give connections back. Closing twice is harmless."""
        if not self._closed:
            self._closed = True
            self._sweeper.stop()
            self._disconnect()

    async def aclose(self) -> None:
        """`close` without blocking the event loop."""
        await asyncio.to_thread(self.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    # -- who indexed the database

    def check_index(self) -> None:
        """Whether items that search is to find can be put here, before there are any.

        Raises:
            EmbedderMismatchError: If the database was indexed by an embedder, and this store was
                opened without one, or with another.
        """
        self._within(False, lambda _: refuse_foreign(self._foreign))

    @property
    def _identity(self) -> IndexIdentity:
        return (
            self._embedder.identity if self._embedder else IndexIdentity(None, None, self._fields)
        )

    def _recognise(self, tx: Transaction) -> int:
        """The generation of the index that this store may use."""
        generation, self._foreign = recognise(tx, self._identity, bool(self.index_config))
        if self._foreign:
            self._fields = self._foreign.fields
        return generation

    # -- from requests to results

    def _drafts(
        self, ops: Sequence[Op], conditions: Sequence[Conditions] | None, options: Mapping[str, Any]
    ) -> list[Draft]:
        if conditions is None:
            return [self._draft(op, **options) for op in ops]
        return [
            self._draft(op, **each, **options) for op, each in zip(ops, conditions, strict=True)
        ]

    def _draft(self, op: Op, **options: Any) -> Draft:
        validate(op)
        if isinstance(op, GetOp):
            return drafts.get(op)
        if isinstance(op, SearchOp):
            return drafts.search(op, has_embedder=self._embedder is not None, **options)
        if isinstance(op, PutOp):
            if op.ttl is not None:
                self._sweeper.start()
            return drafts.put(op, self._fields, **options)
        if isinstance(op, ListNamespacesOp):
            return drafts.namespaces(op)
        raise InvalidInputError(f"A store does not know operations of type {type(op).__name__}.")

    def _steps(
        self, ops: Sequence[Op], *, conditions: Sequence[Conditions] | None = None, **options: Any
    ) -> Steps[list[Any]]:
        if self._generation is None:
            # First of all, as the database says which fields are indexed, and by whom.
            yield Call(self.setup)
        fields = self._fields
        requested = self._drafts(ops, conditions, options)
        documents = [text for draft in requested for text in draft.documents]
        queries = [draft.query for draft in requested if draft.query is not None]
        stored: Mapping[str, Any] = {}
        searched: Mapping[str, Any] = {}
        if self._embedder and (documents or queries):
            stored, searched = yield self._embedder.vectors(documents, queries)

        def made() -> list[Request]:
            if self._fields == fields:
                return [draft.finish(stored, searched) for draft in requested]
            # Meanwhile indexed anew by others on other fields. That only a store without an
            # embedder can go on with, so there are no vectors to be made anew.
            return [draft.finish({}, {}) for draft in self._drafts(ops, conditions, options)]

        return cast(list[Any], (yield Call(lambda: self._execute(made))))

    def _execute(self, made: Callable[[], list[Request]]) -> list[Any]:
        now, fields = self._now(), self._fields
        requests = made()
        writing = any(isinstance(request, Write) for request in requests)

        def run(tx: Transaction) -> tuple[list[Any], list[int]]:
            current = requests if self._fields == fields else made()
            refuse_unindexed(self._foreign, current)
            results, renewed = execute(tx, current, now)
            if writing and renewed:
                tx.renew(renewed, now)
            return results, renewed

        results, renewed = self._within(writing, run, one_state=len(requests) > 1)
        if renewed and not writing:
            self._within(True, lambda tx: tx.renew(renewed, now))
        return results

    def _within(
        self, write: bool, work: Callable[[Transaction], T], *, one_state: bool = False
    ) -> T:
        """Do work in a transaction on an index that is this store's."""
        self.setup()
        self._sweeper.start_if_configured()
        with self._transaction(write=write, one_state=one_state) as tx:
            if tx.generation() != self._generation:
                self._generation = self._recognise(tx)
            return work(tx)

    def _raw(self, write: bool, work: Callable[[Transaction], T]) -> T:
        """Do work in a transaction whoever indexed the database."""
        if self._closed:
            raise StoreClosedError("This store was closed. Open a new one to go on.")
        if self._generation is None:
            self._migrate()
        with self._transaction(write=write) as tx:
            return work(tx)

    def _now(self) -> int:
        now = self._clock()
        if now.tzinfo is None:
            raise InvalidInputError(f"clock must give aware times, got {now!r}: use UTC.")
        return microseconds(now)


def _expected(version: datetime | Literal["any"] | None) -> Expected:
    """A version as the database has it.

    Raises:
        InvalidInputError: If it is none.
    """
    if version is None or version == ANY_VERSION:
        return cast(Expected, version)
    if not isinstance(version, datetime) or version.tzinfo is None:
        raise InvalidInputError(
            f"version must be an item's updated_at (an aware datetime) or None, got {version!r}."
        )
    return microseconds(version)


_SWEPT_AT_ONCE = 1_000

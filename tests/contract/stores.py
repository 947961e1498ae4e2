"""The table of stores under test, and the driver through which a test speaks to one.

A test is written once against `Driver`, whose methods block; the driver calls the store's blocking
methods, or runs its awaitable ones in an event loop of its own. To test another store, add a line
to `STORES`; to let it differ, a line with the reason to its `differences`. Those are strict: a
difference that has gone away fails, and so does one of a test that does not exist.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal, cast

from langgraph.store.base import BaseStore, Item, Op, Result, SearchItem
from langgraph.store.memory import InMemoryStore

from langgraph_memory.store import (
    MemoryHit,
    MemoryStore,
    SQLiteMemoryStore,
    StoreStats,
)

Namespace = tuple[str, ...]
START = datetime(2026, 3, 14, 9, 26, 53, 589_793, tzinfo=UTC)


class Clock:
    """A clock that stands still until it is told otherwise."""

    def __init__(self, now: datetime = START) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def advance(self, minutes: float) -> None:
        self.now += timedelta(minutes=minutes)


@dataclass
class Place:
    """Where a store of one test lives; opening it again there finds what was written.

    Attributes:
        folder: An empty folder.
        database: Gives the connection string of an empty Postgres database; the same every time.
    """

    folder: Path
    database: Callable[[], str]


@dataclass(frozen=True)
class Kind:
    """One line of the table.

    Attributes:
        make: Opens a store at a place, with keyword arguments as those of `SQLiteMemoryStore`.
        ours: Whether it has what `MemoryStore` has beyond `BaseStore`.
        lasting: Whether what it holds is there when the place is opened again.
        differences: Test, or test with the id of its case, to why it does not hold.
    """

    make: Callable[..., BaseStore]
    ours: bool = True
    lasting: bool = True
    differences: Mapping[str, str] = field(default_factory=dict)


def _postgres(place: Place, **given: Any) -> BaseStore:
    from langgraph_memory.store.postgres import PostgresMemoryStore

    return PostgresMemoryStore(place.database(), **given)


def _langgraph(place: Place, *, index: Any = None, ttl: Any = None, clock: Any = None) -> BaseStore:
    return InMemoryStore(index=index)


READS_FIRST = "reads of a batch are done before its writes, whatever their order"
UNCHECKED = "operations given to batch are not checked"
ALIASED = "values are kept and returned without a copy"
ANY_OBJECT = "values are not checked to be JSON"
NO_TTL = "there is no time to live"
INSERTION = "listed in order of insertion"
UNLIMITED = "limits and offsets are taken as ends of a slice, negative ones from the end"
EMPTY_NAMESPACES = "a namespace stays when its items are gone, and a read makes one"
NUMBERS_ONLY = "comparisons turn both sides into a float, and fail where that is impossible"
FEW_OPERATORS = "there are no other operators than the six of the documentation"
FLAT_PATHS = "a dotted key is the name of one member"
BOOL_IS_INT = "true equals 1"
MISSING_IS_NULL = "a missing member fails where it is compared"
STALE = "a put that does not index keeps the old vectors"
FILLED_UP = "items without a vector fill the result up"
UNCHECKED_VECTORS = "vectors are not checked"

LANGGRAPH_DIFFERENCES: dict[str, str] = {}

STORES: dict[str, Kind] = {
    "sqlite_file": Kind(
        lambda place, **given: SQLiteMemoryStore(place.folder / "memory.db", **given)
    ),
    "sqlite_memory": Kind(
        lambda place, **given: SQLiteMemoryStore(":memory:", **given), lasting=False
    ),
    "postgres": Kind(_postgres),
    "langgraph_memory": Kind(
        _langgraph, ours=False, lasting=False, differences=LANGGRAPH_DIFFERENCES
    ),
}
OURS = [name for name, kind in STORES.items() if kind.ours]
LASTING = [name for name in OURS if STORES[name].lasting]

Face = Literal["sync", "async"]
FACES: list[Face] = ["sync", "async"]


class Driver:
    """A store, through its blocking or through its awaitable methods."""

    def __init__(self, store: BaseStore, face: Face) -> None:
        self.raw = store
        self.face = face
        self._runner = asyncio.Runner() if face == "async" else None

    def _call(self, name: str, *args: Any, **given: Any) -> Any:
        if self._runner is None:
            return getattr(self.raw, name)(*args, **given)
        method = getattr(self.raw, f"a{name}")

        async def call() -> Any:
            return await method(*args, **given)

        return self._runner.run(call())

    @property
    def memory(self) -> MemoryStore:
        """The store as one of ours."""
        assert isinstance(self.raw, MemoryStore)
        return self.raw

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        return cast("list[Result]", self._call("batch", ops))

    def put(self, namespace: Any, key: Any, value: Any, index: Any = None, **ttl: Any) -> None:
        self._call("put", namespace, key, value, index, **ttl)

    def get(self, namespace: Any, key: Any, **given: Any) -> Item | None:
        return cast("Item | None", self._call("get", namespace, key, **given))

    def the(self, namespace: Any, key: Any, **given: Any) -> Item:
        """An item that must be there."""
        item = self.get(namespace, key, **given)
        assert item is not None, f"{key!r} is not in {namespace!r}"
        return item

    def delete(self, namespace: Any, key: Any) -> None:
        self._call("delete", namespace, key)

    def search(self, prefix: Any, **given: Any) -> list[SearchItem]:
        return cast("list[SearchItem]", self._call("search", prefix, **given))

    def keys(self, prefix: Any, **given: Any) -> list[str]:
        """Keys found by a search, in order."""
        return [item.key for item in self.search(prefix, **given)]

    def list_namespaces(self, **given: Any) -> list[Namespace]:
        return cast("list[Namespace]", self._call("list_namespaces", **given))

    def find(self, prefix: Any, query: str, **given: Any) -> list[MemoryHit]:
        return cast("list[MemoryHit]", self._call("find", prefix, query, **given))

    def found(self, prefix: Any, query: str, **given: Any) -> list[str]:
        """Keys found by `find`, in order."""
        return [hit.key for hit in self.find(prefix, query, **given)]

    def touch(self, namespace: Any, keys: Sequence[str]) -> int:
        return cast("int", self._call("touch", namespace, keys))

    def put_if_version(
        self, namespace: Any, key: str, value: Any, *, version: datetime | None, **given: Any
    ) -> datetime:
        return cast(
            "datetime",
            self._call("put_if_version", namespace, key, value, version=version, **given),
        )

    def scan(self, prefix: Any, **given: Any) -> list[Item]:
        """All items of a scan."""
        if self._runner is None:
            return list(self.memory.scan(prefix, **given))

        async def collect() -> list[Item]:
            return [item async for item in self.memory.ascan(prefix, **given)]

        return self._runner.run(collect())

    def stats(self) -> StoreStats:
        return cast("StoreStats", self._call("stats"))

    def sweep_ttl(self) -> int:
        return cast("int", self._call("sweep_ttl"))

    def close(self) -> None:
        self._call("close")

    def finish(self) -> None:
        """Give back what the store and the driver hold."""
        if isinstance(self.raw, MemoryStore):
            self.raw.close()
        if self._runner is not None:
            with suppress(RuntimeError):
                self._runner.close()


class Opener:
    """Opens stores of one kind at one place, and closes all of them in the end."""

    def __init__(self, kind: Kind, face: Face, place: Place) -> None:
        self.kind = kind
        self.face = face
        self.place = place
        self.opened: list[Driver] = []

    def __call__(self, **given: Any) -> Driver:
        driver = Driver(self.kind.make(self.place, **given), self.face)
        self.opened.append(driver)
        return driver

    def finish(self) -> None:
        """Close every store opened here."""
        while self.opened:
            self.opened.pop().finish()


def pages(driver: Driver, prefix: Any, size: int, **given: Any) -> Iterator[str]:
    """Keys of a search read page by page until one is not full."""
    offset = 0
    while True:
        page = driver.keys(prefix, limit=size, offset=offset, **given)
        yield from page
        if len(page) < size:
            return
        offset += size

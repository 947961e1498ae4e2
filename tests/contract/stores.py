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

    store: BaseStore = PostgresMemoryStore(place.database(), **given)
    return store


def _langgraph(place: Place, *, index: Any = None, ttl: Any = None, clock: Any = None) -> BaseStore:
    return InMemoryStore(index=index)


READS_FIRST = "reads of a batch are done before its writes, whatever their order"
UNCHECKED = "operations given to batch are not checked"
ALIASED = "values are kept and returned without a copy"
ANY_OBJECT = "values are not checked to be JSON"
NO_TTL = "there is no time to live"
INSERTION = "listed in order of insertion"
SLICES = "limits and offsets are the ends of a slice, negative ones count from the end"
LASTING_NAMES = "a namespace stays when its items are gone, and a read makes one"
AS_FLOATS = "what is compared is turned into a float, which fails for null, missing and text"
FEW_OPERATORS = "there are no other operators than the six of its documentation"
FLAT = "a dotted key is the name of one member"
BOOL_IS_INT = "true equals 1, and false 0"
NO_LISTS = "a namespace must be a tuple"
STALE = "a put keeps the vectors of the value before it, where it makes none in their place"
FILLED_UP = "a result that is too short is filled up with items that were not indexed"
ANY_VECTOR = "vectors are not checked"
LAZY = "a filter is looked at only where there is an item"


def _cases(test: str, reason: str, *cases: str) -> dict[str, str]:
    return {f"{test}[{case}]": reason for case in cases}


MEANING = "test_what_a_filter_means"
WRONG = "test_one_wrong_operation_and_nothing_of_the_batch_is_done"
LANGGRAPH_DIFFERENCES: dict[str, str] = {
    "test_a_list_as_namespace": NO_LISTS,
    "test_a_list_as_prefix": NO_LISTS,
    "test_an_update_keeps_the_creation": "an update is a new creation",
    "test_a_batch_reads_what_it_has_written": READS_FIRST,
    "test_the_same_text_twice_in_a_batch": "two puts of one text in a batch fail",
    "test_what_is_not_json_is_refused": ANY_OBJECT,
    "test_changing_what_was_given_changes_nothing": ALIASED,
    "test_changing_what_came_back_changes_nothing": ALIASED,
    "test_last_written_first": INSERTION,
    "test_the_later_operation_of_a_batch_first": INSERTION,
    "test_deleting_leaves_no_gap": INSERTION,
    "test_negative_ones_are_errors": SLICES,
    "test_a_namespace_goes_with_its_last_item": LASTING_NAMES,
    "test_reading_makes_no_namespace": LASTING_NAMES,
    "test_index_false_takes_it_away": STALE,
    "test_a_shorter_list_takes_the_rest_away": STALE,
    "test_only_what_is_indexed_is_found": FILLED_UP,
    "test_a_vector_that_is_not_a_number": ANY_VECTOR,
    "test_a_time_to_live_can_be_given": NO_TTL,
    "test_an_unknown_operator_is_an_error_though_nothing_is_there": LAZY,
    **_cases("test_is_found_by_a_filter", FLAT, "looks_escaped"),
    **_cases(WRONG, UNCHECKED, "no_namespace", "empty_label", "full_stop", "nul", "number"),
    **_cases(WRONG, UNCHECKED, "reserved", "get_full_stop", "search_empty_label"),
    **_cases(WRONG, ANY_OBJECT, "set", "list"),
    **_cases(WRONG, NO_TTL, "ttl"),
    **_cases(WRONG, SLICES, "limit", "offset", "namespaces_limit", "namespaces_offset"),
    **_cases(MEANING, BOOL_IS_INT, "true_is_not_one", "one_is_not_true", "zero_is_not_false"),
    **_cases(MEANING, BOOL_IS_INT, "ne_true"),
    **_cases(MEANING, AS_FLOATS, "gt", "gte", "lt", "lte", "between", "gt_fraction", "gt_huge"),
    **_cases(MEANING, AS_FLOATS, "gt_text", "gt_text_number", "lt_text", "by_code_point"),
    **_cases(MEANING, AS_FLOATS, "gte_empty_text"),
    **_cases(MEANING, FEW_OPERATORS, "in", "in_nothing", "in_null", "in_lists", "in_true"),
    **_cases(MEANING, FEW_OPERATORS, "nin", "nin_nothing", "exists", "exists_not"),
    **_cases(MEANING, FEW_OPERATORS, "there_and_null", "and", "or", "or_beside_a_member"),
    **_cases(MEANING, FEW_OPERATORS, "or_in_and", "or_of_whole_filters", "or_within_a_member"),
    **_cases(MEANING, FLAT, "dotted", "dotted_twice", "dotted_to_object", "dotted_ne"),
    **_cases(MEANING, FLAT, "dotted_exists", "literal_dot"),
}

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
        self.runner = asyncio.Runner() if face == "async" else None

    def call(self, name: str, *args: Any, **given: Any) -> Any:
        """Call a method by its blocking name; on the async face its awaitable twin runs."""
        if self.runner is None:
            return getattr(self.raw, name)(*args, **given)
        method = getattr(self.raw, f"a{name}")

        async def call() -> Any:
            return await method(*args, **given)

        return self.runner.run(call())

    @property
    def memory(self) -> MemoryStore:
        """The store as one of ours."""
        assert isinstance(self.raw, MemoryStore)
        return self.raw

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        return cast("list[Result]", self.call("batch", ops))

    def put(self, namespace: Any, key: Any, value: Any, index: Any = None, **ttl: Any) -> None:
        self.call("put", namespace, key, value, index, **ttl)

    def get(self, namespace: Any, key: Any, **given: Any) -> Item | None:
        return cast("Item | None", self.call("get", namespace, key, **given))

    def the(self, namespace: Any, key: Any, **given: Any) -> Item:
        """An item that must be there."""
        item = self.get(namespace, key, **given)
        assert item is not None, f"{key!r} is not in {namespace!r}"
        return item

    def delete(self, namespace: Any, key: Any) -> None:
        self.call("delete", namespace, key)

    def search(self, prefix: Any, **given: Any) -> list[SearchItem]:
        return cast("list[SearchItem]", self.call("search", prefix, **given))

    def keys(self, prefix: Any, **given: Any) -> list[str]:
        """Keys found by a search, in order."""
        return [item.key for item in self.search(prefix, **given)]

    def list_namespaces(self, **given: Any) -> list[Namespace]:
        return cast("list[Namespace]", self.call("list_namespaces", **given))

    def find(self, prefix: Any, query: str, **given: Any) -> list[MemoryHit]:
        return cast("list[MemoryHit]", self.call("find", prefix, query, **given))

    def found(self, prefix: Any, query: str, **given: Any) -> list[str]:
        """Keys found by `find`, in order."""
        return [hit.key for hit in self.find(prefix, query, **given)]

    def touch(self, namespace: Any, keys: Sequence[str]) -> int:
        return cast("int", self.call("touch", namespace, keys))

    def put_if_version(
        self, namespace: Any, key: str, value: Any, *, version: datetime | None, **given: Any
    ) -> datetime:
        return cast(
            "datetime",
            self.call("put_if_version", namespace, key, value, version=version, **given),
        )

    def scan(self, prefix: Any, **given: Any) -> list[Item]:
        """All items of a scan."""
        if self.runner is None:
            return list(self.memory.scan(prefix, **given))

        async def collect() -> list[Item]:
            return [item async for item in self.memory.ascan(prefix, **given)]

        return self.runner.run(collect())

    def stats(self) -> StoreStats:
        return cast("StoreStats", self.call("stats"))

    def sweep_ttl(self) -> int:
        return cast("int", self.call("sweep_ttl"))

    def close(self) -> None:
        self.call("close")

    def finish(self) -> None:
        """Give back what the store and the driver hold."""
        if isinstance(self.raw, MemoryStore):
            self.raw.close()
        if self.runner is not None:
            with suppress(RuntimeError):
                self.runner.close()


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

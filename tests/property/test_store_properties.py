"""What holds for every value, name and course of events, on every store of this package.

`LANGGRAPH_MEMORY_NAMES=1000000 pytest tests/property/test_store_properties.py -k hostile` looks
through a million names.
"""

from __future__ import annotations

import itertools
import math
import os
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest
from contract.stores import OURS, START, STORES, Clock, Place
from embedders import DIMS, WordEmbeddings
from filter_cases import objects
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from langgraph.store.base import GetOp, PutOp, SearchItem, SearchOp

from langgraph_memory.errors import VersionConflictError
from langgraph_memory.store import MemoryStore

Namespace = tuple[str, ...]
NAMES = int(os.environ.get("LANGGRAPH_MEMORY_NAMES", "10000"))
CLOCK = Clock()
fresh = (f"run{number}" for number in itertools.count())


@pytest.fixture(scope="module", params=[name for name in OURS if name != "sqlite_memory"])
def store(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[MemoryStore]:
    """One store for the module; every example keeps to a namespace of its own."""
    database = lambda: str(request.getfixturevalue("postgres_database_of_module"))  # noqa: E731
    place = Place(tmp_path_factory.mktemp("store"), database)
    index = {"dims": DIMS, "embed": WordEmbeddings(), "fields": ["text"]}
    opened = STORES[request.param].make(place, index=index, clock=CLOCK)
    assert isinstance(opened, MemoryStore)
    with opened:
        yield opened


HARD = (
    "\x00\x01\x02\ud7fe\ud7ff\ud800\udbff\udc00\udfff\ue000\uffff\U00010000\U0010ffff%_*?[]'\"\\/- "
)
label_characters = st.one_of(
    st.sampled_from([character for character in HARD if character != "\0"]),
    st.characters(codec=None, exclude_characters=".\0"),
)
labels = st.text(label_characters, min_size=1, max_size=12)
namespaces = st.lists(labels, min_size=1, max_size=4).map(tuple)
keys = st.text(st.one_of(st.sampled_from(HARD), st.characters(codec=None)), max_size=20)


@given(value=objects, namespace=namespaces, key=keys)
def test_any_value_comes_back_from_any_place(
    store: MemoryStore, value: dict[str, Any], namespace: Namespace, key: str
) -> None:
    root = next(fresh)
    where = (root, *namespace)
    store.put(where, key, value, index=False)
    item = store.get(where, key)
    assert item is not None
    assert (item.namespace, item.key) == (where, key)
    # Not `==`, for which 1, 1.0 and True are the same.
    assert repr(item.value) == repr(value)
    for found in (store.search((root,)), list(store.scan(where))):
        assert [(hit.namespace, hit.key) for hit in found] == [(where, key)]
        assert repr(found[0].value) == repr(value)
    assert store.list_namespaces(prefix=(root,)) == [where]
    assert store.list_namespaces(prefix=(root, "*"), suffix=where[-1:]) == [where]
    store.delete(where, key)
    assert store.search((root,)) == []


@given(names=st.lists(namespaces, min_size=1, max_size=12), prefix=namespaces)
def test_a_prefix_holds_its_own_and_nothing_else(
    store: MemoryStore, names: list[Namespace], prefix: Namespace
) -> None:
    root = next(fresh)
    # Neighbours of the prefix: those below it, and those whose text begins with its.
    names = [
        *names,
        prefix,
        (*prefix, "x"),
        (*prefix[:-1], prefix[-1] + "x"),
        prefix[:-1] or ("y",),
    ]
    store.batch([PutOp((root, *name), "k", {"text": "walrus"}) for name in names])
    expected = {(root, *name) for name in names if name[: len(prefix)] == prefix}
    where = (root, *prefix)
    for query, mode in ((None, "hybrid"), ("walrus", "vector"), ("walrus", "keyword")):
        found = store.find(where, query or "", mode=mode, limit=100)  # type: ignore[arg-type]
        assert {hit.namespace for hit in found} == expected
        assert len(found) == len(expected)
    assert {item.namespace for item in store.scan(where)} == expected


PIECES = [
    *("a", "A", "aa", "ab", "b", "-", "--", "/", " ", "%", "_", "*", "?", "[", "]", "'", '"', "\\"),
    *(";", "$", ":", "~", "\x01", "\x02", "\x7f", "\ud7ff", "\ud800", "\udfff", "\ue000", "\uffff"),
    *("é", "e\u0301", "ß", "中", "中文", "😀", "\U0010ffff", "0", "1", "NULL", "user:1", "user:12"),
]


def hostile(number: int, count: int) -> Iterator[Namespace]:
    """Names made of few pieces, so that many are nearly others or their beginnings."""
    rng = random.Random(number)
    for _ in range(count):
        yield tuple(
            "".join(rng.choices(PIECES, k=rng.choice((1, 1, 2, 3))))
            for _ in range(rng.choice((1, 2, 2, 3)))
        )


def test_no_search_leaves_its_prefix_among_hostile_names(store: MemoryStore) -> None:
    root = next(fresh)
    names = sorted(set(hostile(1, NAMES)))
    below: dict[Namespace, int] = {}
    for name in names:
        for depth in range(len(name) + 1):
            below[name[:depth]] = below.get(name[:depth], 0) + 1
    puts = [PutOp((root, *name), "k", {"text": "walrus"}) for name in names]
    for start in range(0, len(puts), 2_000):
        store.batch(puts[start : start + 2_000])
    rng = random.Random(2)
    crowded = sorted(below, key=lambda name: -below[name])[1:60]
    prefixes = [*crowded, *rng.sample(names, 120), *hostile(3, 120)]
    asked = [
        SearchOp((root, *prefix), limit=2_000, query=query)
        for prefix in prefixes
        for query in (None, "walrus")
    ]
    for op, found in zip(asked, store.batch(asked), strict=True):
        prefix = op.namespace_prefix
        assert isinstance(found, list)
        places = [hit.namespace for hit in found if isinstance(hit, SearchItem)]
        assert all(place[: len(prefix)] == prefix for place in places)
        assert len(set(places)) == len(places) == min(2_000, below.get(prefix[1:], 0))
    read = store.batch([GetOp((root, *name), "k") for name in names[:2_000]])
    assert None not in read


WORDS = ("walrus", "penguin", "zeppelin", "saffron")
LABELS = ("a", "ab", "b", "*", "%")
run_labels = st.sampled_from(LABELS)
places = st.lists(run_labels, min_size=0, max_size=2).map(tuple)
run_keys = st.sampled_from(("k1", "k2", "k_", "K1"))
texts = st.lists(st.sampled_from(WORDS), max_size=3).map(" ".join)
minutes = st.sampled_from((None, None, 5, 30))


@dataclass
class Kept:
    """What the model knows of an item."""

    value: dict[str, Any]
    indexed: bool
    created: datetime
    updated: datetime
    minutes: float | None
    until: datetime | None


class StoreMachine(RuleBasedStateMachine):
    """Any course of calls leaves the store with what a dictionary would hold."""

    memory: MemoryStore

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[Namespace, str], Kept] = {}
        self.last = 0

    @initialize()
    def begin(self) -> None:
        self.root = (next(fresh),)

    def alive(self) -> dict[tuple[Namespace, str], Kept]:
        return {
            place: kept
            for place, kept in self.kept.items()
            if kept.until is None or kept.until > CLOCK.now
        }

    def below(self, prefix: Namespace) -> dict[tuple[Namespace, str], Kept]:
        where = self.root + prefix
        return {
            place: kept for place, kept in self.alive().items() if place[0][: len(where)] == where
        }

    def remember(
        self, where: Namespace, key: str, value: dict[str, Any], indexed: bool, ttl: float | None
    ) -> None:
        item = self.memory.get(where, key, refresh_ttl=False)
        assert item is not None
        assert item.value == value
        before = self.alive().get((where, key))
        assert item.created_at == (before.created if before else item.updated_at)
        others = [kept.updated for (name, _), kept in self.kept.items() if name == where]
        assert all(item.updated_at > other for other in others)
        until = None if ttl is None else CLOCK.now + timedelta(minutes=ttl)
        self.kept[where, key] = Kept(value, indexed, item.created_at, item.updated_at, ttl, until)

    def renewed(self, found: list[tuple[Namespace, str]]) -> None:
        for place in found:
            kept = self.kept[place]
            if kept.minutes is not None:
                kept.until = CLOCK.now + timedelta(minutes=kept.minutes)

    @rule(place=places, key=run_keys, text=texts, ttl=minutes, index=st.sampled_from((None, False)))
    def put(self, place: Namespace, key: str, text: str, ttl: float | None, index: Any) -> None:
        self.last += 1
        value = {"text": text, "n": self.last}
        self.memory.put(self.root + place, key, value, index, ttl=ttl)
        self.remember(self.root + place, key, value, index is None, ttl)

    @rule(place=places, key=run_keys, text=texts, right=st.booleans())
    def put_if_version(self, place: Namespace, key: str, text: str, right: bool) -> None:
        where = self.root + place
        before = self.alive().get((where, key))
        version = before.updated if before else None
        if not right:
            version = START if version is None else version + timedelta(microseconds=1)
        self.last += 1
        value = {"text": text, "n": self.last}
        if right:
            self.memory.put_if_version(where, key, value, version=version)
            self.remember(where, key, value, True, None)
        else:
            with pytest.raises(VersionConflictError):
                self.memory.put_if_version(where, key, value, version=version)

    @rule(place=places, key=run_keys)
    def delete(self, place: Namespace, key: str) -> None:
        self.memory.delete(self.root + place, key)
        self.kept.pop((self.root + place, key), None)

    @rule(puts=st.lists(st.tuples(places, run_keys, st.one_of(st.none(), texts)), max_size=6))
    def batch(self, puts: list[tuple[Namespace, str, str | None]]) -> None:
        ops: list[Any] = []
        expected: list[Any] = []
        now: dict[tuple[Namespace, str], Any] = {
            place: kept.value for place, kept in self.alive().items()
        }
        last: dict[tuple[Namespace, str], Any] = {}
        for place, key, text in puts:
            self.last += 1
            where = self.root + place
            value = None if text is None else {"text": text, "n": self.last}
            ops += [PutOp(where, key, value), GetOp(where, key, False)]
            expected += [None, value]
            last[where, key] = now[where, key] = value
        results = self.memory.batch(ops)
        assert [getattr(result, "value", None) for result in results] == expected
        # In the order of the last put of each, as their times must be.
        ended = list(dict.fromkeys((self.root + place, key) for place, key, _ in reversed(puts)))
        for where, key in reversed(ended):
            value = last[where, key]
            if value is None:
                self.kept.pop((where, key), None)
        for where, key in reversed(ended):
            value = last[where, key]
            if value is not None:
                self.kept_of_batch(where, key, value)

    def kept_of_batch(self, where: Namespace, key: str, value: dict[str, Any]) -> None:
        item = self.memory.get(where, key, refresh_ttl=False)
        assert item is not None
        self.kept[where, key] = Kept(value, True, item.created_at, item.updated_at, None, None)

    @rule(place=places, key=run_keys, refresh=st.booleans())
    def get(self, place: Namespace, key: str, refresh: bool) -> None:
        where = self.root + place
        item = self.memory.get(where, key, refresh_ttl=refresh)
        kept = self.alive().get((where, key))
        assert (item.value if item else None) == (kept.value if kept else None)
        if item and kept:
            assert (item.created_at, item.updated_at) == (kept.created, kept.updated)
            if refresh:
                self.renewed([(where, key)])

    @rule(
        prefix=places,
        above=st.one_of(st.none(), st.integers(0, 40)),
        limit=st.integers(0, 6),
        offset=st.integers(0, 4),
        refresh=st.booleans(),
    )
    def listing(
        self, prefix: Namespace, above: int | None, limit: int, offset: int, refresh: bool
    ) -> None:
        condition = None if above is None else {"n": {"$gt": above}}
        found = self.memory.search(
            self.root + prefix, filter=condition, limit=limit, offset=offset, refresh_ttl=refresh
        )
        matching = [
            (place, kept)
            for place, kept in self.below(prefix).items()
            if above is None or kept.value["n"] > above
        ]
        matching.sort(key=lambda pair: pair[0])
        matching.sort(key=lambda pair: pair[1].updated, reverse=True)
        page = matching[offset : offset + limit]
        assert [hit.updated_at for hit in found] == [kept.updated for _, kept in page]
        assert [(hit.namespace, hit.key) for hit in found] == [place for place, _ in page]
        assert [hit.value for hit in found] == [kept.value for _, kept in page]
        if refresh:
            self.renewed([place for place, _ in page])

    @rule(prefix=places, word=st.sampled_from(WORDS))
    def by_word(self, prefix: Namespace, word: str) -> None:
        hits = self.memory.find(
            self.root + prefix, word, mode="keyword", limit=100, refresh_ttl=False
        )
        assert {(hit.namespace, hit.key) for hit in hits} == {
            place
            for place, kept in self.below(prefix).items()
            if kept.indexed and word in kept.value["text"]
        }

    @rule(prefix=places, word=st.sampled_from(WORDS))
    def by_meaning(self, prefix: Namespace, word: str) -> None:
        hits = self.memory.find(
            self.root + prefix, word, mode="vector", limit=100, refresh_ttl=False
        )
        expected = {
            place: kept.value["text"].split()
            for place, kept in self.below(prefix).items()
            if kept.indexed and kept.value["text"]
        }
        assert {(hit.namespace, hit.key) for hit in hits} == set(expected)
        for hit in hits:
            words = expected[hit.namespace, hit.key]
            counts = [words.count(each) for each in set(words)]
            cosine = words.count(word) / math.hypot(*counts)
            assert hit.similarity == pytest.approx(cosine, abs=1e-5)

    @rule(passed=st.sampled_from((0.5, 4, 6, 40)))
    def time_passes(self, passed: float) -> None:
        CLOCK.advance(minutes=passed)

    @precondition(lambda self: self.kept)
    @rule()
    def sweep(self) -> None:
        self.memory.sweep_ttl()
        self.kept = self.alive()

    @rule(prefix=places, depth=st.one_of(st.none(), st.integers(1, 3)))
    def names(self, prefix: Namespace, depth: int | None) -> None:
        found = self.memory.list_namespaces(prefix=self.root + prefix, max_depth=depth, limit=1_000)
        # In a prefix to list by, unlike one to search in, "*" stands for any label.
        pattern = self.root + prefix
        expected = {
            name[:depth]
            for name, _ in self.alive()
            if len(name) >= len(pattern)
            and all(wanted in ("*", label) for wanted, label in zip(pattern, name, strict=False))
        }
        assert found == sorted(expected)

    @invariant()
    def everything_is_there_once(self) -> None:
        if not hasattr(self, "root"):
            return
        scanned = [(item.namespace, item.key) for item in self.memory.scan(self.root, page_size=3)]
        assert len(scanned) == len(set(scanned))
        assert set(scanned) == set(self.alive())


def test_any_course_of_events(store: MemoryStore) -> None:
    machine: type[StoreMachine] = type("Machine", (StoreMachine,), {"memory": store})
    run_state_machine_as_test(machine, settings=settings(settings.default, stateful_step_count=30))


def test_the_words_of_the_model_do_not_collide() -> None:
    """Otherwise the machine's cosines would be wrong, and not the store's."""
    vectors = [WordEmbeddings().vector(word) for word in WORDS]
    for one, other in itertools.combinations(vectors, 2):
        assert sum(a * b for a, b in zip(one, other, strict=True)) == 0

"""What our stores have beyond LangGraph's: touch, compare and set, scan, stats, open and close."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from contract.stores import START, STORES, Clock, Driver, Opener
from embedders import DIMS, WordEmbeddings
from langgraph.store.base import InvalidNamespaceError, PutOp

from langgraph_memory.errors import InvalidInputError, StoreClosedError, VersionConflictError
from langgraph_memory.records import MemoryRecord, MemoryType, heat_after_use
from langgraph_memory.store import Change

NS = ("user:9", "memories")


def record(content: str, **given: Any) -> dict[str, Any]:
    made = MemoryRecord(
        id=content, content=content, type=MemoryType.PREFERENCE, created_at=START, **given
    )
    return made.to_value()


class TestTouch:
    def test_counts_the_use_of_records(self, ours: Driver, clock: Clock) -> None:
        before = record("Prefers the window seat.")
        ours.put(NS, "seat", before)
        ours.put(NS, "food", record("Prefers vegetarian food."))
        item = ours.the(NS, "seat")
        clock.advance(minutes=90)
        assert ours.touch(NS, ["seat"]) == 1
        after = ours.the(NS, "seat")
        touched = MemoryRecord.from_value(after.value)
        assert touched.access_count == before["access_count"] + 1
        assert touched.last_accessed_at == clock.now
        assert touched.heat > before["heat"]
        changed = {name for name in before if after.value[name] != before[name]}
        assert changed == {"access_count", "last_accessed_at", "heat"}
        assert (after.updated_at, after.created_at) == (item.updated_at, item.created_at)
        assert ours.the(NS, "food").value == record("Prefers vegetarian food.")

    def test_heat_cools_between_uses(self, ours: Driver, clock: Clock) -> None:
        """`heat * exp(-λΔt) + 1`: more for two uses at once than for two that lie apart."""
        for key in ("soon", "late"):
            ours.put(NS, key, record(key))
        ours.touch(NS, ["soon", "late"])
        ours.touch(NS, ["soon"])
        soon = ours.the(NS, "soon").value["heat"]
        clock.advance(minutes=60 * 24 * 30)
        ours.touch(NS, ["late"])
        late = ours.the(NS, "late").value["heat"]
        assert 1 < late < soon
        assert ours.the(NS, "late").value["access_count"] == 2

    def test_by_the_formula_of_the_record(self, ours: Driver, clock: Clock) -> None:
        ours.put(NS, "k", record("k"))
        expected = MemoryRecord.from_value(ours.the(NS, "k").value)
        for minutes in (0, 1, 60 * 24, 60 * 24 * 45):
            clock.advance(minutes)
            ours.touch(NS, ["k"])
            half_life = expected.lifetime.half_life_days
            heat = heat_after_use(expected.heat, expected.last_accessed_at, clock.now, half_life)
            expected = expected.model_copy(
                update={
                    "heat": pytest.approx(heat, rel=1e-9),
                    "access_count": expected.access_count + 1,
                    "last_accessed_at": clock.now,
                }
            )
            stored = MemoryRecord.from_value(ours.the(NS, "k").value)
            assert stored.heat == expected.heat
            assert stored.access_count == expected.access_count
            assert stored.last_accessed_at == expected.last_accessed_at
            expected = stored

    def test_only_records_and_only_here(self, ours: Driver) -> None:
        ours.put(NS, "plain", {"access_count": 3, "heat": 1.0, "content": "not a record"})
        ours.put(NS, "record", record("here"))
        ours.put((*NS, "below"), "record", record("below"))
        assert ours.touch(NS, ["plain", "record", "unknown", "record"]) == 1
        assert ours.the(NS, "plain").value["access_count"] == 3
        assert ours.the((*NS, "below"), "record").value["access_count"] == 0
        assert ours.touch(NS, []) == 0
        assert ours.touch(("nobody",), ["record"]) == 0

    def test_keeps_what_it_is_found_by(self, open_ours: Opener) -> None:
        store = open_ours(index={"dims": DIMS, "embed": WordEmbeddings()})
        store.put(NS, "k", record("Drives an automobile\0with \ud800 odd characters."))
        before = store.the(NS, "k").value["content"]
        store.touch(NS, ["k"])
        assert store.the(NS, "k").value["content"] == before
        for mode in ("vector", "keyword"):
            assert store.found(NS, "odd automobile", mode=mode) == ["k"]
        assert store.keys(NS, filter={"access_count": {"$gte": 1}}) == ["k"]

    def test_counts_every_one_of_many_at_once(self, ours: Driver) -> None:
        ours.put(NS, "k", record("k"))
        run_together(lambda _: [ours.memory.touch(NS, ["k"]) for _ in range(10)], 4)
        assert ours.the(NS, "k").value["access_count"] == 40

    def test_what_is_no_list_of_keys(self, ours: Driver) -> None:
        with pytest.raises(InvalidInputError):
            ours.touch(NS, "key")
        with pytest.raises(InvalidNamespaceError):
            ours.touch(("a.b",), ["key"])


def run_together(work: Any, threads: int) -> list[Any]:
    """Do work in threads that begin at the same time; what each returned or raised."""
    barrier = threading.Barrier(threads)
    results: list[Any] = [None] * threads

    def target(number: int) -> None:
        barrier.wait(30)
        try:
            results[number] = work(number)
        except Exception as error:
            results[number] = error

    running = [threading.Thread(target=target, args=(number,)) for number in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    return results


class TestCommit:
    def test_all_of_it(self, ours: Driver) -> None:
        ours.put(NS, "old", {"v": 1})
        ours.put(NS, "going", {"v": 1})
        old, going = ours.the(NS, "old"), ours.the(NS, "going")
        ours.call(
            "commit",
            [
                Change(NS, "old", {"v": 2}, version=old.updated_at),
                Change(NS, "going", None, version=going.updated_at),
                Change((*NS, "deeper"), "new", {"text": "a heron"}, version=None),
                Change(NS, "whatever", {"text": "a heron"}, index=False),
            ],
        )
        assert ours.the(NS, "old").value == {"v": 2}
        assert ours.get(NS, "going") is None
        assert [hit.key for hit in ours.search(NS, query="heron")] == ["new"]
        assert ours.the(NS, "whatever").value == {"text": "a heron"}

    @pytest.mark.parametrize("stale", ["old", "new", "going"])
    def test_nothing_of_it(self, ours: Driver, clock: Clock, stale: str) -> None:
        ours.put(NS, "old", {"v": 1})
        ours.put(NS, "going", {"v": 1})
        read = {"old": ours.the(NS, "old").updated_at, "new": None}
        read["going"] = ours.the(NS, "going").updated_at
        ours.put(NS, stale, {"v": "by somebody else"})
        before = [(item.key, item.value, item.updated_at) for item in ours.scan(NS)]
        with pytest.raises(VersionConflictError) as caught:
            ours.call(
                "commit",
                [
                    Change(NS, "first", {"v": 2}),
                    Change(NS, "old", {"v": 2}, version=read["old"]),
                    Change(NS, "new", {"v": 2}, version=None),
                    Change(NS, "going", None, version=read["going"]),
                ],
            )
        assert repr(stale) in str(caught.value)
        assert [(item.key, item.value, item.updated_at) for item in ours.scan(NS)] == before

    def test_what_was_decided_by_what_was_not_there(self, ours: Driver) -> None:
        first = Change(NS, "mine", {"v": 1}, version=None, newest=None)
        ours.put(NS, "theirs", {"v": 1})
        with pytest.raises(VersionConflictError, match="newest"):
            ours.call("commit", [Change(("elsewhere",), "k", {"v": 1}), first])
        assert ours.get(("elsewhere",), "k") is None
        read = ours.the(NS, "theirs").updated_at
        both = [Change(NS, key, {"v": 1}, newest=read) for key in ("mine", "theirs")]
        ours.call("commit", both)
        with pytest.raises(VersionConflictError, match="newest"):
            ours.call("commit", both)
        with pytest.raises(VersionConflictError, match="newest"):
            ours.call("commit", [Change(NS, "mine", None, newest=None)])
        assert ours.get(NS, "mine") is not None

    def test_no_change_at_all(self, ours: Driver) -> None:
        ours.call("commit", [])

    def test_a_value_that_cannot_be_stored(self, ours: Driver) -> None:
        with pytest.raises(InvalidInputError):
            ours.call("commit", [Change(NS, "k", {"v": 1}), Change(NS, "l", {"v": object()})])
        assert ours.get(NS, "k") is None


class TestCompareAndSet:
    def test_create_update_and_conflict(self, ours: Driver, clock: Clock) -> None:
        first = ours.put_if_version(NS, "k", {"v": 1}, version=None)
        assert ours.the(NS, "k").updated_at == first
        clock.advance(minutes=5)
        second = ours.put_if_version(NS, "k", {"v": 2}, version=first)
        assert second > first
        item = ours.the(NS, "k")
        assert (item.value, item.updated_at, item.created_at) == ({"v": 2}, second, START)
        for stale in (first, None, second + timedelta(microseconds=1)):
            with pytest.raises(VersionConflictError) as caught:
                ours.put_if_version(NS, "k", {"v": 3}, version=stale)
            assert "k" in str(caught.value)
        assert ours.the(NS, "k").value == {"v": 2}

    def test_an_item_that_is_not_there(self, ours: Driver, clock: Clock) -> None:
        with pytest.raises(VersionConflictError):
            ours.put_if_version(NS, "k", {"v": 1}, version=clock.now)
        version = ours.put_if_version(NS, "k", {"v": 1}, version=None)
        ours.delete(NS, "k")
        with pytest.raises(VersionConflictError):
            ours.put_if_version(NS, "k", {"v": 2}, version=version)
        assert ours.put_if_version(NS, "k", {"v": 3}, version=None) > version

    def test_a_deletion_and_a_new_item_between(self, ours: Driver) -> None:
        """The clock stands still, and yet it is another version."""
        version = ours.put_if_version(NS, "k", {"v": 1}, version=None)
        ours.delete(NS, "k")
        ours.put(NS, "k", {"v": 1})
        with pytest.raises(VersionConflictError):
            ours.put_if_version(NS, "k", {"v": 2}, version=version)

    def test_plain_puts_and_touches(self, ours: Driver) -> None:
        ours.put(NS, "k", record("one"))
        version = ours.the(NS, "k").updated_at
        ours.touch(NS, ["k"])
        version = ours.put_if_version(NS, "k", record("two"), version=version)
        ours.put(NS, "k", record("three"))
        with pytest.raises(VersionConflictError):
            ours.put_if_version(NS, "k", record("four"), version=version)

    def test_a_version_in_another_zone(self, ours: Driver) -> None:
        version = ours.put_if_version(NS, "k", {"v": 1}, version=None)
        elsewhere = version.astimezone(timezone(timedelta(hours=9)))
        ours.put_if_version(NS, "k", {"v": 2}, version=elsewhere)

    @pytest.mark.parametrize("version", [datetime(2026, 1, 1), 3, "2026-01-01"])
    def test_what_is_no_version(self, ours: Driver, version: Any) -> None:
        with pytest.raises(InvalidInputError):
            ours.put_if_version(NS, "k", {}, version=version)

    def test_it_is_indexed_as_by_put(self, open_ours: Opener) -> None:
        store = open_ours(index={"dims": DIMS, "embed": WordEmbeddings(), "fields": ["text"]})
        version = store.put_if_version(NS, "k", {"text": "glad"}, version=None)
        assert store.found(NS, "happy", mode="vector") == ["k"]
        store.put_if_version(NS, "k", {"text": "glad"}, version=version, index=False)
        assert store.found(NS, "happy", mode="vector") == []
        assert store.found(NS, "glad", mode="keyword") == []

    def test_one_of_many_wins(self, ours: Driver) -> None:
        version = ours.put_if_version(NS, "k", {"by": None}, version=None)
        results = run_together(
            lambda number: ours.memory.put_if_version(NS, "k", {"by": number}, version=version), 8
        )
        won = [number for number, result in enumerate(results) if isinstance(result, datetime)]
        lost = [result for result in results if isinstance(result, VersionConflictError)]
        assert (len(won), len(lost)) == (1, 7), results
        assert ours.the(NS, "k").value == {"by": won[0]}
        assert ours.the(NS, "k").updated_at == results[won[0]]

    def test_one_of_many_creates(self, ours: Driver) -> None:
        results = run_together(
            lambda number: ours.memory.put_if_version(NS, "k", {"by": number}, version=None), 8
        )
        assert sum(isinstance(result, datetime) for result in results) == 1
        assert sum(isinstance(result, VersionConflictError) for result in results) == 7

    def test_counting_together_loses_nothing(self, ours: Driver) -> None:
        """Read, add one, put if it is still the same; again if it is not."""
        ours.put(NS, "n", {"n": 0})

        def count(_: int) -> None:
            for _ in range(5):
                while True:
                    item = ours.memory.get(NS, "n")
                    assert item is not None
                    with_one = {"n": item.value["n"] + 1}
                    try:
                        ours.memory.put_if_version(NS, "n", with_one, version=item.updated_at)
                        break
                    except VersionConflictError:
                        continue

        assert run_together(count, 4) == [None] * 4
        assert ours.the(NS, "n").value == {"n": 20}


class TestScan:
    def test_all_of_a_prefix_in_order(self, ours: Driver) -> None:
        names = [("s",), ("s", "a"), ("s", "a", "b"), ("s", "b")]
        ours.batch(
            [PutOp(name, key, {"v": key}) for key in ("k2", "k1", "k3") for name in reversed(names)]
        )
        ours.put(("sa",), "no", {})
        for size in (1, 2, 5, 12, 500):
            items = ours.scan(("s",), page_size=size)
            places = [(item.namespace, item.key) for item in items]
            assert places == [(name, key) for name in names for key in ("k1", "k2", "k3")]
        assert items[0].value == {"v": "k1"}
        assert items[1].created_at == items[1].updated_at == START
        assert len(ours.scan(())) == 13
        assert ours.scan(("nobody",)) == []

    def test_what_was_not_indexed_too(self, ours: Driver) -> None:
        ours.put(NS, "k", {"v": 1}, index=False)
        assert [item.key for item in ours.scan(NS)] == ["k"]

    def test_while_it_is_written(self, open_ours: Opener) -> None:
        """What was there all the time is seen once, whatever comes and goes."""
        store = open_ours()
        kept = [f"k{number:03}" for number in range(0, 60, 2)]
        store.batch([PutOp(NS, key, {}) for key in kept])
        seen = []
        for number, item in enumerate(store.memory.scan(NS, page_size=7)):
            seen.append(item.key)
            if number < 30:
                store.memory.put(NS, f"k{2 * number + 1:03}", {})
            store.memory.put(NS, item.key, {"seen": True})
            store.memory.delete(NS, f"k{2 * number - 3:03}")
        assert len(seen) == len(set(seen))
        assert set(kept) <= set(seen)

    def test_what_is_no_page(self, ours: Driver) -> None:
        with pytest.raises(InvalidInputError, match="page_size"):
            ours.scan(NS, page_size=0)
        with pytest.raises(InvalidNamespaceError):
            ours.scan(("a.b",))


class TestStats:
    def test_of_an_empty_store(self, ours: Driver) -> None:
        stats = ours.stats()
        assert (stats.items, stats.namespaces, stats.vectors, stats.postings) == (0, 0, 0, 0)
        assert (stats.embedder, stats.dims) == (None, None)

    def test_counts_what_is_there(self, open_ours: Opener) -> None:
        embed = WordEmbeddings()
        store = open_ours(
            index={"dims": DIMS, "embed": embed, "fields": ["a", "b[*]"], "name": "words"}
        )
        store.put(("x",), "1", {"a": "tea tea", "b": ["milk", "jam"]})
        store.put(("y",), "1", {"a": "tea"})
        store.put(("y",), "2", {"a": "tea"}, index=False)
        stats = store.stats()
        assert (stats.namespaces, stats.items, stats.vectors, stats.postings) == (2, 3, 4, 4)
        assert (stats.embedder, stats.dims, stats.fields) == ("words", DIMS, ("a", "b[*]"))
        assert stats.bytes > 0
        store.put(("x",), "1", {"a": "tea"})
        assert (store.stats().vectors, store.stats().postings) == (2, 2)
        store.delete(("x",), "1")
        stats = store.stats()
        assert (stats.namespaces, stats.items, stats.vectors, stats.postings) == (1, 2, 1, 1)


class TestLife:
    def test_setup_again_and_again(self, open_ours: Opener) -> None:
        store = open_ours()
        for _ in range(3):
            store.call("setup")
        store.put(NS, "k", {"v": 1})
        store.call("setup")
        assert store.the(NS, "k").value == {"v": 1}

    def test_use_after_closing(self, open_ours: Opener) -> None:
        store = open_ours()
        store.put(NS, "k", {"v": 1})
        store.close()
        store.close()
        uses: list[Callable[[], object]] = [
            lambda: store.get(NS, "k"),
            lambda: store.put(NS, "k", {}),
            lambda: store.search(NS),
            lambda: store.find(NS, "v"),
            lambda: store.touch(NS, ["k"]),
            lambda: store.scan(NS),
            store.stats,
            store.sweep_ttl,
            store.list_namespaces,
            lambda: store.put_if_version(NS, "k", {}, version=None),
            lambda: store.call("reindex"),
            lambda: store.call("setup"),
        ]
        for use in uses:
            with pytest.raises(StoreClosedError):
                use()

    def test_closing_what_was_never_used(self, open_ours: Opener) -> None:
        open_ours().close()

    def test_as_a_context(self, open_lasting: Opener) -> None:
        with open_lasting().memory as store:
            store.put(NS, "k", {"v": 1})
        with pytest.raises(StoreClosedError):
            store.get(NS, "k")

        driver = open_lasting()
        if driver.face == "async":

            async def use() -> None:
                async with driver.memory as again:
                    assert await again.aget(NS, "k") is not None

            assert driver.runner is not None
            driver.runner.run(use())
            with pytest.raises(StoreClosedError):
                driver.get(NS, "k")

    def test_two_stores_on_one_database(self, open_lasting: Opener) -> None:
        one, two = open_lasting(), open_lasting()
        one.put(NS, "k", {"text": "walrus"})
        assert two.the(NS, "k").value == {"text": "walrus"}
        two.put(NS, "k", {"text": "penguin"})
        assert one.the(NS, "k").value == {"text": "penguin"}
        assert (one.found(NS, "penguin"), one.found(NS, "walrus")) == (["k"], [])
        two.delete(NS, "k")
        assert one.search(NS) == one.find(NS, "penguin") == one.list_namespaces() == []

    def test_vectors_changed_by_the_other_store(self, open_lasting: Opener) -> None:
        """What one keeps in memory must not outlive a write of the other."""
        index = {"dims": DIMS, "embed": WordEmbeddings(), "fields": ["text"]}
        one, two = open_lasting(index=index), open_lasting(index=index)
        for number in range(20):
            one.put(NS, f"k{number}", {"text": f"number {number}"})
        assert one.found(NS, "car", mode="vector", limit=1) != ["k7"]
        two.put(NS, "k7", {"text": "automobile"})
        assert one.found(NS, "car", mode="vector", limit=1) == ["k7"]
        two.put(NS, "new", {"text": "cars cars"})
        two.delete(NS, "k7")
        assert one.found(NS, "car", mode="vector", limit=1) == ["new"]
        assert "k7" not in one.found(NS, "car", mode="vector", limit=100)
        two.delete(NS, "new")
        two.put(NS, "new", {"text": "a vehicle of another colour"})
        assert one.find(NS, "car", mode="vector", limit=1)[0].value["text"].startswith("a vehicle")

    def test_without_a_clock_it_is_now(self, open_ours: Opener) -> None:
        store = open_ours()
        before = datetime.now(UTC)
        store.put(NS, "k", {})
        assert before <= store.the(NS, "k").updated_at <= datetime.now(UTC)

    def test_a_clock_without_a_zone(self, open_ours: Opener) -> None:
        with pytest.raises(InvalidInputError, match="aware"):
            open_ours(clock=lambda: datetime(2026, 1, 1)).put(NS, "k", {})


def test_the_table_of_differences_names_tests_that_exist() -> None:
    from pathlib import Path

    written = "".join(path.read_text() for path in Path(__file__).parent.glob("test_stores*.py"))
    for kind in STORES.values():
        for case in kind.differences:
            assert f"def {case.split('[')[0]}(" in written, case

"""What every store keeps to: what has had its time is not there any more, for anyone."""

from __future__ import annotations

import time
from typing import Any

import pytest
from contract.stores import START, Clock, Driver, Opener
from embedders import DIMS, WordEmbeddings
from langgraph.store.base import GetOp, ListNamespacesOp, PutOp, SearchOp, TTLConfig

from langgraph_memory.errors import InvalidInputError, VersionConflictError
from langgraph_memory.records import MemoryRecord

NS = ("session", "notes")


def test_a_time_to_live_can_be_given(store: Driver) -> None:
    assert store.raw.supports_ttl
    store.put(NS, "k", {"v": 1}, ttl=5)
    assert store.the(NS, "k").value == {"v": 1}


class TestExpiry:
    def test_to_the_fraction_of_a_minute(self, ours: Driver, clock: Clock) -> None:
        for minutes in (5, 0.5, 0.03, 1.25, 1e6, 1 / 3):
            ours.put(NS, "k", {"v": 1}, ttl=minutes)
            clock.advance(minutes * 0.999)
            assert ours.get(NS, "k", refresh_ttl=False) is not None
            clock.advance(minutes * 0.002)
            assert ours.get(NS, "k", refresh_ttl=False) is None

    def test_nobody_sees_it(self, open_ours: Opener, clock: Clock) -> None:
        store = open_ours(
            clock=clock, index={"dims": DIMS, "embed": WordEmbeddings(), "fields": ["text"]}
        )
        record = MemoryRecord(content="walrus", created_at=START)
        store.put(NS, "gone", {"text": "walrus"}, ttl=5)
        store.put(NS, "record", record.to_value(), ttl=5)
        store.put(("gone",), "k", {"text": "walrus"}, ttl=5)
        store.put(NS, "stays", {"text": "walrus"})
        old = store.the(NS, "gone", refresh_ttl=False).updated_at
        clock.advance(minutes=6)
        assert store.get(NS, "gone") is None
        assert store.keys(()) == ["stays"]
        assert store.keys((), filter={"text": "walrus"}) == ["stays"]
        for mode in ("hybrid", "vector", "keyword"):
            assert store.found((), "walrus", mode=mode) == ["stays"]
        assert [item.key for item in store.scan(())] == ["stays"]
        assert store.list_namespaces() == [NS]
        assert store.list_namespaces(suffix=("gone",)) == []
        assert store.touch(NS, ["gone", "record"]) == 0
        with pytest.raises(VersionConflictError):
            store.put_if_version(NS, "gone", {}, version=old)
        results = store.batch([GetOp(NS, "gone"), SearchOp(("gone",)), ListNamespacesOp()])
        assert results == [None, [], [NS]]

    def test_looking_for_it_does_not_revive_it(self, ours: Driver, clock: Clock) -> None:
        ours.put(NS, "k", {"text": "walrus"}, ttl=5)
        clock.advance(minutes=6)
        assert ours.get(NS, "k", refresh_ttl=True) is None
        assert ours.search(NS, refresh_ttl=True) == []
        assert ours.search(NS, query="walrus", refresh_ttl=True) == []
        clock.advance(minutes=-2)
        # Its deadline is where it was: a minute before it, it is there again.
        assert ours.get(NS, "k", refresh_ttl=False) is not None
        clock.advance(minutes=1.5)
        assert ours.get(NS, "k", refresh_ttl=False) is None

    def test_a_put_on_an_expired_one_is_a_new_item(self, ours: Driver, clock: Clock) -> None:
        ours.put(NS, "k", {"v": 1}, ttl=5)
        clock.advance(minutes=6)
        ours.put(NS, "k", {"v": 2})
        item = ours.the(NS, "k")
        assert (item.value, item.created_at) == ({"v": 2}, clock.now)
        clock.advance(minutes=1e6)
        assert ours.get(NS, "k") is not None

    def test_a_version_of_none_can_take_its_place(self, ours: Driver, clock: Clock) -> None:
        ours.put(NS, "k", {"v": 1}, ttl=5)
        clock.advance(minutes=6)
        ours.put_if_version(NS, "k", {"v": 2}, version=None)
        assert ours.the(NS, "k").value == {"v": 2}
        assert ours.the(NS, "k").created_at == clock.now

    def test_pages_do_not_count_it(self, ours: Driver, clock: Clock) -> None:
        for number in range(10):
            ours.put(NS, f"k{number}", {}, ttl=5 if number % 2 else None)
        clock.advance(minutes=6)
        assert ours.keys(NS, limit=3) == ["k8", "k6", "k4"]
        assert ours.keys(NS, limit=3, offset=3) == ["k2", "k0"]
        assert [item.key for item in ours.scan(NS, page_size=2)] == ["k0", "k2", "k4", "k6", "k8"]


class TestReading:
    """A read starts the time anew, unless told otherwise."""

    @pytest.mark.parametrize("refresh", [None, True])
    def test_get_renews(self, ours: Driver, clock: Clock, refresh: bool | None) -> None:
        ours.put(NS, "k", {"v": 1}, ttl=10)
        for _ in range(4):
            clock.advance(minutes=6)
            assert ours.get(NS, "k", refresh_ttl=refresh) is not None
        clock.advance(minutes=10.1)
        assert ours.get(NS, "k") is None

    @pytest.mark.parametrize("query", [None, "walrus"])
    def test_search_renews_what_it_returns(
        self, ours: Driver, clock: Clock, query: str | None
    ) -> None:
        for key in "ab":
            ours.put(NS, key, {"text": "walrus"}, ttl=10)
        clock.advance(minutes=6)
        assert ours.keys(NS, query=query, limit=1) == ["b"]
        clock.advance(minutes=6)
        assert ours.keys(NS, query=query, refresh_ttl=False) == ["b"]

    @pytest.mark.parametrize("mode", ["hybrid", "keyword"])
    def test_find_renews_or_not(self, ours: Driver, clock: Clock, mode: str) -> None:
        ours.put(NS, "k", {"text": "walrus"}, ttl=10)
        clock.advance(minutes=6)
        assert ours.found(NS, "walrus", mode=mode) == ["k"]
        clock.advance(minutes=6)
        assert ours.found(NS, "walrus", mode=mode, refresh_ttl=False) == ["k"]
        clock.advance(minutes=6)
        assert ours.found(NS, "walrus", mode=mode) == []

    def test_not_when_told_not_to(self, ours: Driver, clock: Clock) -> None:
        ours.put(NS, "k", {"text": "walrus"}, ttl=10)
        clock.advance(minutes=6)
        assert ours.get(NS, "k", refresh_ttl=False) is not None
        assert ours.search(NS, refresh_ttl=False) != []
        assert ours.search(NS, query="walrus", refresh_ttl=False) != []
        assert ours.list_namespaces() == [NS]
        assert len(ours.scan(NS)) == 1
        clock.advance(minutes=4.5)
        assert ours.get(NS, "k") is None

    def test_each_read_of_a_batch_for_itself(self, ours: Driver, clock: Clock) -> None:
        for key in ("renewed", "left"):
            ours.put(NS, key, {}, ttl=60)
        clock.advance(minutes=50)
        ours.batch([GetOp(NS, "renewed", True), GetOp(NS, "left", False)])
        clock.advance(minutes=20)
        assert ours.keys(NS, refresh_ttl=False) == ["renewed"]

    def test_in_a_batch_that_also_writes(self, ours: Driver, clock: Clock) -> None:
        ours.put(NS, "k", {}, ttl=60)
        clock.advance(minutes=50)
        ours.batch([PutOp(NS, "other", {}), GetOp(NS, "k", True)])
        clock.advance(minutes=50)
        assert ours.get(NS, "k") is not None

    def test_fractions_are_renewed_as_such(self, ours: Driver, clock: Clock) -> None:
        ours.put(NS, "k", {}, ttl=0.5)
        clock.advance(minutes=0.4)
        assert ours.get(NS, "k") is not None
        clock.advance(minutes=0.4)
        assert ours.get(NS, "k", refresh_ttl=False) is not None

    def test_what_lives_for_ever_is_not_given_an_end(self, ours: Driver, clock: Clock) -> None:
        ours.put(NS, "k", {})
        ours.get(NS, "k", refresh_ttl=True)
        clock.advance(minutes=1e7)
        assert ours.get(NS, "k") is not None

    def test_reading_changes_neither_time_of_the_item(self, ours: Driver, clock: Clock) -> None:
        ours.put(NS, "k", {}, ttl=60)
        clock.advance(minutes=1)
        ours.get(NS, "k")
        item = ours.the(NS, "k")
        assert item.created_at == item.updated_at == START


class TestConfiguration:
    def test_default_and_its_exceptions(self, open_ours: Opener, clock: Clock) -> None:
        store = open_ours(clock=clock, ttl=TTLConfig(default_ttl=10))
        store.put(NS, "default", {})
        store.put(NS, "longer", {}, ttl=30)
        store.put(NS, "forever", {}, ttl=None)
        store.put_if_version(NS, "version", {}, version=None)
        store.put_if_version(NS, "version forever", {}, version=None, ttl=None)
        clock.advance(minutes=11)
        assert set(store.keys(NS)) == {"longer", "forever", "version forever"}
        clock.advance(minutes=1e6)
        assert set(store.keys(NS)) == {"forever", "version forever"}

    def test_a_put_sets_the_time_of_its_own(self, ours: Driver, clock: Clock) -> None:
        ours.put(NS, "ended", {}, ttl=5)
        ours.put(NS, "ended", {})
        ours.put(NS, "begun", {})
        ours.put(NS, "begun", {}, ttl=5)
        clock.advance(minutes=6)
        assert ours.keys(NS) == ["ended"]

    def test_no_refresh_unless_asked_for(self, open_ours: Opener, clock: Clock) -> None:
        store = open_ours(clock=clock, ttl=TTLConfig(refresh_on_read=False, default_ttl=10))
        for key in ("read", "asked"):
            store.put(NS, key, {"text": "walrus"})
        clock.advance(minutes=6)
        store.get(NS, "read")
        store.search(NS)
        store.find(NS, "walrus")
        store.get(NS, "asked", refresh_ttl=True)
        clock.advance(minutes=6)
        assert store.keys(NS) == ["asked"]

    def test_what_is_no_number_of_minutes(self, ours: Driver) -> None:
        for ttl in (0, -1, float("nan"), float("inf"), "5", True):
            with pytest.raises(InvalidInputError, match="ttl"):
                ours.put(NS, "k", {}, ttl=ttl)
        assert ours.search(NS) == []

    @pytest.mark.parametrize(
        "config", [{"default_ttl": -1}, {"sweep_interval_minutes": 0.0}, {"default_ttl": "5"}]
    )
    def test_a_configuration_that_cannot_work(self, open_ours: Opener, config: Any) -> None:
        with pytest.raises(InvalidInputError, match="ttl"):
            open_ours(ttl=config).put(NS, "k", {})


class TestSweep:
    @pytest.fixture(autouse=True)
    def alone(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The sweep in the background is not to come first on a slow machine."""
        monkeypatch.setattr("langgraph_memory.store.sweeper.FIRST_SECONDS", 60.0)

    def test_by_call(self, ours: Driver, clock: Clock) -> None:
        for number in range(5):
            ours.put((*NS, str(number)), "k", {"text": "walrus"}, ttl=5)
        ours.put(NS, "stays", {"text": "walrus"}, ttl=50)
        assert ours.sweep_ttl() == 0
        clock.advance(minutes=6)
        assert ours.stats().expired == 5
        assert ours.sweep_ttl() == 5
        assert ours.sweep_ttl() == 0
        stats = ours.stats()
        assert (stats.items, stats.expired, stats.namespaces, stats.postings) == (1, 0, 1, 1)
        assert ours.found(NS, "walrus") == ["stays"]

    def test_of_more_than_a_few(self, ours: Driver, clock: Clock) -> None:
        ours.batch([PutOp(NS, str(number), {}, index=False, ttl=1) for number in range(2_300)])
        clock.advance(minutes=2)
        assert ours.sweep_ttl() == 2_300
        assert ours.stats().items == 0

    def test_by_itself(self, open_ours: Opener, clock: Clock) -> None:
        store = open_ours(
            clock=clock,
            ttl=TTLConfig(sweep_interval_minutes=0.02 / 60),  # type: ignore[typeddict-item]
        )
        store.put(NS, "k", {"text": "walrus"}, ttl=5)
        clock.advance(minutes=6)
        deadline = time.monotonic() + 30
        while store.stats().items:
            assert time.monotonic() < deadline, "It was never swept."
            time.sleep(0.005)
        assert store.stats().postings == 0

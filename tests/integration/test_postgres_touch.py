"""A use of a record is counted by Postgres exactly as `records.used` counts it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from langgraph_memory import clock
from langgraph_memory.records import LIFETIMES, MemoryRecord, used
from langgraph_memory.store.postgres import PostgresMemoryStore

NOW = datetime(2026, 3, 9, 17, 45, 12, 345678, tzinfo=UTC)
SPACE = ("agent:chat", "user:42", "memories")


@pytest.fixture
def store(postgres_database: str) -> Iterator[PostgresMemoryStore]:
    with PostgresMemoryStore(postgres_database, clock=lambda: NOW) as opened:
        yield opened


def record(**members: Any) -> dict[str, Any]:
    created = datetime(2026, 1, 1, tzinfo=UTC)
    with clock.set_to(created):
        return MemoryRecord(content="The user prefers Go.", id="r").to_value() | members


RECORDS = {
    **{f"type {type_}": record(type=str(type_), heat=2.5) for type_ in LIFETIMES},
    "used in the future": record(last_accessed_at="2027-01-01T00:00:00.000000Z", heat=3.25),
    "used this moment": record(last_accessed_at=clock.utc_text(NOW), heat=0.125),
    "with an offset": record(last_accessed_at="2026-03-09T12:00:00+05:30"),
    "without seconds": record(last_accessed_at="2026-03-09 12:00-08"),
    "compact": record(last_accessed_at="20260301T120000.5Z"),
    "finer than microseconds": record(last_accessed_at="2026-03-01T12:00:00.1234569Z"),
    "cold": record(heat=0),
    "below zero": record(heat=-4.5),
    "beyond any heat": record(heat=1e300),
    "hot": record(heat=9.9e299),
    "many uses": record(access_count=10**12),
    "broken count": record(access_count=7.9),
    "unknown members": record(extra={"b": 1e300, "a": [1.0, -0.0, "\x00", "\ud800", "日本"]}),
    "no time zone": record(last_accessed_at="2026-03-01T12:00:00"),
    "no such day": record(last_accessed_at="2026-02-30T12:00:00Z"),
    "no time at all": record(last_accessed_at="yesterday"),
    "hour 24": record(last_accessed_at="2026-03-01T24:00:01Z"),
    "unknown type": record(type="rumour"),
    "heat is text": record(heat="2"),
    "count is true": record(access_count=True),
    "no status": {name: value for name, value in record().items() if name != "status"},
    "no record": {"content": "The user prefers Go."},
    "empty": {},
}


@pytest.mark.parametrize("name", RECORDS)
def test_as_python_does(store: PostgresMemoryStore, name: str) -> None:
    before = RECORDS[name]
    store.put(SPACE, "r", before)
    expected = used(before, NOW)
    assert store.touch(SPACE, ["r"]) == (expected is not None)
    item = store.get(SPACE, "r")
    assert item is not None
    after = item.value
    if expected is None:
        assert after == before
        return
    assert list(after) == list(expected)
    assert after.pop("heat") == pytest.approx(expected.pop("heat"), rel=1e-12)
    assert after == expected


def test_every_one_of_many_at_once(store: PostgresMemoryStore) -> None:
    for key in ("a", "b"):
        store.put(SPACE, key, record(id=key))

    def use(order: list[str]) -> None:
        for _ in range(20):
            assert store.touch(SPACE, order) == 2

    threads = [
        threading.Thread(target=use, args=(order,)) for order in (["a", "b"], ["b", "a"]) * 3
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    items = [store.get(SPACE, key) for key in ("a", "b")]
    assert [item.value["access_count"] for item in items if item] == [120, 120]

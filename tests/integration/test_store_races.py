"""What happens at the same time, or between two who do not know of each other."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from langgraph.store.base import GetOp, PutOp, SearchOp

from langgraph_memory.errors import EmbedderMismatchError, InvalidStateError
from langgraph_memory.memories import Memories
from langgraph_memory.records import MemoryRecord
from langgraph_memory.store import MemoryStore, SQLiteMemoryStore
from langgraph_memory.store import open as open_store

HERE = ("user:1", "memories")
Opener = Callable[..., MemoryStore]


@pytest.fixture(params=["sqlite", "postgres"])
def opened(request, tmp_path) -> Any:
    """Opens stores on one and the same database."""
    url = str(tmp_path / "memory.db")
    if request.param == "postgres":
        url = request.getfixturevalue("postgres_database")
    stores: list[MemoryStore] = []

    def open_one(**index: Any) -> MemoryStore:
        stores.append(open_store(url, index=index or None))
        return stores[-1]

    yield open_one
    for store in stores:
        store.close()


def embedder(dims: int) -> dict[str, Any]:
    def embed(texts: list[str]) -> list[list[float]]:
        return [[1.0 + len(text) % (at + 2) for at in range(dims)] for text in texts]

    return {"dims": dims, "embed": embed, "name": f"of {dims}"}


def test_a_search_beside_writers_finds_what_it_searches_and_nothing_else(opened: Opener) -> None:
    """Every item is put again all the time; its word never changes, so it is always found."""
    store = opened()
    names = [f"walrus{number}" for number in range(24)]
    store.batch([PutOp(HERE, name, {"text": f"{name} common"}) for name in names])
    stop = time.monotonic() + 2
    wrong: list[Any] = []

    def write(first: int) -> None:
        at = first
        while time.monotonic() < stop:
            name = names[at % len(names)]
            store.put(HERE, name, {"text": f"{name} common"})
            at += 5

    def read(first: int) -> None:
        at = first
        while time.monotonic() < stop:
            name = names[at % len(names)]
            keys = [hit.key for hit in store.find(HERE, name, mode="keyword")]
            if keys != [name]:
                wrong.append((name, keys))
            at += 7

    threads = [
        threading.Thread(target=work, args=(at,)) for at in range(3) for work in (write, read)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_the_reads_of_a_batch_see_one_state(opened: Opener) -> None:
    store = opened()
    pair = ("one", "two")
    store.batch([PutOp(HERE, key, {"round": 0}) for key in pair])
    stop = time.monotonic() + 1

    def write() -> None:
        number = 0
        while time.monotonic() < stop:
            number += 1
            store.batch([PutOp(HERE, key, {"round": number}) for key in pair])

    writer = threading.Thread(target=write)
    writer.start()
    torn = []
    while time.monotonic() < stop:
        one, found, two = store.batch([GetOp(HERE, "one"), SearchOp(HERE), GetOp(HERE, "two")])
        rounds = {item.value["round"] for item in (one, *found, two)}
        if len(rounds) > 1:
            torn.append(rounds)
    writer.join()
    assert torn == []


def test_of_two_reindexes_the_one_that_was_replaced_says_so(opened: Opener) -> None:
    with opened(**embedder(3)) as first:
        first.batch([PutOp(HERE, str(at), {"text": "word " * at}) for at in range(1, 21)])
    slow, quick = opened(**embedder(4)), opened(**embedder(5))
    begun: list[int] = []

    def progress(done: int, total: int) -> None:
        if not begun:
            begun.append(quick.reindex())

    with pytest.raises(InvalidStateError, match="Another reindex"):
        slow.reindex(progress=progress, batch_size=5)
    assert begun == [20]
    assert quick.stats().vectors == 20
    assert len(quick.find(HERE, "word", mode="vector")) == 10
    with pytest.raises(EmbedderMismatchError):
        opened(**embedder(4)).get(HERE, "1")
    slow.reindex()
    assert slow.stats().dims == 4


SAID_AT_ONCE = {
    "the same": (["The user keeps bees."], 100, ["The user keeps bees."]),
    "the contrary": (["The user likes honey.", "The user dislikes honey."], 100, None),
    "too many": ([f"The user owns a {thing}." for thing in ("kayak", "lathe", "harp")], 2, None),
}


@pytest.mark.parametrize("kind", SAID_AT_ONCE)
def test_what_is_remembered_at_once_is_compared_with_each_other(opened: Opener, kind: str) -> None:
    """Calls of tools in one message, the job behind another thread, another process."""
    said, most, known = SAID_AT_ONCE[kind]
    stores = [opened(), opened()]
    heat = []
    for round in range(5):
        workers = [Memories(store, ("user:1", str(round)), max_items=most) for store in stores]
        start = threading.Barrier(6)

        def save(number: int, workers: Any = workers, start: Any = start) -> None:
            record = MemoryRecord(content=said[number % len(said)])
            start.wait()
            workers[number % 2].save(record)

        with ThreadPoolExecutor(6) as pool:
            list(pool.map(save, range(6)))
        found = workers[0].search("", limit=100)
        assert len(found) == min(most, 1 if kind != "too many" else most)
        assert known in (None, [each.record.content for each in found])
        heat.append(found[0].record.access_count)
    assert known is None or heat == [5] * 5  # Each time it was said again is one more use.


def test_a_store_without_configuration_indexes_the_fields_of_the_database(opened: Opener) -> None:
    with opened(fields=["text"]) as first:
        first.put(HERE, "0", {"text": "alpha", "note": "zebra"})
    second = opened()
    second.put(HERE, "1", {"text": "beta", "note": "zebra"})
    assert second.search(HERE, query="zebra") == []
    assert [item.key for item in second.search(HERE, query="beta")] == ["1"]


def test_a_store_goes_on_with_the_fields_that_others_have_changed(opened: Opener) -> None:
    first = opened()
    first.put(HERE, "1", {"text": "one", "note": "zebra"})
    opened(fields=["text"]).reindex()
    first.put(HERE, "2", {"text": "two", "note": "zebra"})
    assert first.search(HERE, query="zebra") == []
    assert [item.key for item in first.search(HERE, query="two")] == ["2"]


def test_nothing_is_put_without_the_embedder_that_would_find_it(opened: Opener) -> None:
    with opened(**embedder(3)) as first:
        first.put(HERE, "1", {"text": "one"})
    second = opened()
    for text in ("two", "🦭"):
        with pytest.raises(EmbedderMismatchError, match="index=False"):
            second.put(HERE, "2", {"text": text})
    second.put(HERE, "3", {"text": "three"}, index=False)
    second.put(HERE, "4", {"text": ""})
    second.delete(HERE, "1")
    assert sorted(item.key for item in second.search(HERE)) == ["3", "4"]


def test_a_view_that_was_left_behind_is_right_all_the_same(tmp_path) -> None:
    """Put again so often that the cache numbers its places anew, between two searches' steps."""
    with SQLiteMemoryStore(tmp_path / "memory.db") as store:
        for _ in range(8):
            for name in ("seal", "walrus", "whale", "orca"):
                store.put(HERE, name, {"text": name})
                found = store.find(HERE, name, mode="keyword")
                assert [hit.key for hit in found] == [name]


@pytest.mark.parametrize("database", ["sqlite", "postgres"])
def test_a_forked_process_and_its_parent_go_on_with_the_store(request, tmp_path, database) -> None:
    url = str(tmp_path / "memory.db")
    if database == "postgres":
        url = request.getfixturevalue("postgres_database")
    script = Path(__file__).with_name("forking_store.py")
    command = [sys.executable, "-W", "ignore", str(script), url]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert run.returncode == 0, run.stderr

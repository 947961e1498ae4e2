"""Many threads and several processes on one store, and processes that die in the middle.

`LANGGRAPH_MEMORY_STRESS_SECONDS=60` lets the two processes work for a minute.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import random
import sqlite3
import threading
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import store_worker
from langgraph.store.base import Op, PutOp
from store_worker import SHARED, batch_of, differences, opened

from langgraph_memory.store import MemoryStore

SECONDS = float(os.environ.get("LANGGRAPH_MEMORY_STRESS_SECONDS", "2"))
PATIENCE = 120.0
processes = multiprocessing.get_context("forkserver")
processes.set_forkserver_preload(["langgraph_memory.store"])


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "memory.db")
    return as_url(request.getfixturevalue("postgres_database"))


@pytest.fixture(params=["sqlite", "postgres"])
def new_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Of a database that nobody has set up yet."""
    if request.param == "sqlite":
        return str(tmp_path / "new.db")
    return as_url(request.getfixturevalue("postgres_empty"))


def as_url(conninfo: str) -> str:
    """A connection string of any form as a URL."""
    from psycopg.conninfo import conninfo_to_dict

    parts = {name: quote(str(value), safe="") for name, value in conninfo_to_dict(conninfo).items()}
    place = f"{parts.pop('host')}:{parts.pop('port', '5432')}/{parts.pop('dbname')}"
    return f"postgresql://{place}?{'&'.join(f'{name}={value}' for name, value in parts.items())}"


class Worker:
    """A process and what it answers."""

    def __init__(self, target: store_worker.Target, *args: Any) -> None:
        self.answers, theirs = processes.Pipe(duplex=False)
        self.process = processes.Process(target=target, args=(*args, theirs), daemon=True)
        self.process.start()
        theirs.close()

    def answer(self) -> Any:
        assert self.answers.poll(PATIENCE), "The process did not answer."
        return self.answers.recv()

    def kill(self) -> None:
        """Without a chance to tidy up: `kill -9`."""
        self.process.kill()
        self.process.join(PATIENCE)

    def end(self) -> None:
        if self.process.is_alive():
            self.process.kill()
        self.process.join(PATIENCE)
        self.answers.close()


@pytest.fixture
def start() -> Iterator[Any]:
    """Starts workers, and lets none of them live on."""
    workers: list[Worker] = []

    def begin(target: store_worker.Target, *args: Any) -> Worker:
        workers.append(Worker(target, *args))
        return workers[-1]

    yield begin
    for worker in workers:
        worker.end()


def test_two_processes_and_sixteen_threads(url: str, start: Any) -> None:
    # Searches all the time, so that it has seen every namespace in many states before its last.
    with opened(url) as memory:
        memory.setup()
        workers = [start(store_worker.work, url, name, 8, SECONDS) for name in "ab"]
        while not all(worker.answers.poll(0.1) for worker in workers):
            for namespace in memory.list_namespaces():
                memory.find(namespace, "walrus penguin", limit=5)
        answers = [worker.answer() for worker in workers]
        for answer in answers:
            assert answer["failures"] == []
            assert answer["rounds"] >= 24
        counter = memory.get(SHARED, "counter")
        assert counter is not None
        assert counter.value == {"n": sum(answer["counted"] for answer in answers)}
        for answer in answers:
            for namespace, left in answer["left"].items():
                assert {item.key: item.value for item in memory.scan(namespace)} == left
        assert list(differences(memory)) == []
    with opened(url) as memory:
        assert list(differences(memory)) == []


def drained(connection: Connection) -> list[Any]:
    """What is left to read of a process that was killed."""
    left = []
    while connection.poll():
        try:
            left.append(connection.recv())
        except EOFError:
            break
    return left


def applied(memory: MemoryStore) -> int:
    """How many batches are in a store, each of them whole."""
    latest = memory.get(("log", "latest"), "latest")
    count = latest.value["n"] + 1 if latest else 0
    expected: dict[tuple[tuple[str, ...], str], Any] = {}
    ops: list[Op] = [op for number in range(count) for op in batch_of(number)]
    for op in ops:
        assert isinstance(op, PutOp)
        if op.value is None:
            expected.pop((op.namespace, op.key), None)
        else:
            expected[op.namespace, op.key] = op.value
    assert {(item.namespace, item.key): item.value for item in memory.scan(())} == expected
    return count


def test_killed_between_and_within_batches(url: str, start: Any) -> None:
    """What was acknowledged is there, whole; of what was not, all or nothing."""
    rng = random.Random(7)
    done = 0
    for _ in range(4):
        worker = start(store_worker.write_batches, url, done)
        acknowledged = done - 1
        for _ in range(rng.randint(2, 12)):
            acknowledged = worker.answer()
        # Some way into the next batch, wherever that is.
        threading.Event().wait(rng.random() * 0.01)
        worker.kill()
        acknowledged = [acknowledged, *drained(worker.answers)][-1]
        with opened(url) as memory:
            done = applied(memory)
            assert done in (acknowledged + 1, acknowledged + 2)
            assert list(differences(memory)) == []
            memory.put(("log", "after"), "k", {"text": "walrus"})
            memory.delete(("log", "after"), "k")
    assert done > 8


def test_killed_before_it_is_set_up(new_url: str, start: Any) -> None:
    """A process that dies while it makes the tables leaves none half made."""
    for wait in (0.0, 0.001, 0.003, 0.006, 0.01):
        go = processes.Event()
        worker = start(store_worker.set_up, new_url, "killed", go)
        assert worker.answer() == "ready"
        go.set()
        threading.Event().wait(wait)
        worker.kill()
    with opened(new_url) as memory:
        memory.put(("setup",), "k", {"text": "walrus"})
        assert [hit.key for hit in memory.find(("setup",), "walrus", limit=1)] == ["k"]
        assert list(differences(memory)) == []


def test_six_processes_set_up_at_once(new_url: str, start: Any) -> None:
    go = processes.Event()
    workers = [start(store_worker.set_up, new_url, f"p{number}", go) for number in range(6)]
    assert [worker.answer() for worker in workers] == ["ready"] * 6
    go.set()
    assert [worker.answer() for worker in workers] == ["done"] * 6
    with opened(new_url) as memory:
        found = memory.find(("setup",), "walrus", mode="keyword", limit=100)
        assert {hit.key for hit in found} == {f"p{number}" for number in range(6)}


def test_threads_set_up_at_once(new_url: str) -> None:
    """Of one store and of several, none of which was used before."""
    one = opened(new_url)
    memories = [one, one, one, *(opened(new_url) for _ in range(5))]
    failures: list[BaseException] = []
    barrier = threading.Barrier(len(memories))

    def use(number: int) -> None:
        try:
            barrier.wait(PATIENCE)
            memories[number].put(("setup",), f"t{number}", {"text": "walrus"})
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=use, args=(number,)) for number in range(len(memories))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(one.find(("setup",), "walrus", limit=100)) == len(memories)
    for memory in memories:
        memory.close()


def test_batches_over_the_same_namespaces_in_any_order(url: str) -> None:
    """Writers that need each other's namespaces wait for one another, and never for ever."""
    memory = opened(url)
    labels = [str(number) for number in range(8)]
    failures: list[BaseException] = []

    def write(number: int) -> None:
        rng = random.Random(number)
        try:
            for turn in range(12):
                order = rng.sample(labels, len(labels))
                memory.batch(
                    [
                        PutOp(("tangle", label), f"k{number}", {"text": f"walrus {turn}"})
                        for label in order
                    ]
                )
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert memory.stats().items == 48
    assert list(differences(memory)) == []
    memory.close()


def test_a_reader_sees_batches_whole(url: str) -> None:
    """All items of a batch have the same number, at any moment."""
    memory = opened(url)
    memory.batch([PutOp(("whole",), f"k{place}", {"text": "walrus", "n": 0}) for place in range(9)])
    ended = threading.Event()

    def write() -> None:
        for number in range(1, 40):
            memory.batch(
                [
                    PutOp(("whole",), f"k{place}", {"text": "walrus", "n": number})
                    for place in range(9)
                ]
            )
        ended.set()

    writer = threading.Thread(target=write)
    writer.start()
    seen = []
    while not ended.is_set():
        for found in (
            memory.search(("whole",), limit=20),
            memory.find(("whole",), "walrus", limit=20),
        ):
            assert len(found) == 9
            numbers = {item.value["n"] for item in found}
            assert len(numbers) == 1, "Half of a batch was seen."
            seen.append(numbers.pop())
    writer.join()
    memory.close()
    assert seen[::2] == sorted(seen[::2])


def test_forked_after_use(tmp_path: Path, start: Any) -> None:
    worker = start(store_worker.use_after_fork, str(tmp_path / "memory.db"))
    assert worker.answer() == (0, 41)


async def test_a_lock_of_another_process_does_not_stop_the_loop(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    async with opened(str(path)) as memory:
        await memory.aput(("lock",), "first", {"text": "walrus"})
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        putting = asyncio.create_task(memory.aput(("lock",), "second", {"text": "walrus"}))
        # Readers do not wait for a writer, and the loop for neither.
        for _ in range(5):
            assert [item.key for item in await memory.asearch(("lock",))] == ["first"]
        assert not putting.done()
        other.execute("ROLLBACK")
        other.close()
        await putting
        assert len(await memory.asearch(("lock",), query="walrus")) == 2

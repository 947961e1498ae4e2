"""What the processes do that use one store at the same time, some of them until they are killed.

Started by a fork server, so that the package is imported once for all of them.
"""

from __future__ import annotations

import os
import random
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from typing import Any

from embedders import DIMS, WordEmbeddings
from langgraph.store.base import GetOp, Op, PutOp, SearchItem

from langgraph_memory import store as stores
from langgraph_memory.errors import VersionConflictError
from langgraph_memory.store import MemoryStore

SHARED = ("shared", "board")
WORDS = ("walrus", "penguin", "zeppelin", "saffron", "harbour", "violin", "automobile", "physician")
INDEX: dict[str, Any] = {"dims": DIMS, "embed": WordEmbeddings(), "fields": ["text"]}
BATCH = 20


def opened(url: str) -> MemoryStore:
    return stores.open(url, index=INDEX)


def sentence(rng: random.Random) -> str:
    return " ".join(rng.choices(WORDS, k=rng.randint(1, 5)))


class Writer:
    """One thread's work: puts, batches, deletions and searches, and what must be left of them."""

    def __init__(self, memory: MemoryStore, name: str, seed: str) -> None:
        self.memory = memory
        self.own = ("writers", name)
        self.rng = random.Random(seed)
        self.left: dict[str, Any] = {}
        self.counted = 0
        self.rounds = 0

    def round(self) -> None:
        """Some of everything, each result checked against what this thread has done."""
        self.rounds += 1
        key, value = f"k{self.rng.randrange(40)}", {"text": sentence(self.rng), "n": self.rounds}
        self.memory.put(self.own, key, value)
        self.left[key] = value
        item = self.memory.get(self.own, key)
        assert item is not None
        assert item.value == value

        puts: list[Op] = []
        for number in range(4):
            key, value = f"b{self.rng.randrange(20)}", {"text": sentence(self.rng), "n": number}
            puts.append(PutOp(self.own, key, value))
            self.left[key] = value
        puts.append(PutOp(SHARED, f"{self.own[1]}{self.rounds % 7}", {"text": sentence(self.rng)}))
        read = self.memory.batch([*puts, GetOp(self.own, key)])[-1]
        assert getattr(read, "value", None) == value

        if self.left and self.rng.random() < 0.5:
            key = self.rng.choice(sorted(self.left))
            self.memory.delete(self.own, key)
            del self.left[key]
            assert self.memory.get(self.own, key) is None

        word, mode = self.rng.choice(WORDS), self.rng.choice(("hybrid", "vector", "keyword"))
        found = self.memory.find(self.own, word, mode=mode, limit=100)  # type: ignore[arg-type]
        assert {hit.key for hit in found} <= set(self.left)
        missed = {key for key, value in self.left.items() if word in value["text"]}
        missed -= {hit.key for hit in found}
        assert not missed, f"{mode} search for {word!r} missed {missed} after {self.rounds} rounds"
        everywhere: list[SearchItem] = self.memory.search((), query=word, limit=5)
        assert len(everywhere) == 5 or self.rounds < 5
        self.count()

    def count(self) -> None:
        """Add one to the number that all threads of all processes count together."""
        while True:
            item = self.memory.get(SHARED, "counter")
            try:
                self.memory.put_if_version(
                    SHARED,
                    "counter",
                    {"n": item.value["n"] + 1 if item else 1},
                    version=item.updated_at if item else None,
                    index=False,
                )
            except VersionConflictError:
                continue
            self.counted += 1
            return


def work(url: str, name: str, threads: int, seconds: float, answer: Connection) -> None:
    """Let threads work on a store for some seconds; answer with what is left and what failed."""
    memory = opened(url)
    writers = [Writer(memory, f"{name}{number}", f"{name}{number}") for number in range(threads)]
    failures: list[str] = []
    deadline = time.monotonic() + seconds

    def run(writer: Writer) -> None:
        try:
            while writer.rounds < 3 or time.monotonic() < deadline:
                writer.round()
        except BaseException:
            failures.append(traceback.format_exc())

    running = [threading.Thread(target=run, args=(writer,)) for writer in writers]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    memory.close()
    answer.send(
        {
            "failures": failures,
            "left": {writer.own: writer.left for writer in writers},
            "counted": sum(writer.counted for writer in writers),
            "rounds": sum(writer.rounds for writer in writers),
        }
    )


def batch_of(number: int) -> list[Op]:
    """The batch with this number: new items, one changed by every batch, and one that goes."""
    rng = random.Random(number)
    new: list[Op] = [
        PutOp(("log", str(place % 3)), f"{number}:{place}", {"text": sentence(rng), "n": number})
        for place in range(BATCH)
    ]
    latest = PutOp(("log", "latest"), "latest", {"text": sentence(rng), "n": number})
    return [*new, latest, PutOp(("log", "0"), f"{number - 2}:0", None)]


def write_batches(url: str, first: int, answer: Connection) -> None:
    """Write batch after batch, and say so after each, until somebody ends this process."""
    memory = opened(url)
    number = first
    while True:
        memory.batch(batch_of(number))
        answer.send(number)
        number += 1


def set_up(url: str, name: str, go: Any, answer: Connection) -> None:
    """Set a new database up at the same time as others, and write to it."""
    try:
        answer.send("ready")
        go.wait(60)
        memory = opened(url)
        memory.setup()
        memory.put(("setup",), name, {"text": f"walrus {name}"})
        memory.close()
        answer.send("done")
    except BaseException:
        answer.send(traceback.format_exc())


def use_after_fork(url: str, answer: Connection) -> None:
    """Use a store on both sides of a fork, as servers do that load the application first."""
    memory = opened(url)
    memory.put(("fork",), "before", {"text": "walrus"})
    child = os.fork()
    if child == 0:
        code = 1
        try:
            for number in range(20):
                memory.put(("fork",), f"child{number}", {"text": "walrus"})
            found = memory.find(("fork",), "walrus", limit=100)
            code = 0 if len(found) >= 21 else 2
        finally:
            os._exit(code)
    for number in range(20):
        memory.put(("fork",), f"parent{number}", {"text": "walrus"})
    _, status = os.waitpid(child, 0)
    answer.send((os.waitstatus_to_exitcode(status), len(memory.search(("fork",), limit=100))))


def differences(memory: MemoryStore) -> Iterator[str]:
    """Where a store's vectors, postings and statistics are not those that its items make.

    Its items are put into an empty store, which must find the same with the same scores.
    """
    with opened(":memory:") as fresh:
        items = list(memory.scan(()))
        for item in sorted(items, key=lambda item: item.updated_at):
            fresh.put(
                item.namespace, item.key, item.value, index=None if "text" in item.value else False
            )
        mine, other = memory.stats(), fresh.stats()
        for name in ("items", "namespaces", "vectors", "postings"):
            if getattr(mine, name) != getattr(other, name):
                yield f"{name}: {getattr(mine, name)}, its items make {getattr(other, name)}"
        prefixes = sorted({item.namespace[:depth] for item in items for depth in range(3)})
        for prefix in prefixes:
            for word in WORDS[:4]:
                one, two = (_found(each, prefix, word) for each in (memory, fresh))
                if one.keys() != two.keys():
                    yield f"{word} in {prefix}: {sorted(one.keys() ^ two.keys())}"
                for place in one.keys() & two.keys():
                    if any(abs(a - b) > 1e-4 for a, b in zip(one[place], two[place], strict=True)):
                        yield f"{word} in {prefix}: {place} has {one[place]}, not {two[place]}"


def _found(
    memory: MemoryStore, prefix: tuple[str, ...], word: str
) -> dict[tuple[tuple[str, ...], str], tuple[float, float]]:
    found: dict[Any, tuple[float, float]] = {}
    for mode in ("vector", "keyword"):
        for hit in memory.find(prefix, word, mode=mode, limit=100_000):
            found[hit.namespace, hit.key] = (hit.similarity or 0.0, hit.keyword or 0.0)
    return found


Target = Callable[..., None]

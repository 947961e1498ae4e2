"""What our stores keep to: every method works wherever it is called from, and blocks no loop."""

from __future__ import annotations

import asyncio
import random
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from contract.stores import Opener
from embedders import DIMS, AsyncOnlyEmbeddings, WordEmbeddings, as_coroutine_function
from langgraph.store.base import Item, PutOp

NS = ("loops",)


def index(embed: Any) -> dict[str, Any]:
    return {"dims": DIMS, "embed": embed, "fields": ["text"]}


EMBEDDERS: dict[str, Any] = {
    "blocking": WordEmbeddings,
    "coroutine_function": lambda: as_coroutine_function(WordEmbeddings()),
    "awaitable_only": AsyncOnlyEmbeddings,
}


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_any_embedder_from_either_face(open_ours: Opener, embedder: str) -> None:
    store = open_ours(index=index(EMBEDDERS[embedder]()))
    store.put(NS, "car", {"text": "automobile"})
    store.put(NS, "other", {"text": "tomatoes"})
    assert store.found(NS, "vehicle", mode="vector", limit=1) == ["car"]
    assert store.keys(NS, query="vehicle", limit=1) == ["car"]


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_blocking_methods_inside_a_running_loop(open_ours: Opener, embedder: str) -> None:
    """As in a notebook cell, or in an async node that calls a library which is not."""
    memory = open_ours(index=index(EMBEDDERS[embedder]())).memory

    async def cell() -> None:
        memory.setup()
        memory.put(NS, "car", {"text": "automobile"})
        item = memory.get(NS, "car")
        assert item is not None
        memory.put_if_version(NS, "car", {"text": "automobiles"}, version=item.updated_at)
        assert [hit.key for hit in memory.search(NS, query="vehicle")] == ["car"]
        assert [hit.key for hit in memory.find(NS, "vehicle")] == ["car"]
        assert [found.key for found in memory.scan(())] == ["car"]
        assert memory.list_namespaces() == [NS]
        assert memory.touch(NS, ["car"]) == 0
        assert memory.sweep_ttl() == 0
        assert memory.stats().items == 1
        assert memory.reindex() == 1
        memory.delete(NS, "car")
        assert await memory.aget(NS, "car") is None

    asyncio.run(cell())


def test_both_faces_of_one_store(open_ours: Opener) -> None:
    memory = open_ours(index=index(WordEmbeddings())).memory
    memory.put(NS, "a", {"text": "automobile"})

    async def other() -> None:
        assert [hit.key for hit in await memory.asearch(NS, query="vehicle")] == ["a"]
        await memory.aput(NS, "b", {"text": "tomatoes"})

    asyncio.run(other())
    assert {item.key for item in memory.search(NS)} == {"a", "b"}


def test_one_loop_after_another(open_ours: Opener) -> None:
    """Nothing of the store belongs to the loop that it was first used in."""
    memory = open_ours(index=index(WordEmbeddings())).memory

    async def use(key: str) -> list[str]:
        await memory.aput(NS, key, {"text": "automobile"})
        return [hit.key for hit in await memory.asearch(NS, query="vehicle")]

    for place, key in enumerate("abc", 1):
        assert len(asyncio.run(use(key))) == place


def test_loops_in_many_threads_at_once(open_ours: Opener) -> None:
    memory = open_ours(index=index(WordEmbeddings())).memory
    failures: list[BaseException] = []

    async def use(name: str) -> None:
        for number in range(6):
            await memory.aput((*NS, name), str(number), {"text": f"automobile {number}"})
            await memory.asearch((*NS, name), query="vehicle")

    def run(name: str) -> None:
        try:
            asyncio.run(use(name))
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(f"t{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(memory.search(NS, limit=100)) == 24


@pytest.fixture
def eager_threads() -> Iterator[None]:
    """Threads that take turns a thousand times as often, so that what they share shows."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(5e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("eager_threads")
def test_threads_that_index_at_once_index_the_same(
    open_ours: Opener, request: pytest.FixtureRequest
) -> None:
    """Each word under its own stem, which nobody in this process has computed before."""
    memory = open_ours().memory
    rng = random.Random(request.node.name)
    sounds = [consonant + vowel for consonant in "bdfgklmnp" for vowel in "aou"]
    words = sorted({"".join(rng.choices(sounds, k=3)) + "rt" for _ in range(240)})

    def index_part(number: int) -> None:
        part = words[number::6]
        memory.batch([PutOp(NS, word, {"text": f"{word}ing {word}s {word}ed"}) for word in part])

    threads = [threading.Thread(target=index_part, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert memory.stats().postings == memory.stats().items == len(words)
    missed = [word for word in words if [hit.key for hit in memory.find(NS, word)] != [word]]
    assert missed == []


def test_many_at_once_in_one_loop(open_ours: Opener) -> None:
    memory = open_ours(index=index(WordEmbeddings())).memory

    async def together() -> None:
        await asyncio.gather(
            *(
                memory.aput(NS, f"k{number}", {"text": f"automobile {number}"})
                for number in range(80)
            )
        )
        items = await asyncio.gather(*(memory.aget(NS, f"k{number}") for number in range(80)))
        assert [item.value["text"] for item in items if isinstance(item, Item)] == [
            f"automobile {number}" for number in range(80)
        ]
        found = await asyncio.gather(
            *(memory.afind(NS, f"vehicle {number}", limit=3) for number in range(20))
        )
        assert [len(hits) for hits in found] == [3] * 20

        async def write_and_read(number: int) -> None:
            await memory.aput(NS, "one", {"text": str(number)})
            assert await memory.aget(NS, "one") is not None

        await asyncio.gather(*(write_and_read(number) for number in range(40)))
        assert len(await memory.asearch(NS, limit=1_000)) == 81

    asyncio.run(together())


def test_the_loop_goes_on_while_an_embedder_blocks(open_ours: Opener) -> None:
    released = threading.Event()

    def embed(texts: Sequence[str]) -> list[list[float]]:
        assert released.wait(60), "The loop stood still."
        return WordEmbeddings().embed_documents(list(texts))

    memory = open_ours(index=index(embed)).memory

    async def main() -> None:
        putting = asyncio.create_task(memory.aput(NS, "k", {"text": "automobile"}))
        searching = asyncio.create_task(memory.asearch(NS, query="vehicle"))
        for _ in range(20):
            await asyncio.sleep(0)
        released.set()
        await putting
        await searching

    asyncio.run(main())
    assert [item.key for item in memory.search(NS)] == ["k"]


def test_given_up_while_it_waits(open_ours: Opener) -> None:
    """A cancelled call leaves a store that works, and either all of a put or nothing."""
    begun, released = threading.Event(), threading.Event()

    def embed(texts: Sequence[str]) -> list[list[float]]:
        if "slow" in texts[0]:
            begun.set()
            assert released.wait(60)
        return WordEmbeddings().embed_documents(list(texts))

    memory = open_ours(index=index(embed)).memory

    async def main() -> None:
        task = asyncio.create_task(memory.aput(NS, "slow", {"text": "slow automobile"}))
        await asyncio.to_thread(begun.wait, 60)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        released.set()
        await memory.aput(NS, "next", {"text": "vehicle"})
        assert [hit.key for hit in await memory.afind(NS, "car", limit=1)] == ["next"]

    asyncio.run(main())
    items = {item.key for item in memory.search(NS)}
    assert items - {"slow"} == {"next"}
    assert memory.stats().vectors == len(items)


def test_opened_and_closed_in_a_loop(open_lasting: Opener) -> None:
    async def main() -> None:
        async with open_lasting(index=index(WordEmbeddings())).memory as memory:
            await memory.asetup()
            await memory.aput(NS, "k", {"text": "automobile"}, ttl=60)
            assert (await memory.astats()).items == 1
            assert await memory.asweep_ttl() == 0
            assert [item.key async for item in memory.ascan(())] == ["k"]
        await memory.aclose()

    asyncio.run(main())
    assert open_lasting(index=index(WordEmbeddings())).the(NS, "k").value["text"] == "automobile"

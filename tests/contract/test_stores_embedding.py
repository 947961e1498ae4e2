"""What our stores do with an embedder: its faults write nothing, and the database knows its own."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import pytest
from contract.stores import Driver, Opener
from embedders import (
    DIMS,
    FAULTS,
    FaultyEmbeddings,
    OtherEmbeddings,
    WordEmbeddings,
    as_coroutine_function,
    as_function,
)
from langgraph.store.base import PutOp

from langgraph_memory.errors import (
    EmbedderMismatchError,
    EmbeddingError,
    InvalidInputError,
    LangGraphMemoryError,
)

NS = ("user:5", "facts")


def index(embed: Any, **given: Any) -> dict[str, Any]:
    return {"dims": DIMS, "embed": embed, "fields": ["text"], **given}


class TestWhatIsEmbedded:
    def test_each_text_once(self, open_ours: Opener) -> None:
        embed = WordEmbeddings()
        store = open_ours(index=index(embed) | {"fields": ["text", "again", "list[*]"]})
        store.batch(
            [
                PutOp(NS, "a", {"text": "one", "again": "one", "list": ["one", "two", "two"]}),
                PutOp(NS, "b", {"text": "two"}),
                PutOp(("other",), "a", {"text": "one"}),
                PutOp(NS, "c", {"text": "three"}),
            ]
        )
        assert sorted(embed.texts) == ["one", "three", "two"]
        assert len(embed.calls) == 1
        assert set(store.found((), "one", mode="keyword")) == {"a"}
        assert len(store.found((), "one", mode="vector")) == 4

    def test_not_what_is_overwritten_in_the_same_batch(self, open_ours: Opener) -> None:
        embed = WordEmbeddings()
        store = open_ours(index=index(embed))
        store.batch([PutOp(NS, "a", {"text": "first"}), PutOp(NS, "a", {"text": "second"})])
        assert store.found(NS, "second", mode="vector", limit=1) == ["a"]
        assert store.find(NS, "first", mode="vector")[0].similarity == pytest.approx(0, abs=1e-6)

    @pytest.mark.parametrize("text", ["", "   ", "\n\t\u3000", None])
    def test_no_blank_text(self, open_ours: Opener, text: str | None) -> None:
        embed = WordEmbeddings()
        store = open_ours(index=index(embed))
        store.put(NS, "blank", {"text": text})
        store.put(NS, "none", {})
        assert embed.calls == []
        assert store.keys(NS) == ["none", "blank"]
        assert store.find(NS, "words", mode="vector") == []
        assert store.stats().vectors == 0

    @pytest.mark.parametrize("query", ["", "  ", "\u3000\n"])
    def test_no_blank_query(self, open_ours: Opener, query: str) -> None:
        embed = WordEmbeddings()
        store = open_ours(index=index(embed))
        store.put(NS, "a", {"text": "one"})
        assert store.keys(NS, query=query) == ["a"]
        assert embed.queries == []

    def test_nothing_for_what_is_not_indexed_or_not_asked(self, open_ours: Opener) -> None:
        embed = WordEmbeddings()
        store = open_ours(index=index(embed))
        store.put(NS, "a", {"text": "one"}, index=False)
        store.put(NS, "a", {"text": "one", "other": 3}, index=["other"])
        store.delete(NS, "a")
        store.get(NS, "a")
        store.search(NS)
        store.find(NS, "one", mode="keyword")
        store.list_namespaces()
        assert embed.texts == ["3"]
        assert embed.queries == []

    def test_a_query_once_a_batch(self, open_ours: Opener) -> None:
        from langgraph.store.base import SearchOp

        embed = WordEmbeddings()
        store = open_ours(index=index(embed))
        store.batch([SearchOp((label,), query="the same") for label in "abc"])
        assert embed.queries == ["the same"]

    def test_odd_characters_reach_no_tokenizer(self, open_ours: Opener) -> None:
        """Real ones raise UnicodeEncodeError for half a surrogate pair."""

        def strict(texts: Sequence[str]) -> list[list[float]]:
            for text in texts:
                text.encode()
            return WordEmbeddings().embed_documents(list(texts))

        store = open_ours(index=index(strict))
        store.put(NS, "a", {"text": "broken \ud83d emoji car"})
        assert store.found(NS, "vehicle \udc00", mode="vector", limit=1) == ["a"]
        assert store.the(NS, "a").value == {"text": "broken \ud83d emoji car"}

    @pytest.mark.parametrize("form", [as_function, as_coroutine_function])
    def test_by_a_function(self, open_ours: Opener, form: Any) -> None:
        store = open_ours(index=index(form(WordEmbeddings())))
        store.put(NS, "a", {"text": "automobile"})
        store.put(NS, "b", {"text": "tomatoes"})
        assert store.found(NS, "vehicle", mode="vector", limit=1) == ["a"]

    def test_vectors_of_numpy(self, open_ours: Opener) -> None:
        import numpy as np

        def embed(texts: Sequence[str]) -> Any:
            return np.array(WordEmbeddings().embed_documents(list(texts)), dtype=np.float32)

        store = open_ours(index=index(embed))
        store.batch([PutOp(NS, key, {"text": key}) for key in ("automobile", "tomatoes")])
        assert store.found(NS, "vehicle", mode="vector", limit=1) == ["automobile"]

    @pytest.mark.parametrize("size", [1e-30, 1e30, 1e300])
    def test_vectors_of_any_length(self, open_ours: Opener, size: float) -> None:
        def embed(texts: Sequence[str]) -> list[list[float]]:
            return [
                [number * size for number in vector]
                for vector in WordEmbeddings().embed_documents(list(texts))
            ]

        store = open_ours(index=index(embed))
        store.batch([PutOp(NS, key, {"text": key}) for key in ("automobile", "tomatoes")])
        hit = store.find(NS, "vehicle", mode="vector", limit=1)[0]
        assert hit.key == "automobile"
        assert hit.similarity == pytest.approx(1.0, abs=1e-5)

    @pytest.mark.parametrize("dims", [1, 2, 2_001, 3_072])
    def test_any_number_of_dimensions(self, open_ours: Opener, dims: int) -> None:
        """Beyond 2,000, where some index structures end, too."""
        store = open_ours(index=index(WordEmbeddings(dims), dims=dims))
        for again in range(2):
            store.put(NS, "a", {"text": "automobile"})
            store.put(NS, "b", {"text": f"tomatoes {again}"})
            hit = store.find(NS, "vehicle", mode="vector", limit=1)[0]
            assert abs(hit.similarity or 0) == pytest.approx(1.0, abs=1e-3)


class TestFaults:
    @pytest.mark.parametrize("fault", FAULTS)
    def test_nothing_of_the_batch_is_written(self, open_ours: Opener, fault: str) -> None:
        store = open_ours(index=index(FaultyEmbeddings(fault)))
        store.put(NS, "old", {"text": "an automobile"})
        error = ConnectionError if fault == "raises" else EmbeddingError
        with pytest.raises((error, EmbeddingError)):
            store.batch(
                [
                    PutOp(NS, "one", {"text": "fine"}),
                    PutOp(NS, "old", None),
                    PutOp(NS, "two", {"text": "a poison"}),
                    PutOp(("other",), "three", {"text": "fine too"}),
                ]
            )
        assert [item.key for item in store.scan(())] == ["old"]
        assert store.stats().vectors == store.stats().items == 1
        assert store.list_namespaces() == [NS]
        assert store.found(NS, "vehicle", mode="vector") == ["old"]
        assert store.found((), "fine", mode="keyword") == []
        store.put(NS, "one", {"text": "fine"})
        assert store.found(NS, "fine", mode="vector", limit=1) == ["one"]

    @pytest.mark.parametrize("fault", FAULTS)
    def test_an_item_keeps_its_value_and_its_place(self, open_ours: Opener, fault: str) -> None:
        store = open_ours(index=index(FaultyEmbeddings(fault)))
        store.put(NS, "k", {"text": "an automobile"})
        version = store.the(NS, "k").updated_at
        with pytest.raises((ConnectionError, EmbeddingError)):
            store.put(NS, "k", {"text": "poison"})
        with pytest.raises((ConnectionError, EmbeddingError)):
            store.put_if_version(NS, "k", {"text": "poison"}, version=version)
        assert store.the(NS, "k").value == {"text": "an automobile"}
        assert store.the(NS, "k").updated_at == version
        assert store.found(NS, "vehicle", mode="vector") == ["k"]

    @pytest.mark.parametrize("fault", sorted(set(FAULTS) - {"too_many"}))
    def test_of_a_query(self, open_ours: Opener, fault: str) -> None:
        store = open_ours(index=index(FaultyEmbeddings(fault)))
        store.put(NS, "k", {"text": "an automobile"})
        for mode in ("hybrid", "vector"):
            with pytest.raises((ConnectionError, EmbeddingError)):
                store.find(NS, "automobile poison", mode=mode)
        with pytest.raises((ConnectionError, EmbeddingError)):
            store.batch([PutOp(NS, "new", {"text": "x"}), *_search("poison")])
        assert store.get(NS, "new") is None
        assert store.found(NS, "automobile poison", mode="keyword") == ["k"]

    def test_says_what_and_where(self, open_ours: Opener) -> None:
        store = open_ours(index=index(FaultyEmbeddings("too_short"), name="words-v1"))
        with pytest.raises(EmbeddingError) as caught:
            store.put(NS, "k", {"text": "poison"})
        for part in ("words-v1", str(DIMS), str(DIMS - 1)):
            assert part in str(caught.value)
        assert isinstance(caught.value, LangGraphMemoryError)

    def test_what_is_no_list_of_vectors(self, open_ours: Opener) -> None:
        wrong: list[Any] = [None, 3, "vector", [[None] * DIMS], [["a"] * DIMS], [[[1.0]] * DIMS]]
        for vectors in [*wrong, [{}]]:
            store = open_ours(index=index(lambda texts, vectors=vectors: vectors, name="same"))
            with pytest.raises(EmbeddingError):
                store.put(NS, "k", {"text": "x"})
            assert store.get(NS, "k") is None

    @pytest.mark.parametrize(
        "given",
        [
            {"embed": WordEmbeddings()},
            {"dims": 3},
            {"dims": 0, "embed": WordEmbeddings()},
            {"dims": "3", "embed": WordEmbeddings()},
            {"dims": DIMS, "embed": WordEmbeddings(), "fields": "text"},
            {"dims": DIMS, "embed": WordEmbeddings(), "fields": [""]},
            {"dims": DIMS, "embed": WordEmbeddings(), "fields": [3]},
            "local",
        ],
    )
    def test_an_index_that_cannot_work(self, open_ours: Opener, given: Any) -> None:
        with pytest.raises(InvalidInputError, match="index"):
            open_ours(index=given)

    def test_no_transaction_is_open_meanwhile(self, open_ours: Opener) -> None:
        """Another writer of the namespace goes before one that waits for its embedder."""
        waiting, go_on = threading.Event(), threading.Event()

        def embed(texts: Sequence[str]) -> list[list[float]]:
            if any("slow" in text for text in texts):
                waiting.set()
                assert go_on.wait(60), "The other writer waited for this one."
            return WordEmbeddings().embed_documents(list(texts))

        store = open_ours(index=index(embed))
        store.put(NS, "first", {"text": "x"})
        slow = threading.Thread(target=store.memory.put, args=(NS, "slow", {"text": "slow"}))
        slow.start()
        try:
            assert waiting.wait(60)
            store.put(NS, "fast", {"text": "fast"})
            assert store.keys(NS) == ["fast", "first"]
        finally:
            go_on.set()
            slow.join()
        assert store.keys(NS) == ["slow", "fast", "first"]


def _search(query: str) -> list[Any]:
    from langgraph.store.base import SearchOp

    return [SearchOp(NS, query=query)]


def test_a_vector_that_is_not_a_number(open_store: Opener) -> None:
    """It would be nearer and farther than everything, and the result in no order."""
    store = open_store(index=index(FaultyEmbeddings("nan")))
    store.put(NS, "fine", {"text": "an automobile"})
    with pytest.raises(ValueError):
        store.put(NS, "k", {"text": "poison"})
    assert store.keys(NS, query="vehicle") == ["fine"]


DIFFERENT = {
    "name": lambda: index(WordEmbeddings(), name="another"),
    "class": lambda: index(OtherEmbeddings()),
    "dims": lambda: index(WordEmbeddings(64), dims=64),
    "fields": lambda: index(WordEmbeddings()) | {"fields": ["title"]},
}


class TestWhoIndexed:
    @pytest.fixture
    def indexed(self, open_lasting: Opener) -> Opener:
        """A database that somebody has indexed, with a few items."""
        store = open_lasting(index=index(WordEmbeddings()))
        store.put(NS, "car", {"text": "an automobile", "title": "zeppelin"})
        store.put(NS, "doctor", {"text": "a physician", "title": "walrus"})
        store.put(NS, "hidden", {"text": "a vehicle", "title": "a vehicle"}, index=False)
        store.put(NS, "own", {"text": "nothing", "title": "vessel"}, index=["title"])
        store.close()
        return open_lasting

    @pytest.mark.parametrize("what", DIFFERENT)
    def test_another_one_is_refused_by_name(self, indexed: Opener, what: str) -> None:
        store = indexed(index=DIFFERENT[what]())
        before = store.call
        for use in (
            lambda: store.search(NS, query="vehicle"),
            lambda: store.put(NS, "k", {"text": "x"}),
            lambda: store.get(NS, "car"),
            lambda: before("setup"),
        ):
            with pytest.raises(EmbedderMismatchError) as caught:
                use()
        said = str(caught.value)
        assert "reindex" in said
        first, second = {
            "name": ("WordEmbeddings", "another"),
            "class": ("WordEmbeddings", "OtherEmbeddings"),
            "dims": (str(DIMS), "64"),
            "fields": ("text", "title"),
        }[what]
        assert first in said
        assert second in said

    def test_the_same_is_welcome(self, indexed: Opener) -> None:
        store = indexed(index=index(WordEmbeddings()))
        assert store.found(NS, "vehicle", mode="vector", limit=1) == ["car"]

    def test_an_empty_database_takes_anyone(self, open_lasting: Opener) -> None:
        first = open_lasting(index=index(WordEmbeddings()))
        first.put(NS, "k", {"text": "x"})
        first.delete(NS, "k")
        first.close()
        second = open_lasting(index=index(OtherEmbeddings(64), dims=64))
        second.put(NS, "k", {"text": "automobile"})
        assert second.found(NS, "vehicle", mode="vector") == ["k"]

    def test_without_an_embedder_it_can_be_read(self, indexed: Opener) -> None:
        store = indexed()
        assert store.the(NS, "car").value["text"] == "an automobile"
        assert store.found(NS, "physician", mode="keyword") == ["doctor"]
        assert store.keys(NS, query="physician") == ["doctor"]
        store.delete(NS, "doctor")
        store.put(NS, "new", {"text": "x"}, index=False)
        with pytest.raises(EmbedderMismatchError):
            store.put(NS, "new", {"text": "words that nobody would find"})
        assert store.the(NS, "new").value == {"text": "x"}

    @pytest.mark.parametrize("what", DIFFERENT)
    def test_reindexing_mends_it(self, indexed: Opener, what: str) -> None:
        store = indexed(index=DIFFERENT[what]())
        told: list[tuple[int, int]] = []
        done = store.call(
            "reindex", progress=lambda made, of: told.append((made, of)), batch_size=2
        )
        assert done == 4
        assert told[-1] == (4, 4)
        assert told == sorted(told)
        found = store.found(NS, "vehicle", mode="vector")
        if what == "fields":
            assert store.found(NS, "zeppelin", mode="keyword") == ["car"]
            assert store.found(NS, "automobile", mode="keyword") == []
        else:
            assert found[0] == "car"
            assert store.found(NS, "automobile", mode="keyword") == ["car"]
        # What a put asked for still holds.
        assert "hidden" not in found
        assert store.found(NS, "vessel", mode="keyword") == ["own"]
        assert store.the(NS, "hidden").value["text"] == "a vehicle"
        store.put(NS, "new", {"text": "automobile cars", "title": "automobile cars"})
        assert store.found(NS, "vehicle", mode="vector", limit=1) == ["new"]
        store.close()
        again = indexed(index=DIFFERENT[what]())
        assert again.found(NS, "vehicle", mode="vector", limit=1) == ["new"]
        assert again.stats().items == 5
        with pytest.raises(EmbedderMismatchError):
            indexed(index=index(WordEmbeddings())).search(NS)

    def test_reindexing_changes_no_item(self, indexed: Opener) -> None:
        old = indexed(index=index(WordEmbeddings()))
        before = [(item.key, item.value, item.created_at, item.updated_at) for item in old.scan(NS)]
        store = indexed(index=DIFFERENT["class"]())
        store.call("reindex")
        after = [
            (item.key, item.value, item.created_at, item.updated_at) for item in store.scan(NS)
        ]
        assert before == after

    def test_reindexing_for_the_same_embedder(self, open_ours: Opener) -> None:
        embed = WordEmbeddings()
        store = open_ours(index=index(embed))
        store.put(NS, "k", {"text": "automobile"})
        assert store.call("reindex") == 1
        assert store.found(NS, "vehicle", mode="vector") == ["k"]
        assert store.stats().vectors == 1

    def test_reindexing_an_empty_store(self, open_ours: Opener) -> None:
        assert open_ours(index=index(WordEmbeddings())).call("reindex") == 0

    def test_from_words_only_to_vectors_and_back(self, open_lasting: Opener) -> None:
        plain = open_lasting(index={"fields": ["text"]})
        plain.put(NS, "k", {"text": "automobile"})
        plain.close()
        store = open_lasting(index=index(WordEmbeddings()))
        with pytest.raises(EmbedderMismatchError, match="keyword"):
            store.search(NS, query="vehicle")
        assert store.call("reindex") == 1
        assert store.found(NS, "vehicle", mode="vector") == ["k"]
        store.close()
        plain = open_lasting(index={"fields": ["text"]})
        plain.call("reindex")
        assert plain.found(NS, "automobile") == ["k"]
        assert plain.stats().vectors == 0


class TestReindexing:
    """Of 60 items, while others go on."""

    ITEMS = 60

    @pytest.fixture
    def opened(self, open_lasting: Opener) -> Opener:
        store = open_lasting(index=index(WordEmbeddings()))
        store.batch([PutOp(NS, f"k{n}", {"text": f"number {n}"}) for n in range(self.ITEMS)])
        store.put(NS, "car", {"text": "an automobile"})
        store.close()
        return open_lasting

    def test_goes_on_where_it_was_interrupted(self, opened: Opener) -> None:
        class Interruption(Exception):
            pass

        def interrupt(done: int, of: int) -> None:
            if done >= 30:
                raise Interruption

        first = WordEmbeddings(64)
        with pytest.raises(Interruption):
            opened(index=index(first, dims=64)).call("reindex", progress=interrupt, batch_size=10)
        assert len(first.texts) == 30
        # The index that is there still serves.
        old = opened(index=index(WordEmbeddings()))
        assert old.found(NS, "vehicle", mode="vector", limit=1) == ["car"]
        second = WordEmbeddings(64)
        store = opened(index=index(second, dims=64))
        with pytest.raises(EmbedderMismatchError):
            store.search(NS)
        assert store.call("reindex", batch_size=10) == self.ITEMS + 1 - 30
        assert set(first.texts).isdisjoint(second.texts)
        assert store.found(NS, "vehicle", mode="vector", limit=1) == ["car"]
        assert store.stats().vectors == self.ITEMS + 1
        assert len(store.found(NS, "number", mode="keyword", limit=100)) == self.ITEMS

    def test_one_begun_for_another_embedder_is_left(self, opened: Opener) -> None:
        broken = FaultyEmbeddings("raises")
        broken.dims = DIMS
        store = opened(index=index(broken))
        opened(index=index(WordEmbeddings())).put(NS, "k7", {"text": "poison"})
        with pytest.raises((ConnectionError, EmbeddingError)):
            store.call("reindex", batch_size=3)
        other = opened(index=index(WordEmbeddings(64), dims=64))
        assert other.call("reindex") == self.ITEMS + 1
        assert other.found(NS, "vehicle", mode="vector", limit=1) == ["car"]
        assert other.stats().vectors == self.ITEMS + 1

    def test_others_read_and_write_meanwhile(self, opened: Opener) -> None:
        old = opened(index=index(WordEmbeddings()))
        store = opened(index=index(WordEmbeddings(64), dims=64))
        seen: list[str] = []

        def meanwhile(done: int, of: int) -> None:
            memory = old.memory
            seen.extend(hit.key for hit in memory.find(NS, "vehicle", mode="vector", limit=1))
            if len(seen) == 2:
                memory.put(NS, "k1", {"text": "a physician"})
                memory.put(NS, "fresh", {"text": "glad"})
                memory.delete(NS, "k2")
                memory.put(NS, "k59", {"text": "changed"}, index=False)
                memory.put(NS, "elsewhere", {"text": "number"}, index=["nothing"])

        store.call("reindex", progress=meanwhile, batch_size=7)
        assert len(seen) > 3
        assert set(seen) == {"car"}
        assert store.found(NS, "医生", mode="vector", limit=1) == ["k1"]
        assert store.found(NS, "happy", mode="vector", limit=1) == ["fresh"]
        vectors = store.found(NS, "number", mode="vector", limit=100)
        words = store.found(NS, "number", mode="keyword", limit=100)
        for gone in ("k2", "k59", "elsewhere"):
            assert gone not in vectors
            assert gone not in words
        assert len(words) == self.ITEMS - 3
        assert store.stats().vectors == self.ITEMS + 1 - 2 + 1
        with pytest.raises(EmbedderMismatchError):
            old.find(NS, "vehicle")

    def test_two_at_once_end_with_one_whole_index(self, opened: Opener) -> None:
        stores = [opened(index=index(WordEmbeddings(64), dims=64)) for _ in range(2)]
        threads = [
            threading.Thread(target=store.memory.reindex, kwargs={"batch_size": 5})
            for store in stores
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for store in stores:
            assert store.found(NS, "vehicle", mode="vector", limit=1) == ["car"]
        assert stores[0].stats().vectors == self.ITEMS + 1
        assert len(stores[0].found(NS, "number", mode="keyword", limit=100)) == self.ITEMS

    @pytest.mark.parametrize("size", [0, -1])
    def test_what_is_no_batch(self, opened: Opener, size: int) -> None:
        store = opened(index=index(WordEmbeddings()))
        with pytest.raises(InvalidInputError, match="batch_size"):
            store.call("reindex", batch_size=size)


def test_nobody_pays_for_what_is_not_used(open_ours: Opener) -> None:
    """Opening, reading and deleting call no embedder."""
    embed = WordEmbeddings()
    store: Driver = open_ours(index=index(embed))
    store.get(NS, "k")
    store.delete(NS, "k")
    store.search(NS)
    assert (embed.calls, embed.queries) == ([], [])

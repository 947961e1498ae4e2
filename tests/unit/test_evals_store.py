from __future__ import annotations

import argparse
import io
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore

from langgraph_memory.errors import InvalidInputError
from langgraph_memory.evals.store import add_parser, run
from langgraph_memory.evals.store.corpus import Corpus
from langgraph_memory.evals.store.laps import Spread, Track, take_turns
from langgraph_memory.evals.store.measures import Measure, Results, Scale, recall, reference_of
from langgraph_memory.evals.store.report import print_results
from langgraph_memory.evals.store.serving import ServedVectors
from langgraph_memory.evals.stores import (
    CONTENDERS,
    Document,
    Place,
    StoreContender,
    choose,
    load_store,
    open_databases,
)

LOCAL = ("SQLiteMemoryStore", "InMemoryStore", "numpy brute force")


def options(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_parser(parser.add_subparsers(required=True))
    return parser.parse_args(["store", "--postgres", "none", "--dims", "16", *arguments])


def contender(name: str) -> StoreContender:
    [found] = [each for each in CONTENDERS if each.name == name]
    return found


def small(**changed: Any) -> Corpus:
    given: dict[str, Any] = {"dims": 16, "kind": "gaussian", "seed": 7} | changed
    return Corpus(4, 30, **given)


def in_memory(index: Mapping[str, Any], place: Place) -> BaseStore:
    """A store of the user's."""
    assert place.folder.is_dir()
    assert place.dsn is None
    return InMemoryStore(index=index)  # type: ignore[arg-type]


ENTERED: list[str] = []


@contextmanager
def in_a_context(index: Mapping[str, Any], place: Place) -> Iterator[BaseStore]:
    ENTERED.append("in")
    yield InMemoryStore(index=index)  # type: ignore[arg-type]
    ENTERED.append("out")


def no_store(index: Mapping[str, Any], place: Place) -> Any:
    return {}


def measure(
    store: str, operation: str = "warm", mode: str | None = "vector", **changed: Any
) -> Measure:
    given: dict[str, Any] = {
        "scale": Scale(10, 100),
        "store": store,
        "backend": "postgres" if "ostgres" in store else "sqlite",
        "operation": operation,
        "mode": mode,
        "p50": Spread(2.0, 1.0),
        "p95": Spread(4.0, 3.0),
        "calls": 10,
        "recall": 0.5,
        "returned": 9.0,
    }
    return Measure(**(given | changed))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    file = tmp_path_factory.mktemp("evals") / "store.json"
    status = run(
        options(
            *("--sizes", "500", "--few", "400", "--one", "60", "--repeats", "1"),
            *("--json", str(file), "--store", f"{__name__}:in_memory@memory"),
            *("--only", *LOCAL, "in_memory", "Postgres"),
        )
    )
    assert status == 0
    found: dict[str, Any] = json.loads(file.read_text())
    return found


class TestCommand:
    def test_every_store_is_measured_in_its_modes_on_every_scale(
        self, written: dict[str, Any]
    ) -> None:
        warm = {
            (each["store"], each["mode"], each["scale"]["spaces"])
            for each in written["milliseconds"]
            if each["operation"] == "warm"
        }
        modes = {
            "SQLiteMemoryStore": ("vector", "keyword", "hybrid"),
            "InMemoryStore": ("vector",),
            "numpy brute force": ("vector",),
            f"{__name__}:in_memory@memory": ("vector",),
        }
        assert warm == {
            (name, mode, spaces)
            for name, own in modes.items()
            for mode in own
            for spaces in (5, 20, 1)
        }

    def test_operations_that_belong_to_a_scale(self, written: dict[str, Any]) -> None:
        operations: dict[int, set[str]] = {}
        for each in written["milliseconds"]:
            operations.setdefault(each["scale"]["spaces"], set()).add(each["operation"])
        assert operations[5] == {
            *("warm", "random", "filtered", "get", "list"),
            *("put", "put again", "batch", "batch again"),
        }
        assert operations[20] == {"warm", "random"}
        assert operations[1] == {"first", "warm"}

    def test_exact_stores_find_the_nearest_and_say_how_many(self, written: dict[str, Any]) -> None:
        searches = [
            each
            for each in written["milliseconds"]
            if each["mode"] == "vector" and each["operation"] != "filtered"
        ]
        assert searches
        for each in searches:
            assert each["recall"] == 1.0, each
            assert each["returned"] == 10, each

    def test_only_vector_searches_have_a_recall(self, written: dict[str, Any]) -> None:
        for each in written["milliseconds"]:
            assert (each["recall"] is not None) == (each["mode"] == "vector")

    def test_times_and_their_ratio_to_the_reference(self, written: dict[str, Any]) -> None:
        for each in written["milliseconds"]:
            assert 0 < each["p50"]["least"] <= each["p50"]["median"]
            assert each["p50"]["median"] <= each["p95"]["median"]
            assert each["reference"] in ("InMemoryStore", "SqliteStore")
            if each["store"] == each["reference"]:
                assert each["ratio"] == 1

    def test_what_was_left_out_and_why(self, written: dict[str, Any]) -> None:
        assert set(written["left_out"]) == {"PostgresMemoryStore", "PostgresStore"}
        assert "--postgres" in written["left_out"]["PostgresStore"]

    def test_parts_can_be_left_out(self, capsys: pytest.CaptureFixture[str]) -> None:
        arguments = ("--sizes", "100", "--few", "0", "--one", "0", "--no-writes")
        run(options(*arguments, "--only", "numpy", "--repeats", "1", "--vectors", "clustered"))
        shown = capsys.readouterr().out
        assert "100 items, 1 namespaces of 100" in shown or "one namespace of 100" in shown
        assert "numpy brute force" in shown
        assert "write:" not in shown
        assert "SQLiteMemoryStore" not in shown.split("All times")[0]

    @pytest.mark.parametrize(
        ("arguments", "named"),
        [
            (("--repeats", "0"), "--repeats 0"),
            (("--dims", "1"), "--dims 1"),
            (("--sizes", "99"), "--sizes 99"),
            (("--few", "-1"), "--few -1"),
            (("--sizes", "--few", "0", "--one", "0"), "Nothing to measure"),
            (("--only", "nosuch"), "nosuch"),
            (("--store", "no.such:thing"), "no.such:thing"),
        ],
    )
    def test_what_cannot_be_measured_is_an_error(
        self, arguments: tuple[str, ...], named: str
    ) -> None:
        with pytest.raises(InvalidInputError, match=named):
            run(options(*arguments))


class TestCorpus:
    def test_the_same_seed_makes_the_same_corpus(self) -> None:
        one, two, other = small(), small(), small(seed=8)
        assert one.texts == two.texts
        assert np.array_equal(one.vectors, two.vectors)
        assert one.question(2).text == two.question(2).text
        assert one.texts != other.texts

    def test_every_item_once_and_with_a_vector_of_its_own(self) -> None:
        corpus = small()
        documents = list(corpus.documents())
        assert len({(each.namespace, each.key) for each in documents}) == len(corpus) == 120
        assert len({each.text for each in documents}) == 120
        vectors = np.array(corpus.embedder.embed_documents([each.text for each in documents]))
        assert len(np.unique(vectors, axis=0)) == 120
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1)

    def test_few_words_are_frequent_and_many_are_rare(self) -> None:
        counts: dict[str, int] = {}
        texts = Corpus(1, 2_000, dims=2, kind="gaussian", seed=1).texts
        for word in " ".join(texts).split():
            counts[word] = counts.get(word, 0) + 1
        ordered = sorted(counts.values(), reverse=True)
        assert sum(ordered[:20]) > 0.25 * sum(ordered)
        assert sum(count == 1 for count in ordered) > 0.25 * len(ordered)

    def test_texts_have_about_25_words(self) -> None:
        lengths = [len(text.split()) for text in small().texts]
        assert min(lengths) >= 18
        assert 24 < sum(lengths) / len(lengths) < 27

    @pytest.mark.parametrize(("kind", "near"), [("gaussian", False), ("clustered", True)])
    def test_clustered_vectors_have_near_neighbours(self, kind: str, near: bool) -> None:
        corpus = Corpus(1, 600, dims=128, kind=kind, seed=3)  # type: ignore[arg-type]
        similarity = corpus.vectors @ corpus.vectors.T
        np.fill_diagonal(similarity, -1)
        assert (float(np.median(similarity.max(axis=1))) > 0.5) == near

    def test_the_nearest_are_those_of_a_sort_by_hand(self) -> None:
        corpus = small()
        question = corpus.question(1, filtered=True)
        by_hand = sorted(
            (
                (float(corpus.vectors[30 + number] @ question.vector), f"m{number}")
                for number in range(30)
                if corpus.topics[30 + number] == question.topic
            ),
            reverse=True,
        )
        assert by_hand
        assert corpus.nearest(question) == [key for _, key in by_hand[:10]]
        assert len(corpus.nearest(corpus.question(1), limit=3)) == 3

    def test_new_texts_for_keys(self) -> None:
        corpus = small()
        documents = corpus.fresh(0, ["a", "b"])
        assert [each.key for each in documents] == ["a", "b"]
        assert not {each.text for each in documents} & set(corpus.texts)
        assert len(corpus.embedder.embed_documents([each.text for each in documents])) == 2

    def test_a_text_that_nobody_made_is_an_error(self) -> None:
        with pytest.raises(KeyError):
            small().embedder.embed_query("never seen")


class TestMeasuring:
    def test_the_median_and_the_best_of_rounds(self) -> None:
        assert Spread.of([5.0, 1.0, 3.0]) == Spread(median=3.0, least=1.0)

    def test_percentiles_are_of_a_round_and_then_over_rounds(self) -> None:
        track: Track[int] = Track(lambda _: None)
        track.rounds = [[1.0, 2.0, 3.0], [10.0, 20.0, 30.0], [2.0, 4.0, 6.0]]
        assert track.percentile(50) == Spread(median=4.0, least=2.0)
        assert track.calls == 9

    def test_stores_take_turns(self) -> None:
        order: list[str] = []

        def noting(name: str) -> Track[int]:
            return Track(lambda _: order.append(name))

        tracks = [noting(name) for name in "abc"]
        take_turns(tracks, [range(25)] * 3, ServedVectors())
        assert "".join(order) == "a" * 10 + "b" * 10 + "c" * 10 + "b" * 10 + "c" * 10 + (
            "a" * 10 + "c" * 5 + "a" * 5 + "b" * 5
        )
        order.clear()
        take_turns(tracks, [range(1)] * 3, ServedVectors(), number=1)
        assert order == ["b", "c", "a"]

    def test_embedding_is_not_counted(self) -> None:
        embedder = ServedVectors()

        def call(seconds: float) -> None:
            embedder.seconds += seconds

        track: Track[float] = Track(call)
        take_turns([track], [[3.0]], embedder)
        assert track.rounds[0][0] < -2_000

    def test_answers_are_judged_outside_the_time(self) -> None:
        seen: list[tuple[int, int]] = []
        track: Track[int] = Track(
            lambda number: number * 2, lambda number, answer: seen.append((number, answer))
        )
        take_turns([track], [[1, 2]], ServedVectors())
        assert seen == [(1, 2), (2, 4)]

    @pytest.mark.parametrize(
        ("found", "nearest", "share"),
        [
            (["a", "b"], ["a", "b"], 1.0),
            (["b", "x"], ["a", "b"], 0.5),
            ([], ["a"], 0.0),
            (["a"], ["a", "b", "c", "d"], 0.25),
            ([], [], 1.0),
        ],
    )
    def test_recall(self, found: list[str], nearest: list[str], share: float) -> None:
        assert recall(found, nearest) == share


class TestReport:
    def test_each_store_is_compared_with_langgraphs_of_its_kind(self) -> None:
        measures = [
            measure("PostgresMemoryStore", mode="hybrid"),
            measure("PostgresStore"),
            measure("PostgresStore", scale=Scale(20, 100)),
            measure("SQLiteMemoryStore"),
            measure("InMemoryStore", backend="memory"),
        ]
        assert reference_of(measures[0], measures) is measures[1]
        assert reference_of(measures[3], measures) is measures[4]
        assert reference_of(measures[3], measures[:4]) is None
        with_sqlite = [*measures, measure("SqliteStore")]
        assert [reference_of(each, with_sqlite) for each in with_sqlite[3:]] == [
            with_sqlite[-1]
        ] * 3

    def test_the_table_shows_times_ratio_recall_and_results(self) -> None:
        results = Results(
            [
                measure("PostgresMemoryStore", p50=Spread(0.5, 0.25), recall=1.0, returned=10.0),
                measure("PostgresStore"),
            ],
            left_out={"SqliteStore": "no extensions."},
        )
        out = io.StringIO()
        print_results(results, out)
        rows = [line.split() for line in out.getvalue().splitlines()]
        assert [
            "PostgresMemoryStore",
            "vector",
            "0.50",
            "0.25",
            "4.00",
            "0.25",
            "1.000",
            "10.0",
        ] in (rows)
        assert ["PostgresStore", "*", "vector", "2.00", "1.00", "4.00", "1.00", "0.500", "9.0"] in (
            rows
        )
        assert "SqliteStore left out: no extensions." in out.getvalue()

    def test_the_ratio_is_in_the_json(self) -> None:
        results = Results([measure("PostgresMemoryStore", p50=Spread(0.5, 0.25))])
        [alone] = results.as_json()["milliseconds"]
        assert alone["ratio"] is None
        results.measures.append(measure("PostgresStore"))
        assert results.as_json()["milliseconds"][0]["ratio"] == 0.25


@pytest.mark.parametrize("name", LOCAL)
class TestSessions:
    def test_what_is_put_is_found_read_and_listed(self, name: str, tmp_path: Path) -> None:
        corpus = small()
        index = {"dims": 16, "embed": corpus.embedder, "fields": ["text"]}
        with contender(name).open(Place(tmp_path), index) as session:
            session.load(list(corpus.documents()))
            question = corpus.question(2)
            found = session.search(corpus.namespace(2), question.text, mode="vector", limit=4)
            assert found == corpus.nearest(question, 4)
            narrowed = corpus.question(2, filtered=True)
            found = session.search(
                corpus.namespace(2), narrowed.text, mode="vector", topic=narrowed.topic
            )
            assert found == corpus.nearest(narrowed)
            assert session.get(corpus.namespace(2), "m3")
            assert not session.get(corpus.namespace(2), "never")
            assert len(set(session.list(corpus.namespace(2), 5))) == 5

    def test_a_put_replaces_what_was_there(self, name: str, tmp_path: Path) -> None:
        embedder = ServedVectors()
        embedder.add(
            ["north", "east", "south"],
            np.array([[0, 1], [1, 0], [0, -1]], dtype=np.float32),
        )
        index = {"dims": 2, "embed": embedder, "fields": ["text"]}
        with contender(name).open(Place(tmp_path), index) as session:
            session.put([Document(("a",), "k", "north"), Document(("a",), "other", "east")])
            session.put([Document(("a",), "k", "south")])
            assert session.search(("a",), "north", mode="vector") == ["other", "k"]
            assert session.search(("a",), "south", mode="vector") == ["k", "other"]


class TestStores:
    def test_a_lasting_store_is_there_when_opened_again(self, tmp_path: Path) -> None:
        corpus = small()
        index = {"dims": 16, "embed": corpus.embedder, "fields": ["text"]}
        ours = contender("SQLiteMemoryStore")
        with ours.open(Place(tmp_path), index) as session:
            session.put([corpus.document(0, 1)])
        with ours.open(Place(tmp_path), index) as session:
            assert session.get(corpus.namespace(0), "m1")

    def test_a_store_by_import_path(self, tmp_path: Path) -> None:
        corpus = small()
        index = {"dims": 16, "embed": corpus.embedder, "fields": ["text"]}
        ENTERED.clear()
        with load_store(f"{__name__}:in_a_context").open(Place(tmp_path), index) as session:
            session.put([corpus.document(0, 1)])
            assert session.get(corpus.namespace(0), "m1")
            assert ENTERED == ["in"]
        assert ENTERED == ["in", "out"]

    def test_a_store_that_keeps_nothing_must_say_so(self) -> None:
        arguments = ("--sizes", "200", "--few", "0", "--one", "0", "--repeats", "1")
        forgetful = f"{__name__}:in_memory"
        with pytest.raises(InvalidInputError, match="@memory"):
            run(options(*arguments, "--store", forgetful, "--only", forgetful))

    def test_a_store_that_needs_postgres_says_so(self) -> None:
        assert load_store(f"{__name__}:in_memory@postgres").backend == "postgres"
        assert load_store(f"{__name__}:in_memory").backend == "sqlite"

    @pytest.mark.parametrize(
        "path", ["nowhere", "no.such.module:x", f"{__name__}:nothing", f"{__name__}:LOCAL", "a:b@c"]
    )
    def test_what_cannot_be_loaded_is_an_error(self, path: str) -> None:
        with pytest.raises(InvalidInputError, match=path.partition(":")[0]):
            load_store(path)

    def test_what_is_no_store_is_an_error(self, tmp_path: Path) -> None:
        loaded = load_store(f"{__name__}:no_store")
        with (
            pytest.raises(InvalidInputError, match="no LangGraph BaseStore"),
            loaded.open(Place(tmp_path), {}),
        ):
            pass

    def test_what_is_not_installed_is_named_with_the_package_that_brings_it(self) -> None:
        absent = StoreContender(
            "x", "sqlite", contender("InMemoryStore").open, {"no_such_module": "some-package"}
        )
        assert "pip install 'some-package'" in (absent.missing() or "")
        assert contender("SQLiteMemoryStore").missing() is None

    def test_stores_are_chosen_by_part_of_their_name(self) -> None:
        assert [each.name for each in choose(CONTENDERS, ["INMEM"])] == ["InMemoryStore"]
        assert choose(CONTENDERS, []) == list(CONTENDERS)

    def test_no_server_where_none_is_asked_for(self) -> None:
        with open_databases("none") as databases:
            assert databases is None

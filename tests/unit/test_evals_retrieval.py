from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from langgraph.store.memory import InMemoryStore

from langgraph_memory.errors import InvalidInputError
from langgraph_memory.evals.retrieval import add_parser, run
from langgraph_memory.evals.retrieval.baselines import BASELINES
from langgraph_memory.evals.retrieval.conversations import load_sets
from langgraph_memory.evals.retrieval.measuring import measure
from langgraph_memory.evals.retrieval.scoring import MEASURES, Tally, score
from langgraph_memory.evals.retrieval.vectors import kept_vectors
from langgraph_memory.evals.stores import CONTENDERS

TURNS = {
    "t1": "The harbour is closed in winter.",
    "t2": "My sister keeps bees behind the school.",
    "t3": "We had soup again.",
    "t4": "The bees swarmed in June.",
    "t5": "我们五月去了青岛。",
}
QUESTIONS = [
    ("Who keeps bees?", "people", ["t2"]),
    ("When did the bees swarm?", "time", ["t4"]),
    ("什么时候去青岛？", "time", ["t5"]),
    ("What was never said?", "people", []),
]


def write(path: Path, lines: Sequence[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)


def write_set(folder: Path, names: Sequence[str] = ("a.b", "c")) -> None:
    turns = [{"turn_id": key, "speaker": "Ann", "text": text} for key, text in TURNS.items()]
    write(
        folder / "conversations.jsonl.gz",
        [{"conversation_id": name, "turns": turns} for name in (*names, "unasked")],
    )
    write(
        folder / "questions.jsonl.gz",
        [
            {
                "conversation_id": name,
                "question": text,
                "category": category,
                "evidence_turn_ids": evidence,
            }
            for name in names
            for text, category, evidence in QUESTIONS
        ],
    )


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    write_set(folder / "bees")
    write_set(folder / "more", ("d",))
    return folder


@pytest.fixture
def asked() -> Iterator[list[str]]:
    """What the embedder `letters_for_tests:embed`, which counts letters, was asked for."""
    texts: list[str] = []
    module: Any = ModuleType("letters_for_tests")

    def embed(given: list[str]) -> list[list[float]]:
        texts.extend(given)
        return [[1.0 + text.lower().count(letter) for letter in "abehisu"] for text in given]

    module.embed = embed
    module.store = lambda index, place: InMemoryStore(index=index)
    sys.modules["letters_for_tests"] = module
    yield texts
    del sys.modules["letters_for_tests"]


def command(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    add_parser(parser.add_subparsers())
    return run(parser.parse_args(["retrieval", *arguments]))


class TestScore:
    tokens = dict.fromkeys("abcdefgh", 300)

    def scored(self, found: str, evidence: str) -> dict[str, float]:
        return dict(zip(MEASURES, score(list(found), set(evidence), self.tokens), strict=True))

    def test_recall_is_the_share_of_the_evidence_found_so_far(self) -> None:
        measured = self.scored("abcdefgh", "bgz")
        assert measured["recall@5"] == pytest.approx(1 / 3)
        assert measured["recall@10"] == pytest.approx(2 / 3)

    def test_the_first_piece_of_evidence_sets_the_rank(self) -> None:
        assert self.scored("abcd", "cd")["MRR"] == pytest.approx(1 / 3)

    def test_only_what_fits_whole_is_read(self) -> None:
        measured = self.scored("abcdefgh", "bcd")
        assert measured["in 500 tokens"] == 0
        assert measured["in 1,000 tokens"] == pytest.approx(2 / 3)
        assert measured["in 2,000 tokens"] == 1

    def test_nothing_found(self) -> None:
        assert set(self.scored("", "a").values()) == {0.0}

    def test_the_mean_is_over_questions_not_over_categories(self) -> None:
        tally = Tally()
        for category, found in (("x", "a"), ("x", "a"), ("y", "b")):
            tally.add(category, score([found], {"a"}, self.tokens))
        assert tally.mean()["recall@5"] == pytest.approx(2 / 3)
        assert tally.mean("y")["recall@5"] == 0


class TestReading:
    def test_sets_of_a_folder(self, data: Path) -> None:
        bees, more = load_sets(data)
        assert (bees.name, more.name) == ("bees", "more")
        assert len(bees.conversations) == 2
        assert bees.conversations[0].turns["t3"] == "Ann: We had soup again."
        assert bees.questions == 6, "questions without evidence are left out"

    def test_one_set_and_a_limit(self, data: Path) -> None:
        [bees] = load_sets(data / "bees", limit=1)
        assert len(bees.conversations) == 1

    def test_questions_that_cannot_be_answered_are_left_out(self, tmp_path: Path) -> None:
        write_set(tmp_path / "set")
        line = {"conversation_id": "c", "question": "?", "evidence_turn_ids": ["t1"]}
        write(tmp_path / "set/questions.jsonl.gz", [line, {**line, "abstention": True}])
        assert load_sets(tmp_path)[0].questions == 1

    def test_a_name_that_is_not_there(self, data: Path) -> None:
        with pytest.raises(InvalidInputError, match=r"wasps.*bees, more"):
            load_sets(data, ["wasps"])

    def test_no_data(self, tmp_path: Path) -> None:
        with pytest.raises(InvalidInputError, match="none"):
            load_sets(tmp_path / "nowhere")

    @pytest.mark.parametrize("line", [{"conversation_id": "c"}, 3, "text"])
    def test_a_line_that_is_no_question(self, data: Path, line: Any) -> None:
        write(data / "bees" / "questions.jsonl.gz", [line])
        with pytest.raises(InvalidInputError, match="Line 1"):
            load_sets(data)


class TestVectors:
    def test_each_text_is_embedded_once(self, asked: list[str]) -> None:
        with kept_vectors("letters_for_tests:embed", None) as vectors:
            vectors.prepare(["bee", "sea", "bee"], lambda amount: None)
            first = vectors.embed_documents(["sea", "bee"])
            assert asked == ["bee", "sea"]
            assert first == [vectors.embed_documents([each])[0] for each in ("sea", "bee")]

    def test_they_are_kept_for_the_next_run(self, asked: list[str], tmp_path: Path) -> None:
        made = []
        for _ in range(2):
            with kept_vectors("letters_for_tests:embed", tmp_path / "kept") as vectors:
                made.append((vectors.embed_documents(["bee"]), vectors.embed_query("sea")))
        assert asked == ["bee", "sea"]
        assert made[0] == made[1]

    def test_lone_surrogates_never_reach_an_embedder(self, asked: list[str]) -> None:
        with kept_vectors("letters_for_tests:embed", None) as vectors:
            vectors.embed_documents(["a\ud800"])
        assert asked == ["a\ufffd"]

    def test_none_has_no_meaning(self) -> None:
        with kept_vectors("none", None) as vectors:
            assert not vectors.by_meaning
            assert vectors.embed_documents(["x", "y"]) == [[0.0]] * vectors.dims * 2


class TestMeasuring:
    @pytest.mark.parametrize("contender", BASELINES, ids=lambda each: each.name)
    def test_baselines_find_what_shares_words(
        self, contender: Any, data: Path, asked: list[str]
    ) -> None:
        with kept_vectors("letters_for_tests:embed", None) as vectors:
            [tally] = measure(contender, load_sets(data)[0], vectors, None).values()
        assert tally.mean()["recall@5"] == 1
        assert {name: len(rows) for name, rows in tally.scores.items()} == {"people": 2, "time": 4}

    def test_our_store_in_each_of_its_modes(self, data: Path, asked: list[str]) -> None:
        ours = next(each for each in CONTENDERS if each.name == "SQLiteMemoryStore")
        progress: list[int] = []
        with kept_vectors("letters_for_tests:embed", None) as vectors:
            found = measure(ours, load_sets(data)[0], vectors, None, progress.append)
        assert set(found) == {"vector", "keyword", "hybrid"}
        assert found["keyword"].mean()["MRR"] == 1
        assert progress == [1, 1]

    def test_without_an_embedder_only_keywords(self, data: Path) -> None:
        ours = next(each for each in CONTENDERS if each.name == "SQLiteMemoryStore")
        with kept_vectors("none", None) as vectors:
            assert set(measure(ours, load_sets(data)[0], vectors, None)) == {"keyword"}


class TestCommand:
    def test_tables_and_json(
        self, data: Path, asked: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        file = tmp_path / "out.json"
        status = command(
            *("--data", str(data), "--embedder", "letters_for_tests:embed"),
            *("--only", "sqlitememory", "plain", "letters", "--json", str(file)),
            *("--store", "letters_for_tests:store@memory"),
        )
        assert status == 0
        shown = capsys.readouterr().out
        assert "bees: 2 conversations, 10 turns, 6 questions" in shown
        assert "people (2)" in shown
        results = json.loads(file.read_text())["retrieval"]
        rows = results["bees"]["stores"]
        assert set(rows) == {
            "plain BM25",
            "SQLiteMemoryStore, vector",
            "SQLiteMemoryStore, keyword",
            "SQLiteMemoryStore, hybrid",
            "letters_for_tests:store@memory",
        }
        assert set(rows["plain BM25"]["all"]) == set(MEASURES)
        assert rows["plain BM25"]["categories"]["time"]["recall@10"] == 1
        assert rows["letters_for_tests:store@memory"]["all"] == pytest.approx(
            rows["SQLiteMemoryStore, vector"]["all"]
        )

    def test_without_vectors_stores_that_need_them_are_left_out(
        self, data: Path, asked: list[str], capsys: pytest.CaptureFixture[str]
    ) -> None:
        command("--data", str(data), "--embedder", "none", "--only", "plain", "inmemory")
        shown = capsys.readouterr().out
        assert "InMemoryStore: left out" in shown
        assert "plain BM25" in shown

    @pytest.mark.parametrize(
        ("arguments", "complaint"),
        [
            (["--limit", "0"], "--limit 0"),
            (["--sets", "wasps"], "wasps"),
            (["--only", "nothing like it"], "matches no store"),
            (["--embedder", "nowhere_at_all:x", "--only", "plain"], "nowhere_at_all"),
            (["--store", "nowhere_at_all:x"], "nowhere_at_all"),
        ],
    )
    def test_what_cannot_be_run(self, data: Path, arguments: list[str], complaint: str) -> None:
        with pytest.raises(InvalidInputError, match=complaint):
            command("--data", str(data), *arguments)

    def test_no_folder_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("LANGGRAPH_MEMORY_DATA", raising=False)
        with pytest.raises(InvalidInputError, match="LANGGRAPH_MEMORY_DATA"):
            command()

    def test_the_folder_may_be_named_by_the_environment(
        self, data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setenv("LANGGRAPH_MEMORY_DATA", str(data))
        command("--embedder", "none", "--only", "plain", "--sets", "more")
        assert "more: 1 conversations" in capsys.readouterr().out

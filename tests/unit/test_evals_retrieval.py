from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
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
from langgraph_memory.evals.retrieval.moments import moment_of
from langgraph_memory.evals.retrieval.recalling import RECALL
from langgraph_memory.evals.retrieval.replaced import MANNERS, REPLACED, replaced
from langgraph_memory.evals.retrieval.scoring import MEASURES, Tally, current_first, score
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

    def test_what_does_not_fit_makes_room_for_what_does(self) -> None:
        lengths = {"a": 400, "b": 700, "c": 90}
        measured = dict(zip(MEASURES, score("abc", {"b", "c"}, lengths), strict=True))
        assert measured["in 500 tokens"] == pytest.approx(1 / 2)
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
        assert bees.conversations[0].turns["t3"].text == "Ann: We had soup again."
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
        assert tally.mean()["MRR"] > 0.7, "five turns are found in any order"
        assert {name: len(rows) for name, rows in tally.scores.items()} == {"people": 2, "time": 4}

    def test_our_store_in_each_of_its_modes(self, data: Path, asked: list[str]) -> None:
        ours = next(each for each in CONTENDERS if each.name == "SQLiteMemoryStore")
        progress: list[int] = []
        with kept_vectors("letters_for_tests:embed", None) as vectors:
            found = measure(ours, load_sets(data)[0], vectors, None, progress.append)
        assert set(found) == {"vector", "keyword", "hybrid"}
        assert found["keyword"].mean()["MRR"] == 1
        assert progress == [1] * 6, "each question is a step"

    def test_without_an_embedder_only_keywords(self, data: Path) -> None:
        ours = next(each for each in CONTENDERS if each.name == "SQLiteMemoryStore")
        with kept_vectors("none", None) as vectors:
            assert set(measure(ours, load_sets(data)[0], vectors, None)) == {"keyword"}


class TestRecall:
    def test_it_finds_the_turn_beside_a_hit_and_the_time_of_a_question(
        self, tmp_path: Path, asked: list[str]
    ) -> None:
        talk = [
            ("q", "monday", "2025-03-03 09:00:00", "Ann", "Where did you leave the ladder?"),
            ("a", "monday", "2025-03-03 09:01:00", "Ben", "Behind our shed."),
            ("x", "friday", "2025-05-09 09:00:00", "Ben", "The ladder is wet."),
            ("y", "friday", "2025-05-09 09:02:00", "Ann", "It rained all night."),
        ]
        names = ("turn_id", "session_id", "timestamp", "speaker", "text")
        turns = [dict(zip(names, turn, strict=True)) for turn in talk]
        write(tmp_path / "set/conversations.jsonl.gz", [{"conversation_id": "c", "turns": turns}])
        ask = {"conversation_id": "c", "ask_time": "2025-06", "category": "place"}
        line = {**ask, "question": "Where was the ladder in March?", "evidence_turn_ids": ["a"]}
        write(tmp_path / "set/questions.jsonl.gz", [line])
        [data] = load_sets(tmp_path)
        with kept_vectors("none", None) as vectors:
            [recalled] = measure(RECALL, data, vectors, None).values()
            [words] = measure(BASELINES[0], data, vectors, None).values()
        assert recalled.mean()["MRR"] >= 1 / 2
        assert words.mean()["recall@20"] == 0

    def test_a_time_is_told_from_when_the_question_is_asked(self, tmp_path: Path) -> None:
        days = [("a", "2025-03-03"), ("b", "2025-03-04"), ("c", "2025-03-09")]
        turns = [{"turn_id": key, "timestamp": day, "text": "We ate soup."} for key, day in days]
        write(tmp_path / "set/conversations.jsonl.gz", [{"conversation_id": "c", "turns": turns}])
        line = {"conversation_id": "c", "question": "Who ate soup yesterday?"}
        asked = [("2025-03-05", ["b"]), ("2025-03-04T12:00:00", ["a"])]
        lines = [{**line, "question_date": at, "evidence_turn_ids": it} for at, it in asked]
        write(tmp_path / "set/questions.jsonl.gz", lines)
        with kept_vectors("none", None) as vectors:
            [tally] = measure(RECALL, load_sets(tmp_path)[0], vectors, None).values()
        assert tally.mean()["MRR"] == 1

    def test_its_vectors_are_used_where_they_mean_something(
        self, data: Path, asked: list[str]
    ) -> None:
        with kept_vectors("letters_for_tests:embed", None) as vectors:
            [tally] = measure(RECALL, load_sets(data)[0], vectors, None).values()
        assert tally.mean()["MRR"] == 1
        assert "Who keeps bees?" in asked


class TestMoments:
    @pytest.mark.parametrize(
        ("written", "expected"),
        [
            ("1:56 pm on 8 May, 2023", datetime(2023, 5, 8, 13, 56, tzinfo=UTC)),
            ("2023/05/20 (Sat) 01:20", datetime(2023, 5, 20, 1, 20, tzinfo=UTC)),
            ("2025-10-01 06:00:00", datetime(2025, 10, 1, 6, tzinfo=UTC)),
            ("2025-10-01T08:00:00+02:00", datetime(2025, 10, 1, 6, tzinfo=UTC)),
            ("2025-12", datetime(2025, 12, 31, 23, tzinfo=UTC)),
            ("2025-13", None),
            ("yesterday", None),
            ("", None),
            (None, None),
            (3, None),
        ],
    )
    def test_forms(self, written: Any, expected: datetime | None) -> None:
        assert moment_of(written, last=True) == expected


class TestReplaced:
    def test_what_is_replaced_was_said_before(self) -> None:
        for name in REPLACED:
            data = replaced(name)
            assert data.questions >= 72
            for conversation in data.conversations:
                for question in conversation.questions:
                    [new], [old] = question.evidence, question.superseded
                    was, then = (conversation.turns[turn].moment for turn in (old, new))
                    assert was is not None
                    assert then is not None
                    assert was < then
                    assert question.asked is not None
                    assert then < question.asked
                    assert conversation.turns[old].text != conversation.turns[new].text

    def test_every_topic_is_replaced_in_every_manner(self) -> None:
        manners: dict[str, set[str]] = {}
        for conversation in replaced("replaced-en").conversations:
            for question in conversation.questions:
                manners.setdefault(question.text, set()).add(question.category)
        assert {len(each) for each in manners.values()} == {len(MANNERS)}

    @pytest.mark.parametrize(
        ("found", "expected"), [("nxo", True), ("xn", True), ("on", False), ("x", False)]
    )
    def test_the_current_statement_must_be_found_and_come_first(
        self, found: str, expected: bool
    ) -> None:
        assert current_first(list(found), {"n"}, {"o"}) is expected

    def test_where_nothing_was_replaced_there_is_nothing_to_tell(self) -> None:
        assert current_first(["n"], {"n"}, set()) is None

    def test_recall_puts_what_is_said_anew_in_the_same_words_first(self) -> None:
        with kept_vectors("none", None) as vectors:
            for name in REPLACED:
                [tally] = measure(RECALL, replaced(name, 1), vectors, None).values()
                assert tally.current_first("same words") == 1
                assert tally.current_first() == pytest.approx(
                    sum(map(sum, tally.current.values())) / replaced(name, 1).questions
                )


class TestCommand:
    def test_quick_takes_a_few_questions_and_needs_no_data_for_what_is_made(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.delenv("LANGGRAPH_MEMORY_DATA", raising=False)
        file = tmp_path / "out.json"
        sets = ("--quick", "--sets", "replaced-zh", "--only", "recall", "plain")
        assert command(*sets, "--embedder", "none", "--json", str(file)) == 0
        assert "replaced-zh: current first by category" in capsys.readouterr().out
        results = json.loads(file.read_text())["retrieval"]["replaced-zh"]
        assert results["conversations"] == 1
        assert results["questions"] <= 20
        assert results["stores"]["Recall, keyword"]["all"]["current first"] > 0

    def test_tables_and_json(
        self, data: Path, asked: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        file = tmp_path / "out.json"
        status = command(
            *("--data", str(data), "--embedder", "letters_for_tests:embed"),
            *("--sets", "bees", "--json", str(file)),
            *("--only", "recall", "sqlitememory", "plain", "letters"),
            *("--store", "letters_for_tests:store@memory"),
        )
        assert status == 0
        shown = capsys.readouterr().out
        assert "bees: 2 conversations, 10 turns, 6 questions" in shown
        assert "people (2)" in shown
        results = json.loads(file.read_text())["retrieval"]
        rows = results["bees"]["stores"]
        assert set(rows) == {
            "Recall",
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
        only = ("--only", "plain", "inmemory", "--sets", "more")
        command("--data", str(data), "--embedder", "none", *only)
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

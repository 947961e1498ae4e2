"""`langgraph-memory threads …`, as typed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import interrupt
from typer.testing import CliRunner

from langgraph_memory.checkpoints import open_checkpointer
from langgraph_memory.cli.threads import threads_app
from langgraph_memory.errors import LangGraphMemoryError
from langgraph_memory.messages import text_of


def say(state: MessagesState) -> Any:
    asked = text_of(state["messages"][-1])
    if asked == "book":
        interrupt("sure?")
    return {"messages": [AIMessage(f"re {asked}")]}


def graph(saver: Any) -> Any:
    builder = StateGraph(MessagesState)
    builder.add_node("say", say)
    builder.add_edge(START, "say")
    return builder.compile(checkpointer=saver)


@pytest.fixture
def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    with open_checkpointer("threads.db") as saver:
        for name in ("ann", "[bold]ben"):
            for turn in range(5):
                given = {"messages": [HumanMessage(f"[red]boat[/red] {turn}")]}
                graph(saver).invoke(given, {"configurable": {"thread_id": name}})
    return "threads.db"


def waiting(db: str) -> None:
    with open_checkpointer(db) as saver:
        graph(saver).invoke(
            {"messages": [HumanMessage("book")]}, {"configurable": {"thread_id": "ann"}}
        )


def count(db: str, name: str = "ann") -> int:
    with open_checkpointer(db) as saver:
        state = graph(saver).get_state({"configurable": {"thread_id": name}})
    return len(state.values.get("messages", []))


def run(*words: str, expect: int = 0, answer: str | None = None) -> str:
    result = CliRunner().invoke(threads_app, words, env={"COLUMNS": "200"}, input=answer)
    assert result.exit_code == expect, (result.output, result.exception)
    return result.output


def test_list(db: str) -> None:
    waiting(db)
    lines = run("list", "--db", db).splitlines()
    assert lines[1].startswith("ann")
    assert "11" in lines[1]
    assert "interrupt" in lines[1]
    assert lines[2].startswith("[bold]ben")
    assert "idle" in lines[2]
    assert "1 more" in run("list", "--db", db, "--limit", "1")


def test_show(db: str) -> None:
    shown = run("show", "ann", "--db", db)
    assert "user: [red]boat[/red] 3\nassistant: re [red]boat[/red] 3" in shown
    assert "10 messages" in shown


def test_trim_and_undo(db: str) -> None:
    dry = run("trim", "ann", "--db", db, "--keep", "4", "--dry-run")
    assert "6 messages would be removed" in dry
    assert count(db) == 10
    assert not Path("threads-archive.jsonl").exists()
    assert "archived as" in run("trim", "ann", "--db", db, "--keep", "4")
    assert count(db) == 4
    assert count(db, "[bold]ben") == 10
    assert "6 messages are back" in run("undo", "ann", "--db", db)
    assert count(db) == 10


@pytest.mark.parametrize("by", ["ends", "summarize"])
def test_other_ways(db: str, by: str) -> None:
    options = ["--by", by, "--keep", "2", "--keep-first", "2", "--model", "offline"]
    run("trim", "ann", "--db", db, "--archive", "mine.jsonl", *options)
    assert count(db) == (4 if by == "ends" else 3)
    assert Path("mine.jsonl").exists()


def test_all_that_are_old_enough(db: str) -> None:
    waiting(db)
    assert "0 of 0 threads" in run("trim", "--db", db, "--older-than", "30")
    shown = run("trim", "--db", db, "--older-than", "0", "--keep", "2")
    assert "8 messages removed from 1 of 2 threads; 1 threads left as they are." in shown
    assert "interrupt" in shown
    assert (count(db), count(db, "[bold]ben")) == (11, 2)


def test_delete(db: str) -> None:
    assert "Would delete" in run("delete", "ann", "--db", db, "--dry-run")
    run("delete", "ann", "--db", db, expect=1, answer="n\n")
    assert count(db) == 10
    run("delete", "ann", "--db", db, "--yes", "--archive", "gone.jsonl")
    assert count(db) == 0
    assert count(db, "[bold]ben") == 10
    assert "boat" in Path("gone.jsonl").read_text()


def test_delete_says_what_is_left_in_the_archive_and_erases_it(db: str) -> None:
    for name in ("ann", "[bold]ben"):
        run("trim", name, "--db", db, "--keep", "2")
    archive = Path("threads-archive.jsonl")
    assert f"still in {archive}" in run("delete", "ann", "--db", db, "--yes")
    assert "1 archived changes of 'ann' erased" in run(
        "delete", "ann", "--db", db, "--erase", str(archive)
    )
    assert "erased" in run("delete", "[bold]ben", "--db", db, "--yes", "--erase", str(archive))
    assert "boat" not in archive.read_text()


@pytest.mark.parametrize(
    "words",
    [
        ("list", "--db", "nowhere.db"),
        ("trim",),
        ("trim", "ann", "--older-than", "3"),
        ("undo", "ann"),
    ],
)
def test_what_cannot_be_done_is_said(db: str, words: tuple[str, ...]) -> None:
    given = words if "--db" in words else (*words, "--db", db)
    assert "Error" in run(*given, expect=2)
    assert not Path("nowhere.db").exists()


def test_the_file_of_another_application_is_left_alone(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "bees.db")) as connection:
        connection.execute("CREATE TABLE hives (name TEXT)")
    before = (tmp_path / "bees.db").read_bytes()
    for words in (("list",), ("prune",), ("trim", "--older-than", "0")):
        assert "there are no threads" in run(*words, "--db", str(tmp_path / "bees.db"), expect=2)
    assert (tmp_path / "bees.db").read_bytes() == before


def test_prune_makes_the_file_smaller_and_keeps_the_messages(db: str) -> None:
    would = run("prune", "ann", "--db", db, "--keep-last", "2", "--dry-run")
    assert "13 checkpoints would go, 2 stay (1 threads)" in would
    size = Path(db).stat().st_size
    assert "13 checkpoints removed, 2 stay (1 threads;" in run(
        "prune", "ann", "--db", db, "--keep-last", "2"
    )
    assert Path(db).stat().st_size < size
    assert (count(db), count(db, "[bold]ben")) == (10, 10)
    assert "2 threads" in run("prune", "--db", db)


def test_prune_names_a_thread_that_is_not_there(db: str) -> None:
    result = CliRunner().invoke(threads_app, ["prune", "nobody", "--db", db])
    assert isinstance(result.exception, LangGraphMemoryError)
    assert "nobody" in str(result.exception)

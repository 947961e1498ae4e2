"""Old checkpoints go; whatever can be done from the kept ones can still be done."""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.channels.delta import DeltaChannel
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, interrupt

from langgraph_memory.checkpoints import (
    async_sqlite_saver,
    open_checkpointer,
    prune_checkpoints,
)
from langgraph_memory.checkpoints.tables import tables_of
from langgraph_memory.errors import InvalidInputError

Saver = BaseCheckpointSaver[Any]


@pytest.fixture(params=["sqlite", "postgres"])
def saver(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Saver]:
    if request.param == "sqlite":
        url = str(tmp_path / "threads.db")
    else:
        url = request.getfixturevalue("postgres_empty")
    with open_checkpointer(url) as opened:
        yield opened


def on(thread: str = "t") -> RunnableConfig:
    return {"configurable": {"thread_id": thread}}


class Log(TypedDict):
    lines: Annotated[list[str], operator.add]
    fixed: str


class Delta(TypedDict):
    lines: Annotated[
        list[str], DeltaChannel(lambda old, new: [*old, *chain(*new)], snapshot_frequency=4)
    ]
    other: Annotated[
        list[str], DeltaChannel(lambda old, new: [*old, *chain(*new)], snapshot_frequency=7)
    ]


def echo(saver: Any, state: Any = Log) -> Any:
    """Answers each line, and asks a person about those that begin with a question mark."""

    def answer(given: Any) -> dict[str, Any]:
        last = given["lines"][-1]
        said = interrupt(last) if last.startswith("?") else f"re {last}"
        return {"lines": [said]}

    return StateGraph(state).add_node(answer).add_edge(START, "answer").compile(checkpointer=saver)


def states(graph: Any, thread: str = "t") -> dict[str, Any]:
    """All that can be seen of a thread's past, by checkpoint."""
    return {
        each.config["configurable"]["checkpoint_id"]: (each.values, each.next, each.interrupts)
        for each in graph.get_state_history(on(thread))
    }


def talk(graph: Any, turns: int, thread: str = "t") -> None:
    for turn in range(turns):
        graph.invoke({"lines": [str(turn)]}, on(thread))


class TestPlain:
    def test_the_newest_stay_as_they_were(self, saver: Saver) -> None:
        graph = echo(saver)
        graph.invoke({"lines": ["begin"], "fixed": "never changed again"}, on())
        talk(graph, 9)
        before = states(graph)
        report = prune_checkpoints(saver, "t", keep_last=5)
        after = states(graph)
        assert after == {key: before[key] for key in list(before)[:5]}
        assert (report.kept, report.removed) == (5, 25)
        assert [each.thread_id for each in report.threads] == ["t"]
        assert all(state[0]["fixed"] == "never changed again" for state in after.values())
        # The oldest of them is a beginning: it does not point to what is gone.
        assert [*graph.get_state_history(on())][-1].parent_config is None
        talk(graph, 2)
        assert len(graph.get_state(on()).values["lines"]) == 24

    def test_no_more_than_there_is(self, saver: Saver) -> None:
        graph = echo(saver)
        talk(graph, 2)
        before = states(graph)
        assert prune_checkpoints(saver, "t", keep_last=6).removed == 0
        assert prune_checkpoints(saver, "nobody", keep_last=1).removed == 0
        assert states(graph) == before

    def test_each_thread_by_itself(self, saver: Saver) -> None:
        graph = echo(saver)
        talk(graph, 3, "a")
        talk(graph, 5, "b")
        talk(graph, 1, "c")
        kept = states(graph, "b")
        prune_checkpoints(saver, "a", keep_last=2)
        assert [len(states(graph, each)) for each in "abc"] == [2, 15, 3]
        assert states(graph, "b") == kept
        report = prune_checkpoints(saver, keep_last=3)
        assert {each.thread_id: each.removed for each in report.threads} == {
            "a": 0,
            "b": 12,
            "c": 0,
        }

    def test_dry_run(self, saver: Saver) -> None:
        graph = echo(saver)
        talk(graph, 5)
        before = states(graph)
        planned = prune_checkpoints(saver, "t", keep_last=2, dry_run=True)
        assert planned.dry_run
        assert planned.bytes_after == planned.bytes_before
        assert states(graph) == before
        done = prune_checkpoints(saver, "t", keep_last=2)
        assert done.threads == planned.threads
        assert done.removed == 13

    @pytest.mark.parametrize("wrong", [0, -1, True, 1.5])
    def test_how_many(self, saver: Saver, wrong: Any) -> None:
        with pytest.raises(InvalidInputError, match="keep_last"):
            prune_checkpoints(saver, keep_last=wrong)


async def test_other_checkpointers(tmp_path: Path) -> None:
    async with async_sqlite_saver(tmp_path / "threads.db") as asynchronous:
        for each in (InMemorySaver(), asynchronous):
            with pytest.raises(InvalidInputError, match="open_checkpointer"):
                prune_checkpoints(each, keep_last=1)


class TestInterrupts:
    def test_the_pending_one_is_answered_afterwards(self, saver: Saver) -> None:
        graph = echo(saver)
        talk(graph, 4)
        graph.invoke({"lines": ["?really"]}, on())
        prune_checkpoints(saver, "t", keep_last=1)
        state = graph.get_state(on())
        assert [each.value for each in state.interrupts] == ["?really"]
        graph.invoke(Command(resume="yes"), on())
        assert graph.get_state(on()).values["lines"][-2:] == ["?really", "yes"]

    def test_on_a_branch_that_was_left(self, saver: Saver) -> None:
        graph = echo(saver)
        talk(graph, 2)
        earlier = graph.get_state(on()).config
        graph.invoke({"lines": ["?really"]}, on())
        asked = graph.get_state(on()).config
        graph.invoke({"lines": ["something else"]}, earlier)
        talk(graph, 4)
        prune_checkpoints(saver, "t", keep_last=2)
        assert len(states(graph)) == 3
        graph.invoke(Command(resume="yes"), asked)
        assert graph.get_state(on()).values["lines"][-2:] == ["?really", "yes"]


class TestForks:
    def test_kept_branches_are_whole(self, saver: Saver) -> None:
        graph = echo(saver)
        talk(graph, 3)
        past = [*graph.get_state_history(on())][4].config
        fork = graph.update_state(past, {"lines": ["instead"]})
        graph.invoke(None, fork)
        before = states(graph)
        prune_checkpoints(saver, "t", keep_last=4)
        after = states(graph)
        assert after.items() <= before.items()
        assert fork["configurable"]["checkpoint_id"] in after
        # What the fork branched off from stays with it.
        assert past["configurable"]["checkpoint_id"] in after
        values = graph.invoke({"lines": ["more"]}, fork)["lines"]
        assert values[-2:] == ["more", "re more"]

    def test_the_same_values_under_a_copy(self, saver: Saver) -> None:
        """A copied checkpoint shares all its values with the one that is removed."""
        graph = echo(saver)
        talk(graph, 3)
        copied = graph.update_state(graph.get_state(on()).config, None, as_node="__copy__")
        values = graph.get_state(copied).values
        prune_checkpoints(saver, "t", keep_last=1)
        assert graph.get_state(on()).values == values
        assert len(values["lines"]) == 6


class TestDifferences:
    """Channels of which a checkpoint stores nothing, or at times a snapshot."""

    @pytest.mark.parametrize("keep_last", [1, 2, 5])
    def test_are_put_together_as_before(self, saver: Saver, keep_last: int) -> None:
        graph = echo(saver, Delta)
        for turn in range(12):
            graph.invoke({"lines": [str(turn)], "other": [str(-turn)] if turn % 3 else []}, on())
            before = states(graph)
            report = prune_checkpoints(saver, "t", keep_last=keep_last)
            after = states(graph)
            newest = list(before)[:keep_last]
            assert {key: after[key] for key in newest} == {key: before[key] for key in newest}
            assert len(after) == report.kept
        state = graph.get_state(on()).values
        assert state["lines"] == [line for i in range(12) for line in (str(i), f"re {i}")]
        assert state["other"] == [str(-i) for i in range(12) if i % 3]
        # Not more than back to the last snapshots.
        assert report.kept <= keep_last + 3 * 7 * 2

    def test_without_any_snapshot(self, saver: Saver) -> None:
        graph = echo(saver, Delta)
        graph.invoke({"lines": ["only"]}, on())
        assert prune_checkpoints(saver, "t", keep_last=1).threads[0].links == 2
        assert graph.get_state(on()).values["lines"] == ["only", "re only"]

    def test_that_were_stored_whole_before(self, saver: Saver) -> None:
        """A graph whose channel was an ordinary one: its last whole value is what is built on."""
        talk(echo(saver), 5)
        graph = echo(saver, Delta)
        graph.invoke({"lines": ["after"]}, on())
        before = graph.get_state(on()).values
        assert len(before["lines"]) == 12
        assert prune_checkpoints(saver, "t", keep_last=1).threads[0].links <= 3
        assert graph.get_state(on()).values == before

    def test_branches(self, saver: Saver) -> None:
        graph = echo(saver, Delta)
        talk(graph, 6)
        past = [*graph.get_state_history(on())][5].config
        graph.invoke({"lines": ["instead"]}, past)
        before = states(graph)
        prune_checkpoints(saver, "t", keep_last=5)
        after = states(graph)
        newest = list(before)[:5]
        assert {key: after[key] for key in newest} == {key: before[key] for key in newest}


def nested(saver: Any, *, remembers: bool) -> Any:
    """A graph whose subgraph takes two steps, and asks a person between them where it should."""

    def count(state: Log) -> dict[str, Any]:
        return {"lines": [f"inner {len(state['lines'])}"]}

    def ask(state: Log) -> dict[str, Any]:
        asked = state["fixed"].startswith("?")
        return {"lines": [interrupt(state["fixed"])] if asked else ["not asked"]}

    inner = StateGraph(Log).add_node(count).add_node(ask)
    inner.add_edge(START, "count").add_edge("count", "ask")
    outer = StateGraph(Log).add_node("sub", inner.compile(checkpointer=remembers or None))
    return outer.add_edge(START, "sub").compile(checkpointer=saver)


class TestSubgraphs:
    @pytest.mark.parametrize("remembers", [False, True])
    def test_the_pending_call_goes_on(self, saver: Saver, remembers: bool) -> None:
        graph = nested(saver, remembers=remembers)
        for turn in range(4):
            graph.invoke({"lines": [str(turn)], "fixed": "no question"}, on())
        graph.invoke({"lines": ["x"], "fixed": "?"}, on())
        expected = nested_state(graph)
        report = prune_checkpoints(saver, "t", keep_last=1)
        assert report.removed > 0
        assert nested_state(graph) == expected
        graph.invoke(Command(resume="yes"), on())
        assert graph.get_state(on()).values["lines"][-1] == "yes"

    def test_finished_calls_go_with_what_called_them(self, saver: Saver) -> None:
        graph = nested(saver, remembers=False)
        for turn in range(5):
            graph.invoke({"lines": [str(turn)], "fixed": "no question"}, on())
        assert len(namespaces(saver)) == 6
        prune_checkpoints(saver, "t", keep_last=3)
        assert len(namespaces(saver)) == 2
        prune_checkpoints(saver, "t", keep_last=1)
        assert namespaces(saver) == {""}

    @pytest.mark.parametrize("remembers", [False, True])
    @pytest.mark.parametrize("keep_last", [2, 5])
    def test_replays_of_what_is_kept(self, saver: Saver, remembers: bool, keep_last: int) -> None:
        """The subgraph begins from the state that it had then."""
        graph = nested(saver, remembers=remembers)
        for turn in range(5):
            graph.invoke({"lines": [str(turn)], "fixed": "no question"}, on())
        saver.copy_thread("t", "whole")
        prune_checkpoints(saver, "t", keep_last=keep_last)
        replayed = 0
        for each in list(graph.get_state_history(on()))[:keep_last]:
            if not each.next:
                continue
            id = each.config["configurable"]["checkpoint_id"]
            results = [
                graph.invoke(None, {"configurable": {"thread_id": thread, "checkpoint_id": id}})
                for thread in ("t", "whole")
            ]
            assert results[0] == results[1]
            replayed += 1
        assert replayed

    def test_forks_of_what_is_kept(self, saver: Saver) -> None:
        graph = nested(saver, remembers=True)
        for turn in range(5):
            graph.invoke({"lines": [str(turn)], "fixed": "no question"}, on())
        past = [*graph.get_state_history(on())][7]
        assert past.next == ("sub",)
        fork = graph.update_state(past.config, {"lines": ["instead"]}, as_node="__start__")
        saver.copy_thread("t", "whole")
        prune_checkpoints(saver, "t", keep_last=1)
        id = fork["configurable"]["checkpoint_id"]
        results = [
            graph.invoke(None, {"configurable": {"thread_id": thread, "checkpoint_id": id}})
            for thread in ("t", "whole")
        ]
        assert results[0] == results[1]


def nested_state(graph: Any) -> list[Any]:
    state = graph.get_state(on(), subgraphs=True)
    inner = state.tasks[0].state
    return [state.values, state.interrupts, inner.values, inner.next]


def namespaces(saver: Saver) -> set[str]:
    return {each.config["configurable"]["checkpoint_ns"] for each in saver.list(on())}


def rows(saver: Any) -> dict[str, int]:
    """How many rows there are in each table of a checkpointer."""
    tables = ["checkpoints", "writes"]
    if not hasattr(saver, "cursor"):
        tables = ["checkpoints", "checkpoint_writes", "checkpoint_blobs"]
    counted = {}
    for table in tables:
        query = f"SELECT count(*) AS n FROM {table}"
        if hasattr(saver, "cursor"):
            with saver.cursor(transaction=False) as cursor:
                counted[table] = cursor.execute(query).fetchone()[0]
        else:
            with saver._cursor() as cursor:
                counted[table] = cursor.execute(query).fetchone()["n"]
    return counted


def test_nothing_is_left_of_what_went(saver: Saver) -> None:
    """After as many more turns, the tables have as many rows as before."""
    graph = echo(saver)
    seen = []
    for _ in range(3):
        talk(graph, 5)
        prune_checkpoints(saver, "t", keep_last=4)
        seen.append(rows(saver))
    assert seen[0] == seen[1] == seen[2]
    saver.delete_thread("t")
    assert set(rows(saver).values()) == {0}


def test_while_a_run_goes_on(saver: Saver) -> None:
    graph = echo(saver)
    talk(graph, 3)
    stop, wrong = threading.Event(), []

    def prune() -> None:
        try:
            while not stop.is_set():
                prune_checkpoints(saver, "t", keep_last=4)
        except Exception as error:
            wrong.append(error)

    worker = threading.Thread(target=prune)
    worker.start()
    talk(graph, 25)
    stop.set()
    worker.join()
    assert not wrong
    assert len(graph.get_state(on()).values["lines"]) == 56


def test_a_failure_leaves_everything(saver: Saver, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = echo(saver)
    talk(graph, 3)
    before, counted = states(graph), rows(saver)
    tables = tables_of(saver)
    assert tables is not None

    def decide(stored: Any, *_: Any) -> Any:
        yield from [each.place for each in stored][:4]
        raise RuntimeError("broke")

    with pytest.raises(RuntimeError, match="broke"):
        tables.change("t", decide)
    assert rows(saver) == counted
    assert states(graph) == before


def test_a_long_thread_becomes_small(
    saver: Saver, record_property: Callable[[str, object], None]
) -> None:
    """Five hundred turns, whose messages every checkpoint of theirs stores once more."""

    def answer(state: MessagesState) -> dict[str, Any]:
        return {"messages": [AIMessage(f"{len(state['messages'])}: " + "so be it. " * 8)]}

    built = StateGraph(MessagesState).add_node(answer).add_edge(START, "answer")
    graph: Any = built.compile(checkpointer=saver)
    for turn in range(0, 500, 50):
        # As many turns at once, so that the test is quick; the last ones come one by one.
        given = [
            kind(f"{turn + number}: " + "if you say so, " * 6)
            for number in range(49)
            for kind in (HumanMessage, AIMessage)
        ]
        graph.invoke({"messages": [*given, HumanMessage("the fiftieth")]}, on())
    before = graph.get_state(on()).values
    assert len(before["messages"]) == 1000
    report = prune_checkpoints(saver, "t", keep_last=4, vacuum=True)
    record_property("bytes", (report.bytes_before, report.bytes_after))
    assert report.bytes_after < report.bytes_before / 2
    assert graph.get_state(on()).values == before

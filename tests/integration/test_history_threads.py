"""History on real checkpointers: SQLite, Postgres and memory, agents, and delta channels."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.tools import tool
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, interrupt
from needed import needed
from scripted import ScriptedModel, digest

from langgraph_memory.checkpoints import async_sqlite_saver, open_checkpointer
from langgraph_memory.history import (
    HistoryError,
    HistoryMiddleware,
    HistoryStrategy,
    JsonlArchive,
    KeepLatest,
    PendingThreadError,
    StoreArchive,
    SummarizeHistory,
    TrimHistory,
    aapply_to_thread,
    aapply_to_threads,
    apply_to_thread,
    apply_to_threads,
    aundo_in_thread,
    history_node,
    kept_summary,
    thread_ids,
    undo_in_thread,
)
from langgraph_memory.messages import text_of, validate
from langgraph_memory.store import SQLiteMemoryStore

agents = needed("langchain.agents", "langchain")
hitl = needed("langchain.agents.middleware", "langchain")


def thread(name: str = "t") -> Any:
    return {"configurable": {"thread_id": name}}


def stored(graph: Any, name: str = "t") -> list[BaseMessage]:
    return list(graph.get_state(thread(name)).values["messages"])


def summarize() -> HistoryStrategy:
    return SummarizeHistory(ScriptedModel(reply=digest), threshold=6, keep_last=2)


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def saver(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[BaseCheckpointSaver[Any]]:
    with ExitStack() as stack:
        if request.param == "memory":
            yield InMemorySaver()
        elif request.param == "sqlite":
            yield stack.enter_context(open_checkpointer(tmp_path / "threads.db"))
        else:
            dsn = request.getfixturevalue("postgres_database")
            yield stack.enter_context(open_checkpointer(dsn))


def chat(saver: BaseCheckpointSaver[Any] | None) -> Any:
    def say(state: MessagesState) -> Any:
        asked = text_of(state["messages"][-1])
        if asked.startswith("book"):
            asked += interrupt("sure?")
        return {"messages": [AIMessage(f"re {asked}")]}

    builder = StateGraph(MessagesState)
    builder.add_node("say", say)
    builder.add_edge(START, "say")
    return builder.compile(checkpointer=saver)


def talk(graph: Any, turns: int, name: str = "t", first: int = 0) -> None:
    for turn in range(first, first + turns):
        graph.invoke({"messages": [HumanMessage(f"boat {turn}")]}, thread(name))


class TestOnEachCheckpointer:
    @pytest.mark.parametrize("make", [lambda: KeepLatest(4), summarize], ids=["cut", "summary"])
    def test_change_go_on_and_undo(
        self, saver: Any, make: Callable[[], HistoryStrategy], tmp_path: Path
    ) -> None:
        graph = chat(saver)
        talk(graph, 6)
        before = stored(graph)
        archive = JsonlArchive(tmp_path / "archive.jsonl")
        report = apply_to_thread(saver, "t", make(), archive=archive)
        assert report.tokens_after < report.tokens_before
        kept = stored(graph)
        assert len(kept) < len(before)
        assert kept == make().change(before).messages
        assert not apply_to_thread(saver, "t", make(), archive=archive).applied
        talk(graph, 1, first=6)
        assert stored(graph)[:-2] == kept
        since = stored(graph)[-2:]
        undo_in_thread(saver, "t", archive)
        assert stored(graph) == [*before, *since]
        talk(graph, 1, first=7)
        assert len(stored(graph)) == 16

    def test_never_with_an_interrupt_pending(self, saver: Any) -> None:
        graph = chat(saver)
        talk(graph, 4)
        graph.invoke({"messages": [HumanMessage("book it ")]}, thread())
        before = stored(graph)
        with pytest.raises(PendingThreadError, match="interrupt"):
            apply_to_thread(saver, "t", KeepLatest(2))
        assert stored(graph) == before
        graph.invoke(Command(resume="yes"), thread())
        assert text_of(stored(graph)[-1]) == "re book it yes"
        assert apply_to_thread(saver, "t", KeepLatest(2)).applied
        assert len(stored(graph)) == 2

    def test_time_travel_reaches_what_was_before(self, saver: Any) -> None:
        graph = chat(saver)
        talk(graph, 5)
        old = graph.get_state(thread())
        apply_to_thread(saver, "t", KeepLatest(2))
        assert graph.get_state(thread()).parent_config == old.config
        assert len(graph.get_state(old.config).values["messages"]) == 10
        fork = graph.update_state(old.config, {"messages": [HumanMessage("other")]})
        assert len(graph.get_state(fork).values["messages"]) == 11

    def test_undo_is_of_the_branch_that_was_trimmed(self, saver: Any, tmp_path: Path) -> None:
        graph = chat(saver)
        talk(graph, 2)
        early = graph.get_state(thread()).config
        talk(graph, 4, first=2)
        whole = stored(graph)
        archive = JsonlArchive(tmp_path / "archive.jsonl")
        apply_to_thread(saver, "t", KeepLatest(2), archive=archive)
        trimmed = graph.get_state(thread()).config
        graph.invoke({"messages": [HumanMessage("other")]}, early)
        other = stored(graph)
        assert undo_in_thread(saver, "t", archive).entry is None
        assert stored(graph) == other
        graph.update_state(trimmed, {"messages": []}, as_node="say")  # Back on the first branch.
        assert undo_in_thread(saver, "t", archive).entry is not None
        assert stored(graph) == whole

    def test_a_turn_that_is_just_being_stored_stays(
        self, saver: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        graph = chat(saver)
        talk(graph, 3)
        before = stored(graph)
        put, archive = saver.put, JsonlArchive(tmp_path / "archive.jsonl")

        def late(*given: Any) -> Any:
            monkeypatch.setattr(saver, "put", put)
            assert apply_to_thread(saver, "t", KeepLatest(2), archive=archive).applied
            return put(*given)

        monkeypatch.setattr(saver, "put", late)
        asked = HumanMessage("late", id="late")
        graph.invoke({"messages": [asked]}, thread(), durability="exit")
        assert stored(graph)[:-1] == [*before, asked]
        assert undo_in_thread(saver, "t", archive).entry is None
        assert stored(graph)[:-1] == [*before, asked]

    def test_after_one_that_another_clock_has_dated(self, saver: Any) -> None:
        graph = chat(saver)
        talk(graph, 3)
        found = saver.get_tuple(thread())
        ahead = {**found.checkpoint, "id": "2" + found.checkpoint["id"][1:]}
        saver.put(found.config, ahead, found.metadata, {})
        assert apply_to_thread(saver, "t", KeepLatest(2)).applied
        assert len(stored(graph)) == 2

    def test_all_threads(self, saver: Any, tmp_path: Path) -> None:
        graph = chat(saver)
        for name in ("ann", "ben", "cy"):
            talk(graph, 4, name)
        graph.invoke({"messages": [HumanMessage("book it")]}, thread("ben"))
        assert thread_ids(saver) == ["ben", "cy", "ann"]
        reports = apply_to_threads(saver, KeepLatest(2), archive=tmp_path / "a.jsonl")
        assert {r.thread: (len(r.removed), bool(r.refused)) for r in reports} == {
            "ann": (6, False),
            "cy": (6, False),
            "ben": (0, True),
        }
        assert len(stored(graph, "ben")) == 9
        assert len(stored(graph, "ann")) == 2

    def test_a_subgraph_that_waits_holds_its_thread(self, saver: Any) -> None:
        inner = chat(None)
        builder = StateGraph(MessagesState)
        builder.add_node("inner", inner)
        builder.add_edge(START, "inner")
        graph: Any = builder.compile(checkpointer=saver)
        talk(graph, 4)
        graph.invoke({"messages": [HumanMessage("book it ")]}, thread())
        with pytest.raises(PendingThreadError):
            apply_to_thread(saver, "t", KeepLatest(2))
        graph.invoke(Command(resume="yes"), thread())
        assert apply_to_thread(saver, "t", KeepLatest(2)).applied
        talk(graph, 1)
        assert len(stored(graph)) == 4

    async def test_awaited(self, saver: Any, tmp_path: Path) -> None:
        graph = chat(saver)
        for turn in range(4):
            await graph.ainvoke({"messages": [HumanMessage(f"boat {turn}")]}, thread())
        before = (await graph.aget_state(thread())).values["messages"]
        archive = tmp_path / "a.jsonl"
        assert (await aapply_to_thread(saver, "t", KeepLatest(2), archive=archive)).applied
        assert (await aapply_to_threads(saver, KeepLatest(2)))[0].applied is False
        await aundo_in_thread(saver, "t", archive)
        assert (await graph.aget_state(thread())).values["messages"] == before


async def test_langgraphs_asynchronous_saver(tmp_path: Path) -> None:
    async with async_sqlite_saver(tmp_path / "threads.db") as saver:
        graph = chat(saver)
        for turn in range(4):
            await graph.ainvoke({"messages": [HumanMessage(f"boat {turn}")]}, thread())
        (report,) = await aapply_to_threads(graph, KeepLatest(2), archive=tmp_path / "a.jsonl")
        assert report.applied
        assert len((await graph.aget_state(thread())).values["messages"]) == 2
        assert (await aundo_in_thread(graph, "t", tmp_path / "a.jsonl")).ids


async def test_langgraphs_synchronous_saver_in_asynchronous_code(tmp_path: Path) -> None:
    from langgraph_memory.checkpoints import sqlite_saver

    with sqlite_saver(tmp_path / "threads.db") as saver:
        graph = chat(saver)
        talk(graph, 4)
        assert (await aapply_to_threads(saver, KeepLatest(2)))[0].applied
        assert len(stored(graph)) == 2


def test_an_archive_in_the_memory_store(tmp_path: Path) -> None:
    with (
        SQLiteMemoryStore(tmp_path / "memory.db") as store,
        open_checkpointer(tmp_path / "memory.db") as saver,
    ):
        graph = chat(saver)
        talk(graph, 5, "anna/1.0")
        before = stored(graph, "anna/1.0")
        apply_to_thread(graph, "anna/1.0", KeepLatest(2), archive=store)
        assert StoreArchive(store).entries("anna/1.0")
        undo_in_thread(graph, "anna/1.0", store)
        assert stored(graph, "anna/1.0") == before


def test_the_archive_is_on_disk_before_anything_goes(tmp_path: Path) -> None:
    """A process that is killed between the two loses nothing."""
    script = f"""
import os, sys
from langgraph_memory.checkpoints import open_checkpointer
from langgraph_memory.history import KeepLatest, apply_to_thread
with open_checkpointer({str(tmp_path / "t.db")!r}) as saver:
    saver.put = lambda *_, **__: os._exit(9)
    apply_to_thread(saver, "t", KeepLatest(2), archive={str(tmp_path / "a.jsonl")!r})
"""
    with open_checkpointer(tmp_path / "t.db") as saver:
        graph = chat(saver)
        talk(graph, 4)
        before = stored(graph)
    run = subprocess.run([sys.executable, "-c", script], check=False)
    assert run.returncode == 9
    (line,) = (tmp_path / "a.jsonl").read_text().splitlines()
    assert len(json.loads(line)["removed"]) == 6
    with open_checkpointer(tmp_path / "t.db") as saver:
        graph = chat(saver)
        assert stored(graph) == before
        apply_to_thread(saver, "t", KeepLatest(2), archive=tmp_path / "a.jsonl")
        undo_in_thread(saver, "t", tmp_path / "a.jsonl")
        assert stored(graph) == before
        assert undo_in_thread(saver, "t", tmp_path / "a.jsonl").entry is None


@tool
def tide(port: str) -> str:
    """When the tide is high."""
    return f"high at six in {port}"


def sailor(request: list[BaseMessage]) -> str | BaseMessage:
    """Looks a tide up for each question, then answers."""
    if request[-1].type == "tool":
        return f"It is {text_of(request[-1])}."
    call = {"name": "tide", "args": {"port": "Ny"}, "id": f"c{len(request)}", "type": "tool_call"}
    return AIMessage("", tool_calls=[call])


class TestAgents:
    @pytest.mark.parametrize("make", [lambda: TrimHistory(0, 4), summarize], ids=["cut", "summary"])
    def test_at_the_end_of_each_run(
        self, make: Callable[[], HistoryStrategy], tmp_path: Path
    ) -> None:
        archive = JsonlArchive(tmp_path / "a.jsonl")
        agent = agents.create_agent(
            ScriptedModel(reply=sailor),
            [tide],
            middleware=[HistoryMiddleware(make(), archive=archive)],
            checkpointer=InMemorySaver(),
        )
        for turn in range(8):
            agent.invoke({"messages": [HumanMessage(f"tide {turn}?")]}, thread())
            sent = [*stored(agent), HumanMessage("next")]
            assert not [v for v in validate(sent, "anthropic") if v.rule != "call_id_reused"]
        assert len(stored(agent)) <= 10
        while undo_in_thread(agent, "t", archive).entry:
            pass
        questions = [text_of(m) for m in stored(agent) if m.type == "human"]
        assert questions == [f"tide {turn}?" for turn in range(8)]
        assert len(stored(agent)) == 32

    async def test_awaited(self) -> None:
        agent = agents.create_agent(
            ScriptedModel(reply=sailor),
            [tide],
            middleware=[HistoryMiddleware(KeepLatest(4))],
            checkpointer=InMemorySaver(),
        )
        for turn in range(3):
            await agent.ainvoke({"messages": [HumanMessage(f"tide {turn}?")]}, thread())
        assert len(stored(agent)) == 4

    def test_approval_comes_before_the_cut(self) -> None:
        agent = agents.create_agent(
            ScriptedModel(reply=sailor),
            [tide],
            middleware=[
                HistoryMiddleware(KeepLatest(4)),
                hitl.HumanInTheLoopMiddleware({"tide": True}),
            ],
            checkpointer=InMemorySaver(),
        )
        for turn in range(3):
            agent.invoke({"messages": [HumanMessage(f"tide {turn}?")]}, thread())
            with pytest.raises(PendingThreadError):
                apply_to_thread(agent, "t", KeepLatest(1))
            agent.invoke(Command(resume={"decisions": [{"type": "approve"}]}), thread())
            assert len(stored(agent)) == 4
            assert text_of(stored(agent)[-1]) == "It is high at six in Ny."

    def test_nothing_of_it_is_streamed(self) -> None:
        agent = agents.create_agent(
            ScriptedModel(reply=sailor),
            [tide],
            middleware=[HistoryMiddleware(summarize())],
            checkpointer=InMemorySaver(),
        )
        streamed = [
            message.type
            for turn in range(4)
            for message, _ in agent.stream(
                {"messages": [HumanMessage(f"tide {turn}?")]}, thread(), stream_mode="messages"
            )
        ]
        assert any(kept_summary(message) for message in stored(agent))
        assert "remove" not in streamed
        assert "human" not in streamed


class TestDeltaChannels:
    """deepagents saves what was said since the last snapshot, not the whole list each time."""

    def agent(self, saver: Any, **more: Any) -> Any:
        deepagents = needed("deepagents", "evals")
        return deepagents.create_deep_agent(
            ScriptedModel(reply=lambda request: f"re {text_of(request[-1])}"),
            checkpointer=saver,
            **more,
        )

    def test_from_outside(self, saver: Any, tmp_path: Path) -> None:
        agent = self.agent(saver)
        talk(agent, 4)
        before = stored(agent)
        assert "messages" not in saver.get_tuple(thread()).checkpoint["channel_values"]
        archive = tmp_path / "a.jsonl"
        assert apply_to_thread(saver, "t", summarize(), archive=archive).applied
        kept = stored(agent)
        assert len(kept) == 3
        talk(agent, 3, first=4)
        assert stored(agent)[:3] == kept
        assert len(stored(agent)) == 9
        since = stored(agent)[3:]
        undo_in_thread(saver, "t", archive)
        assert stored(agent) == [*before, *since]
        talk(agent, 2, first=7)
        assert len(stored(agent)) == 18

    def test_at_the_end_of_each_run(self, saver: Any, tmp_path: Path) -> None:
        archive = JsonlArchive(tmp_path / "a.jsonl")
        cut = HistoryMiddleware(KeepLatest(4), archive=archive)
        agent = self.agent(saver, middleware=[cut])
        talk(agent, 6)
        assert len(stored(agent)) == 4
        while undo_in_thread(saver, "t", archive).entry:
            pass
        assert [text_of(m) for m in stored(agent)[::2]] == [f"boat {n}" for n in range(6)]

    @pytest.mark.parametrize("said", [["boat", "oar", "sail", "mast", "hull"], ["on"] * 6])
    def test_messages_that_came_without_ids(
        self, saver: Any, said: list[str], tmp_path: Path
    ) -> None:
        archive = JsonlArchive(tmp_path / "a.jsonl")
        agent = self.agent(saver, middleware=[HistoryMiddleware(KeepLatest(4), archive=archive)])
        for text in said:
            agent.invoke({"messages": [("user", text)]}, thread())
        seen = stored(agent)
        assert [text_of(message) for message in seen[::2]] == said[-2:]
        apply_to_thread(saver, "t", KeepLatest(2), archive=archive)
        assert stored(agent) == seen[2:]
        undo_in_thread(saver, "t", archive)
        assert stored(agent) == seen
        replies = []
        while undo_in_thread(saver, "t", archive).entry:
            replies.append(sum(message.type == "ai" for message in stored(agent)))
        assert replies == [*range(3, len(said) + 1)]
        assert [(m.type, text_of(m)) for m in stored(agent)] == [
            each for text in said for each in (("human", text), ("ai", f"re {text}"))
        ]
        assert len({m.id for m in stored(agent) if m.type == "ai"}) == len(said)


class Counting(MessagesState, total=False):
    """A state with a layer that knows messages by their positions, as deepagents' summaries do."""

    hidden: dict[str, Any]


class TestPositions:
    def graph(self, saver: Any, **end: Any) -> Any:
        def say(state: Counting) -> Any:
            hidden = {"cutoff_index": len(state["messages"]), "summary": "…"}
            return {"messages": [AIMessage("aye")], "hidden": hidden}

        builder = StateGraph(Counting)
        builder.add_node("say", say)
        builder.add_edge(START, "say")
        if end:
            builder.add_node("history", end["node"])
            builder.add_edge("say", "history")
        return builder.compile(checkpointer=saver)

    def test_that_would_be_others_are_not_made(self, saver: Any) -> None:
        graph = self.graph(saver)
        talk(graph, 5)
        with pytest.raises(HistoryError, match="'hidden' in its state counts messages"):
            apply_to_thread(saver, "t", KeepLatest(2))
        assert len(stored(graph)) == 10

    def test_nor_at_the_end_of_a_run(self, saver: Any) -> None:
        told: list[Any] = []
        graph = self.graph(saver, node=history_node(KeepLatest(2), on_report=told.append))
        talk(graph, 3)
        assert len(stored(graph)) == 6
        assert all("by position" in report.refused for report in told)

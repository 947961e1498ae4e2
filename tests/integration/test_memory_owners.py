"""Threads have one owner, whoever else runs on them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, RemoveMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, interrupt
from pydantic import BaseModel
from scripted import ScriptedModel

from langgraph_memory import Memory, clock
from langgraph_memory.checkpoints import sqlite_saver
from langgraph_memory.errors import IdentityError
from langgraph_memory.events import Event
from langgraph_memory.history import KeepLatest, apply_to_thread
from langgraph_memory.identity import Identity
from langgraph_memory.service.daemon_threads import DaemonThreads
from langgraph_memory.service.transcripts import Transcripts
from langgraph_memory.service.turns import Turn, mark_of, turns_of
from langgraph_memory.settings import load_settings
from langgraph_memory.store import SQLiteMemoryStore
from langgraph_memory.store.opening import open_store
from langgraph_memory.summarization import ContextState

pytestmark = pytest.mark.filterwarnings("ignore:Deserializing unregistered type")

SETTINGS = load_settings({"agents": {"garden": {"long_term_memory": {"enabled": True}}}}).of(
    "garden"
)
FIGS = "I am allergic to figs."
FIGS_KNOWN = "The user is allergic to figs."
Savers = pytest.mark.parametrize("own", [True, False], ids=["own-saver", "other-saver"])


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with opened(tmp_path) as memory:
        yield memory


def opened(path: Path, agent: str = "garden", **given: Any) -> Memory:
    return Memory.open(path / "memory.db", agent=agent, debounce=3_600, **given)


def model(reply: Callable[[list[BaseMessage]], Any] = lambda _: "Noted.") -> ScriptedModel:
    return ScriptedModel(reply=reply)


def agent(memory: Memory, answers: Any = None, saver: Any = None, **options: Any) -> Any:
    middleware = [memory.middleware()]
    saver = saver or memory.checkpointer
    return create_agent(answers or model(), middleware=middleware, checkpointer=saver, **options)


def at(thread: str = "one") -> RunnableConfig:
    return {"configurable": {"thread_id": thread}}


def say(graph: Any, text: str, user: str = "anna", thread: str = "one", **context: Any) -> Any:
    given = {"messages": [HumanMessage(text)]}
    return graph.invoke(given, at(thread), context={"user_id": user, **context})


def known(memory: Memory, user: str = "anna", agent: str = "garden") -> list[str]:
    memory.flush()
    found = memory.service.memories(Identity(agent, user)).search("", limit=100)
    return sorted(each.record.content for each in found)


@tool
def water(bed: str) -> str:
    """Water a bed."""
    return f"{bed} is wet."


def calls_water(request: list[BaseMessage]) -> Any:
    if isinstance(request[-1], ToolMessage):
        return "It is wet."
    call = {"name": "water", "args": {"bed": "north"}, "id": "c1", "type": "tool_call"}
    return AIMessage("", tool_calls=[call])


class TestARunWithoutMemoryInBetween:
    def between(self, memory: Memory, saver: Any = None) -> None:
        """It writes a checkpoint without memory's channels."""
        graph = create_agent(model(), checkpointer=saver or memory.checkpointer)
        graph.invoke({"messages": [HumanMessage("Hello!")]}, at())
        assert "memory_owner" not in graph.get_state(at()).values

    @Savers
    def test_the_thread_keeps_its_owner(self, memory: Memory, own: bool) -> None:
        saver = None if own else InMemorySaver()
        graph = agent(memory, saver=saver)
        say(graph, FIGS)
        self.between(memory, saver)
        with pytest.raises(IdentityError, match="another user"):
            say(graph, "What did I say?", "bob")
        say(graph, "I am allergic to dill.")
        assert known(memory, "bob") == []
        assert known(memory) == ["The user is allergic to dill.", FIGS_KNOWN]

    def test_in_another_process_by_another_agent(self, tmp_path: Path) -> None:
        with opened(tmp_path) as memory:
            say(agent(memory), FIGS)
            self.between(memory)
        with opened(tmp_path, agent="kitchen") as memory:
            with pytest.raises(IdentityError, match="another user"):
                say(agent(memory), "What did I say?", "bob")
            assert known(memory, "bob", "kitchen") == []

    @Savers
    def test_the_thread_stays_incognito(self, memory: Memory, own: bool) -> None:
        saver = None if own else InMemorySaver()
        graph = agent(memory, saver=saver)
        say(graph, "I am allergic to dill.")
        say(graph, "Between us.", incognito=True)
        say(graph, FIGS)
        self.between(memory, saver)
        say(graph, "I am allergic to mint.")
        assert known(memory) == ["The user is allergic to dill."]


class TestOneDatabase:
    """All agents and checkpointers on one database of threads know one owner."""

    def test_agents_that_share_a_checkpointer(self, tmp_path: Path) -> None:
        with opened(tmp_path) as garden, opened(tmp_path, agent="kitchen") as kitchen:
            say(agent(garden), FIGS)
            say(agent(garden), "Between us.", thread="two", incognito=True)
            shared = garden.checkpointer
            for thread in ("one", "two"):
                plain = create_agent(model(), checkpointer=shared)
                plain.invoke({"messages": [HumanMessage("Hello!")]}, at(thread))
            with pytest.raises(IdentityError, match="another user"):
                say(agent(kitchen, saver=shared), "What did I say?", "bob")
            say(agent(kitchen, saver=shared), FIGS, thread="two")
            assert known(kitchen, "bob", "kitchen") == known(kitchen, "anna", "kitchen") == []

    def test_another_checkpointer_on_the_same_file(self, tmp_path: Path) -> None:
        with opened(tmp_path) as memory, sqlite_saver(tmp_path / "memory.db") as other:
            say(agent(memory), FIGS)
            create_agent(model(), checkpointer=other).invoke(
                {"messages": [HumanMessage("Hello!")]}, at()
            )
            with pytest.raises(IdentityError, match="another user"):
                say(agent(memory, saver=other), "What did I say?", "bob")
            assert known(memory, "bob") == []

    def test_nested_agents_with_memories_of_their_own(self, tmp_path: Path) -> None:
        with opened(tmp_path) as garden, opened(tmp_path, agent="kitchen") as kitchen:
            whole = StateGraph(MessagesState)
            for name, memory in (("garden", garden), ("kitchen", kitchen)):
                nested = create_agent(model(), middleware=[memory.middleware()])
                whole.add_node(name, nested)
            whole.add_conditional_edges(
                START, lambda _, config: config["configurable"]["agent"], ["garden", "kitchen"]
            )
            graph = whole.compile(checkpointer=garden.checkpointer)

            def to(name: str, text: str, user: str) -> None:
                where = {"configurable": {"thread_id": "one", "agent": name}}
                graph.invoke({"messages": [HumanMessage(text)]}, where, context={"user_id": user})

            to("garden", FIGS, "anna")
            with pytest.raises(IdentityError, match="another user"):
                to("kitchen", "What did I say?", "bob")
            assert known(kitchen, "bob", "kitchen") == []
            assert known(garden) == [FIGS_KNOWN]

    def test_two_who_begin_a_thread_at_once(self, memory: Memory) -> None:
        meet = threading.Barrier(2)

        def wait(state: MessagesState) -> dict[str, Any]:
            meet.wait(20)
            return {}

        graph = StateGraph(MessagesState)
        graph.add_node("wait", wait)
        graph.add_node("recall", memory.nodes.recall)
        graph.add_node("answer", lambda _: {"messages": [AIMessage("Noted.")]})
        graph.add_node("remember", memory.nodes.remember)
        for one, other in pairwise([START, "wait", "recall", "answer", "remember"]):
            graph.add_edge(one, other)
        built = graph.compile(checkpointer=memory.checkpointer)
        texts = {"anna": FIGS, "bob": "I am allergic to dill."}
        with ThreadPoolExecutor() as pool:
            runs = {user: pool.submit(say, built, text, user) for user, text in texts.items()}
        failed = [user for user, run in runs.items() if run.exception() is not None]
        assert len(failed) == 1
        [owner] = texts.keys() - set(failed)
        assert known(memory, failed[0]) == []
        assert all(
            "figs" in each if owner == "anna" else "dill" in each for each in known(memory, owner)
        )


class TestWhatIsNobodysIsNotRead:
    """Only turns that a run of the owner has begun are read."""

    def test_what_was_said_to_a_graph_without_memory(self, memory: Memory) -> None:
        create_agent(model(), checkpointer=memory.checkpointer).invoke(
            {"messages": [HumanMessage("I am allergic to dill.")]}, at()
        )
        say(agent(memory), FIGS)
        assert known(memory) == [FIGS_KNOWN]

    def test_what_was_said_to_another_agent(self, tmp_path: Path) -> None:
        with opened(tmp_path) as garden, opened(tmp_path, agent="kitchen") as kitchen:
            say(agent(garden), "Hello!")
            with pytest.raises(IdentityError):
                say(agent(garden), "I am allergic to dill.", "bob")
            say(agent(kitchen, saver=garden.checkpointer), FIGS)
            assert known(kitchen, agent="kitchen") == [FIGS_KNOWN]

    def test_what_a_caller_said_whom_the_resolver_refuses(self, tmp_path: Path) -> None:
        def resolver(runtime: Any) -> str:
            if runtime.context["token"] != "good":
                raise PermissionError("This token is not good.")
            return "anna"

        with opened(tmp_path, resolver=resolver) as memory:
            graph = agent(memory)
            say(graph, "Hello!", token="good")
            with pytest.raises(PermissionError):
                say(graph, "I am allergic to dill.", token="bad")
            graph.invoke(None, at(), context={"token": "good"})
            say(graph, FIGS, token="good")
            assert known(memory) == [FIGS_KNOWN]

    def test_what_a_stranger_added_to_a_run_that_waits(self, memory: Memory) -> None:
        graph = agent(memory, model(calls_water), tools=[water], interrupt_before=["tools"])
        say(graph, FIGS)
        added = Command(update={"messages": [HumanMessage("I am allergic to dill.")]})
        with pytest.raises(IdentityError):
            graph.invoke(added, at(), context={"user_id": "bob"})
        graph.invoke(None, at(), context={"user_id": "anna"})
        with clock.set_to(clock.now() + timedelta(hours=1)):
            assert known(memory) == [FIGS_KNOWN]

    @Savers
    def test_not_even_with_a_forged_list(self, memory: Memory, own: bool) -> None:
        """What a thread itself keeps of its owner may come from a stranger's update."""
        saver = None if own else InMemorySaver()
        graph = agent(memory, model(calls_water), saver, tools=[water], interrupt_before=["tools"])
        say(graph, FIGS)
        forged = HumanMessage("I am allergic to dill.", id="forged")
        asked = {"user": "anna", "asked": [mark_of(forged)], "seen": mark_of(forged)}
        update = Command(update={"messages": [forged], "memory_owner": asked})
        with pytest.raises(IdentityError):
            graph.invoke(update, at(), context={"user_id": "bob"})
        graph.invoke(None, at(), context={"user_id": "anna"})
        say(graph, "Hello!")
        with clock.set_to(clock.now() + timedelta(hours=1)):
            assert known(memory) == [FIGS_KNOWN]

    def test_what_is_in_a_thread_that_has_become_anothers(self, memory: Memory) -> None:
        graph = agent(memory)
        say(graph, FIGS)
        assert memory.checkpointer is not None
        memory.checkpointer.delete_thread("one")
        say(graph, "I am allergic to dill.", "bob")
        assert known(memory) == []  # Her words went with her thread.
        assert known(memory, "bob") == ["The user is allergic to dill."]

    def test_in_another_process(self, tmp_path: Path) -> None:
        """What this process remembers of a thread may not be so any more."""
        with opened(tmp_path) as here, opened(tmp_path) as there:
            say(agent(here), "Hello!")
            assert there.checkpointer is not None
            there.checkpointer.delete_thread("one")
            waiting = agent(there, model(calls_water), tools=[water], interrupt_before=["tools"])
            say(waiting, "I am allergic to dill.", "bob")
            waiting = agent(here, model(calls_water), tools=[water], interrupt_before=["tools"])
            with pytest.raises(IdentityError, match="another user"):
                waiting.invoke(None, at(), context={"user_id": "anna"})

    @Savers
    def test_what_was_said_while_extraction_was_off_is_shown_to_no_model(
        self, tmp_path: Path, own: bool
    ) -> None:
        class Diner(BaseModel):
            food: str | None = None

        reader = model(lambda _: '{"memories": [], "tasks": [], "set": {}}')
        anna = Identity("garden", "anna")
        given = {"extraction_model": reader, "profile": Diner}
        with opened(tmp_path, **given) as memory:
            graph = agent(memory, saver=None if own else InMemorySaver())
            memory.service.let_extract(anna, False)
            say(graph, FIGS)
            memory.flush()
            memory.service.let_extract(anna, True)
            for number in range(6):
                say(graph, f"I prefer to eat {number} times a day, and I live in Ghent.")
                memory.flush()
        assert any("Ghent" in str(request) for request in reader.requests)
        assert not any("figs" in str(request) for request in reader.requests)

    def test_what_is_said_again_after_a_process_died_before_noting_it_is_read(
        self, memory: Memory
    ) -> None:
        # As LangGraph has saved two messages whose runs died before memory saw them.
        create_agent(model(), checkpointer=memory.checkpointer).update_state(
            at(), {"messages": [HumanMessage("Hello!", id="m0"), HumanMessage(FIGS, id="m1")]}
        )
        again = {"messages": [HumanMessage(FIGS, id="m1")]}
        agent(memory).invoke(again, at(), context={"user_id": "anna"})
        assert known(memory) == [FIGS_KNOWN]

    def test_an_older_message_that_the_owner_edits_is_read(self, memory: Memory) -> None:
        graph = agent(memory)
        for number, text in enumerate([FIGS, "Hello!"]):
            given = {"messages": [HumanMessage(text, id=f"m{number}")]}
            graph.invoke(given, at(), context={"user_id": "anna"})
        known(memory)
        edited = {"messages": [HumanMessage("I am allergic to dill.", id="m0")]}
        graph.invoke(edited, at(), context={"user_id": "anna"})
        assert "The user is allergic to dill." in known(memory)

    def test_a_conversation_that_a_run_brings_whole_is_read(self, memory: Memory) -> None:
        told = [
            HumanMessage("I am allergic to dill."),
            AIMessage("Noted."),
            HumanMessage("And I live in Ghent."),
            HumanMessage(FIGS),
        ]
        agent(memory).invoke({"messages": told}, at(), context={"user_id": "anna"})
        assert len(known(memory)) == 3

    def test_why_shows_no_message_of_a_thread_that_has_become_anothers(
        self, memory: Memory
    ) -> None:
        seen: list[Any] = []
        graph = create_agent(
            model(),
            middleware=[memory.middleware(on_recall=seen.append)],
            checkpointer=memory.checkpointer,
        )
        anna = Identity("garden", "anna")
        given = {"messages": [HumanMessage(FIGS, id="m1")]}
        graph.invoke(given, at(), context={"user_id": "anna"})
        assert known(memory) == [FIGS_KNOWN]
        say(graph, "What do I eat?", thread="two")
        [reason] = memory.service.why(anna, seen[-1])
        assert [message.content for message in reason.said] == [FIGS]
        assert memory.checkpointer is not None
        memory.checkpointer.delete_thread("one")
        given = {"messages": [HumanMessage("A secret.", id="m1")]}
        graph.invoke(given, at(), context={"user_id": "bob"})
        [reason] = memory.service.why(anna, seen[-2])
        assert reason.said == ()


class TestTrimming:
    def test_what_the_application_takes_out_before_it_was_read(self, memory: Memory) -> None:
        """Its own checkpointer, whose threads cannot be read in the background."""
        graph = agent(memory, saver=InMemorySaver())
        for text in (FIGS, "I am allergic to dill.", "I am allergic to mint."):
            say(graph, text)
            messages = graph.get_state(at()).values["messages"]
            gone = [RemoveMessage(str(message.id)) for message in messages]
            graph.update_state(at(), {"messages": gone})
        assert len(known(memory)) == 3


class TestAnIdThatIsUsedAgain:
    def test_of_a_deleted_thread(self, memory: Memory) -> None:
        graph = agent(memory)
        say(graph, FIGS)
        known(memory)
        assert memory.checkpointer is not None
        memory.checkpointer.delete_thread("one")
        say(graph, "I am allergic to dill.", "bob")
        assert known(memory, "bob") == ["The user is allergic to dill."]
        with pytest.raises(IdentityError, match="another user"):
            say(graph, "Hello!", "anna")

    def test_with_a_history_and_incognito(self, memory: Memory) -> None:
        graph = agent(memory)
        say(graph, "Between us.", incognito=True)
        assert memory.checkpointer is not None
        memory.checkpointer.delete_thread("one")
        given = {"messages": [HumanMessage("Hello!"), AIMessage("Hello!"), HumanMessage(FIGS)]}
        graph.invoke(given, at(), context={"user_id": "anna"})
        assert known(memory) == [FIGS_KNOWN]

    def test_of_a_checkpointer_that_does_not_tell(self, memory: Memory) -> None:
        saver = InMemorySaver()
        graph = agent(memory, saver=saver)
        say(graph, FIGS)
        saver.delete_thread("one")
        with pytest.raises(IdentityError, match="forget_thread"):
            say(graph, "Hello!", "bob")
        memory.forget_thread("one", saver)
        saver.delete_thread("one")
        say(graph, "Hello!", "bob")

    def test_what_waits_to_be_read_of_a_deleted_thread_is_not(self, memory: Memory) -> None:
        saver = InMemorySaver()
        graph = agent(memory, saver=saver)
        say(graph, FIGS)
        say(graph, "I am allergic to dill.", thread="two")
        say(graph, "I am allergic to mint.", "bob", thread="three")
        saver.delete_thread("one")
        memory.forget_thread("one", saver)
        assert known(memory) == ["The user is allergic to dill."]
        assert known(memory, "bob") == ["The user is allergic to mint."]

    def test_without_a_checkpointer_there_is_no_thread(self, memory: Memory) -> None:
        graph = create_agent(model(), middleware=[memory.middleware()])
        say(graph, FIGS)
        say(graph, "I am allergic to dill.", "bob")
        assert known(memory) == [FIGS_KNOWN]
        assert known(memory, "bob") == ["The user is allergic to dill."]

    def test_of_threads_that_were_in_memory(self, memory: Memory) -> None:
        say(agent(memory, saver=InMemorySaver()), FIGS)
        graph = agent(memory, saver=InMemorySaver())
        say(graph, "I am allergic to dill.", "bob")
        say(graph, "Did you note it?", "bob")
        assert known(memory, "bob") == ["The user is allergic to dill."]

    def test_not_of_a_thread_that_was_only_emptied(self, memory: Memory) -> None:
        graph = agent(memory)
        say(graph, FIGS)
        plain = create_agent(model(), checkpointer=memory.checkpointer)
        plain.update_state(at(), {"messages": [RemoveMessage(REMOVE_ALL_MESSAGES)]})
        assert graph.get_state(at()).values == {"messages": []}
        with pytest.raises(IdentityError, match="another user"):
            say(graph, "I am allergic to dill.", "bob")
        assert known(memory, "bob") == []


class TestWhatTheOwnerSaidIsReadAllTheSame:
    """A stranger who is refused takes nothing from the owner's words."""

    def plain(self, memory: Memory) -> Any:
        def answer(state: ContextState) -> Any:
            return {"messages": [AIMessage(f"You chose {interrupt('Which bed?')}.")]}

        graph = StateGraph(MessagesState)
        graph.add_node("recall", memory.nodes.recall)
        graph.add_node("answer", answer, input_schema=ContextState)
        graph.add_node("remember", memory.nodes.remember)
        graph.add_edge(START, "recall")
        graph.add_edge("recall", "answer")
        graph.add_edge("answer", "remember")
        graph.add_edge("remember", END)
        return graph.compile(checkpointer=memory.checkpointer)

    def test_at_an_interrupt(self, memory: Memory) -> None:
        graph = self.plain(memory)
        say(graph, FIGS)
        with pytest.raises(IdentityError):
            graph.invoke(Command(resume="south"), at(), context={"user_id": "bob"})
        graph.invoke(Command(resume="north"), at(), context={"user_id": "anna"})
        assert known(memory) == [FIGS_KNOWN]

    @Savers
    def test_before_tools(self, memory: Memory, own: bool) -> None:
        saver = None if own else InMemorySaver()
        graph = agent(memory, model(calls_water), saver, tools=[water], interrupt_before=["tools"])
        say(graph, FIGS)
        with pytest.raises(IdentityError):
            graph.invoke(None, at(), context={"user_id": "bob"})
        graph.invoke(None, at(), context={"user_id": "anna"})
        assert known(memory) == [FIGS_KNOWN]

    @Savers
    def test_after_a_failed_model_call(self, memory: Memory, own: bool) -> None:
        def reply(request: list[BaseMessage]) -> str:
            if len(request) == 1:
                raise RuntimeError("the provider is down")
            return "Noted."

        graph = agent(memory, model(reply), None if own else InMemorySaver())
        with pytest.raises(RuntimeError, match="provider"):
            say(graph, FIGS)
        with pytest.raises(IdentityError):
            say(graph, "I am allergic to dill.", "bob")
        say(graph, "Are you there?")
        assert known(memory) == [FIGS_KNOWN]

    @Savers
    def test_but_not_what_a_stranger_made_of_it(self, memory: Memory, own: bool) -> None:
        graph = agent(memory, saver=None if own else InMemorySaver())
        given = {"messages": [HumanMessage(FIGS, id="m1")]}
        graph.invoke(given, at(), context={"user_id": "anna"})
        assert known(memory) == [FIGS_KNOWN]
        edited = {"messages": [HumanMessage("I am allergic to dill.", id="m1")]}
        with pytest.raises(IdentityError):
            graph.invoke(edited, at(), context={"user_id": "bob"})
        say(graph, "Hello!")
        assert known(memory) == [FIGS_KNOWN]

    def test_nor_what_the_stranger_said_when_the_owner_goes_on_with_the_thread(
        self, tmp_path: Path
    ) -> None:
        with opened(tmp_path) as memory:
            graph = agent(memory)
            say(graph, "Hello!")
            with pytest.raises(IdentityError):
                say(graph, FIGS, "bob")
        with opened(tmp_path) as memory:
            graph = agent(memory)
            graph.invoke(None, at(), context={"user_id": "anna"})
            assert graph.get_state(at()).values["messages"][-1].content == "Noted."
            assert known(memory) == []


class TestAStrangerWhoGoesOnWithARun:
    @pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
    async def test_does_not_get_to_the_tools(self, memory: Memory, asynchronous: bool) -> None:
        graph = agent(memory, model(calls_water), tools=[water], interrupt_before=["tools"])
        say(graph, FIGS)
        goes_on = graph.ainvoke if asynchronous else partial(asyncio.to_thread, graph.invoke)
        with pytest.raises(IdentityError):
            await goes_on(None, at(), context={"user_id": "bob"})
        assert graph.get_state(at()).next == ("tools",)
        done = graph.invoke(None, at(), context={"user_id": "anna"})
        assert done["messages"][-1].content == "It is wet."

    @pytest.mark.parametrize("kind", ["function", "async function", "runnable"])
    async def test_nor_to_a_guarded_node(self, memory: Memory, kind: str) -> None:
        ran: list[str] = []

        def pay(state: MessagesState, config: RunnableConfig) -> Any:
            ran.append(config["configurable"]["thread_id"])
            return {"messages": [AIMessage("Paid.")]}

        async def apay(state: MessagesState, config: RunnableConfig) -> Any:
            return pay(state, config)

        nodes: dict[str, Any] = {
            "function": pay,
            "async function": apay,
            "runnable": StateGraph(MessagesState)
            .add_node("pay", pay)
            .add_edge(START, "pay")
            .compile(),
        }
        graph = StateGraph(MessagesState)
        graph.add_node("recall", memory.nodes.recall)
        graph.add_node("pay", memory.nodes.guard(nodes[kind]))
        graph.add_edge(START, "recall")
        graph.add_edge("recall", "pay")
        waiting = graph.compile(checkpointer=memory.checkpointer, interrupt_before=["pay"])
        given = {"messages": [HumanMessage(FIGS)]}
        await waiting.ainvoke(given, at(), context={"user_id": "anna"})
        with pytest.raises(IdentityError):
            await waiting.ainvoke(None, at(), context={"user_id": "bob"})
        assert ran == []
        done = await waiting.ainvoke(None, at(), context={"user_id": "anna"})
        assert ran == ["one"]
        assert done["messages"][-1].content == "Paid."


class TestACheckpointerThatNeedsItsLoop:
    async def test_tools_after_a_restart_and_reading(self, tmp_path: Path) -> None:
        file = str(tmp_path / "threads.db")

        def graph(memory: Memory, saver: Any) -> Any:
            def answer(state: ContextState) -> Any:
                request = state["llm_input_messages"]
                if isinstance(request[-1], ToolMessage):
                    return {"messages": [AIMessage("I looked.")]}
                call = {"name": "memory_search", "args": {"query": "figs"}, "id": "c1"}
                return {"messages": [AIMessage("", tool_calls=[{**call, "type": "tool_call"}])]}

            built = StateGraph(MessagesState)
            built.add_node("recall", memory.nodes.recall)
            built.add_node("answer", answer, input_schema=ContextState)
            built.add_node("tools", ToolNode(memory.tools()))
            built.add_node("remember", memory.nodes.remember)
            built.add_edge(START, "recall")
            built.add_edge("recall", "answer")
            built.add_conditional_edges(
                "answer", lambda s: "tools" if s["messages"][-1].tool_calls else "remember"
            )
            built.add_edge("tools", "recall")
            return built.compile(checkpointer=saver, interrupt_before=["tools"])

        for turn in range(2):
            with open_store(tmp_path / "memory.db") as store:
                store.setup()
                async with AsyncSqliteSaver.from_conn_string(file) as saver:
                    memory = Memory(store, saver, SETTINGS, debounce=3_600)
                    given = {"messages": [HumanMessage(FIGS)]} if turn == 0 else None
                    context = {"user_id": "anna"} if turn == 0 else None
                    done = await graph(memory, saver).ainvoke(given, at(), context=context)
                # The event loop's connection is closed, and what was said is read all the same.
                found = known(memory)
                memory.close()
        assert found == [FIGS_KNOWN]
        assert done["messages"][-1].content == "I looked."


class CountingSaver(InMemorySaver):
    """Counts the checkpoints that are read."""

    reads = 0

    def get_tuple(self, config: RunnableConfig) -> Any:
        self.reads += 1
        return super().get_tuple(config)

    def list(self, *args: Any, **options: Any) -> Iterator[Any]:
        for saved in super().list(*args, **options):
            self.reads += 1
            yield saved


class TestReadingAThread:
    def thread(self) -> tuple[CountingSaver, list[Turn]]:
        saver = CountingSaver()
        graph = create_agent(model(), checkpointer=saver)
        for turn in range(20):
            graph.invoke({"messages": [HumanMessage(f"{turn}?", id=f"m{turn}")]}, at())
        saver.reads = 0
        return saver, turns_of(graph.get_state(at()).values["messages"])

    def test_an_old_one_is_not_searched_for_what_it_has(self) -> None:
        saver, turns = self.thread()
        saver.reads = 0
        found, _ = Transcripts(saver).turns("one", {turns[-1].mark}, {turns[-2].mark})
        assert [turn.key for turn in found] == ["m18", "m19"]
        assert saver.reads == 1

    def test_what_it_has_lost_is_searched_as_far_as_needed(self) -> None:
        saver, turns = self.thread()
        apply_to_thread(saver, "one", KeepLatest(2), archive=None)
        saver.reads = 0
        found, _ = Transcripts(saver).turns("one", {turn.mark for turn in turns[-2:]})
        assert [turn.key for turn in found] == ["m18", "m19"]
        assert [len(turn.messages) for turn in found] == [2, 2]
        assert saver.reads <= 4

    def test_of_any_kind_is_not_locked_meanwhile(self, memory: Memory) -> None:
        """For a turn that is nowhere, all checkpoints are read; the first have no messages."""
        graph = agent(memory)
        say(graph, FIGS)
        assert memory.checkpointer is not None
        reading = DaemonThreads("reading").submit(
            lambda: Transcripts(memory.checkpointer).turns("one", {"nowhere#0"})
        )
        assert reading.result(20)[0] == []

    def test_nor_is_a_branch_lost_that_was_left(self) -> None:
        saver, turns = self.thread()
        graph = create_agent(model(), checkpointer=saver)
        earlier = list(graph.get_state_history(at(), limit=20))[-1].config
        graph.invoke({"messages": [HumanMessage("Anew.", id="anew")]}, earlier)
        found, _ = Transcripts(saver).turns("one", {turns[-1].mark})
        assert [turn.key for turn in found] == ["m19"]


def test_without_the_store_there_is_a_reply_and_no_memory(tmp_path: Path) -> None:
    told: list[Event] = []
    with opened(tmp_path, on_event=told.append) as memory:
        graph = agent(memory)
        say(graph, FIGS)
        known(memory)
        memory.store.close()  # type: ignore[attr-defined]
        assert say(graph, "Hello!")["messages"][-1].content == "Noted."
        assert "recall_failed" in [event.name for event in told]
        with pytest.raises(IdentityError):
            say(graph, "Hello!", "bob")


class Hanging(SQLiteMemoryStore):
    """A store whose writes wait until they may go on."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.goes_on = threading.Event()
        self.goes_on.set()

    def commit(self, changes: Any) -> None:
        assert self.goes_on.wait(20)
        super().commit(changes)


def test_a_reply_does_not_wait_for_a_store_that_hangs(tmp_path: Path) -> None:
    settings = {"enabled": True, "load_timeout": 0.3}
    given = load_settings({"agents": {"garden": {"long_term_memory": settings}}}).of("garden")
    with Hanging(tmp_path / "memory.db") as store, sqlite_saver(tmp_path / "threads.db") as saver:
        store.setup()
        memory = Memory(store, saver, given, debounce=3_600)
        say(agent(memory), FIGS)
        assert known(memory) == [FIGS_KNOWN]
        store.goes_on.clear()
        answers = model()
        say(agent(memory, answers), "I am allergic to dill.", thread="two")
        assert FIGS_KNOWN in str(answers.requests[-1])
        store.goes_on.set()
        assert known(memory) == ["The user is allergic to dill.", FIGS_KNOWN]
        with pytest.raises(IdentityError):
            say(agent(memory), "Hello!", "bob", thread="two")
        memory.close()

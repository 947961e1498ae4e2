"""Threads have one owner, whoever else runs on them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from functools import partial
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
from scripted import ScriptedModel

from langgraph_memory import Memory
from langgraph_memory.errors import IdentityError
from langgraph_memory.events import Event
from langgraph_memory.history import KeepLatest, apply_to_thread
from langgraph_memory.identity import Identity
from langgraph_memory.service.transcripts import Transcripts
from langgraph_memory.settings import load_settings
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

    def test_it_is_noted_before_the_stranger_is_told(self, tmp_path: Path) -> None:
        """A process that ends at once leaves nothing undone."""
        with opened(tmp_path) as memory:
            graph = agent(memory)
            say(graph, "Hello!")
            with pytest.raises(IdentityError):
                say(graph, FIGS, "bob")
            ledger = memory.store.get(Identity("garden", "anna").ledger, "thread:one")
            assert ledger is not None
            assert len(ledger.value["ignored"]) == 1


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


class TestReadingAThread:
    def test_an_old_one_is_not_searched_for_what_it_has(self) -> None:
        saver = CountingSaver()
        graph = create_agent(model(), checkpointer=saver)
        for turn in range(20):
            graph.invoke({"messages": [HumanMessage(f"{turn}?", id=f"m{turn}")]}, at())
        saver.reads = 0
        messages, _ = Transcripts(saver).read("one", {"m19"})
        assert (len(messages), saver.reads) == (40, 1)

    def test_what_it_has_lost_is_searched_as_far_as_needed(self) -> None:
        saver = CountingSaver()
        graph = create_agent(model(), checkpointer=saver)
        for turn in range(20):
            graph.invoke({"messages": [HumanMessage(f"{turn}?", id=f"m{turn}")]}, at())
        apply_to_thread(saver, "one", KeepLatest(2), archive=None)
        saver.reads = 0
        messages, _ = Transcripts(saver).read("one", {"m18"})
        assert [message.id for message in messages if message.type == "human"][-2:] == [
            "m18",
            "m19",
        ]
        assert saver.reads == 3


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

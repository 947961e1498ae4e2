"""The chat as a part of something larger: subgraphs, hooks that are graphs, the functional API."""

from __future__ import annotations

import operator
import warnings
from typing import Annotated, Any, NotRequired, TypedDict

import pytest
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.func import entrypoint, task
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.managed import RemainingSteps
from langgraph.prebuilt import create_react_agent
from langgraph.warnings import LangGraphDeprecatedSinceV10
from scripted import ScriptedModel, digest

from langgraph_memory.chat.graph import chat_graph
from langgraph_memory.context import ContextRequest, Summarize
from langgraph_memory.integrations import add_pre_model_steps, context_node
from langgraph_memory.messages import validate
from langgraph_memory.summarization import ContextState, SummarizationHook

SYSTEM = "You keep the diary of an expedition."
THREAD: RunnableConfig = {"configurable": {"thread_id": "expedition"}}
BOTH = pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])


def summaries() -> tuple[ScriptedModel, ScriptedModel, Summarize]:
    """The model, the summarizer, and a strategy that has it summarize now and then."""
    summarizer = ScriptedModel(reply=digest)
    return ScriptedModel(reply=lambda _: "Noted."), summarizer, Summarize(summarizer, threshold=8)


async def run(graph: Any, given: Any, asynchronous: bool) -> Any:
    return await graph.ainvoke(given, THREAD) if asynchronous else graph.invoke(given, THREAD)


class Expedition(TypedDict, total=False):
    """State of a parent graph; the chat inside brings `messages` only."""

    messages: Annotated[list[AnyMessage], add_messages]
    log: Annotated[list[str], operator.add]


class TestChatAsANode:
    """A chat with its own context, used as a node of a graph that knows nothing of it."""

    def parent(self, chat: Any) -> Any:
        graph = StateGraph(Expedition)
        graph.add_node("arrive", lambda state: {"log": [str(state["messages"][-1].content)]})
        graph.add_node("chat", chat)
        graph.add_edge(START, "arrive")
        graph.add_edge("arrive", "chat")
        return graph.compile(checkpointer=InMemorySaver())

    @BOTH
    async def test_with_a_thread_of_its_own_memory(self, asynchronous: bool) -> None:
        """`checkpointer=True` keeps the subgraph's private channels from run to run."""
        model, summarizer, strategy = summaries()
        chat = chat_graph(model, strategy, system=SYSTEM).compile(checkpointer=True)
        parent = self.parent(chat)
        for turn in range(12):
            state = await run(parent, {"messages": [HumanMessage(f"Day {turn}")]}, asynchronous)
        assert [m.content for m in state["messages"][::2]] == [f"Day {t}" for t in range(12)]
        assert len(state["messages"]) == 24
        assert state["log"] == [f"Day {turn}" for turn in range(12)]
        assert "context_state" not in state
        assert summarizer.calls == 4
        assert len(model.requests[-1]) < 12
        assert "Σ" in str(model.requests[-1][0].content)

    @BOTH
    async def test_without_one_it_is_only_less_thrifty(self, asynchronous: bool) -> None:
        """A subgraph that forgets has to summarize anew, and still sends valid short requests."""
        model, summarizer, strategy = summaries()
        parent = self.parent(chat_graph(model, strategy, system=SYSTEM).compile())
        for turn in range(12):
            state = await run(parent, {"messages": [HumanMessage(f"Day {turn}")]}, asynchronous)
        assert len(state["messages"]) == 24
        assert summarizer.calls > 4
        assert all(len(request) <= 10 for request in model.requests)

    def test_two_chats_in_one_parent_keep_apart(self) -> None:
        one, two = ScriptedModel(reply=lambda _: "One."), ScriptedModel(reply=lambda _: "Two.")
        summarizer = ScriptedModel(reply=digest)
        graph = StateGraph(ContextState)
        for name, model in (("one", one), ("two", two)):
            view = context_node(Summarize(summarizer, threshold=8), name=name, system=name)
            graph.add_node(f"view_{name}", view)
            graph.add_node(name, sender(model))
            graph.add_edge(f"view_{name}", name)
        graph.add_edge(START, "view_one")
        graph.add_edge("one", "view_two")
        compiled = graph.compile(checkpointer=InMemorySaver())
        for turn in range(8):
            state = compiled.invoke({"messages": [HumanMessage(f"Day {turn}")]}, THREAD)
        assert set(state["context_state"]) == {"one", "two"}
        assert all(str(request[0].content).startswith("two") for request in two.requests)
        assert all(str(request[0].content).startswith("one") for request in one.requests)


def sender(model: ScriptedModel) -> Any:
    def send(state: ContextState) -> dict[str, Any]:
        return {"messages": [model.invoke(state["llm_input_messages"])]}

    return send


@tool
def height(peak: str) -> str:
    """Say how high a peak is."""
    return f"{peak} is {len(peak)} thousand metres high."


class ReactState(ContextState, total=False):
    """What create_react_agent needs besides the channels of a context node."""

    remaining_steps: NotRequired[RemainingSteps]


@BOTH
async def test_a_compiled_graph_as_pre_model_hook(asynchronous: bool) -> None:
    """The conditional edge inside a hook: a graph of steps, compiled and handed over."""

    def reply(request: list[BaseMessage]) -> str | BaseMessage:
        if request[-1].type == "tool":
            return str(request[-1].content)
        made = {"name": "height", "args": {"peak": "Rigi"}, "id": "c", "type": "tool_call"}
        return AIMessage("", tool_calls=[made])

    model, summarizer = ScriptedModel(reply=reply), ScriptedModel(reply=digest)
    steps = StateGraph(ContextState)
    hook = SummarizationHook(summarizer, max_tokens=200, keep_last=3)
    add_pre_model_steps(steps, {50: hook}, after=START, before=END, system=SYSTEM, tools=[height])
    with warnings.catch_warnings():
        # Upstream deprecated create_react_agent in favour of create_agent.
        warnings.simplefilter("ignore", LangGraphDeprecatedSinceV10)
        agent = create_react_agent(
            model,
            [height],
            pre_model_hook=steps.compile(),
            state_schema=ReactState,
            checkpointer=InMemorySaver(),
        )
    for turn in range(8):
        state = await run(
            agent,
            {"messages": [HumanMessage(f"How high is it? {turn}", id=f"q{turn}")]},
            asynchronous,
        )
    assert len(state["messages"]) == 32
    assert len({message.id for message in state["messages"]}) == 32
    assert 1 < summarizer.calls < 16
    for request in model.requests:
        assert str(request[0].content).startswith(SYSTEM)
        assert validate(request, "common") == []
    assert "Σ" in str(model.requests[-1][0].content)
    assert len(model.requests[-1]) < 12


class TestFunctionalApi:
    """The whole thread and the strategy's state live in what the entrypoint saves."""

    @BOTH
    async def test_keeps_the_state_in_what_it_saves(self, asynchronous: bool) -> None:
        model, summarizer, strategy = summaries()

        @task
        def answer(request: list[BaseMessage]) -> BaseMessage:
            return model.invoke(request)

        def begun(said: str, previous: dict[str, Any] | None) -> tuple[list[BaseMessage], Any]:
            kept = previous or {"messages": [], "context": None}
            thread: list[BaseMessage] = [*kept["messages"], HumanMessage(said)]
            return thread, ContextRequest(state=kept["context"], system=SYSTEM)

        def ended(thread: list[BaseMessage], reply: BaseMessage, state: Any) -> Any:
            save = {"messages": [*thread, reply], "context": state}
            return entrypoint.final(value=[m.content for m in save["messages"]], save=save)

        if asynchronous:

            @entrypoint(checkpointer=InMemorySaver())
            async def chat(said: str, *, previous: dict[str, Any] | None = None) -> Any:
                thread, request = begun(said, previous)
                view = await strategy.aapply(thread, request)
                return ended(thread, await answer(view.messages), view.state)
        else:

            @entrypoint(checkpointer=InMemorySaver())
            def chat(said: str, *, previous: dict[str, Any] | None = None) -> Any:
                thread, request = begun(said, previous)
                view = strategy.apply(thread, request)
                return ended(thread, answer(view.messages).result(), view.state)

        for turn in range(12):
            thread = await run(chat, f"Day {turn}", asynchronous)
        # Messages without ids: what is covered is still known the next time.
        assert summarizer.calls == 4
        assert all(request[0].type == "system" for request in model.requests)
        assert all(len(request) <= 10 for request in model.requests)
        assert thread[::2] == [f"Day {turn}" for turn in range(12)]
        assert thread[1::2] == ["Noted."] * 12

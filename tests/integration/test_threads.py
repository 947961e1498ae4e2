"""Threads: what is stored, who sees it, what waits for a person, and what others remove."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import (
    AgentMiddleware,
    HumanInTheLoopMiddleware,
    SummarizationMiddleware,
)
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    RemoveMessage,
    ToolMessage,
)
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.types import Command
from scripted import ScriptedModel, digest

from langgraph_memory.chat.graph import chat_graph
from langgraph_memory.checkpoints import sqlite_saver, thread_id
from langgraph_memory.context import (
    ClearToolResults,
    Composite,
    ContextStrategy,
    SlidingWindow,
    Summarize,
    UsageFeedbackWindow,
)
from langgraph_memory.integrations import ContextMiddleware
from langgraph_memory.messages import text_of, validate

SYSTEM = "You run the post office of a village."


def thread(*parts: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread_id(*parts)}}


def said(request: list[BaseMessage]) -> str:
    return "\n".join(text_of(message) for message in request)


def noting() -> ScriptedModel:
    return ScriptedModel(reply=lambda request: f"Noted: {text_of(request[-1])}")


def everything(summarizer: ScriptedModel) -> ContextStrategy:
    """A pipeline in which every step has something to remember."""
    return Composite(
        [
            UsageFeedbackWindow(5_000),
            ClearToolResults(keep=1),
            Summarize(summarizer, threshold=8),
            SlidingWindow(600, low_water=0.5),
        ]
    )


class TestStored:
    """Messages and plain JSON: a serializer that knows nothing else gives the state back whole."""

    @pytest.fixture
    def strict(self) -> Iterator[SqliteSaver]:
        serde = JsonPlusSerializer(allowed_msgpack_modules=None)
        with closing(sqlite3.connect(":memory:", check_same_thread=False)) as connection:
            yield SqliteSaver(connection, serde=serde)

    def check(self, graph: Any, summarizer: ScriptedModel) -> None:
        for turn in range(12):
            graph.invoke({"messages": [HumanMessage(f"Letter {turn}")]}, thread("t"))
        values = graph.get_state(thread("t")).values
        assert all(isinstance(message, BaseMessage) for message in values["messages"])
        assert len(values["messages"]) == 24
        kept = values["context_state"]
        assert json.loads(json.dumps(kept)) == kept
        # What came back was understood: no summary was made anew.
        assert summarizer.calls == 4

    def test_of_a_graph(self, strict: SqliteSaver) -> None:
        summarizer = ScriptedModel(reply=digest)
        graph = chat_graph(noting(), everything(summarizer), system=SYSTEM)
        self.check(graph.compile(checkpointer=strict), summarizer)

    def test_of_an_agent(self, strict: SqliteSaver) -> None:
        summarizer = ScriptedModel(reply=digest)
        agent = create_agent(
            noting(), middleware=[ContextMiddleware(everything(summarizer))], checkpointer=strict
        )
        self.check(agent, summarizer)


class TestApart:
    def test_threads_never_see_each_other(self) -> None:
        model, summarizer = noting(), ScriptedModel(reply=digest)
        strategy = everything(summarizer)
        chat = chat_graph(model, strategy, system=SYSTEM)
        graph: Any = chat.compile(checkpointer=InMemorySaver())
        for turn in range(12):
            for user in ("ann", "ben"):
                given = {"messages": [HumanMessage(f"{user} sends letter {turn}")]}
                graph.invoke(given, thread(user, "s"))
        for number, request in enumerate([*model.requests, *summarizer.requests]):
            assert ("ann" in said(request)) != ("ben" in said(request)), number
        ann, ben = (graph.get_state(thread(user, "s")).values for user in ("ann", "ben"))
        assert "ben" not in str(ann)
        assert "ann" not in str(ben)

    def test_a_missing_thread_id_is_an_error(self) -> None:
        model = noting()
        with sqlite_saver(":memory:") as saver:
            graph: Any = chat_graph(model, SlidingWindow(500)).compile(checkpointer=saver)
            with pytest.raises(ValueError, match="thread_id"):
                graph.invoke({"messages": [HumanMessage("hello")]})
        assert model.calls == 0


@tool
def post(letter: str) -> str:
    """Post a letter; it cannot be taken back."""
    POSTED.append(letter)
    return f"{letter} is on its way"


POSTED: list[str] = []
DECIDED = {"type": "approve"}


def clerk(request: list[BaseMessage]) -> str | BaseMessage:
    """Posts two letters when asked to, in one step."""
    if request[-1].type != "human" or "post" not in text_of(request[-1]).lower():
        return "As you wish."
    calls = [
        {"name": "post", "args": {"letter": name}, "id": f"c-{name}", "type": "tool_call"}
        for name in ("first", "second")
    ]
    return AIMessage("", tool_calls=calls)


@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("mode", ["batched", "per_call"])
class TestWaitingForAPerson:
    @pytest.fixture(autouse=True)
    def nothing_posted(self) -> None:
        POSTED.clear()

    def agent(self, model: ScriptedModel, mode: Any) -> Any:
        middleware: list[AgentMiddleware[Any, Any, Any]] = [
            ContextMiddleware(everything(ScriptedModel(reply=digest))),
            HumanInTheLoopMiddleware({"post": True}, interrupt_mode=mode),
        ]
        return create_agent(
            model,
            [post],
            system_prompt=SYSTEM,
            middleware=middleware,
            checkpointer=InMemorySaver(),
        )

    async def run(self, agent: Any, given: Any, asynchronous: bool) -> Any:
        if asynchronous:
            return await agent.ainvoke(given, thread("t"))
        return agent.invoke(given, thread("t"))

    async def asked(self, agent: Any, asynchronous: bool) -> Any:
        for turn in range(6):
            await self.run(agent, {"messages": [HumanMessage(f"Day {turn}")]}, asynchronous)
        return await self.run(agent, {"messages": [HumanMessage("Post both!")]}, asynchronous)

    def answers(self, state: Any, mode: str, *decisions: dict[str, Any]) -> Command[Any]:
        if mode == "batched":
            return Command(resume={"decisions": list(decisions)})
        # Tasks that run beside each other ask in any order.
        asked = sorted(state["__interrupt__"], key=lambda each: each.value["tool_call_id"])
        waiting = [interrupt.id for interrupt in asked]
        return Command(resume=dict(zip(waiting, decisions, strict=True)))

    async def test_history_is_untouched_and_the_approved_calls_run(
        self, mode: str, asynchronous: bool
    ) -> None:
        model = ScriptedModel(reply=clerk)
        agent = self.agent(model, mode)
        state = await self.asked(agent, asynchronous)
        assert state["__interrupt__"]
        assert POSTED == []
        before = agent.get_state(thread("t")).values["messages"]
        assert len(before) == 14
        assert [call["id"] for call in before[-1].tool_calls] == ["c-first", "c-second"]
        calls = model.calls
        given = self.answers(state, mode, DECIDED, DECIDED)
        state = await self.run(agent, given, asynchronous)
        assert sorted(POSTED) == ["first", "second"]
        assert state["messages"][:14] == before
        results = [m for m in state["messages"][14:] if isinstance(m, ToolMessage)]
        assert [m.content for m in results] == ["first is on its way", "second is on its way"]
        assert len(state["messages"]) == 17
        assert model.calls == calls + 1
        assert validate(model.requests[-1], "openai") == []
        assert "second is on its way" in said(model.requests[-1])

    async def test_a_refused_call_does_not_run(self, mode: str, asynchronous: bool) -> None:
        model = ScriptedModel(reply=clerk)
        agent = self.agent(model, mode)
        state = await self.asked(agent, asynchronous)
        refused = {"type": "reject", "message": "The stamp is missing."}
        given = self.answers(state, mode, DECIDED, refused)
        state = await self.run(agent, given, asynchronous)
        assert POSTED == ["first"]
        assert "The stamp is missing." in said(model.requests[-1])
        assert validate(model.requests[-1], "openai") == []

    async def test_a_new_message_instead_of_a_decision(self, mode: str, asynchronous: bool) -> None:
        """The thread keeps the open calls as they are; only the request gets results for them."""
        model = ScriptedModel(reply=clerk)
        agent = self.agent(model, mode)
        await self.asked(agent, asynchronous)
        before = agent.get_state(thread("t")).values["messages"]
        given = {"messages": [HumanMessage("Leave it, thanks.")]}
        state = await self.run(agent, given, asynchronous)
        assert POSTED == []
        assert state["messages"][:14] == before
        assert [m.type for m in state["messages"][14:]] == ["human", "ai"]
        assert validate(model.requests[-1], "openai") == []
        assert text_of(model.requests[-1][-1]) == "Leave it, thanks."


class TestOthersEditTheThread:
    """Other nodes and middleware remove and change messages; nothing that is left may be lost."""

    def chat(self) -> tuple[Any, ScriptedModel, ScriptedModel]:
        model, summarizer = noting(), ScriptedModel(reply=digest)
        strategy = Summarize(summarizer, threshold=8)
        chat = chat_graph(model, strategy, system=SYSTEM)
        graph: Any = chat.compile(checkpointer=InMemorySaver())
        for turn in range(8):
            graph.invoke(
                {"messages": [HumanMessage(f"Letter <{turn}>", id=f"h{turn}")]}, thread("t")
            )
        assert summarizer.calls >= 2
        return graph, model, summarizer

    def edit(self, graph: Any, *messages: BaseMessage) -> None:
        graph.update_state(thread("t"), {"messages": list(messages)}, as_node="model")

    def test_all_replaced_by_others(self) -> None:
        graph, model, _ = self.chat()
        fresh = [HumanMessage(f"Parcel <{n}>", id=f"p{n}") for n in range(4)]
        self.edit(graph, RemoveMessage(id=REMOVE_ALL_MESSAGES), *fresh)
        state = graph.invoke({"messages": [HumanMessage("What have I sent?")]}, thread("t"))
        assert len(state["messages"]) == 6
        assert all(f"Parcel <{n}>" in said(model.requests[-1]) for n in range(4))
        assert text_of(model.requests[-1][-1]) == "What have I sent?"

    def test_all_but_the_newest_removed(self) -> None:
        graph, model, _ = self.chat()
        messages = graph.get_state(thread("t")).values["messages"]
        self.edit(graph, RemoveMessage(id=REMOVE_ALL_MESSAGES), *messages[-3:])
        graph.invoke({"messages": [HumanMessage("What have I sent?")]}, thread("t"))
        assert "Letter <7>" in said(model.requests[-1])
        assert text_of(messages[-3]) in said(model.requests[-1])

    def test_one_by_one_removed_from_the_start_of_the_view(self) -> None:
        graph, model, summarizer = self.chat()
        calls = summarizer.calls
        shown = [m for m in model.requests[-1] if m.type != "system"]
        first = next(m for m in shown if m.id)
        self.edit(graph, RemoveMessage(id=str(first.id)))
        graph.invoke({"messages": [HumanMessage("What have I sent?")]}, thread("t"))
        text = said(model.requests[-1])
        assert all(text_of(m) in text for m in shown if m.id != first.id)
        assert text_of(first) not in text.splitlines()
        assert summarizer.calls <= calls + 1

    def test_a_corrected_message_is_shown_corrected(self) -> None:
        graph, model, _ = self.chat()
        self.edit(graph, HumanMessage("Letter <seven>", id="h7"))
        graph.invoke({"messages": [HumanMessage("What have I sent?")]}, thread("t"))
        assert "Letter <seven>" in said(model.requests[-1])
        assert "\nLetter <7>" not in said(model.requests[-1])

    def test_beside_a_middleware_that_rewrites_the_thread(self) -> None:
        model, ours, theirs = noting(), ScriptedModel(reply=digest), ScriptedModel(reply=digest)
        middleware: list[AgentMiddleware[Any, Any, Any]] = [
            SummarizationMiddleware(theirs, trigger=("messages", 12), keep=("messages", 6)),
            ContextMiddleware(Summarize(ours, threshold=8)),
        ]
        agent: Any = create_agent(
            model, system_prompt=SYSTEM, middleware=middleware, checkpointer=InMemorySaver()
        )
        for turn in range(20):
            agent.invoke({"messages": [HumanMessage(f"Letter <{turn}>")]}, thread("t"))
            request = model.requests[-1]
            assert text_of(request[-1]) == f"Letter <{turn}>"
            assert validate(request, "common") == []
            if turn:
                assert f"Noted: Letter <{turn - 1}>" in said(request)
        assert theirs.calls > 1

"""Pre-model steps run in the order of their numbers, in every form that they can take."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.prebuilt import ToolNode, create_react_agent, tools_condition
from langgraph.warnings import LangGraphDeprecatedSinceV10
from scripted import ScriptedModel, digest

from langgraph_memory.context import ClearToolResults, SlidingWindow
from langgraph_memory.errors import InvalidInputError
from langgraph_memory.integrations import (
    ContextMiddleware,
    add_pre_model_steps,
    context_node,
    ordered_steps,
)
from langgraph_memory.messages import text_of, validate
from langgraph_memory.summarization import ContextState, SummarizationHook

SYSTEM = "You plan journeys by train."
THREAD: RunnableConfig = {"configurable": {"thread_id": "trains"}}
FORMS = ("nodes", "hook", "middleware")
TIMETABLE = "Departure on the hour, platform seven, change once on the way. " * 6


@tool
def timetable(town: str) -> str:
    """Look up trains to a town."""
    return f"{town}: {TIMETABLE}"


def planner(request: list[BaseMessage]) -> str | BaseMessage:
    if isinstance(request[-1], ToolMessage):
        return "You leave on the hour."
    made = {"name": "timetable", "args": {"town": "Kassel"}, "id": "c", "type": "tool_call"}
    return AIMessage("", tool_calls=[made])


Step = Callable[[list[BaseMessage]], Sequence[BaseMessage]]


class Marks:
    """Steps that write their number behind the newest user message and note what they got."""

    def __init__(self) -> None:
        self.given: dict[int, list[str]] = {}

    def step(self, number: int) -> Step:
        def mark(messages: list[BaseMessage]) -> list[BaseMessage]:
            text = "\n".join(text_of(message) for message in messages)
            self.given.setdefault(number, []).append(text)
            last = max(i for i, message in enumerate(messages) if message.type == "human")
            changed = messages[last].model_copy(
                update={"content": f"{messages[last].content} |{number}"}
            )
            return [*messages[:last], changed, *messages[last + 1 :]]

        return mark

    def async_step(self, number: int) -> Callable[[list[BaseMessage]], Any]:
        mark = self.step(number)

        async def later(messages: list[BaseMessage]) -> Sequence[BaseMessage]:
            return mark(messages)

        return later


def steps_of(marks: Marks, summarizer: ScriptedModel, *, first: Any = None) -> dict[int, Any]:
    """All six, given in an order that is not theirs."""
    return {
        60: marks.step(60),
        50: SummarizationHook(summarizer, max_tokens=300, keep_last=4),
        20: marks.step(20),
        40: marks.step(40),
        30: ClearToolResults(keep=1),
        10: first or marks.step(10),
    }


def agent_of(form: str, model: ScriptedModel, steps: dict[int, Any]) -> Any:
    saver = InMemorySaver()
    if form == "middleware":
        return create_agent(
            model,
            [timetable],
            system_prompt=SYSTEM,
            middleware=[ContextMiddleware(steps)],
            checkpointer=saver,
        )
    if form == "hook":
        hook = context_node(steps, system=SYSTEM, tools=[timetable])
        with warnings.catch_warnings():
            # Upstream deprecated create_react_agent in favour of create_agent.
            warnings.simplefilter("ignore", LangGraphDeprecatedSinceV10)
            return create_react_agent(model, [timetable], pre_model_hook=hook, checkpointer=saver)
    graph = StateGraph(ContextState)
    graph.add_node("model", SendsTheView(model))
    graph.add_node("tools", ToolNode([timetable]))
    add_pre_model_steps(
        graph, steps, after=[START, "tools"], before="model", system=SYSTEM, tools=[timetable]
    )
    graph.add_conditional_edges("model", tools_condition)
    return graph.compile(checkpointer=saver)


class SendsTheView:
    def __init__(self, model: ScriptedModel) -> None:
        self.model = model

    def __call__(self, state: ContextState) -> dict[str, Any]:
        return {"messages": [self.model.invoke(state["llm_input_messages"])]}


async def converse(agent: Any, asynchronous: bool, turns: int = 6) -> dict[str, Any]:
    state: dict[str, Any] = {}
    for turn in range(turns):
        given = {"messages": [HumanMessage(f"Journey {turn}, please.", id=f"q{turn}")]}
        state = await agent.ainvoke(given, THREAD) if asynchronous else agent.invoke(given, THREAD)
    return state


def plain(requests: list[list[BaseMessage]]) -> list[list[tuple[str, str]]]:
    return [[(m.type, str(m.content)) for m in request] for request in requests]


@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("form", FORMS)
async def test_order(form: str, asynchronous: bool) -> None:
    marks, summarizer = Marks(), ScriptedModel(reply=digest)
    model = ScriptedModel(reply=planner)
    state = await converse(agent_of(form, model, steps_of(marks, summarizer)), asynchronous)
    assert len(state["messages"]) == 24
    assert not any("|" in str(message.content) for message in state["messages"])
    assert summarizer.calls > 0
    for request in model.requests:
        asked = [str(m.content) for m in request if m.type == "human"]
        assert asked[-1].endswith("please. |10 |20 |40 |60")
        assert request[0].type == "system"
        assert str(request[0].content).startswith(SYSTEM)
        assert validate(request, "common") == []
    # Each step was given what those before it had made.
    assert set(map(len, marks.given.values())) == {12}
    assert all(text.count("|10") == 1 and "|20" not in text for text in marks.given[20])
    assert marks.given[20][5].count(TIMETABLE) > 1
    assert all(text.count(TIMETABLE) <= 1 for text in marks.given[40])
    assert not any("Σ" in text for text in marks.given[40])
    assert "Σ" in marks.given[60][-1]


async def test_the_three_forms_send_the_same() -> None:
    sent = []
    for form in FORMS:
        model = ScriptedModel(reply=planner)
        agent = agent_of(form, model, steps_of(Marks(), ScriptedModel(reply=digest)))
        await converse(agent, asynchronous=False)
        sent.append(plain(model.requests))
    assert sent[0] == sent[1] == sent[2]


@pytest.mark.parametrize("form", FORMS)
async def test_steps_may_be_async(form: str) -> None:
    marks, summarizer = Marks(), ScriptedModel(reply=digest)
    model = ScriptedModel(reply=planner)
    steps = steps_of(marks, summarizer, first=marks.async_step(10))
    await converse(agent_of(form, model, steps), asynchronous=True)
    asked = [str(m.content) for m in model.requests[-1] if m.type == "human"]
    assert asked[-1].endswith("please. |10 |20 |40 |60")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("chosen", [[50], [30], [10, 50], [50, 60], [10, 60], [30, 70]])
async def test_any_of_them_may_be_missing(form: str, chosen: list[int]) -> None:
    marks, summarizer = Marks(), ScriptedModel(reply=digest)
    steps = {**steps_of(marks, summarizer), 70: SlidingWindow(2_000)}
    model = ScriptedModel(reply=planner)
    state = await converse(
        agent_of(form, model, {number: steps[number] for number in chosen}), asynchronous=False
    )
    assert len(state["messages"]) == 24
    assert all(str(request[0].content).startswith(SYSTEM) for request in model.requests)
    assert (summarizer.calls > 0) == (50 in chosen)
    ending = "".join(f" |{number}" for number in chosen if number in (10, 60))
    asked = [str(m.content) for m in model.requests[-1] if m.type == "human"]
    assert asked[-1] == f"Journey 5, please.{ending}"


async def test_the_hook_is_a_conditional_edge_between_nodes() -> None:
    steps = steps_of(Marks(), ScriptedModel(reply=digest))
    agent = agent_of("nodes", ScriptedModel(reply=planner), steps)
    names = set(agent.get_graph().nodes)
    assert {"steps_before", "summarize", "summary_view", "steps_after"} <= names
    runs = []
    for turn in range(6):
        given = {"messages": [HumanMessage(f"Journey {turn}, please.")]}
        stream = agent.stream(given, THREAD, stream_mode="updates")
        runs.append([name for step in stream for name in step])
    assert "summarize" not in runs[0]
    assert any("summarize" in run for run in runs)
    assert all(run.count("model") == 2 for run in runs)


@pytest.mark.parametrize("number", [0, 5, 25, 35, -10, "10"])
def test_other_numbers_are_refused(number: Any) -> None:
    with pytest.raises(InvalidInputError, match="pre-model step"):
        ordered_steps({number: SlidingWindow(100)})


def test_other_steps_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="Step 10"):
        ordered_steps({10: "trim"})  # type: ignore[dict-item]

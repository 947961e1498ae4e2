"""The summarization hook as a conditional edge and its node."""

from __future__ import annotations

import json
import logging
from itertools import pairwise
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from scripted import ScriptedModel, block, digest, refuse

from langgraph_memory.errors import InvalidBudgetError
from langgraph_memory.messages import pin, validate
from langgraph_memory.summarization import (
    ContextState,
    add_summarization,
    summarization_edge,
    summarize_node,
    summarized_messages,
)
from langgraph_memory.tokens import ApproximateTokenCounter

THREAD: RunnableConfig = {"configurable": {"thread_id": "garden"}}
SYSTEM = "You give advice about gardens."
BUDGET = 1_000
LONG = "The tomatoes by the south wall need water, and the beans want a taller fence. " * 4

BOTH = pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])


def gardener(
    model: ScriptedModel, summarizer: Any, max_tokens: int = BUDGET, **options: Any
) -> Any:
    """A chat behind the edge, wired by the package."""
    graph = StateGraph(ContextState)

    def answer(state: ContextState) -> dict[str, Any]:
        return {"messages": [model.invoke(summarized_messages(state, system=SYSTEM))]}

    graph.add_node("model", answer)
    add_summarization(
        graph,
        summarizer,
        after=START,
        before="model",
        max_tokens=max_tokens,
        system=SYSTEM,
        **options,
    )
    graph.add_edge("model", END)
    return graph.compile(checkpointer=InMemorySaver())


async def visited(graph: Any, text: str, asynchronous: bool = False) -> list[str]:
    """Nodes of one run, in order."""
    given = {"messages": [HumanMessage(text)]}
    if asynchronous:
        steps = [s async for s in graph.astream(given, THREAD, stream_mode="updates")]
    else:
        steps = list(graph.stream(given, THREAD, stream_mode="updates"))
    return [name for step in steps for name in step]


def noted(_: list[BaseMessage]) -> str:
    return "Noted. " + LONG


def tokens(request: list[BaseMessage]) -> int:
    return ApproximateTokenCounter().count_request(request)


@BOTH
async def test_straight_to_the_model_under_the_budget(asynchronous: bool) -> None:
    model, summarizer = ScriptedModel(reply=noted), ScriptedModel(reply=digest)
    graph = gardener(model, summarizer)
    assert await visited(graph, "What about roses?", asynchronous) == ["model"]
    assert summarizer.calls == 0
    assert [m.content for m in model.requests[0]] == [SYSTEM, "What about roses?"]


@BOTH
async def test_through_the_node_above_it_and_not_again_until_it_has_grown(
    asynchronous: bool,
) -> None:
    model, summarizer = ScriptedModel(reply=noted), ScriptedModel(reply=digest)
    graph = gardener(model, summarizer)
    runs = [await visited(graph, f"{turn}: {LONG}", asynchronous) for turn in range(20)]
    fired = [turn for turn, run in enumerate(runs) if run == ["summarize", "model"]]
    assert [run for run in runs if run not in (["model"], ["summarize", "model"])] == []
    assert len(fired) == summarizer.calls > 1
    assert all(later - earlier > 1 for earlier, later in pairwise(fired))
    assert all(tokens(request) <= BUDGET for request in model.requests)
    assert block(model.requests[-1], "conversation_summary").startswith("Σ")
    assert all(validate(request, "common") == [] for request in model.requests)
    state = graph.get_state(THREAD).values
    assert len(state["messages"]) == 40
    assert len({message.id for message in state["messages"]}) == 40
    kept = state["context_state"]
    assert json.loads(json.dumps(kept)) == kept


async def test_every_message_is_summarized_once() -> None:
    model, summarizer = ScriptedModel(reply=noted), ScriptedModel(reply=digest)
    graph = gardener(model, summarizer)
    for turn in range(20):
        await visited(graph, f"<{turn}> {LONG}")
    sources = "".join(block(request, "conversation") for request in summarizer.requests)
    seen = [turn for turn in range(20) if sources.count(f"<{turn}>") > 0]
    assert seen == list(range(len(seen)))
    assert all(sources.count(f"<{turn}>") == 1 for turn in seen)
    covered = graph.get_state(THREAD).values["context_state"]["summarization"]["covered"]
    state = graph.get_state(THREAD).values["messages"]
    assert covered == [message.id for message in state[: len(covered)]]
    # What no summary has seen is in the request itself.
    shown = model.said_to()
    assert all(f"<{turn}>" in shown for turn in range(len(seen), 20))
    # Each summary was given the one before it.
    for before, after in zip(summarizer.requests, summarizer.requests[1:], strict=False):
        assert block(after, "previous_summary") == digest(before)


def test_counts_the_system_prompt_and_the_tools() -> None:
    @tool
    def water(bed: str, litres: int) -> str:
        """Water a bed of the garden with a number of litres, slowly and only in the evening."""
        return "done"

    state = {"messages": [HumanMessage("Shall I water?")]}
    assert summarization_edge(60)(state) == "model"
    assert summarization_edge(60, tools=[water])(state) == "summarize"
    assert summarization_edge(60, system=LONG)(state) == "summarize"
    assert summarization_edge(60, system=LONG, otherwise="m", summarize="s")(state) == "s"


@BOTH
async def test_without_a_model_the_view_is_cut_to_what_fits(asynchronous: bool) -> None:
    model = ScriptedModel(reply=noted)
    graph = gardener(model, None)
    for turn in range(12):
        await visited(graph, f"<{turn}> {LONG}", asynchronous)
    assert all(tokens(request) <= BUDGET for request in model.requests)
    last = model.requests[-1]
    assert last[0].content == SYSTEM
    assert str(last[-1].content).startswith("<11>")
    assert "<10>" in model.said_to()
    assert "<0>" not in model.said_to()
    assert len(graph.get_state(THREAD).values["messages"]) == 24


@pytest.mark.parametrize("reply", [refuse, lambda request: str(request[-1].content) * 2])
async def test_a_summarizer_that_fails_leaves_both_ends_of_the_source(reply: Any) -> None:
    """It raises, or answers with more than it was given."""
    model, summarizer = ScriptedModel(reply=noted), ScriptedModel(reply=reply)
    graph = gardener(model, summarizer, max_tokens=2_500)
    turn = 0
    while summarizer.calls == 0 and turn < 40:
        await visited(graph, f"<{turn}> {LONG}")
        turn += 1
    assert summarizer.calls == 1
    text = block(model.requests[-1], "conversation_summary")
    source = block(summarizer.requests[0], "conversation")
    assert len(source) > 2_000
    assert text.startswith(source[:1_000])
    assert text.endswith(source[-1_000:])
    between = text[1_000:-1_000]
    assert "left out" in between
    assert len(between) < 100
    assert tokens(model.requests[-1]) <= 2_500
    assert str(model.requests[-1][-1].content).startswith(f"<{turn - 1}>")
    assert graph.get_state(THREAD).values["context_state"]["summarization"]["degraded"]


async def test_a_failing_summarizer_does_not_grow_the_request_for_ever() -> None:
    model, summarizer = ScriptedModel(reply=noted), ScriptedModel(reply=refuse)
    graph = gardener(model, summarizer, max_tokens=2_500)
    for turn in range(60):
        assert len(await visited(graph, f"<{turn}> {LONG}")) <= 2
    assert summarizer.calls > 3
    assert all(tokens(request) <= 2_500 for request in model.requests)


async def test_never_loops_and_warns_once(caplog: pytest.LogCaptureFixture) -> None:
    """What must be kept is alone above the trigger: the request passes, with one warning."""
    model, summarizer = ScriptedModel(reply=lambda _: "Yes."), ScriptedModel(reply=digest)
    graph = gardener(model, summarizer, max_tokens=40)
    huge = LONG * 4
    with caplog.at_level(logging.WARNING, logger="langgraph_memory"):
        for _ in range(3):
            run = await visited(graph, huge)
            assert run.count("summarize") <= 1
            assert run[-1] == "model"
    about = [r for r in caplog.records if "above the trigger" in r.getMessage()]
    assert len(about) == 1
    assert model.calls == 3
    assert model.requests[-1][-1].content == huge


async def test_pinned_messages_stay_word_for_word() -> None:
    model, summarizer = ScriptedModel(reply=noted), ScriptedModel(reply=digest)
    graph = gardener(model, summarizer)
    rule = pin(HumanMessage("Never use chemicals in my garden."))
    graph.invoke({"messages": [rule]}, THREAD)
    for turn in range(20):
        await visited(graph, f"{turn}: {LONG}")
    assert summarizer.calls > 1
    assert "Never use chemicals in my garden." in [m.content for m in model.requests[-1]]


@BOTH
async def test_in_a_loop_with_tools(asynchronous: bool) -> None:
    """The edge stands before every model call, those after a tool result too."""

    @tool
    def soil(bed: int) -> str:
        """Measure the soil of a bed."""
        return f"Bed {bed}: {LONG}"

    def reply(request: list[BaseMessage]) -> str | BaseMessage:
        last = request[-1]
        done = int(str(last.content)[4]) if isinstance(last, ToolMessage) else 0
        if done == 4:
            return "All beds are fine."
        made = {"name": "soil", "args": {"bed": done + 1}, "id": f"c{done}", "type": "tool_call"}
        return AIMessage("", tool_calls=[made])

    model, summarizer = ScriptedModel(reply=reply), ScriptedModel(reply=digest)
    graph = StateGraph(ContextState)
    graph.add_node(
        "model",
        lambda state: {"messages": [model.invoke(summarized_messages(state, system=SYSTEM))]},
    )
    graph.add_node("tools", ToolNode([soil]))
    add_summarization(
        graph,
        summarizer,
        after=[START, "tools"],
        before="model",
        max_tokens=600,
        system=SYSTEM,
        tools=[soil],
    )
    graph.add_conditional_edges("model", tools_condition)
    agent: Any = graph.compile(checkpointer=InMemorySaver())
    for turn in range(6):
        given = {"messages": [HumanMessage(f"Check all beds, round {turn}.")]}
        state = await agent.ainvoke(given, THREAD) if asynchronous else agent.invoke(given, THREAD)
    assert len(state["messages"]) == 6 * 10
    assert summarizer.calls > 3
    for request in model.requests:
        assert validate(request, "common") == []
        assert tokens(request) <= 600
        asked = [str(m.content) for m in request if m.type == "human"]
        assert asked[-1].startswith("Check all beds, round")


def test_node_by_itself_leaves_the_messages_alone() -> None:
    said = [
        HumanMessage(LONG * 3, id="a"),
        AIMessage(LONG * 3, id="b"),
        HumanMessage("And?", id="c"),
    ]
    update = summarize_node(ScriptedModel(reply=digest), max_tokens=200).invoke({"messages": said})
    assert set(update) == {"context_state"}
    assert update["context_state"]["summarization"]["covered"] == ["a", "b"]
    sent = summarized_messages({"messages": said, **update}, system=SYSTEM)
    assert [m.type for m in sent] == ["system", "human"]


def test_summary_as_a_user_message() -> None:
    said = [HumanMessage(LONG * 3), AIMessage(LONG * 3), HumanMessage("And?")]
    node = summarize_node(ScriptedModel(reply=digest), max_tokens=200, role="user")
    state = {"messages": said, **node.invoke({"messages": said})}
    sent = summarized_messages(state, system=SYSTEM, role="user")
    assert sent[0].content == SYSTEM
    assert "Σ" in str(sent[1].content)
    assert sent[1].type == "human"


@pytest.mark.parametrize("budget", [0, -5])
def test_no_budget_is_an_error(budget: int) -> None:
    for make in (summarization_edge, lambda b: summarize_node(None, max_tokens=b)):
        with pytest.raises(InvalidBudgetError, match=str(budget)):
            make(budget)

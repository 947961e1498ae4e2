"""What LangSmith is told of an agent with memory."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pydantic.v1
import pytest
from langchain_core.load import dumpd
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    HumanMessage,
    ToolMessage,
    convert_to_openai_messages,
)
from langsmith import Client, run_trees, tracing_context
from needed import needed
from pydantic import BaseModel

from langgraph_memory import Memory
from langgraph_memory.identity import Identity
from langgraph_memory.integrations import hide_memories
from langgraph_memory.tools import TOOL_NAMES, memory_tools, task_tools

needed("langchain", "langchain")
needed("langchain_openai", "openai")
needed("toktok", "evals")

HERE = Path(__file__).parent
MEMORIES = ("zebrawood", "quinine", "figwort", "marimba", "thatching", "gamboge")
WAYS = ["agent", "streamed", "summarized", "layered", "approved", "react", "plain", "by_hand"]


def traced(how: str, *ways: str) -> dict[str, str]:
    """All that agents of each way have LangSmith told, as text."""
    environment = {
        k: v for k, v in os.environ.items() if not k.startswith(("LANGSMITH", "LANGCHAIN"))
    }
    run = subprocess.run(
        [sys.executable, "-W", "ignore", str(HERE / "traced_agent.py"), how, *ways],
        capture_output=True,
        env=environment,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr.decode()
    # LangSmith's client logs there what it could not send.
    assert run.stderr.decode() == ""
    told = run.stdout.decode(errors="replace").split("\n----------\n")
    return dict(zip(ways, told[:-1], strict=True))


def tool_runs(told: str) -> set[str]:
    """Names of the tools whose runs were sent."""
    runs = [line for line in told.splitlines() if '"run_type":"tool"' in line]
    return {name for run in runs for name in re.findall(r'"name":"(\w+)"', run)}


@pytest.fixture(scope="module")
def hidden() -> dict[str, str]:
    return traced("hidden", *WAYS)


@pytest.mark.parametrize("way", WAYS)
def test_no_memory_is_in_a_trace(hidden, way):
    told = hidden[way].lower()
    assert {word: told.count(word) for word in MEMORIES} == dict.fromkeys(MEMORIES, 0)


@pytest.mark.parametrize("way", WAYS)
def test_the_conversation_and_other_tools_are_traced(hidden, way):
    told = hidden[way]
    assert "(unpacked)" in told
    assert tool_runs(told) == {"price"}
    for said in ("spoon rack", "racks of alder", "rack of larch", "12 ducats", "memory_search"):
        assert said in told


def test_where_it_is_asked_for_memories_are_traced():
    told = traced("shown", "agent")["agent"].lower()
    assert "(unpacked)" not in told
    assert all(word in told for word in MEMORIES)
    assert tool_runs(told) == {"price", *TOOL_NAMES}


@pytest.mark.parametrize(("hiding", "warnings"), [({}, 1), ({"anonymizer": hide_memories}, 0)])
def test_a_client_that_was_made_before_and_shows_memories_is_warned_of(
    hiding, warnings, monkeypatch, caplog
):
    client = Client("http://127.0.0.1:9", api_key="none", auto_batch_tracing=False, **hiding)
    monkeypatch.setattr(run_trees, "_CLIENT", client)
    with tracing_context(enabled=True), Memory.open(":memory:"):
        assert len(caplog.records) == warnings
        assert all("anonymizer=hide_memories" in each.message for each in caplog.records)


# -- what is hidden, in every form that a message has

CALL = {"name": "memory_save", "args": {"content": "likes figs"}, "id": "c1"}
OTHER = {"name": "price", "args": {"of": "a rack"}, "id": "c2"}
CALLS = AIMessage("Just a moment.", tool_calls=[CALL, OTHER])
ANSWER = ToolMessage("Saved: figs", tool_call_id="c1", name="memory_save", artifact="figs")
COSTS = ToolMessage("12 ducats", tool_call_id="c2", name="price")
THREAD = [HumanMessage("What is a rack?"), CALLS, ANSWER, COSTS]
WIRE = [
    {key: value for key, value in message.items() if key != "name"}
    for message in convert_to_openai_messages(THREAD)
]
CONTENT = [
    {"role": "assistant", "content": [
        {"type": "text", "text": "Just a moment."},
        {"type": "tool_use", "id": "c1", "name": "memory_save", "input": {"content": "figs"}},
        {"type": "tool_use", "id": "c2", "name": "price", "input": {"of": "a rack"}},
    ]},
    {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "c1", "content": "Saved: figs"},
        {"type": "tool_result", "tool_use_id": "c2", "content": "12 ducats"},
    ]},
]  # fmt: skip
RESPONSES = [
    {"type": "message", "content": [{"type": "output_text", "text": "Just a moment."}]},
    {"type": "function_call", "call_id": "c1", "name": "memory_save", "arguments": "figs"},
    {"type": "function_call", "call_id": "c2", "name": "price", "arguments": "a rack"},
    {"type": "function_call_output", "call_id": "c1", "output": "Saved: figs"},
    {"type": "function_call_output", "call_id": "c2", "output": "12 ducats"},
]


@dataclass
class Request:
    messages: list[Any]
    tools: tuple[Any, ...] = ()


@pytest.mark.parametrize(
    "payload",
    [
        {"messages": THREAD},
        {"messages": [[dumpd(message) for message in THREAD]]},
        {"output": [message.model_dump() for message in THREAD]},
        {"request": Request(THREAD, (BaseModel, {str}))},
        {"kwargs": {"messages": WIRE}},
        {"messages": CONTENT},
        {"input": RESPONSES},
        ([tuple(THREAD)], {"a": {"b": [(THREAD,)]}}),
    ],
    ids=["objects", "serialized", "dumped", "dataclass", "wire", "blocks", "responses", "nested"],
)
def test_calls_and_answers_of_memory_tools_are_emptied(payload):
    told = str(hide_memories(payload))
    assert "figs" not in told
    assert all(said in told for said in ("moment", "a rack", "12 ducats", "memory_save"))


def test_pieces_of_a_streamed_call_are_hidden_also_without_its_name():
    pieces = [
        {"name": "memory_save", "args": "", "id": "c1", "index": 0},
        {"name": None, "args": '{"content": "figs', "id": None, "index": 0},
    ]
    chunks = [AIMessageChunk("", tool_call_chunks=[piece]) for piece in pieces]
    deltas = [
        {"delta": {"tool_calls": [{"index": 0, "function": {"arguments": '"figs"'}}]}},
        {"type": "input_json_delta", "partial_json": '"figs', "index": 1},
    ]
    for payload in (chunks, [dumpd(chunk) for chunk in chunks], chunks[0] + chunks[1], deltas):
        assert "figs" not in str(hide_memories(payload))


def test_an_answer_that_names_no_tool_is_hidden_unless_its_call_is_known():
    answer = ToolMessage("figs", tool_call_id="c2")
    assert "figs" not in str(hide_memories([answer]))
    assert "figs" in str(hide_memories([CALLS, answer]))
    twice = AIMessage("", tool_calls=[{**CALL, "id": "c2"}])
    assert "figs" not in str(hide_memories([CALLS, twice, answer]))


@pytest.mark.parametrize(
    "text",
    [
        "Be kind.\n\n<long_term_memory>\nfigs\n</long_term_memory>",
        "Be kind.\n\n<standing_memory>\nfigs\n</standing_memory>",
        "Be kind.\n\n<user_profile>\nfigs\n</user_profile>",
        "Be kind.\n\n<unfinished_tasks>\nfigs, and the rest was cut off",
        'Be kind.\ntool: Saved: - id 1, fact: "figs"',
        f"Be kind.\n{[CALLS]!r}",
        f"Be kind.\n{json.dumps(WIRE)}",
    ],
)
def test_memories_in_text_are_hidden(text):
    told = hide_memories({"messages": [{"content": text}]})["messages"][0]["content"]
    assert "figs" not in told
    assert "Be kind." in told


def test_other_text_stays_as_it_is():
    said = "Compare a < b </p>, - id 7, and when memory_search or task_save are called."
    assert hide_memories({"a": said, "count": 3, "on": True, "none": None}) == {
        "a": said,
        "count": 3,
        "on": True,
        "none": None,
    }


def test_every_tool_of_ours_is_known_by_name():
    who = Identity("chat", "anna")
    assert {tool.name for tool in (*memory_tools(who), *task_tools(who))} == TOOL_NAMES


# -- what cannot be read


class Mute:
    def __repr__(self) -> str:
        raise RuntimeError("no")


class Closed(BaseModel):
    text: str = "figs"

    def model_dump(self, **_: Any) -> dict[str, Any]:
        raise RuntimeError("no")


class First(pydantic.v1.BaseModel):
    text: str = '- id 1, fact: "figs"'


def str_of(odd: Any) -> str:
    return odd.__name__ if isinstance(odd, type) else f"a_{type(odd).__name__}"


def numbers() -> Iterator[int]:
    yield 1


def circle() -> dict[str, Any]:
    within: dict[str, Any] = {"text": "figs"}
    within["again"] = [within]
    return within


def depth() -> dict[str, Any]:
    within: dict[str, Any] = {"text": "figs"}
    for _ in range(5_000):
        within = {"x": within}
    return within


@pytest.mark.parametrize(
    "odd",
    [circle(), depth(), Mute(), Closed(), First(), [First] * 100_000],
    ids=["circle", "depth", "mute", "closed", "v1", "huge"],
)
def test_what_cannot_be_read_is_hidden(odd):
    told = hide_memories({"odd": odd, "error": "kept as a key"})
    assert set(told) == {"odd", "error"}
    assert "figs" not in json.dumps(told, default=str)


@pytest.mark.parametrize(
    "odd",
    [b"abc", {1, 2}, numbers(), BaseModel, Mute, Mute(), Closed(), float("nan"), 2**80],
    ids=str_of,
)
def test_what_is_no_json_does_not_keep_the_rest_from_being_traced(odd):
    told = hide_memories({"odd": odd, "schema": {"type": ["string", "null"]}, "text": "a rack"})
    assert told["text"] == "a rack"
    assert told["schema"] == {"type": ["string", "null"]}
    assert not isinstance(odd, type) or told["odd"] is odd

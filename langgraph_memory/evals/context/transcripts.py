"""Recorded agent runs as LangChain messages, singly or chained into long threads."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)

from langgraph_memory.errors import InvalidInputError
from langgraph_memory.evals.context.exact import ExactCounter
from langgraph_memory.evals.reading_lines import opened_lines

__all__ = ["Thread", "chain_runs", "load_runs", "thread_of_length", "transcript_file"]

_INSIDE = ("transcripts/openai_messages.jsonl.gz", "openai_messages.jsonl.gz")


@dataclass(frozen=True)
class Thread:
    """A recorded conversation that is replayed call by call.

    Attributes:
        name: Where it comes from.
        messages: All messages, each with an id that is unique in the thread.
        calls: For each model call, how many leading messages it was made with. The message at
            that index is the assistant's recorded answer.
    """

    name: str
    messages: tuple[BaseMessage, ...]
    calls: tuple[int, ...]

    @classmethod
    def of(cls, name: str, messages: Sequence[BaseMessage]) -> Thread:
        """A thread with its calls: one before each assistant message that follows others."""
        calls: list[int] = []
        spoken = False
        for index, message in enumerate(messages):
            # An assistant's opening line, or one after nothing but the system prompt, was not
            # an answer to anything: there is no thread yet that a view could be made of.
            if isinstance(message, AIMessage) and spoken:
                calls.append(index)
            spoken = spoken or not isinstance(message, SystemMessage)
        return cls(name, tuple(messages), tuple(calls))


def transcript_file(data: Path) -> Path:
    """The transcripts in a data folder, or the file itself if one is named.

    Raises:
        InvalidInputError: There are none.
    """
    if data.is_file():
        return data
    for inside in _INSIDE:
        if (data / inside).is_file():
            return data / inside
    raise InvalidInputError(
        f"No transcripts in {str(data)!r}. Name a folder that holds {_INSIDE[0]!r}, or the file: "
        'JSON lines of {"id": ..., "messages": [OpenAI chat messages]}, gzipped or not.'
    )


def load_runs(data: Path, limit: int | None = None) -> list[Thread]:
    """Read the recorded runs, in the order of the file.

    Args:
        data: A folder with transcripts, or the file.
        limit: How many runs to read; all of them if None.

    Raises:
        InvalidInputError: There is no such file, or a line of it is not a run.
    """
    path = transcript_file(data)
    runs: list[Thread] = []
    with opened_lines(path) as lines:
        for number, line in enumerate(lines, 1):
            if limit is not None and len(runs) >= limit:
                break
            try:
                record = json.loads(line)
                name = str(record["id"])
                messages = [
                    _message(raw, f"{name}:{index}") for index, raw in enumerate(record["messages"])
                ]
            except (KeyError, TypeError, ValueError) as error:
                raise InvalidInputError(
                    f"Line {number} of {str(path)!r} is not a recorded run ({error!r}). "
                    "Expected an object with 'id' and 'messages' in OpenAI chat form."
                ) from error
            runs.append(Thread.of(name, messages))
    return runs


def chain_runs(
    runs: Sequence[Thread],
    *,
    tokens: int = 150_000,
    count: int | None = None,
    counter: ExactCounter,
) -> list[Thread]:
    """Join runs into threads of at least `tokens` exact tokens.

    A chain is led by the system prompt of its first run (by the most common one where that run
    has none); the others are dropped. Call ids stay as they were recorded, so they may come up
    again in one thread, as they do in life.

    Args:
        runs: What to join, in this order.
        tokens: Length at which a chain is complete, in exact tokens.
        count: How many chains to make; as many as the runs are enough for if None.
        counter: The exact counter.
    """
    chains: list[Thread] = []
    usual = _most_common_system(runs)
    part: list[Thread] = []
    length = 0
    for run in runs:
        if count is not None and len(chains) >= count:
            return chains
        part.append(run)
        length += counter(_spoken(run))
        if length >= tokens:
            chains.append(_joined(f"chain-{len(chains)}", part, usual))
            part, length = [], 0
    return chains


def thread_of_length(runs: Sequence[Thread], messages: int, more_calls: int) -> Thread:
    """A thread that has at least `messages` messages and `more_calls` model calls after them.

    The runs are repeated with new message ids as often as it takes.

    Args:
        runs: What to join.
        messages: Length of the thread in messages.
        more_calls: Calls that follow.

    Raises:
        InvalidInputError: The runs hold no model call.
    """
    if not any(run.calls for run in runs):
        raise InvalidInputError(
            f"None of the {len(runs)} runs holds a model call. Use runs in which an assistant "
            "answers somebody."
        )
    part: list[Thread] = []
    length = calls = 0
    for run in cycle(runs):
        part.append(run)
        calls += len(run.calls) if length > messages else 0
        length += len(_spoken(run))
        if length > messages and calls >= more_calls:
            break
    return _joined(f"{messages}-messages", part, _most_common_system(runs), renumber=True)


def _spoken(run: Thread) -> list[BaseMessage]:
    return [message for message in run.messages if not isinstance(message, SystemMessage)]


def _most_common_system(runs: Sequence[Thread]) -> str | None:
    texts = Counter(
        str(message.text)
        for run in runs
        for message in run.messages
        if isinstance(message, SystemMessage)
    )
    return texts.most_common(1)[0][0] if texts else None


def _joined(
    name: str, part: Sequence[Thread], usual_system: str | None, *, renumber: bool = False
) -> Thread:
    first = next((m for m in part[0].messages if isinstance(m, SystemMessage)), None)
    system = str(first.text) if first is not None else usual_system
    messages: list[BaseMessage] = []
    if system is not None:
        messages.append(SystemMessage(content=system, id=f"{name}:system"))
    for turn, run in enumerate(part):
        spoken = _spoken(run)
        if renumber:
            spoken = [m.model_copy(update={"id": f"{name}:{turn}:{m.id}"}) for m in spoken]
        messages.extend(spoken)
    return Thread.of(name, messages)


def _message(raw: Mapping[str, Any], message_id: str) -> BaseMessage:
    role = raw["role"]
    content = raw.get("content") or ""
    if role == "system":
        return SystemMessage(content=content, id=message_id)
    if role == "user":
        return HumanMessage(content=content, id=message_id)
    if role == "tool":
        return ToolMessage(
            content=content, tool_call_id=raw["tool_call_id"], name=raw.get("name"), id=message_id
        )
    if role == "assistant":
        calls = [
            {
                "name": call["function"]["name"],
                "args": json.loads(call["function"]["arguments"] or "{}"),
                "id": call["id"],
                "type": "tool_call",
            }
            for call in raw.get("tool_calls") or ()
        ]
        return AIMessage(content=content, tool_calls=calls, id=message_id)
    raise ValueError(f"unknown role {role!r}")

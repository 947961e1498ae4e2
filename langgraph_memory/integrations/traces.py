"""Traces without what is known about users: LangSmith gets the runs, and no memories.

Memories are told from the rest by the tags of the blocks that a model is shown, by the names of the
tools, whose calls and answers are emptied in whatever form a message has, and, in text, by the form
of the tools' answers. A call or an answer that does not say whose it is counts as a memory tool's.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

from pydantic import BaseModel

from langgraph_memory.context.layered import PROFILE_TAG
from langgraph_memory.recall.blocks import RECALLED_TAG, STANDING_TAG
from langgraph_memory.tasks.block import TASKS_TAG
from langgraph_memory.tools import TOLD_LINE, TOOL_NAMES

__all__ = ["hide_memories", "hide_memories_in_traces"]

logger = logging.getLogger(__name__)

HIDDEN = "hidden"

# The last is how a `Layered` strategy shows what always holds. A block that was cut off is hidden
# up to the end of its text.
_TAGS = "|".join((RECALLED_TAG, STANDING_TAG, TASKS_TAG, PROFILE_TAG))
_BLOCK = re.compile(rf"<({_TAGS})>.*?(?:</\1>|\Z)", re.DOTALL)

# How calls and answers look: in LangChain's messages and on the wire of the providers.
_ANSWERED = ("tool_call_id", "tool_use_id", "toolUseId")
_ANSWERS = ("tool", "tool_result", "function_call_output")
_CALLS = ("tool_call", "tool_call_chunk", "invalid_tool_call", "tool_use", "function_call")
_IDS = ("id", "call_id", *_ANSWERED)
_KEPT = ("index", "name", "role", "status", "tool", "type", *_IDS)


def hide_memories(payload: Any) -> Any:
    """A copy of a run's inputs, outputs or error without memories; all hidden if that fails.

    For clients of one's own: ``langsmith.Client(anonymizer=hide_memories)``, which also covers
    errors, or as its ``hide_inputs`` and ``hide_outputs``.
    """
    try:
        return _Payload().hidden(payload)
    except Exception:
        # Not to be read, such as something that contains itself.
        return dict.fromkeys(payload, HIDDEN) if isinstance(payload, dict) else HIDDEN


def hide_memories_in_traces() -> None:
    """Let the client that LangChain traces with by default hide memories, if tracing is on.

    A client that was made before is the application's; if it hides nothing, a warning is logged.
    """
    from langsmith import utils
    from langsmith.run_trees import get_cached_client

    if not utils.tracing_is_enabled():
        return
    client = get_cached_client(anonymizer=hide_memories)
    # It has no public way to ask.
    hiding = ("_anonymizer", "_hide_inputs", "_hide_outputs")
    if not any(getattr(client, name, True) for name in hiding):
        logger.warning(
            "LangSmith's client was made before the memory was opened, and shows memories in "
            "traces. Open the memory first, make the client with anonymizer=hide_memories, or set "
            "trace_content."
        )


@dataclass
class _Payload:
    """What is hidden in one payload, in which a call comes before its answer.

    Attributes:
        ours: Ids of calls of memory tools.
        others: Ids of calls of other tools.
    """

    ours: set[str] = field(default_factory=set)
    others: set[str] = field(default_factory=set)

    def hidden(self, value: Any) -> Any:
        """A copy as plain values, without memories; classes stay."""
        if isinstance(value, str):
            return _without_memories(value)
        if value is None or isinstance(value, bool | int | float | type):
            return value
        if isinstance(value, dict | Mapping):
            # Many parts of a message are empty: not to look into them halves the time.
            return self._mapping(value) if value else value
        if isinstance(value, list | tuple | set | frozenset):
            return [self.hidden(each) for each in value]
        return self.hidden(_plain(value))

    def _mapping(self, value: Mapping[Any, Any]) -> dict[Any, Any]:
        name, function = _name(value), value.get("function")
        called = name or (_name(function) if isinstance(function, Mapping) else None)
        if called is not None:
            known = self.ours if called in TOOL_NAMES else self.others
            known.update(str(value[key]) for key in _IDS if value.get(key))
            is_ours = name in TOOL_NAMES
        elif _is_answer(value):
            ids = {str(value[key]) for key in _IDS if value.get(key)}
            is_ours = bool(ids & self.ours) or not ids & self.others
        else:
            is_ours = _is_part_of_call(value)
        if is_ours:
            return {key: each if _is_kept(key, each) else HIDDEN for key, each in value.items()}
        return {key: self.hidden(each) for key, each in value.items()}


def _name(value: Mapping[Any, Any]) -> str | None:
    """The name that a call, an answer or anything else has."""
    name = value.get("name") or value.get("tool")
    return name if isinstance(name, str) else None


def _is_answer(value: Mapping[Any, Any]) -> bool:
    """Whether something without a name is what a tool has answered."""
    return (
        value.get("type") in _ANSWERS
        or value.get("role") in _ANSWERS
        or not value.keys().isdisjoint(_ANSWERED)
    )


def _is_part_of_call(value: Mapping[Any, Any]) -> bool:
    """Whether something without a name is a piece of a streamed call."""
    return (
        value.get("type") in _CALLS
        or isinstance(value.get("arguments"), str)
        or "partial_json" in value
    )


def _is_kept(key: Any, value: Any) -> bool:
    return not value or (key in _KEPT and isinstance(value, str | int))


def _plain(value: Any) -> Any:
    """An object as values that can be looked into, or else as text."""
    try:
        if isinstance(value, BaseModel):
            return value.model_dump()
        if is_dataclass(value):
            return {each.name: getattr(value, each.name) for each in fields(value)}
        return str(value)
    except Exception:
        return HIDDEN


def _without_memories(text: str) -> str:
    if "<" in text:
        text = _BLOCK.sub(rf"<\1>{HIDDEN}</\1>", text)
    if "- id " in text:
        text = TOLD_LINE.sub(rf"\1{HIDDEN}", text)
    if "_" in text and any(name in text for name in TOOL_NAMES):
        # Messages within text, such as a transcript, or the repr of a state.
        text = "\n".join(HIDDEN if _is_call(line) else line for line in text.split("\n"))
    return text


def _is_call(line: str) -> bool:
    return any(mark in line for mark in "{=") and any(name in line for name in TOOL_NAMES)

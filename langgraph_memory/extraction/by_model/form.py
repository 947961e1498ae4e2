"""The form of the answer that a model is asked for, as a tool and as a JSON schema.

The schema keeps to what every provider takes: no references, no unions, no null. The sources of an
entry come after its text, so that one that breaks off within the text has none and is dropped.
"""

from __future__ import annotations

from typing import Any

from langgraph_memory.records import Confirmation, MemoryType
from langgraph_memory.tasks import TaskStatus

__all__ = ["CONFIRMATIONS", "SCHEMA", "TOOL", "TOOL_NAME"]

TOOL_NAME = "record_memories"

CONFIRMATIONS = (Confirmation.STATED, Confirmation.CONFIRMED, Confirmation.INFERRED)
"""Those an extractor can tell; a dispute only shows beside other memories."""


def _texts(description: str) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "string"}, "description": description}


def _text(description: str) -> dict[str, Any]:
    return {"type": "string", "description": description}


def _one_of(values: list[str], description: str) -> dict[str, Any]:
    return {"type": "string", "enum": values, "description": description}


def _share(description: str) -> dict[str, Any]:
    return {"type": "number", "minimum": 0, "maximum": 1, "description": description}


_SOURCES = _texts("Numbers of the messages it comes from, such as u2; for an answer also a1.")

_MEMORY: dict[str, Any] = {
    "type": "object",
    "properties": {
        "action": _one_of(["add", "forget"], "forget if the user takes something back."),
        "content": _text("One sentence that can be understood alone."),
        "type": _one_of([one.value for one in MemoryType], "See the instructions."),
        "importance": _share("See the instructions."),
        "confidence": _share("How sure it is that the user meant this."),
        "confirmation": _one_of(
            [one.value for one in CONFIRMATIONS],
            "stated; confirmed: the user agreed to a question; inferred: the user was not sure.",
        ),
        "sources": _SOURCES,
        "replaces": _texts("Numbers of the known memories that no longer hold, such as k3."),
        "keywords": _texts("A few words it should be found by."),
        "valid_from": _text("First day it holds, as YYYY-MM-DD; only if the user said so."),
        "valid_to": _text("Last day it holds, as YYYY-MM-DD; only if the user said so."),
    },
    "required": ["content", "type", "importance", "sources"],
}

_TASK: dict[str, Any] = {
    "type": "object",
    "properties": {
        "task": _text("Number of the known task it is about, such as t1; left out for a new one."),
        "title": _text("A few words by which the user would name it."),
        "status": _one_of([one.value for one in TaskStatus], "How it stands now."),
        "description": _text("What it is about, in a sentence or two."),
        "progress": _texts("What was done in this conversation."),
        "next_steps": _texts("Everything that is still to be done."),
        "sources": _SOURCES,
    },
    "required": ["title", "sources"],
}

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "memories": {"type": "array", "items": _MEMORY},
        "tasks": {"type": "array", "items": _TASK},
    },
    "required": ["memories", "tasks"],
}

TOOL: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": TOOL_NAME,
        "description": "Record what is worth remembering; empty lists if there is nothing.",
        "parameters": SCHEMA,
    },
}

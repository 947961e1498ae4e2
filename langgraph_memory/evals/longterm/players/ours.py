"""This package: `Memory.open` and its middleware, reading by rules or by the model."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from langchain_core.messages import AIMessage, ToolCall

from langgraph_memory.evals.longterm.model import Request
from langgraph_memory.evals.longterm.players.agents import Agent
from langgraph_memory.evals.longterm.players.player import Player, Scene, Session
from langgraph_memory.evals.longterm.reading import Statement, changes, statements
from langgraph_memory.evals.longterm.script import Turn
from langgraph_memory.events import Event
from langgraph_memory.memory import Memory
from langgraph_memory.messages import text_of
from langgraph_memory.service import Placement

__all__ = ["OURS", "answer"]

_TOOL = "record_memories"
_KNOWN = re.compile(r'^(k\d+) \[\w+\]: (".*")$', re.MULTILINE)
_SAID = re.compile(r'^(u\d+) user: (".*")$', re.MULTILINE)
_NOT_BEFORE_FLUSH = 24 * 3600.0
"""Seconds of debounce: turns are read when the script says so, and at no other time."""


def answer(request: Request) -> AIMessage | None:
    """The model's answer to this package's extraction: one call with all that is to be recorded."""
    if _TOOL not in request.tool_names:
        return None
    known = {key: json.loads(text) for key, text in _KNOWN.findall(request.text)}
    sources: dict[Statement, str] = {}
    for key, text in _SAID.findall(request.text):
        # A statement made again moves to where it was made last.
        for statement in statements(json.loads(text)):
            sources.pop(statement, None)
            sources[statement] = key
    keys = {statement.content: key for statement, key in sources.items()}
    memories = [
        {
            "content": each.content,
            "type": "constraint" if each.is_limit else "fact",
            "importance": 0.9 if each.is_limit else 0.7,
            "sources": [keys[each.content]],
            "replaces": [each.replaces] if each.replaces else [],
        }
        for each in changes(list(sources), known)
    ]
    call = ToolCall(name=_TOOL, args={"memories": memories, "tasks": []}, id="call_record")
    return AIMessage(content="", tool_calls=[call])


class _Session:
    def __init__(self, memory: Memory, agent: Agent, each_turn: bool, events: list[Event]) -> None:
        self._memory = memory
        self._agent = agent
        self._each_turn = each_turn
        self._events = events

    def say(self, turn: Turn) -> list[str]:
        thread = self._agent.say(turn, context={"user_id": turn.user})
        if self._each_turn:
            self._flush()
        return [text_of(message) for message in thread]

    def end_thread(self, turn: Turn) -> None:
        self._flush()

    def _flush(self) -> None:
        """Read what was said; what fails in the background is a failure of the turn."""
        self._memory.flush()
        failed = [event for event in self._events if event.name.endswith("_failed")]
        self._events.clear()
        if failed:
            raise RuntimeError(f"{failed[0].name}: {failed[0].reason}")


def _player(
    name: str,
    *,
    reader: Literal["rules", "model"],
    each_turn: bool = True,
    placement: Placement = "before_last_user",
) -> Player:
    @contextmanager
    def opened(scene: Scene) -> Iterator[Session]:
        events: list[Event] = []
        with Memory.open(
            scene.folder / "memory.db",
            index={"dims": scene.dims, "embed": scene.embeddings},
            extraction_model=scene.model if reader == "model" else None,
            on_event=events.append,
            debounce=_NOT_BEFORE_FLUSH,
        ) as memory:
            middleware = memory.middleware(placement=placement)
            agent = Agent(scene.model, middleware, checkpointer=memory.checkpointer)
            yield _Session(memory, agent, each_turn, events)

    return Player(name, opened)


OURS = (
    _player("this package, rules", reader="rules"),
    _player("this package, model, every turn", reader="model"),
    _player("this package, model, every thread", reader="model", each_turn=False),
    _player(
        "this package, model, in the system prompt",
        reader="model",
        each_turn=False,
        placement="system",
    ),
)

"""Which turns of which threads a job is to read: those that their owner began, and no others.

Whatever else is in a thread (what a stranger said before being refused, what was said to a graph
without memory, what was copied into it) is on no note, and so is never read as the owner's words.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    messages_from_dict,
    messages_to_dict,
)

from langgraph_memory import clock
from langgraph_memory.messages import is_said_by_user, role_of, text_of
from langgraph_memory.service.ledger import RUN
from langgraph_memory.service.turns import Turn, turns_of

__all__ = ["Noted", "note_of", "noted", "turns_told"]


@dataclass(slots=True)
class Noted:
    """The turns of one thread that a job is to read.

    Attributes:
        thread: The thread's id.
        since: When they were begun, by their marks.
        at: When the newest of the notes was made.
        messages: What was said in them, by their marks, where the job cannot read the thread
            itself.
    """

    thread: str
    since: dict[str, datetime] = field(default_factory=dict)
    at: datetime = datetime.min
    messages: dict[str, list[BaseMessage]] = field(default_factory=dict)


def note_of(
    thread: str | None,
    turns: Sequence[Turn],
    marks: Sequence[str] | None,
    *,
    readable: bool,
) -> dict[str, Any]:
    """What a job is told of turns, as the payload of a request: an entry for each.

    Args:
        thread: The thread's id; None if there is no checkpointer.
        turns: All of the thread.
        marks: Of those that are to be read; None for the newest one.
        readable: Whether the job can read the thread itself.
    """
    now = clock.utc_text(clock.now())
    wanted = [turn.mark for turn in turns[-1:]] if marks is None else marks
    note = {}
    for turn in turns:
        if turn.mark not in wanted:
            continue
        value: dict[str, Any] = {"since": now, "at": now}
        if thread is None or not readable:
            value["messages"] = messages_to_dict([*_words_of(turn.in_context)])
        # A run without a thread has one of its own.
        name = thread if thread is not None else f"{RUN}{turns[-1].key}"
        note[json.dumps([name, turn.mark])] = value
    return note


def noted(payload: Mapping[str, Any]) -> list[Noted]:
    """The turns that the payload of a job speaks of, by thread."""
    threads: dict[str, Noted] = {}
    for name, value in payload.items():
        thread, mark = json.loads(name)
        known = threads.setdefault(thread, Noted(thread))
        known.since[mark] = datetime.fromisoformat(value["since"])
        at = datetime.fromisoformat(value["at"])
        known.at = at if len(known.since) == 1 else max(known.at, at)
        if "messages" in value:
            known.messages[mark] = messages_from_dict(value["messages"])
    return list(threads.values())


def turns_told(noted: Noted) -> list[Turn]:
    """The turns that were told with the notes, in their order."""
    found: dict[str, Turn] = {}
    for mark in sorted(noted.messages, key=noted.since.__getitem__):
        for turn in turns_of(noted.messages[mark]):
            if turn.mark == mark or turn.mark not in found:
                found[turn.mark] = turn
    return list(found.values())


def _words_of(messages: Sequence[BaseMessage]) -> Iterator[BaseMessage]:
    """What people and the assistant said, as text: nobody reads the rest for memories."""
    for message in messages:
        given: dict[str, Any] = {"content": text_of(message), "id": message.id}
        if is_said_by_user(message):
            yield HumanMessage(name=message.name, **given)
        elif role_of(message) == "assistant":
            yield AIMessage(**given)

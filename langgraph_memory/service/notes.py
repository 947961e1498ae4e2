"""What a job is told of the threads that it is to read, and what it makes of that."""

from __future__ import annotations

import json
import re
from collections import defaultdict
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
from langgraph_memory.service.turns import turns_of

__all__ = ["Noted", "note_of", "noted"]

TURNS_SENT = 20
"""The newest turns of a thread that go with a job where its checkpoints cannot be read."""


@dataclass(frozen=True, slots=True)
class Noted:
    """A thread that a job is to read.

    Attributes:
        thread: Its id.
        said: Its newest messages and when they were noted; None if it is to be read itself.
        asked: When turns were begun, by their keys, as far as known.
    """

    thread: str
    said: tuple[list[BaseMessage], datetime] | None = None
    asked: dict[str, datetime] = field(default_factory=dict)

    @property
    def wanted(self) -> set[str]:
        """Keys of the messages that begin those turns."""
        # Messages without ids that say the same have the same key, numbered for their turns.
        return {re.sub(r"~\d+$", "", key) for key in self.asked}


def note_of(
    thread: str | None, messages: Sequence[BaseMessage], *, readable: bool
) -> dict[str, Any]:
    """What a job is told of a thread's newest turn, as the payload of a request.

    Args:
        thread: The thread's id; None if there is no checkpointer.
        messages: The thread.
        readable: Whether the job can read the thread itself.
    """
    turns = turns_of(messages)
    if not turns:
        return {}
    name = thread if thread is not None else f"{RUN}{turns[-1].key}"
    now = clock.utc_text(clock.now())
    given = None
    if thread is None or not readable:
        first, *others = turns[-TURNS_SENT:]
        whole = [*first.in_context, *(message for turn in others for message in turn.messages)]
        given = {"messages": messages_to_dict([*_words_of(whole)]), "at": now}
    return {json.dumps([name]): given, json.dumps([name, turns[-1].key]): {"since": now}}


def noted(payload: Mapping[str, Any]) -> list[Noted]:
    """The threads that the payload of a job speaks of."""
    threads: dict[str, Noted] = {}
    asked: defaultdict[str, dict[str, datetime]] = defaultdict(dict)
    for name, given in payload.items():
        # Only what is noted by another version has another form.
        thread, *turn = json.loads(name) if name.startswith('["') else [name]
        if turn:
            asked[thread][turn[0]] = datetime.fromisoformat(given["since"])
        else:
            said = None
            if given is not None:
                said = (
                    messages_from_dict(given["messages"]),
                    datetime.fromisoformat(given["at"]),
                )
            threads[thread] = Noted(thread, said, asked[thread])
    return list(threads.values())


def _words_of(messages: Sequence[BaseMessage]) -> Iterator[BaseMessage]:
    """What people and the assistant said, as text: nobody reads the rest for memories."""
    for message in messages:
        given: dict[str, Any] = {"content": text_of(message), "id": message.id}
        if is_said_by_user(message):
            yield HumanMessage(name=message.name, **given)
        elif role_of(message) == "assistant":
            yield AIMessage(**given)

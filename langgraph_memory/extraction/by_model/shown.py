"""What a model is shown of a request, under short names that it can repeat without mistakes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from langchain_core.messages import BaseMessage

from langgraph_memory.extraction.answers import last_question
from langgraph_memory.extraction.own_words import is_record, without_code, without_recalled
from langgraph_memory.extraction.request import ExtractionRequest
from langgraph_memory.extraction.signals import is_courtesy
from langgraph_memory.messages import key_of, made_kind, role_of, text_of
from langgraph_memory.offline.words import clean, sentences
from langgraph_memory.records import MemoryRecord
from langgraph_memory.tasks import Task

__all__ = ["Said", "Shown"]

_SHORT_QUESTION = 25

Who = Literal["user", "assistant", "other"]
_LETTER: dict[Who, str] = {"user": "u", "assistant": "a", "other": "o"}


@dataclass(frozen=True, slots=True)
class Said:
    """One message.

    Attributes:
        alias: What the model calls it: u1, a1, or o1 for another speaker's.
        who: Whose it is.
        text: What it says, without recalled blocks and code.
        message_id: Its id, or a digest of it.
        speaker: Name of who wrote it, if it has one.
        asked: The assistant's message just before it.
    """

    alias: str
    who: Who
    text: str
    message_id: str
    speaker: str | None = None
    asked: Said | None = None

    @property
    def question(self) -> str:
        """What of the assistant's message before it may be part of what this one says.

        Not more than the question it ends with (and what a short one refers to), or the last
        sentence if this one only nods to it: the rest is the assistant's alone.
        """
        if self.asked is None:
            return ""
        asked, every = last_question(self.asked.text), sentences(self.asked.text)
        if not asked:
            return every[-1] if every and is_courtesy(self.text) else ""
        if len(asked) >= _SHORT_QUESTION or asked not in every:
            return asked
        at = every.index(asked)
        return " ".join(every[max(0, at - 1) : at + 1])


@dataclass(frozen=True, slots=True)
class Shown:
    """Messages, memories and tasks by alias.

    Attributes:
        said: The messages that say something, oldest first.
        known: Memories, k1 and so on.
        tasks: Tasks, t1 and so on.
    """

    said: dict[str, Said]
    known: dict[str, MemoryRecord]
    tasks: dict[str, Task]

    @classmethod
    def of(cls, request: ExtractionRequest) -> Shown:
        """Name everything in a request."""
        return cls(
            {one.alias: one for one in _said(request.messages, request.speaker)},
            {f"k{number}": one for number, one in enumerate(request.known, 1)},
            {f"t{number}": one for number, one in enumerate(request.tasks, 1)},
        )

    @property
    def users(self) -> list[Said]:
        """The messages of the user, or of all users."""
        return [one for one in self.said.values() if one.who == "user"]

    @property
    def several(self) -> bool:
        """Whether the user is not the only person in the conversation."""
        people = {one.speaker for one in self.said.values() if one.who != "assistant"}
        return len(people - {None}) > 1 or any(one.who == "other" for one in self.said.values())


def _said(messages: Sequence[BaseMessage], speaker: str | None) -> Iterator[Said]:
    counts: dict[Who, int] = {"user": 0, "assistant": 0, "other": 0}
    asked: Said | None = None
    for message in messages:
        role = role_of(message)
        if role not in ("user", "assistant") or made_kind(message) is not None:
            continue
        who: Who = "assistant" if role == "assistant" else "user"
        if who == "user" and speaker is not None and message.name not in (speaker, None):
            who = "other"
        text = clean(text_of(message))
        text = "" if is_record(text) else without_code(without_recalled(text))
        if not text:
            continue
        counts[who] += 1
        alias = f"{_LETTER[who]}{counts[who]}"
        name = None if who == "assistant" else message.name
        one = Said(alias, who, text, key_of(message), name, None if who == "assistant" else asked)
        asked = one if who == "assistant" else None
        yield one

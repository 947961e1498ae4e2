"""A thread as turns: what is asked now, and what nobody has read for memories yet."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from langchain_core.messages import BaseMessage

from langgraph_memory.messages import calls_of, key_of, made_kind, role_of, text_of

__all__ = ["Turn", "newest_question", "turns_of", "unread"]

TURNS_BEFORE = 2
"""Turns before the newest one that may say what a short question is about."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A user's message and all that answers it.

    Attributes:
        key: Of the user's message.
        messages: The user's message first.
        asked: The assistant's message just before it, as the question that it may answer.
    """

    key: str
    messages: tuple[BaseMessage, ...]
    asked: BaseMessage | None = None

    @property
    def is_open(self) -> bool:
        """Whether its reply is still to come."""
        last = self.messages[-1]
        return role_of(last) != "assistant" or bool(calls_of(last))

    @property
    def in_context(self) -> list[BaseMessage]:
        """Its messages, with what the user's message may answer."""
        return [self.asked, *self.messages] if self.asked is not None else list(self.messages)


def turns_of(messages: Sequence[BaseMessage]) -> list[Turn]:
    """The turns of a thread. What was said before the first user message belongs to none."""
    turns: list[Turn] = []
    said: list[BaseMessage] = []
    replied: BaseMessage | None = None
    asked: BaseMessage | None = None
    for message in messages:
        if role_of(message) == "user" and made_kind(message) is None:
            if said:
                turns.append(Turn(key_of(said[0]), tuple(said), asked))
            said, asked, replied = [message], replied, None
        elif said:
            said.append(message)
        if role_of(message) == "assistant" and text_of(message).strip():
            replied = message
    if said:
        turns.append(Turn(key_of(said[0]), tuple(said), asked))
    return turns


def unread(turns: Sequence[Turn], read: Collection[str]) -> list[Turn]:
    """The turns after the newest one that was read.

    Where a thread was forked, that is the newest one that both branches have; where none of those
    read is in the thread any more, all turns are unread, as reading one twice does no harm.
    """
    for at in range(len(turns) - 1, -1, -1):
        if turns[at].key in read:
            return list(turns[at + 1 :])
    return list(turns)


def newest_question(messages: Sequence[BaseMessage]) -> tuple[BaseMessage, list[str]] | None:
    """The newest user message and the texts of the turns before it, or None if there is none."""
    turns = turns_of(messages)
    if not turns:
        return None
    before = [
        text
        for turn in turns[-1 - TURNS_BEFORE : -1]
        for message in turn.messages
        if role_of(message) in ("user", "assistant") and (text := text_of(message).strip())
    ]
    return turns[-1].messages[0], before

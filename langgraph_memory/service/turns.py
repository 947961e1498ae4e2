"""A thread as turns: what is asked now, and what nobody has read for memories yet."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.messages import BaseMessage

from langgraph_memory.identity import Identity
from langgraph_memory.messages import calls_of, is_said_by_user, key_of, role_of, text_of

__all__ = ["Asked", "Turn", "mark_of", "newest_question", "speaker_of", "turns_of"]

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
    def mark(self) -> str:
        """Tells the turn from others, and from itself before its message was edited."""
        said, mark = self.messages[0], mark_of(self.messages[0], self.key)
        if said.id is not None or self.asked is None:
            return mark
        # The same answer to something else; of a trimmed thread there may be nothing before it.
        return f"{mark}/{mark_of(self.asked).rpartition('#')[2]}"

    @property
    def is_open(self) -> bool:
        """Whether its reply is still to come."""
        last = self.messages[-1]
        return role_of(last) != "assistant" or bool(calls_of(last))

    @property
    def in_context(self) -> list[BaseMessage]:
        """Its messages, with what the user's message may answer."""
        return [self.asked, *self.messages] if self.asked is not None else list(self.messages)


def mark_of(message: BaseMessage, key: str | None = None) -> str:
    """A message's key and a digest of what it says."""
    said = text_of(message).encode("utf-8", "surrogatepass")
    return f"{key or key_of(message)}#{hashlib.sha256(said).hexdigest()[:8]}"


def speaker_of(who: Identity, messages: Sequence[BaseMessage]) -> str | None:
    """The name that messages of a user have where several people speak; None if they have none."""
    names = {message.name for message in messages if role_of(message) == "user"}
    return who.user if who.user in names else None


def turns_of(messages: Sequence[BaseMessage]) -> list[Turn]:
    """The turns of a thread. What was said before the first user message belongs to none."""
    turns: list[Turn] = []
    said: list[BaseMessage] = []
    replied: BaseMessage | None = None
    asked: BaseMessage | None = None
    seen: Counter[str] = Counter()

    def end() -> None:
        if said:
            key = key_of(said[0])
            seen[key] += 1
            # Messages without ids that say the same have the same key.
            turns.append(Turn(key if seen[key] == 1 else f"{key}~{seen[key]}", tuple(said), asked))

    for message in messages:
        if is_said_by_user(message):
            end()
            said, asked, replied = [message], replied, None
        elif said:
            said.append(message)
        if role_of(message) == "assistant" and text_of(message).strip():
            replied = message
    end()
    return turns


@dataclass(frozen=True, slots=True)
class Asked:
    """What a thread's user asks now.

    Attributes:
        key: Of the turn.
        text: Of the newest user message.
        before: Texts of the turns before it, the newest last.
    """

    key: str
    text: str
    before: tuple[str, ...]


def newest_question(messages: Sequence[BaseMessage]) -> Asked | None:
    """What is asked now; None if the user has said nothing."""
    turns = turns_of(messages)
    if not turns:
        return None
    before = (
        text
        for turn in turns[-1 - TURNS_BEFORE : -1]
        for message in turn.messages
        if role_of(message) in ("user", "assistant") and (text := text_of(message).strip())
    )
    return Asked(turns[-1].key, text_of(turns[-1].messages[0]), tuple(before))

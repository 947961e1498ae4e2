"""What an extractor proposes to remember or to forget, before anything is written."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from langgraph_memory.memories.values import Swap
from langgraph_memory.records import Confirmation, MemoryType
from langgraph_memory.tasks import TaskNote

__all__ = ["Action", "DropReason", "Dropped", "Extraction", "Proposal"]


class Action(StrEnum):
    """What is to be done with a proposal."""

    ADD = "add"
    """Remember `content`."""
    FORGET = "forget"
    """The user withdrew what `content` names: find the memories about it, and retire them."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """One memory to add, or a topic to forget.

    Attributes:
        content: A sentence in the user's language that can be understood alone. For `FORGET`,
            what the memories to be retired are about.
        type: What the memory says.
        importance: From 0 to 1.
        confidence: How sure the extractor is that the user meant this, from 0 to 1.
        confirmation: `stated`; `confirmed` where the user agreed to a question; `inferred` where
            the user was not sure.
        action: Whether to remember or to forget.
        subject: What the statement is about where that has one value at a time (`name`, `budget`,
            `taste:coffee`): a later proposal with the same subject takes the place of this one.
            None where statements can stand beside each other.
        retracts: Statements that the user says are no longer true, as they may be remembered.
        swap: A value in the place of another, where memories tell what it is the value of.
        replaces: Ids of known memories that this one takes the place of; for `FORGET`, of those to
            be retired.
        keywords: What it is about, in a few words, in lower case. A search goes by the content.
        source_message_ids: The messages it comes from; the question first, if there was one.
        speaker: Name of who said it, in a thread with several speakers.
        language: `en` or `zh`.
        valid_from: Since when it is true, if that was said.
        valid_to: Until when it is true, if that was said; for an event, when it is over.
    """

    content: str
    type: MemoryType
    importance: float
    confidence: float = 0.9
    confirmation: Confirmation = Confirmation.STATED
    action: Action = Action.ADD
    subject: str | None = None
    retracts: tuple[str, ...] = ()
    swap: Swap | None = None
    replaces: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    source_message_ids: tuple[str, ...] = ()
    speaker: str | None = None
    language: str = "en"
    valid_from: datetime | None = None
    valid_to: datetime | None = None


class DropReason(StrEnum):
    """Why something the user wrote is not proposed."""

    SECRET = "secret"
    """It holds a password, a key, or the number of a card or document."""
    NOT_MEANT = "not_meant"
    """It is marked as a joke or as sarcasm."""
    OTHER_SPEAKER = "other_speaker"
    """Somebody else in the thread said it."""
    EVERYTHING = "everything"
    """It asks for all to be forgotten: that is the application's to do, who can ask first."""
    UNREADABLE = "unreadable"
    """The model's answer, or one entry of it, has not the form that was asked for."""
    REFUSED = "refused"
    """The provider refuses to answer this request."""
    UNKNOWN_ID = "unknown_id"
    """It names a memory, a task or a message that it was not shown."""
    EMPTY = "empty"
    """It says nothing."""
    UNIMPORTANT = "unimportant"
    """It is worth too little to be kept."""
    NOT_SAID = "not_said"
    """No message of the user says it."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """A sentence, or an entry of a model's answer, that is not proposed.

    It is not quoted: it may hold a secret.

    Attributes:
        message_id: The message it stands in; empty if that is not known.
        reason: Why.
    """

    message_id: str
    reason: DropReason


@dataclass(frozen=True, slots=True)
class Extraction:
    """What was found in a turn.

    Attributes:
        proposals: In the order they were said, each once.
        dropped: What was recognised and left out on purpose.
        tasks: What was said about tasks.
        calls: Calls of a model that it took.
    """

    proposals: tuple[Proposal, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    tasks: tuple[TaskNote, ...] = ()
    calls: int = 0

"""A turn's messages as what the user said, each with the question it may answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from langchain_core.messages import BaseMessage

from langgraph_memory.extraction.answers import last_question
from langgraph_memory.extraction.own_words import own_words, without_recalled
from langgraph_memory.messages import is_said_by_user, key_of, role_of, text_of
from langgraph_memory.offline.words import clean

__all__ = ["Utterance", "speakers", "utterances"]


@dataclass(frozen=True, slots=True)
class Utterance:
    """One message of a user.

    Attributes:
        text: What the user says in it, in the user's own words.
        written: Its whole text, recalled blocks taken out.
        message_id: Id of the message, or a digest of it.
        speaker: Name of who wrote it, if it has one.
        asked: The question of the assistant just before it, or nothing.
        asked_id: Id of the message with that question.
        quoted: The quotations that `text` leaves out.
    """

    text: str
    written: str
    message_id: str
    speaker: str | None = None
    asked: str = ""
    asked_id: str = ""
    quoted: tuple[str, ...] = ()


def utterances(messages: Sequence[BaseMessage]) -> Iterator[Utterance]:
    """What users said in a list of messages, oldest first.

    Messages that this package put there (a summary, recalled memories) are not theirs.
    """
    asked = asked_id = ""
    for message in messages:
        role = role_of(message)
        if role == "assistant":
            text = clean(text_of(message))
            asked, asked_id = last_question(text), key_of(message)
        elif is_said_by_user(message):
            written = without_recalled(clean(text_of(message)))
            text, quoted = own_words(written)
            yield Utterance(text, written, key_of(message), message.name, asked, asked_id, quoted)
            asked = asked_id = ""


def speakers(said: Sequence[Utterance]) -> frozenset[str]:
    """Names of those who spoke."""
    return frozenset(one.speaker for one in said if one.speaker)

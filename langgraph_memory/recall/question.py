"""What is asked: the words to look for, who asks, and the times that are meant."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from langgraph_memory.recall.times import Span, spans
from langgraph_memory.store.analysis import query_terms

__all__ = ["Question", "named"]

_FIRST_PERSON = re.compile(
    r"(?<![a-z])(?:i|me|my|mine|myself|i['’](?:m|ve|d|ll))(?![a-z])|我(?!们)|咱", re.IGNORECASE
)


@dataclass(frozen=True)
class Question:
    """A question to the memory.

    Attributes:
        text: The newest user message.
        now: When it is asked; aware. Days are counted in its time zone.
        before: Texts of the turns before it, in order, the newest last.
        asker: The speaker whose turns the asker's own are, for "I" and "my".
    """

    text: str
    now: datetime
    before: Sequence[str] = ()
    asker: str = "user"

    def query(self, enough: int) -> str:
        """The text to search by: the message, and the turns before it if it says too little.

        Args:
            enough: Terms that make a text say enough by itself.
        """
        wanted = self.text
        for earlier in reversed(self.before):
            if len(query_terms(wanted)) >= enough:
                break
            wanted = f"{earlier}\n{wanted}"
        return wanted

    def spans(self, known_until: datetime | None) -> tuple[Span, ...]:
        """The times it names, see `times.spans`."""
        return spans(self.text, self.now, known_until)


def named(question: Question, speakers: Sequence[str]) -> frozenset[str]:
    """Those speakers whom a question is about: by name, or as the one who asks.

    Args:
        question: The question.
        speakers: Whose turns were found.

    Returns:
        A part of the speakers; none of them if it is about all or cannot be told.
    """
    every = {speaker for speaker in speakers if speaker}
    text = question.text.casefold()
    found = {speaker for speaker in every if _mentions(text, speaker.casefold())}
    if question.asker in every and _FIRST_PERSON.search(question.text):
        found.add(question.asker)
    return frozenset(found if found != every else ())


def _mentions(text: str, name: str) -> bool:
    """Whether a name stands in a text as a word; Chinese has no spaces round it."""
    if not name.isascii():
        return name in text
    return re.search(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", text) is not None

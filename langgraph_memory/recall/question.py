"""What is asked: the words to look for, who asks, and the times that are meant."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from langgraph_memory import clock
from langgraph_memory.recall.ends import ends
from langgraph_memory.recall.times import Span, spans
from langgraph_memory.store.analysis import query_terms

__all__ = ["Question", "named"]

_FORMERLY = re.compile(
    r"\b(?:previous(?:ly)?|former(?:ly)?|original(?:ly)?|initial(?:ly)?|first|used to|back then|"
    r"at first|before|earlier|in the past)\b|"
    "原来|原先|以前|之前|从前|曾|当初|最初|起初|一开始|过去|上一",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(
    r"(?<![a-z])(?:i|me|my|mine|myself|i['’](?:m|ve|d|ll))(?![a-z])|我(?!们)|咱", re.IGNORECASE
)
# "What do you know about me?" has no word that a memory could be found by; "What would suit me,
# from what you know about me?" has.
_EVERYTHING = re.compile(
    r"\byou\b.{0,20}\b(?:know|remember|recall|learn(?:ed|t)|stored|saved|noted|kept)\b.{0,20}"
    r"\b(?:about|of|on)\s(?:me|myself)\b|"
    r"\b(?:tell\sme|talk|say\ssomething)\sabout\smyself\b|\bwho\s(?:am\si|i\sam)\b|"
    r"^.{0,6}[你您]们?(?:还|都|现在|到底|已经)*(?:知道|记得|记住了?|了解|掌握)(?:了|着)?(?:关于|有关)?我的?"
    r"(?:(?:些?什么|多少|一切|哪些(?:事情?|情况|信息|方面)?)(?:事情?|信息)?了?[吗么]?|[吗么])$|"
    r"^.{0,6}(?:关于我|对我).{0,4}(?:知道|记得|记住|了解|记录)了?(?:些?什么|多少|哪些)?[吗么]?$|[你您]还?认[识得]我[吗么]?$|^我是谁$",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.?!。？！\n]+")
_LATIN_WORD = re.compile(r"[a-z]+")
# Of what else a sentence consists that asks for everything; other words ask for something.
_OF_EVERYTHING = re.compile(
    r"a|about|again|all|already|am|and|any(?:thing)?|are|at|can|chats?|conversations?|could|did|do|"
    r"earlier|else|every(?:thing)?|facts|far|from|give|have|hello|hey|hi|i|information|is|it|kept|"
    r"know|learn(?:ed|t)|list|me|memories|my(?:self)?|noted|now|of|ok|on|our|past|please|previous|"
    r"recall|remember|saved|say|show|so|some(?:thing)?|still|stored|summari[sz]e|summary|talk|tell|"
    r"that|the|there|things|to|until|well|what(?:ever)?|who|would|yet|you|your"
)


LONGEST_BEFORE = 400
"""Characters of a turn before the message that are looked at."""


@dataclass(frozen=True)
class Question:
    """A question to the memory.

    Attributes:
        text: The newest user message.
        now: When it is asked; aware. Days are counted in its time zone.
        before: Texts of the turns before it, in order, the newest last.
        asker: The speaker whose turns the asker's own are, for "I" and "my".

    Raises:
        InvalidInputError: If `now` has no time zone.
    """

    text: str
    now: datetime
    before: Sequence[str] = ()
    asker: str = "user"

    def __post_init__(self) -> None:
        clock.to_utc(self.now)

    def query(self, enough: int) -> str:
        """The text to search by: the message, and the turns before it if it says too little.

        Args:
            enough: Terms that make a text say enough by itself.
        """
        wanted = ends(self.text)
        for earlier in reversed(self.before):
            if len(query_terms(wanted)) >= enough:
                break
            wanted = f"{ends(earlier, LONGEST_BEFORE)}\n{wanted}"
        return wanted

    def own(self, enough: int) -> str:
        """The message, if it says something, but so little that `query` has more than it."""
        said = ends(self.text)
        return said if self.before and 0 < len(query_terms(said)) < enough else ""

    @cached_property
    def everything(self) -> bool:
        """Whether it asks for whatever is known about who asks."""
        return any(
            _EVERYTHING.search(sentence.strip())
            and all(map(_OF_EVERYTHING.fullmatch, _LATIN_WORD.findall(sentence.casefold())))
            for sentence in _SENTENCE_END.split(ends(self.text))
        )

    @property
    def formerly(self) -> bool:
        """Whether it asks how something was, and not how it is."""
        return _FORMERLY.search(ends(self.text)) is not None

    def spans(self, known_until: datetime | None) -> tuple[Span, ...]:
        """The times it names, see `times.spans`."""
        return spans(ends(self.text), self.now, known_until)


def named(question: Question, speakers: Collection[str]) -> frozenset[str]:
    """Those speakers whom a question is about: by name, or as the one who asks.

    Args:
        question: The question.
        speakers: Whose turns were found.

    Returns:
        A part of the speakers; none of them if it is about all or cannot be told.
    """
    every = {speaker for speaker in speakers if speaker}
    said = ends(question.text)
    text = said.casefold()
    found = {speaker for speaker in every if _mentions(text, speaker.casefold())}
    if question.asker in every and _FIRST_PERSON.search(said):
        found.add(question.asker)
    return frozenset(found if found != every else ())


def _mentions(text: str, name: str) -> bool:
    """Whether a name stands in a text as a word; Chinese has no spaces round it."""
    if not name.isascii():
        return name in text
    return re.search(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", text) is not None

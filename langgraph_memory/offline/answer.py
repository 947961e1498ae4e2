"""What the reader found."""

from __future__ import annotations

from dataclasses import dataclass

from langgraph_memory.offline.passages import Passage
from langgraph_memory.offline.question import Question
from langgraph_memory.offline.scoring import lead_of

__all__ = ["Answer", "Finding"]


@dataclass(frozen=True, slots=True)
class Finding:
    """A passage with its score for a question."""

    passage: Passage
    score: float

    @property
    def lead(self) -> str:
        """The sentence before it, where it makes no sense alone."""
        return lead_of(self.passage)


@dataclass(frozen=True, slots=True)
class Answer:
    """What the reader found.

    Attributes:
        question: The question as understood; None when the newest message asks nothing.
        request: The newest user message.
        findings: Answering passages, best first; empty when the prompt holds no answer.
        best: The best passage even if it is below the threshold, for measurements.
    """

    question: Question | None
    request: str
    findings: tuple[Finding, ...]
    best: Finding | None = None

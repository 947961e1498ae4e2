"""Finds the sentences of a prompt that answer a question, or finds that none does.

Every statement is scored by how much of the question it covers: its content words exactly, by
meaning (the thesaurus), the kind of value asked for, and the person it is about. Optionally the
closeness of sentence vectors is added. Below a calibrated threshold there is no answer: a wrong
answer is as bad as a missing one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from langchain_core.messages import BaseMessage, HumanMessage

from langgraph_memory.offline.answer import Answer, Finding
from langgraph_memory.offline.corrections import corrected, newest_of_same
from langgraph_memory.offline.passages import (
    Passage,
    Source,
    newest_request,
    passages,
    plain_text,
)
from langgraph_memory.offline.question import Question, understand
from langgraph_memory.offline.scoring import in_context, rarity_of, score_of
from langgraph_memory.offline.semantic import SentenceVectors
from langgraph_memory.offline.values import specifics

__all__ = ["Reader", "Weights"]


@dataclass(frozen=True, slots=True)
class Weights:
    """The reader's calibration; see the tests for the questions it was measured on.

    Attributes:
        threshold: Score below which nothing is an answer, without sentence vectors.
        semantic_threshold: The same with sentence vectors.
        semantic: Weight of the cosine of the sentence vectors.
        floor: Cosine from which on a statement counts as near at all.
    """

    threshold: float = 0.46
    semantic_threshold: float = 0.52
    semantic: float = 0.45
    floor: float = 0.2


_SEMANTIC_CANDIDATES = 250
_SEVERAL_AT_MOST = 3


class Reader:
    """Extractive question answering over the messages of one request.

    Args:
        semantic: Whether to add sentence vectors; `"auto"` does if the embedder is installed.
        weights: The calibration.
    """

    def __init__(
        self, semantic: bool | Literal["auto"] = False, weights: Weights | None = None
    ) -> None:
        self.weights = weights or Weights()
        use = SentenceVectors.available() if semantic == "auto" else bool(semantic)
        self._vectors = SentenceVectors() if use else None

    def read(self, messages: Sequence[BaseMessage]) -> Answer:
        """Answers the newest user message from the other text of the messages."""
        index, request = newest_request(messages)
        question = understand(request) if request else None
        if question is None:
            return Answer(None, request, ())
        if question.follow_up and len(question.slots) <= 2:
            question = _continued(question, messages[:index])
        candidates = passages(messages)
        if question.several and question.first_person and not question.slots:
            return Answer(question, request, tuple(_about_the_user(candidates)))
        findings = self.rank(question, candidates)
        if not findings:
            return Answer(question, request, ())
        limit = self.weights.semantic_threshold if self._vectors else self.weights.threshold
        good = [finding for finding in findings if finding.score >= limit]
        chosen = [corrected(question, one, candidates) for one in _chosen(question, good)]
        unique = {one.passage.text: one for one in chosen}
        return Answer(question, request, tuple(unique.values()), findings[0])

    def rank(self, question: Question, candidates: Sequence[Passage]) -> list[Finding]:
        """All passages with a score above zero, best first."""
        if not question.slots:
            return []
        rarity = rarity_of(question, candidates)
        scores = [score_of(question, passage, rarity) for passage in candidates]
        if self._vectors:
            scores = self._with_vectors(question, candidates, scores)
        scored = [
            Finding(passage, score) for passage, (score, _) in zip(candidates, scores, strict=True)
        ]
        scored = [finding for finding in scored if finding.score > 0]
        return sorted(scored, key=lambda finding: (-finding.score, -finding.passage.message))

    def _with_vectors(
        self,
        question: Question,
        candidates: Sequence[Passage],
        scores: list[tuple[float, float]],
    ) -> list[tuple[float, float]]:
        """Scores raised towards 1 by the closeness of the sentence vectors."""
        assert self._vectors is not None
        order = sorted(range(len(scores)), key=lambda i: (-scores[i][0], -i))
        order = order[:_SEMANTIC_CANDIDATES]
        texts = [in_context(candidates[i]) for i in order]
        blended = list(scores)
        for i, cosine in zip(order, self._vectors.cosines(question.text, texts), strict=True):
            score, keep = scores[i]
            near = max(0.0, cosine - self.weights.floor) * self.weights.semantic
            blended[i] = (score + max(0.0, 1 - score) * near * keep, keep)
        return blended


def _continued(question: Question, earlier: Sequence[BaseMessage]) -> Question:
    """A follow-up question with what it leaves unsaid taken from the question before it."""
    for message in reversed(earlier):
        if isinstance(message, HumanMessage):
            previous = understand(plain_text(message))
            if previous is None:
                continue
            own = {meaning for slot in question.slots for meaning in slot.meanings}
            inherited = [
                slot for slot in previous.slots if not slot.strict and not own & set(slot.meanings)
            ]
            return replace(
                question,
                slots=(*question.slots, *inherited),
                wanted=question.wanted or previous.wanted,
                first_person=question.first_person or previous.first_person,
            )
    return question


def _chosen(question: Question, good: list[Finding]) -> list[Finding]:
    """The answer among the passages above the threshold: one, or a few when asked for."""
    if not good:
        return []
    best = newest_of_same(question, good)
    chosen = [best]
    if question.several:
        for finding in good:
            if len(chosen) == _SEVERAL_AT_MOST:
                break
            known = {one.passage.text for one in chosen}
            near = finding.score >= 0.8 * good[0].score
            if near and finding.passage.text not in known and finding.passage.source != Source.ECHO:
                chosen.append(finding)
    return chosen


def _about_the_user(candidates: Sequence[Passage]) -> list[Finding]:
    """The most exact things known, for a question about everything."""
    known = [one for one in candidates if one.source in _ABOUT_USER]
    exact = sorted(known, key=lambda one: (-specifics(one.text), -one.message))
    return [Finding(one, 1.0) for one in exact[:_SEVERAL_AT_MOST]]


_ABOUT_USER = frozenset({Source.USER, Source.SUMMARY, Source.MEMORY})

"""Finds the sentences of a prompt that answer a question, or finds that none does.

Every statement is scored by how much of the question it covers: its content words exactly, by
meaning (the thesaurus), the kind of value asked for, and the person it is about. Optionally the
closeness of sentence vectors is added. Below a calibrated threshold there is no answer: a wrong
answer is as bad as a missing one.
"""

from __future__ import annotations

import math
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
from langgraph_memory.offline.scoring import in_context, kind_match, rarity_of, score_of
from langgraph_memory.offline.semantic import SentenceVectors
from langgraph_memory.offline.statement import read_statement
from langgraph_memory.offline.values import specifics

__all__ = ["Reader", "Weights"]


@dataclass(frozen=True, slots=True)
class Weights:
    """What speaks for a statement, in log-odds; fitted to questions about real conversations.

    Attributes:
        covered: How much of the question the statement covers, 0 to 1.
        kind: The statement holds the kind of value that was asked for.
        no_kind: A kind was asked for, and the statement holds none of it.
        told: The statement is the assistant's or the instructions', not the user's or a tool's.
        exact: The statement holds a name or another exact value.
        cosine: Closeness of the sentence vectors.
        lead: By how much it is closer than the next statement.
        base: What has to be outweighed.
    """

    covered: float
    kind: float
    no_kind: float
    told: float
    exact: float
    cosine: float
    lead: float
    base: float


BY_WORDS = Weights(6.7, 0.82, -0.95, -1.0, 0.28, 0.0, 0.0, -3.31)
WITH_VECTORS = Weights(4.55, 0.78, -1.0, -1.0, 0.37, 2.4, 3.22, -2.95)
_TOLD = frozenset({Source.ASSISTANT, Source.ECHO, Source.SYSTEM})
_SEMANTIC_CANDIDATES = 150
_SEVERAL_AT_MOST = 3
_LIKELY = 0.5


class Reader:
    """Extractive question answering over the messages of one request.

    Args:
        semantic: Whether to add sentence vectors; `"auto"` does if the embedder is installed.
        weights: What counts how much; the default depends on whether there are vectors.
    """

    def __init__(
        self, semantic: bool | Literal["auto"] = "auto", weights: Weights | None = None
    ) -> None:
        use = SentenceVectors.available() if semantic == "auto" else bool(semantic)
        self._vectors = SentenceVectors() if use else None
        self.weights = weights or (WITH_VECTORS if use else BY_WORDS)

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
        good = [finding for finding in findings if finding.score >= _LIKELY]
        chosen = [corrected(question, one, candidates) for one in _chosen(question, good)]
        unique = {one.passage.text: one for one in chosen}
        return Answer(question, request, tuple(unique.values()), findings[0])

    def rank(self, question: Question, candidates: Sequence[Passage]) -> list[Finding]:
        """Passages that may be meant, best first; scores from 0.5 on are answers."""
        if not question.slots or not candidates:
            return []
        rarity = rarity_of(question, candidates)
        covered = [score_of(question, passage, rarity) for passage in candidates]
        near = self._nearness(question, candidates, covered)
        found = [
            Finding(passage, self._chance(question, passage, score, keep, near.get(at)))
            for at, (passage, (score, keep)) in enumerate(zip(candidates, covered, strict=True))
            if score > 0 or at in near
        ]
        return sorted(found, key=lambda finding: (-finding.score, -finding.passage.message))

    def _chance(
        self,
        question: Question,
        passage: Passage,
        score: float,
        keep: float,
        near: tuple[float, float] | None,
    ) -> float:
        weights, statement = self.weights, read_statement(passage.text)
        odds = (
            weights.base + weights.covered * score + weights.kind * kind_match(question, statement)
        )
        if question.wanted and not question.wanted & statement.kinds:
            odds += weights.no_kind
        if passage.source in _TOLD:
            odds += weights.told
        if statement.names or specifics(passage.text):
            odds += weights.exact
        if near is not None:
            # The vectors do not tell my brother from my sister; the shortcomings do.
            odds += keep * (weights.cosine * near[0] + weights.lead * near[1])
        return 1 / (1 + math.exp(-odds))

    def _nearness(
        self,
        question: Question,
        candidates: Sequence[Passage],
        covered: list[tuple[float, float]],
    ) -> dict[int, tuple[float, float]]:
        """Cosine of the sentence vectors, and its lead over the next best, of the likeliest."""
        if self._vectors is None:
            return {}
        order = sorted(range(len(covered)), key=lambda at: (-covered[at][0], -at))
        order = order[:_SEMANTIC_CANDIDATES]
        texts = [in_context(candidates[at]) for at in order]
        cosines = self._vectors.cosines(question.text, texts)
        first, second = sorted([*cosines, 0.0, 0.0], reverse=True)[:2]
        return {
            at: (cosine, cosine - (second if cosine == first else first))
            for at, cosine in zip(order, cosines, strict=True)
        }


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

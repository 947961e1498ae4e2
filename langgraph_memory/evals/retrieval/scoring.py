"""How much of the evidence a result holds: the same measures for every store."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from langgraph_memory.recall.budget import within

__all__ = [
    "BUDGETS",
    "CURRENT_FIRST",
    "DEPTHS",
    "LONGEST",
    "MEASURES",
    "Tally",
    "current_first",
    "score",
]

DEPTHS = (5, 10, 20)
"""Lengths of results at which recall is measured."""

BUDGETS = (500, 1_000, 2_000)
"""Tokens of retrieved text within which recall is measured."""

LONGEST = 100
"""Results asked for: enough short turns to fill the largest budget."""

MEASURES = (
    *(f"recall@{depth}" for depth in DEPTHS),
    "MRR",
    *(f"in {budget:,} tokens" for budget in BUDGETS),
)


CURRENT_FIRST = "current first"
"""The measure of questions about what was replaced."""


def score(
    found: Sequence[str], evidence: Collection[str], tokens: Mapping[str, int]
) -> tuple[float, ...]:
    """Score one result by each of `MEASURES`.

    recall@k is the share of the evidence among the first k; MRR is one divided by the rank of the
    first piece of evidence, 0 if there is none; the rest is the share of the evidence among what
    fits whole into a budget of tokens, in order, where what does not fit is left out.

    Args:
        found: Ids of turns, best first.
        evidence: Ids of the turns that answer the question, at least one.
        tokens: Length of every turn.
    """
    ranks = [rank for rank, turn in enumerate(found, 1) if turn in evidence]
    fitting = [within(found, tokens.__getitem__, budget) for budget in BUDGETS]
    return (
        *(sum(rank <= depth for rank in ranks) / len(evidence) for depth in DEPTHS),
        1 / ranks[0] if ranks else 0.0,
        *(sum(turn in evidence for turn, _ in each) / len(evidence) for each in fitting),
    )


def current_first(
    found: Sequence[str], evidence: Collection[str], superseded: Collection[str]
) -> bool | None:
    """Whether the current statement stands above every one that it replaced.

    Args:
        found: Ids of turns, best first.
        evidence: Ids of the turns that answer the question.
        superseded: Ids of those that answered it before.

    Returns:
        None where nothing was replaced; False where the current statement was not found.
    """
    if not superseded:
        return None
    first = next((turn for turn in found if turn in evidence or turn in superseded), None)
    return first in evidence


@dataclass
class Tally:
    """Scores of many questions.

    Attributes:
        scores: Those of each question, by its category.
        current: For questions about what was replaced, whether the current statement came first.
    """

    scores: dict[str, list[tuple[float, ...]]] = field(default_factory=dict)
    current: dict[str, list[bool]] = field(default_factory=dict)

    def add(self, category: str, scores: tuple[float, ...], current: bool | None = None) -> None:
        """Count one question."""
        self.scores.setdefault(category, []).append(scores)
        if current is not None:
            self.current.setdefault(category, []).append(current)

    def current_first(self, category: str | None = None) -> float | None:
        """Share of the questions about what was replaced; None if there are none."""
        every = [
            each
            for name, values in self.current.items()
            for each in values
            if category is None or name == category
        ]
        return sum(every) / len(every) if every else None

    def mean(self, category: str | None = None) -> dict[str, float]:
        """Mean of each measure over the questions, all of them or those of one category."""
        rows = [
            row
            for name, rows in self.scores.items()
            for row in rows
            if category is None or name == category
        ]
        return {
            measure: sum(values) / len(rows)
            for measure, values in zip(MEASURES, zip(*rows, strict=True), strict=True)
        }

"""How much of the evidence a result holds: the same measures for every store."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

__all__ = ["BUDGETS", "DEPTHS", "LONGEST", "MEASURES", "Tally", "score"]

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


def score(
    found: Sequence[str], evidence: Collection[str], tokens: Mapping[str, int]
) -> tuple[float, ...]:
    """Score one result by each of `MEASURES`.

    recall@k is the share of the evidence among the first k; MRR is one divided by the rank of the
    first piece of evidence, 0 if there is none; the rest is the share of the evidence that is
    read whole before a budget of tokens is used up.

    Args:
        found: Ids of turns, best first.
        evidence: Ids of the turns that answer the question, at least one.
        tokens: Length of every turn.
    """
    ranks = [rank for rank, turn in enumerate(found, 1) if turn in evidence]
    ends: list[int] = []
    used = 0
    for turn in found:
        used += tokens[turn]
        ends.append(used)
    return (
        *(sum(rank <= depth for rank in ranks) / len(evidence) for depth in DEPTHS),
        1 / ranks[0] if ranks else 0.0,
        *(sum(ends[rank - 1] <= budget for rank in ranks) / len(evidence) for budget in BUDGETS),
    )


@dataclass
class Tally:
    """Scores of many questions.

    Attributes:
        scores: Those of each question, by its category.
    """

    scores: dict[str, list[tuple[float, ...]]] = field(default_factory=dict)

    def add(self, category: str, scores: tuple[float, ...]) -> None:
        """Count one question."""
        self.scores.setdefault(category, []).append(scores)

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

"""Tables of what was found, and the same as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TextIO

from langgraph_memory.evals.retrieval.conversations import DataSet
from langgraph_memory.evals.retrieval.scoring import (
    CURRENT_FIRST,
    LONGEST,
    MEASURES,
    Tally,
)
from langgraph_memory.evals.table import show

__all__ = ["LEGEND", "Results", "print_results"]

LEGEND = f"""\
recall@k: share of a question's evidence among the first k results, mean over the questions. MRR:
  mean of 1 / rank of the first piece of evidence among {LONGEST} results. in … tokens: share of
  the evidence in what fits whole into so many tokens, results in order, what does not fit left
  out, by this package's approximate counter; Recall stops by itself at 1,000 tokens. current
  first: share of the questions about what was replaced in which the current statement stands
  above the old one."""


@dataclass
class Results:
    """What a run found.

    Attributes:
        sets: Data sets, in order.
        tallies: For each data set's name, rows of the table.
        left_out: Stores that could not run, each with the reason.
    """

    sets: list[DataSet] = field(default_factory=list)
    tallies: dict[str, dict[str, Tally]] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """All values."""
        return {
            "retrieval": {
                each.name: {
                    "conversations": len(each.conversations),
                    "turns": each.turns,
                    "questions": each.questions,
                    "stores": {
                        row: {
                            "all": _values(tally),
                            "categories": {name: _values(tally, name) for name in tally.scores},
                        }
                        for row, tally in self.tallies.get(each.name, {}).items()
                    },
                }
                for each in self.sets
            },
            "left_out": self.left_out,
        }


def print_results(results: Results, out: TextIO | None = None) -> None:
    """Print two tables for each data set, then the stores that are left out and why.

    Args:
        results: What was measured.
        out: Where to; standard output by default.
    """
    for each in results.sets:
        rows = results.tallies.get(each.name, {})
        title = (
            f"{each.name}: {len(each.conversations)} conversations, {each.turns:,} turns, "
            f"{each.questions:,} questions"
        )
        replaced = any(tally.current for tally in rows.values())
        measures = (*MEASURES, CURRENT_FIRST) if replaced else MEASURES
        show(title, ("store", *measures), _lines(rows, measures), out)
        categories = sorted({name for tally in rows.values() for name in tally.scores})
        if len(categories) > 1:
            measure = CURRENT_FIRST if replaced else "recall@10"
            show(
                f"{each.name}: {measure} by category",
                ("store", *_counts(rows, categories)),
                _by_category(rows, categories, measure),
                out,
            )
    print(f"\n{LEGEND}", file=out)
    for name, reason in results.left_out.items():
        print(f"{name}: left out, {reason}", file=out)


def _values(tally: Tally, category: str | None = None) -> dict[str, float]:
    """Every measure that there is, over all questions or those of a category."""
    values = tally.mean(category)
    current = tally.current_first(category)
    return values if current is None else {**values, CURRENT_FIRST: current}


def _lines(rows: Mapping[str, Tally], measures: Sequence[str]) -> list[tuple[str, ...]]:
    lines = []
    for name, tally in rows.items():
        values = _values(tally)
        lines.append((name, *(_share(values.get(measure)) for measure in measures)))
    return lines


def _counts(rows: Mapping[str, Tally], categories: Sequence[str]) -> list[str]:
    first = next(iter(rows.values()))
    return [f"{name} ({len(first.scores.get(name, ()))})" for name in categories]


def _by_category(
    rows: Mapping[str, Tally], categories: Sequence[str], measure: str
) -> list[tuple[str, ...]]:
    return [
        (name, *(_share(_values(tally, category).get(measure)) for category in categories))
        for name, tally in rows.items()
    ]


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}".removeprefix("0")

"""Tables for the terminal: drawn with rich on a screen, plain columns in a pipe or a file."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TextIO

from langgraph_memory.evals.context.metrics import Tally
from langgraph_memory.evals.table import show

__all__ = ["LEGEND", "quality_tables", "timing_table"]

_KEPT = (
    "tool",
    "rule faults",
    "bad views",
    "validate",
    "lost question",
    "lost system",
    "over budget",
    "avoidable",
)
_PAID = (
    "tool",
    "tokens sent",
    "cached, agent",
    "cached, all",
    "cost",
    "verbatim",
    "coverage",
    "model calls",
)

LEGEND = """\
rule faults: what OpenAI's chat endpoint refuses in a view and would not in the thread itself, per
  1,000 calls (an independent check); bad views: views with such a fault, per 1,000 calls;
  validate: what this package's validate(view, "common") finds beyond the thread, per 1,000 calls.
lost question: newest user message not verbatim in the view; lost system: system prompt not
  verbatim in the leading system message; over budget: by exact o200k tokens; avoidable: of these,
  where system prompt, newest user message and newest unit would have fit. All per 1,000 calls.
tokens sent: all requests, a summarizer's included. cached: share of input tokens in a prefix that
  a provider has in its cache (longest prefix in common with the last agent or summarizer request
  of the thread, 1,024 tokens or more, in steps of 128). cost: cached tokens at a tenth, against
  sending everything at each call, output ignored.
verbatim: share of the thread's messages that a view has unchanged, mean over calls. coverage:
  share of the messages left out of some view that a summarizer read whole. model calls: requests
  to a summarizer per 100 calls."""


def quality_tables(
    title: str,
    tallies: Mapping[str, Tally],
    missing: Mapping[str, str],
    out: TextIO | None = None,
) -> None:
    """Print the measures of one budget, then the tools that are not installed and why.

    Args:
        title: What was measured on.
        tallies: Tool by tool.
        missing: Tools that could not run, each with the reason.
        out: Where to; standard output by default.
    """
    kept = [(name, *_kept(tally)) for name, tally in tallies.items()]
    paid = [(name, *_paid(tally)) for name, tally in tallies.items()]
    show(f"{title}: is it right?", _KEPT, kept, out)
    show(f"{title}: what does it cost and keep?", _PAID, paid, out)
    for name, reason in missing.items():
        print(f"{name}: not installed. {reason}", file=out or sys.stdout)


def _kept(tally: Tally) -> tuple[str, ...]:
    counts = (
        tally.faults,
        tally.faulty_views,
        tally.violations,
        tally.lost_questions,
        tally.lost_systems,
        tally.over_budget,
        tally.avoidable,
    )
    return tuple(_rate(tally.per_thousand(count)) for count in counts)


def _paid(tally: Tally) -> tuple[str, ...]:
    coverage = tally.coverage
    return (
        f"{tally.tokens:,}",
        f"{tally.agent.cached_share:.1%}",
        f"{tally.cached_share:.1%}",
        f"{tally.relative_cost:.3f}",
        f"{tally.retention:.1%}",
        "–" if coverage is None else f"{coverage:.1%}",
        _rate(tally.per_thousand(tally.model_calls) / 10),
    )


def timing_table(
    title: str,
    lengths: Sequence[int],
    rows: Sequence[tuple[str, Sequence[float]]],
    out: TextIO | None = None,
) -> None:
    """Print milliseconds per call for each length of thread."""
    headings = ("tool", *(f"{length:,} messages" for length in lengths))
    cells = [(name, *(f"{value:.2f} ms" for value in values)) for name, values in rows]
    show(title, headings, cells, out)


def _rate(value: float) -> str:
    return "0" if not value else f"{value:.1f}"

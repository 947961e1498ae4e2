"""The table of what remembering cost and brought."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TextIO

from langgraph_memory.evals.longterm.metering import Calls
from langgraph_memory.evals.longterm.playing import Outcome
from langgraph_memory.evals.table import show

__all__ = ["LEGEND", "print_outcomes"]

LEGEND = """\
Per 100 turns: calls of the model to remember with their input and output tokens, and requests to
  the embedder. injected: tokens of memory in the prompt of a reply, mean and maximum. cached: share
  of the tokens of the requests for replies with which the thread's request before began, too.
  answered: questions, asked in a later thread, whose answer was injected. current: of those
  about something corrected, those in which the current value was injected and the old one was
  not, or stood below it. limits: requests in which every limit stated in an earlier thread was
  injected. leaks: turns in which a value of another user was injected. failed: turns in which
  something was raised. Tokens by this package's approximate counter."""

_COSTS = ("agent", "calls", "input", "output", "embedder", "injected", "max", "cached")
_GAINS = ("agent", "answered", "current", "limits", "leaks", "failed", "not understood")


def print_outcomes(
    title: str,
    outcomes: Mapping[str, Outcome],
    left_out: Mapping[str, str],
    out: TextIO | None = None,
) -> None:
    """Print what it cost, what it brought, and who could not play and why."""
    show(f"{title}: cost", _COSTS, [_cost(*each) for each in outcomes.items()], out)
    show(f"{title}: gain", _GAINS, [_gain(*each) for each in outcomes.items()], out)
    print(f"\n{LEGEND}", file=out)
    for name, outcome in outcomes.items():
        if outcome.failures:
            print(f"{name}: first failure: {outcome.failures[0]}", file=out)
    for name, reason in left_out.items():
        print(f"{name}: left out, {reason}", file=out)


def _cost(name: str, outcome: Outcome) -> tuple[str, ...]:
    calls = outcome.meter.calls.get("remember", Calls())
    counted = (calls.count, calls.input, calls.output, outcome.meter.embedder_calls)
    injected = outcome.injected or [0]
    return (
        name,
        *(f"{outcome.per_hundred(amount):,.0f}" for amount in counted),
        f"{sum(injected) / len(injected):,.0f}",
        f"{max(injected):,}",
        f"{outcome.prefixes.spent.cached_share:.0%}",
    )


def _gain(name: str, outcome: Outcome) -> tuple[str, ...]:
    return (
        name,
        _share(outcome.answered),
        _share(outcome.current),
        _share(outcome.limits),
        f"{outcome.leaks}",
        f"{len(outcome.failures)}",
        f"{outcome.meter.calls.get('not understood', Calls()).count}",
    )


def _share(values: list[bool]) -> str:
    return f"{sum(values)} of {len(values)}"

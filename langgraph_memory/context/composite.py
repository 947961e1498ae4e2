"""Composite: strategies one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from langchain_core.messages import BaseMessage

from langgraph_memory.calls import Steps
from langgraph_memory.context.report import Report
from langgraph_memory.context.strategy import ContextRequest, ContextStrategy, ContextView
from langgraph_memory.errors import InvalidInputError
from langgraph_memory.messages import Piece, Thread


@dataclass(frozen=True, eq=False)
class Composite(ContextStrategy):
    """A pipeline: each strategy sees what the one before it would send.

    `Composite([Summarize(model), SlidingWindow(max_tokens=8_000)])` is a good default: first fewer
    messages, then a hard ceiling.

    Args:
        strategies: In the order in which they run.
    """

    strategies: Sequence[ContextStrategy]

    def __post_init__(self) -> None:
        if not self.strategies or not all(
            isinstance(strategy, ContextStrategy) for strategy in self.strategies
        ):
            raise InvalidInputError(
                f"Composite needs a list of at least one context strategy, not {self.strategies!r}."
            )
        object.__setattr__(self, "strategies", tuple(self.strategies))

    def steps(self, messages: Sequence[BaseMessage], request: ContextRequest) -> Steps[ContextView]:
        """Run the strategies; each keeps its own state."""
        states = request.state_of(self).get("steps") or []
        # The thread says whether its last calls wait for a person; a shortened view may not.
        request = replace(request, interrupted=request.waits(Thread.of(messages).messages))
        view: ContextView | None = None
        done: list[ContextView] = []
        for place, strategy in enumerate(self.strategies):
            state = states[place] if place < len(states) else None
            if view is not None:
                # From here on the system prompt is the first of the messages.
                messages, request = view.messages, replace(request, system=None)
            view = yield from strategy.steps(messages, replace(request, state=state))
            done.append(view)
        return combined(done)


def combined(views: Sequence[ContextView]) -> ContextView:
    """One view that stands for a chain of views, each computed from the one before it."""
    report = views[0].report
    for view in views[1:]:
        report = _chained(report, view.report)
    over = any(view.over_budget for view in views) and (
        report.tokens_after > min(v.report.budget for v in views if v.report.budget is not None)
    )
    names = " + ".join(view.report.strategy for view in views)
    report = replace(report, strategy=names, over_budget=over)
    return ContextView(
        messages=views[-1].messages,
        state={"strategy": "Composite", "steps": [view.state for view in views]},
        report=report,
        over_budget=over,
        degraded=any(view.degraded for view in views),
    )


def _chained(first: Report, second: Report) -> Report:
    def through(piece: Piece) -> Piece:
        if piece.origin < 0:
            return piece
        before = first.pieces[piece.origin]
        return Piece(piece.message, before.origin, (*before.changes, *piece.changes))

    def why(index: int) -> str:
        for place, piece in enumerate(first.pieces):
            if piece.origin == index:
                return second.why(place)
        return first.why(index)

    return replace(
        second,
        source=first.source,
        system=first.system,
        pieces=[through(piece) for piece in second.pieces],
        why=why,
        summarized=[*first.summarized, *second.summarized],
        summary=second.summary or first.summary,
        budget=second.budget if second.budget is not None else first.budget,
        degraded_because="; ".join(
            part for part in (first.degraded_because, second.degraded_because) if part
        ),
        notes=(*first.notes, *second.notes),
        model_calls=first.model_calls + second.model_calls,
    )

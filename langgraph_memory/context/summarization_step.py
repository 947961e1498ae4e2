"""SummarizationStep: the summarization hook as a step among strategies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from langchain_core.messages import BaseMessage

from langgraph_memory.calls import Steps
from langgraph_memory.context.strategy import (
    ContextRequest,
    ContextStrategy,
    ContextView,
    Selection,
    build_view,
    with_openers,
)
from langgraph_memory.context.summarize import resumed
from langgraph_memory.messages import Thread
from langgraph_memory.summarization.hook import Outcome, SummarizationHook, Surroundings


@dataclass(frozen=True, eq=False)
class SummarizationStep(ContextStrategy):
    """The summarization hook for a `pre_model_hook` or middleware: the edge's condition inside.

    Args:
        hook: What fires, when, and its fallbacks.
        fires: False to only show the summary, where a conditional edge decides whether one is made.
    """

    hook: SummarizationHook = field(default_factory=SummarizationHook)
    fires: bool = True

    def steps(self, messages: Sequence[BaseMessage], request: ContextRequest) -> Steps[ContextView]:
        """Summarize if the request is over the trigger, and show the summary."""
        thread = Thread.of(messages)
        running = resumed(thread, request.state_of(self))
        around = Surroundings(request.system, request.tools, request.rules)
        if self.fires:
            outcome = yield from self.hook.steps(thread, running, around, request.config)
        else:
            outcome = Outcome(running, running.on(thread))
        note = "what must be kept is alone above the trigger"
        selection = Selection(
            with_openers(thread, outcome.placed.shown, request),
            why=lambda _: "older than the messages kept verbatim",
            state={**request.state_of(self), **outcome.running.view_json(thread)},
            budget=self.hook.max_tokens,
            summary=outcome.running.text,
            role=self.hook.role,
            summarized=outcome.running.covered,
            degraded=outcome.degraded,
            notes=[note] if outcome.stuck else (),
            model_calls=outcome.model_calls,
        )
        return build_view(self, thread, selection, request)

"""UsageFeedbackWindow: no tokenizer; the provider's own count says how much must go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from langchain_core.messages import AIMessage

from langgraph_memory.context.budget import Budget, check_budget, check_count
from langgraph_memory.context.strategy import (
    ContextRequest,
    PureStrategy,
    Selection,
    with_openers,
)
from langgraph_memory.errors import InvalidBudgetError
from langgraph_memory.messages import Thread
from langgraph_memory.messages.content import is_empty
from langgraph_memory.summarization.place import find, place_of, read_place


@dataclass(frozen=True)
class UsageFeedbackWindow(PureStrategy):
    """Drop the oldest units by what the provider reported for the last request.

    A reply's `usage_metadata.input_tokens` says exactly how large its request was. Where that was
    more than the budget, the oldest units worth of the excess go. It is one turn late, exact, and
    needs no tokenizer: the share of a message in a request is its share of the characters, once
    the fixed part (system prompt, tools, framing) is taken off.

    Two reports about requests of one thread give the fixed part and the tokens per character
    (`tokens = fixed + rate * characters`, a line through the last two points). Until there are two,
    the whole report is shared out by characters. What was reported before a cut says nothing
    about requests after it, and every report is acted on once.

    Args:
        max_prompt_tokens: The budget: tokens, or a fraction of the model's window.
        fixed_overhead: Tokens of the fixed part, or `learned`.
        keep_at_least: Units that always stay.
    """

    max_prompt_tokens: Budget = 8_000
    fixed_overhead: int | Literal["learned"] = "learned"
    keep_at_least: int = 2

    def __post_init__(self) -> None:
        check_budget("max_prompt_tokens", self.max_prompt_tokens)
        check_count("keep_at_least", self.keep_at_least, least=1)
        fixed = self.fixed_overhead
        if fixed != "learned" and (isinstance(fixed, bool) or not isinstance(fixed, int)):
            raise InvalidBudgetError(
                f"fixed_overhead must be a number of tokens or 'learned', not {fixed!r}."
            )

    def select(self, thread: Thread, request: ContextRequest) -> Selection:
        """Act on the newest report if it has not been acted on."""
        budget = request.tokens("max_prompt_tokens", self.max_prompt_tokens)
        state = request.state_of(self)
        start = find(thread, read_place(state.get("start"))) or 0
        first = thread.unit_at(start)
        learned = [tuple(point) for point in state.get("points", ())]
        acted_on = find(thread, read_place(state.get("report")))
        notes: list[str] = []
        report = _newest_report(thread)
        if report is not None and report[0] != acted_on:
            position, tokens = report
            sent = _sent_characters(thread, first, position, state)
            if position >= start:
                learned = [*learned, (sent, tokens)][-2:]
                excess = tokens - budget
                if excess > 0:
                    rate = self._rate(learned)
                    first = self._cut(thread, first, excess, rate)
                    notes.append(
                        f"the last request had {tokens:,} tokens, {excess:,} over {budget:,}"
                    )
                    learned = []
        keep = thread.essentials()
        keep.update(i for unit in thread.units[first:] for i in unit.indices)
        ordered = with_openers(thread, keep, request)
        place = list(place_of(thread, thread.starts[first])) if thread.units else None
        return Selection(
            ordered,
            why=lambda _: f"the provider's count was over {budget:,} tokens",
            state={
                "start": place,
                "report": list(place_of(thread, report[0])) if report else state.get("report"),
                "points": [list(point) for point in learned],
            },
            notes=notes,
        )

    def _rate(self, points: list[tuple[int, ...]]) -> float:
        """Tokens per character of the part that can be dropped, at most 1."""
        characters, tokens = points[-1]
        if self.fixed_overhead != "learned":
            rate = (tokens - self.fixed_overhead) / max(characters, 1)
        elif len(points) > 1 and characters > points[0][0]:
            rate = (tokens - points[0][1]) / (characters - points[0][0])
        else:
            rate = tokens / max(characters, 1)
        # A hidden fixed part must not make every character look as dear as many tokens.
        return min(max(rate, 0.05), 1.0)

    def _cut(self, thread: Thread, first: int, excess: int, rate: float) -> int:
        """Number of the unit to start at, so that units worth of the excess are gone."""
        limit = max(first, len(thread.units) - self.keep_at_least)
        gone = 0.0
        while first < limit and gone < excess:
            if thread.units[first].indices[0] not in {*thread.systems, *thread.pinned}:
                gone += rate * sum(map(_characters, thread.units[first].messages))
            first += 1
        return first


def _newest_report(thread: Thread) -> tuple[int, int] | None:
    """Position and input tokens of the newest reply that reports its usage."""
    for index in range(len(thread) - 1, -1, -1):
        message = thread.messages[index]
        # An empty reply may be missing from the next view, and its report with it.
        if isinstance(message, AIMessage) and message.usage_metadata and not is_empty(message):
            tokens = int(message.usage_metadata.get("input_tokens", 0))
            if tokens > 0:
                return index, tokens
    return None


def _sent_characters(thread: Thread, first: int, position: int, state: Mapping[str, Any]) -> int:
    """Characters of the messages that the reply at a position answers."""
    return sum(
        _characters(message)
        for unit in thread.units[first:]
        for index, message in zip(unit.indices, unit.messages, strict=True)
        if index < position
    )


def _characters(message: Any) -> int:
    calls = getattr(message, "tool_calls", None) or ()
    text = message.content if isinstance(message.content, str) else message.text
    return len(text) + sum(len(str(call["args"])) + len(call["name"]) for call in calls) + 8

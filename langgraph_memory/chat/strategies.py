"""The context strategies that the chat knows by name."""

from __future__ import annotations

from collections.abc import Callable

from langchain_core.language_models import BaseChatModel

from langgraph_memory.context import (
    ClearToolResults,
    Composite,
    ContextStrategy,
    Layered,
    MessageWindow,
    SlidingWindow,
    Summarize,
    TieredExpiry,
    Trim,
    UsageFeedbackWindow,
)
from langgraph_memory.errors import InvalidInputError

Maker = Callable[[int, BaseChatModel], ContextStrategy]

LOW_WATER = 0.4

STRATEGIES: dict[str, Maker] = {
    "summarize": lambda budget, model: Composite(
        [Summarize(model, max_tokens=budget), SlidingWindow(budget)]
    ),
    "window": lambda budget, model: SlidingWindow(budget, low_water=LOW_WATER),
    "messages": lambda budget, model: Composite([MessageWindow(), SlidingWindow(budget)]),
    "trim": lambda budget, model: Composite([Trim(), SlidingWindow(budget)]),
    "clear-tools": lambda budget, model: Composite(
        [ClearToolResults(), SlidingWindow(budget, low_water=LOW_WATER)]
    ),
    "tiers": lambda budget, model: Composite([TieredExpiry(model=model), SlidingWindow(budget)]),
    "layered": lambda budget, model: Layered(model, window=budget * 2),
    "usage": lambda budget, model: UsageFeedbackWindow(budget),
}


def strategy_named(name: str, budget: int, model: BaseChatModel) -> ContextStrategy:
    """Make a strategy.

    Raises:
        InvalidInputError: There is none of that name; the message lists those there are.
        InvalidBudgetError: The budget is zero or less.
    """
    if name not in STRATEGIES:
        raise InvalidInputError(
            f"There is no strategy {name!r}. Use one of: {', '.join(STRATEGIES)}."
        )
    return STRATEGIES[name](budget, model)

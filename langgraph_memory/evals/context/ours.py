"""This package's strategies as rows of the table, with the counter that they have by default."""

from __future__ import annotations

from typing import Any

from langchain_core.language_models import BaseChatModel

from langgraph_memory.evals.context.contenders import Contender

__all__ = ["OURS"]


def sliding_window(budget: int, model: BaseChatModel) -> Any:
    """A window that is cut down to two fifths of the budget when it overflows."""
    from langgraph_memory.context import SlidingWindow

    return SlidingWindow(budget, low_water=0.4)


def summarize(budget: int, model: BaseChatModel) -> Any:
    """Everything dropped is summarized; a window holds the ceiling."""
    from langgraph_memory.context import Composite, SlidingWindow, Summarize

    return Composite([Summarize(model, max_tokens=budget), SlidingWindow(budget)])


def summarize_reusing_prefix(budget: int, model: BaseChatModel) -> Any:
    """The same, the summary asked of the conversation's own model after its last request."""
    from langgraph_memory.context import Composite, SlidingWindow, Summarize

    summarize = Summarize(model, max_tokens=budget, reuse_prefix=True)
    return Composite([summarize, SlidingWindow(budget)])


def clear_tool_results(budget: int, model: BaseChatModel) -> Any:
    """Old tool results cleared, then a window."""
    from langgraph_memory.context import ClearToolResults, Composite, SlidingWindow

    return Composite([ClearToolResults(batch=10), SlidingWindow(budget, low_water=0.4)])


def trim(budget: int, model: BaseChatModel) -> Any:
    """The oldest two and the newest ten messages; it knows no token budget."""
    from langgraph_memory.context import Trim

    return Trim()


def message_window(budget: int, model: BaseChatModel) -> Any:
    """The newest twenty messages; it knows no token budget."""
    from langgraph_memory.context import MessageWindow

    return MessageWindow()


OURS: tuple[Contender, ...] = (
    Contender.of_strategy("ours: SlidingWindow", sliding_window),
    Contender.of_strategy("ours: Summarize + SlidingWindow", summarize),
    Contender.of_strategy("ours: … reuse_prefix", summarize_reusing_prefix),
    Contender.of_strategy("ours: ClearToolResults + SlidingWindow", clear_tool_results),
    Contender.of_strategy("ours: Trim", trim),
    Contender.of_strategy("ours: MessageWindow", message_window),
)
"""The rows of this package."""

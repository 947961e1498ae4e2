"""Open chat: what is known about the user matters most."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from langchain_core.language_models import BaseChatModel

from langgraph_memory.context import Composite, ContextView, SlidingWindow, Summarize
from langgraph_memory.memory import Memory
from langgraph_memory.messages import Profile
from langgraph_memory.presets.prompt_budget import prompt_budget
from langgraph_memory.service import Recollection

if TYPE_CHECKING:
    from langchain.agents.middleware import AgentMiddleware

__all__ = ["open_chat"]


def open_chat(
    model: BaseChatModel,
    *,
    memory: Memory | None = None,
    budget: int | None = None,
    summarize_above: int = 30,
    keep_last: int = 10,
    background: bool = True,
    profile: str | Profile = "common",
    on_recall: Callable[[Recollection], None] | None = None,
    on_view: Callable[[ContextView], None] | None = None,
) -> list[AgentMiddleware[Any, Any, Any]]:
    """Middleware for a conversation about anything: ``create_agent(…, middleware=open_chat(…))``.

    In this order, and put your own in front:

    1. Memory shows what is known about the user, so that the budget counts it.
    2. Context comes last: a summary of what is old, then a window, then repairs. Behind it nothing
       may change the request.

    Args:
        model: Writes the summaries.
        memory: Long-term memory. `memory.tools()` may be among the agent's tools.
        budget: Tokens of a request, system prompt and tools included; see `prompt_budget`.
        summarize_above: Messages that may be unsummarized; 30 are 15 turns.
        keep_last: Messages that stay verbatim at a summary; 10 are 5 turns.
        background: Summarize beside the conversation, so that nobody waits for it.
        profile: Name of the provider whose message rules hold.
        on_recall: Called with what is recalled of the user.
        on_view: Called with every view before it is sent.

    Raises:
        MissingExtraError: LangChain is not installed.
        InvalidBudgetError: A number is zero or less.
    """
    from langgraph_memory.integrations import ContextMiddleware

    budget = prompt_budget(model) if budget is None else budget
    summaries = Summarize(
        model,
        threshold=summarize_above,
        max_tokens=budget,
        keep_last=keep_last,
        background=background,
    )
    strategy = Composite([summaries, SlidingWindow(budget, low_water=0.4)])
    return [
        *([memory.middleware(on_recall=on_recall)] if memory is not None else []),
        ContextMiddleware(strategy, profile=profile, on_view=on_view),
    ]

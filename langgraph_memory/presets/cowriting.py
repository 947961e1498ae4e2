"""Co-writing: the exact text of the work matters most."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from langchain_core.language_models import BaseChatModel
from pydantic import BaseModel, Field

from langgraph_memory.context import (
    ClearToolResults,
    Composite,
    ContextView,
    SlidingWindow,
    Summarize,
)
from langgraph_memory.context.budget import check_count
from langgraph_memory.memory import Memory
from langgraph_memory.messages import Profile
from langgraph_memory.presets.prompt_budget import prompt_budget
from langgraph_memory.service import Recollection
from langgraph_memory.session import Artifact, TaskForm

if TYPE_CHECKING:
    from langchain.agents.middleware import AgentMiddleware

__all__ = ["Brief", "cowriting"]

_LEAST = 200
"""Tokens for the text: enough to say how long it is, whatever its name, and to show a few lines."""


class Brief(BaseModel):
    """What holds for all of a work, however long the conversation about it."""

    purpose: str | None = Field(None, description="What is being written, what for, for whom")
    constraints: list[str] | None = Field(
        None,
        description="Every standing wish of the user on the text, in their own exact words: voice, "
        "length, what must and must not be in it. To add one, give all of them again.",
    )


def cowriting(
    model: BaseChatModel,
    *,
    artifact: Artifact | None = None,
    brief: TaskForm[Any] | type[BaseModel] | None = Brief,
    memory: Memory | None = None,
    budget: int | None = None,
    artifact_tokens: int | None = None,
    brief_tokens: int = 2_000,
    keep_results: int = 3,
    summarize_above: int = 30,
    keep_last: int = 10,
    profile: str | Profile = "common",
    on_recall: Callable[[Recollection], None] | None = None,
    on_view: Callable[[ContextView], None] | None = None,
) -> list[AgentMiddleware[Any, Any, Any]]:
    """Middleware for writing together: ``create_agent(…, middleware=cowriting(…))``.

    In this order, and put your own in front:

    1. Memory shows what is known about the user, so that the budget counts it.
    2. The brief shows what the text must keep to, and the text follows word for word; what changes
       more often stands behind. Neither is ever summarized.
    3. Context comes last: old tool results go, as they quote text that has changed since; then a
       summary of what is old, then a window, then repairs. Behind it nothing may change the
       request.

    Args:
        model: Writes the summaries.
        artifact: The text; by default one named `document`. Its tools are the agent's.
        brief: What holds for the whole work: a Pydantic model, or a form made of one. Its tools
            are the agent's.
        memory: Long-term memory.
        budget: Tokens of a request, system prompt and tools included; see `prompt_budget`.
        artifact_tokens: Of them, for the text; half of them by default, and 200 at least. A longer
            text is shown in part and read with a tool.
        brief_tokens: For the brief.
        keep_results: Newest tool results that always stay; older ones go four at a time.
        summarize_above: Messages that may be unsummarized.
        keep_last: Messages that stay verbatim at a summary.
        profile: Name of the provider whose message rules hold.
        on_recall: Called with what is recalled of the user.
        on_view: Called with every view before it is sent.

    Raises:
        MissingExtraError: LangChain is not installed.
        InvalidBudgetError: A number is too small, or not a whole one.
    """
    from langgraph_memory.integrations import ContextMiddleware, SessionMiddleware

    budget = prompt_budget(model) if budget is None else budget
    check_count("budget", budget, least=1)
    text_tokens = budget // 2 if artifact_tokens is None else artifact_tokens
    check_count("artifact_tokens", text_tokens, least=_LEAST)
    parts: dict[TaskForm[Any] | Artifact, int] = {}
    if brief is not None:
        known = brief if isinstance(brief, TaskForm) else TaskForm(brief, name="brief")
        known.render({}, tokens=brief_tokens)  # Too few are refused now, not in a conversation.
        parts[known] = brief_tokens
    parts[artifact or Artifact()] = text_tokens
    strategy = Composite(
        [
            ClearToolResults(keep=keep_results, batch=4),
            Summarize(model, threshold=summarize_above, max_tokens=budget, keep_last=keep_last),
            SlidingWindow(budget, low_water=0.4),
        ]
    )
    return [
        *([memory.middleware(on_recall=on_recall)] if memory is not None else []),
        SessionMiddleware(parts),
        ContextMiddleware(strategy, profile=profile, on_view=on_view),
    ]

"""Task: what is known so far of the task, and tools, matter most."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

from langchain_core.language_models import BaseChatModel
from pydantic import BaseModel

from langgraph_memory.context import (
    ClearToolResults,
    Composite,
    ContextView,
    SlidingWindow,
    Summarize,
)
from langgraph_memory.memory import Memory
from langgraph_memory.messages import Profile
from langgraph_memory.presets.prompt_budget import prompt_budget
from langgraph_memory.service import Recollection
from langgraph_memory.session import TaskForm

if TYPE_CHECKING:
    from langchain.agents.middleware import AgentMiddleware

__all__ = ["task"]


def task(
    model: BaseChatModel,
    *,
    form: TaskForm[Any] | type[BaseModel] | None = None,
    approve: str | Collection[str] | Mapping[str, Any] = (),
    memory: Memory | None = None,
    budget: int | None = None,
    form_tokens: int = 1_000,
    keep_results: int = 3,
    summarize_above: int = 30,
    keep_last: int = 10,
    profile: str | Profile = "common",
    on_recall: Callable[[Recollection], None] | None = None,
    on_view: Callable[[ContextView], None] | None = None,
) -> list[AgentMiddleware[Any, Any, Any]]:
    """Middleware for a task with an end: ``create_agent(…, middleware=task(…))``.

    In this order, and put your own in front:

    1. Memory shows what is known about the user, so that the budget counts it.
    2. The form shows what is known of the task. It changes more often than what memory always
       shows, so it stands behind that.
    3. A person decides on the calls that cannot be undone.
    4. Context comes last: old tool results go, then a summary of what is old, then a window, then
       repairs, which leave a call that waits for a person alone. Behind it nothing may change the
       request.

    Args:
        model: Writes the summaries.
        form: What the task needs: a Pydantic model, or a form made of one. Its tools are the
            agent's.
        approve: Names of the tools that a person has to approve, or what
            `HumanInTheLoopMiddleware` takes for each. A name that no tool has guards nothing.
        memory: Long-term memory.
        budget: Tokens of a request, system prompt and tools included; see `prompt_budget`.
        form_tokens: Of them, for the form.
        keep_results: Newest tool results that always stay; older ones go four at a time.
        summarize_above: Messages that may be unsummarized.
        keep_last: Messages that stay verbatim at a summary.
        profile: Name of the provider whose message rules hold.
        on_recall: Called with what is recalled of the user.
        on_view: Called with every view before it is sent.

    Raises:
        MissingExtraError: LangChain is not installed.
        InvalidBudgetError: A number is too small.
    """
    from langgraph_memory.integrations import ContextMiddleware

    layers: list[AgentMiddleware[Any, Any, Any]] = []
    if memory is not None:
        layers.append(memory.middleware(on_recall=on_recall))
    if form is not None:
        from langgraph_memory.integrations import SessionMiddleware

        known = form if isinstance(form, TaskForm) else TaskForm(form)
        known.render({}, tokens=form_tokens)  # Too few are refused now, not in a conversation.
        layers.append(SessionMiddleware({known: form_tokens}))
    if approve:
        from langchain.agents.middleware import HumanInTheLoopMiddleware

        names = [approve] if isinstance(approve, str) else approve
        asked = approve if isinstance(approve, Mapping) else dict.fromkeys(names, True)
        layers.append(HumanInTheLoopMiddleware(dict(asked)))
    budget = prompt_budget(model) if budget is None else budget
    strategy = Composite(
        [
            ClearToolResults(keep=keep_results, batch=4),
            Summarize(model, threshold=summarize_above, max_tokens=budget, keep_last=keep_last),
            SlidingWindow(budget, low_water=0.4),
        ]
    )
    return [*layers, ContextMiddleware(strategy, profile=profile, on_view=on_view)]

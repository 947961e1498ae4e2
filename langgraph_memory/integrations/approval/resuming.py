"""Answers to what waits in a thread, checked before the thread is touched."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langgraph.types import Command, Interrupt, StateSnapshot

from langgraph_memory.integrations.approval.decisions import (
    NotPendingError,
    allowed_for,
    checked_answer,
    is_refusal,
    request_about,
)
from langgraph_memory.shown import shown

__all__ = ["resume_command"]


def resume_command(state: StateSnapshot, answers: Mapping[str, Any]) -> Command[Any]:
    """The command that resumes a thread with answers, if they are answers to what waits there.

    LangGraph keeps the first answer to a question, also where the run then fails, and takes any
    other without a word: one to a question that nobody asks any more does nothing, one to a
    question that was answered runs what was decided first. `HumanInTheLoopMiddleware` finds a wrong
    one when it is kept already, and the thread cannot be resumed. All of these are refused here,
    before the thread is touched. An answer that LangGraph itself has refused is not kept; the
    question waits on.

    Args:
        state: The thread as it is now, ``graph.get_state(config)``; or as it was when a question
            was asked that nobody has answered.
        answers: By the id of the interrupt: ``{"decisions": […]}``, or one decision, which then
            holds for all of its actions. Interrupts that are left out wait on. The answer to an
            interrupt that is no request for approval is passed on as it is.

    Raises:
        NotPendingError: An interrupt was answered already, or the user went on with a new message.
        DecisionError: An answer is not one to what was asked.
    """
    asked = [(task, each) for task in state.tasks for each in task.interrupts]
    failed = {
        each.id: task.error
        for task, each in asked
        if task.error and not (each.response_schema and is_refusal(task.error))
    }
    waiting = {
        each.id: each for task, each in asked if task.result is None and each.id not in failed
    }
    for key in answers:
        if key in failed:
            raise NotPendingError(
                f"The interrupt {key!r} was answered, and the run then failed: {shown(failed[key])}"
                ". Its first answer is kept: graph.invoke(None, config) tries again with that one."
            )
    late = [key for key in answers if key not in waiting]
    if late or not answers:
        now = ", ".join(waiting) or "nothing"
        raise NotPendingError(
            f"The interrupts {shown(late)} do not wait for an answer in this thread; {now} does. "
            "They were answered before, or the user wrote again meanwhile and the run that asked "
            "was given up. Nothing was run. Show the person what waits now: "
            "graph.get_state(config).interrupts."
        )
    return Command(resume={key: _answer(waiting[key], given) for key, given in answers.items()})


def _answer(asked: Interrupt, given: Any) -> Any:
    value = asked.value if isinstance(asked.value, Mapping) else {}
    if value.get("type") == "tool_approval":  # One call, as the middleware asks "per_call".
        checked_answer(request_about([value], [allowed_for("", True)]), {"decisions": [given]})
    elif "action_requests" in value and "review_configs" in value:
        if isinstance(given, Mapping) and "type" in given:
            given = {"decisions": [given] * len(value["action_requests"])}
        return {"decisions": checked_answer(value, given)}
    return given

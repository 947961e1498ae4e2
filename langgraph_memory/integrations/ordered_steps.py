"""Pre-model steps in an explicit order, in whatever form they are used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langgraph_memory.context import Composite, ContextStrategy, FunctionStep, SummarizationStep
from langgraph_memory.context.function_step import Transform
from langgraph_memory.errors import InvalidInputError
from langgraph_memory.summarization import SummarizationHook

CONTEXT_EDITING = 30
SUMMARIZATION = 50
USER_STEPS = (10, 20, 40)

Step = ContextStrategy | SummarizationHook | Transform


def ordered_steps(steps: Mapping[int, Step]) -> Composite:
    """One strategy that runs pre-model steps in the order of their numbers.

    10, 20 and 40 are the application's, 30 is context editing, 50 the summarization hook, and
    anything above that is the application's again. A step is a context strategy, a
    `SummarizationHook`, or a function from a list of messages to a list of messages.

    Args:
        steps: Steps by number.

    Raises:
        InvalidInputError: A number or a step is not of these kinds.
    """
    return Composite([step_of(number, steps[number]) for number in checked(steps)])


def strategy_of(strategy: object, user: str) -> ContextStrategy:
    """The strategy that was given, or that steps by number make.

    Args:
        strategy: A context strategy, or pre-model steps by number.
        user: What it was given to, for the message.

    Raises:
        InvalidInputError: It is neither.
    """
    if isinstance(strategy, Mapping):
        return ordered_steps(strategy)
    if not isinstance(strategy, ContextStrategy):
        raise InvalidInputError(
            f"{user} needs a context strategy or steps by number, not {strategy!r}."
        )
    return strategy


def checked(steps: Mapping[int, Step]) -> list[int]:
    """The numbers of steps in order.

    Raises:
        InvalidInputError: A number is not one that a step can have.
    """
    for number in steps:
        if not isinstance(number, int) or not (
            number in (*USER_STEPS, CONTEXT_EDITING) or number >= SUMMARIZATION
        ):
            raise InvalidInputError(
                f"There is no pre-model step {number!r}. Use {USER_STEPS} for your own steps, "
                f"{CONTEXT_EDITING} for context editing, {SUMMARIZATION} for the summarization "
                "hook, and any number above it for your own."
            )
    return sorted(steps)


def step_of(number: int, step: Any) -> ContextStrategy:
    """The strategy that a step is."""
    if isinstance(step, SummarizationHook):
        return SummarizationStep(step)
    if isinstance(step, ContextStrategy):
        return step
    if not callable(step):
        raise InvalidInputError(
            f"Step {number} must be a context strategy, a SummarizationHook or a function, not "
            f"{step!r}."
        )
    return FunctionStep(step)

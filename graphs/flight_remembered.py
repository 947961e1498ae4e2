"""Limits from earlier conversations, put into the form of the trip by code and not by the model."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import date
from typing import Annotated, Any, NotRequired

from langchain.agents.middleware import AgentState, before_agent
from langchain.agents.middleware.types import PrivateStateAttr
from langchain_core.messages import HumanMessage
from langgraph.runtime import Runtime

from graphs.flight_limits import Limits, is_of_trip
from graphs.flight_reading import limits_of
from langgraph_memory import Memory
from langgraph_memory.session import TaskForm

QUESTION = (
    "What are my limits for flights: budget, highest price of a ticket, red-eye or night flights? "
    "机票预算 价格上限 红眼航班 夜间航班"
)
"""What memories are recalled for, whatever the user has asked for."""


class RememberedState(AgentState[Any]):
    """The agent's state, and the limits that memories may speak of, to be asked about."""

    unclear_limits: NotRequired[Annotated[dict[str, Any], PrivateStateAttr]]


def put_into_form(form: TaskForm[Any], memory: Memory, today: Callable[[], date]) -> Any:
    """Middleware that fills empty slots with what is remembered. Put it behind the memory's.

    What the form says already, the user has said in this conversation or confirmed; it stays.

    Args:
        form: Of the trip.
        memory: Knows the users.
        today: What days in memories count from.
    """

    @before_agent(state_schema=RememberedState)
    def remembered_limits(state: Any, runtime: Runtime[Any]) -> dict[str, Any]:
        lines = _recalled(memory, state, runtime)
        known = together([_of_memory(line, today()) for line in lines])
        empty = {"max_price", "red_eye"} - form.values(state).keys()
        filled = {slot: value for slot, value in known.stated.items() if slot in empty}
        unclear = {
            slot: value
            for slot, value in known.unclear.items()
            if slot in empty and slot not in filled
        }
        update = form.fill(state, filled, by="memory") if filled else {}
        return {**update, "unclear_limits": unclear}

    return remembered_limits


def _of_memory(line: str, day: date) -> Limits:
    """The limits in a memory, which may be of anything: what is not plain has to be of flights."""
    limits = limits_of(line, day)
    unclear = limits.unclear if is_of_trip(line) else {}
    return Limits({k: v for k, v in limits.stated.items() if k not in limits.unclear}, unclear)


def together(limits: list[Limits]) -> Limits:
    """Several memories as one: the strictest that is stated; where none is, what is unclear."""
    stated: dict[str, Any] = {}
    unclear: dict[str, Any] = {}
    for slot in ("max_price", "red_eye"):
        values = [each.stated[slot] for each in limits if slot in each.stated]
        doubts = [each.unclear[slot] for each in limits if slot in each.unclear]
        if values and not (doubts and min(values) is True):
            stated[slot] = min(values)
        elif doubts:
            unclear[slot] = min(doubts)
    return Limits(stated, unclear)


def _recalled(memory: Memory, state: Any, runtime: Runtime[Any]) -> list[str]:
    """The lines that are recalled for limits, of a user whose memories may be read."""
    owner = state.get("memory_owner") or {}
    if not memory.settings.long_term_memory.enabled or owner.get("incognito") or not owner:
        return []
    # Under an id of its own it is recalled anew, as memories may have changed since.
    question = HumanMessage(QUESTION, id=str(uuid.uuid4()))
    who = memory.identification.identify(runtime, owner)
    found = memory.service.recollect(who, None, [question])
    return [*found.lines("standing"), *found.lines("recalled")]

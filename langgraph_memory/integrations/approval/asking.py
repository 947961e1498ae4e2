"""A person's approval in plain graphs; `create_agent` has `HumanInTheLoopMiddleware` for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from langchain_core.messages import AIMessage, ToolCall, ToolMessage
from langgraph.graph import END
from langgraph.types import Command, Send, interrupt

from langgraph_memory.errors import InvalidInputError
from langgraph_memory.integrations.approval.decisions import (
    Allowed,
    Describe,
    allowed_for,
    answer_type,
    request_about,
)
from langgraph_memory.summarization.state import read

__all__ = ["Decided", "approval_node", "ask"]


@dataclass(frozen=True, slots=True)
class Decided:
    """What a person decided on one action.

    Attributes:
        decision: `approve`, `edit`, `reject` or `respond`.
        action: What is to be run, with the person's arguments if it was edited. For the other two
            it is what was asked about, and is not to be run.
        message: The reason of a rejection, or the answer in place of the action; may be empty.
    """

    decision: Literal["approve", "edit", "reject", "respond"]
    action: Mapping[str, Any]
    message: str = ""

    @property
    def is_to_run(self) -> bool:
        """Whether the action is to be run."""
        return self.decision in ("approve", "edit")

    @property
    def answer(self) -> ToolMessage:
        """What the model gets in place of the result of a tool call that is not to be run."""
        told = self.message
        if self.decision == "reject":
            told = "Not run: a person rejected this call. " + (
                f"Reason: {self.message}"
                if self.message
                else "Do not call it again unless the user asks for it."
            )
        return ToolMessage(
            told,
            name=self.action["name"],
            tool_call_id=self.action["id"],
            status="error" if self.decision == "reject" else "success",
        )


def ask(
    actions: Sequence[Mapping[str, Any]],
    allowed: Allowed | Mapping[str, Allowed] = True,
    *,
    describe: Describe | None = None,
) -> list[Decided]:
    """Stop the run until a person has decided on actions; all of them are asked about at once.

    On the answer LangGraph runs the node again from its beginning, so what cannot be undone comes
    after this. An answer that is not one (see `checked_answer`) raises pydantic's ValidationError
    in the run that brings it; LangGraph keeps nothing of it and the question still waits.

    Args:
        actions: Each with `name` and `args`, such as tool calls. Without any, nobody is asked.
        allowed: The decisions that the person may make; by name of the action, if they differ.
        describe: Puts an action in words for the person.

    Returns:
        What was decided, for each action.

    Raises:
        InvalidInputError: `allowed` is not a choice of decisions, or lets an action pass unasked.
    """
    if not actions:
        return []
    decisions = []
    for action in actions:
        name = action["name"]
        choice = allowed_for(
            name, allowed.get(name, False) if isinstance(allowed, Mapping) else allowed
        )
        if not choice:
            raise InvalidInputError(f"No decision is allowed about {name!r}: do not ask about it.")
        decisions.append(choice)
    request = request_about(actions, decisions, describe)
    decided: Any = interrupt(request, response_schema=answer_type(request))
    return [_decided(action, each) for action, each in zip(actions, decided, strict=True)]


def approval_node(
    ask_before: Mapping[str, Allowed],
    *,
    tools: str = "tools",
    model: str = "model",
    end: str = END,
    describe: Describe | None = None,
    source: str = "messages",
) -> Callable[[Any], Command[Any]]:
    """A node between the model and its tools, in place of `tools_condition`.

    It asks about the calls that need it, and goes on to the tools with what may run, each call as a
    task of its own, so that none runs again when another fails or waits. Calls that were rejected
    or answered get their result here. Put `approved_tools` behind it.

    Args:
        ask_before: Names of tools, with the decisions that a person may make. A name that no tool
            has guards nothing.
        tools: Name of the node with the tools.
        model: The node to go to where nothing is left to run: the one that the tools lead to.
        end: The node to go to when the model has called nothing.
        describe: Puts a call in words for the person.
        source: The state key that holds the messages.

    Raises:
        InvalidInputError: A choice of decisions is not one.
    """
    gates = {name: allowed_for(name, allowed) for name, allowed in ask_before.items()}

    def approve(state: Any) -> Command[Any]:
        messages = read(state, source) or []
        last = messages[-1] if messages else None
        calls = last.tool_calls if isinstance(last, AIMessage) else []
        if not calls:
            return Command(goto=end)
        asked = ask([each for each in calls if gates.get(each["name"])], gates, describe=describe)
        waiting = iter(asked)
        run: list[ToolCall] = []
        for call in calls:
            decided = next(waiting) if gates.get(call["name"]) else None
            if decided is None or decided.is_to_run:
                made: Any = call if decided is None else decided.action
                run.append(made)
        answers = [each.answer for each in asked if not each.is_to_run]
        return Command(
            update={source: answers} if answers else None,
            goto=[Send(tools, [call]) for call in run] or model,
        )

    # LangGraph reads from this where the node may lead, and refuses names that are no nodes.
    approve.__annotations__["return"] = Command[Literal[tools, model, end]]  # type: ignore[valid-type]
    return approve


def _decided(action: Mapping[str, Any], decision: Mapping[str, Any]) -> Decided:
    made = {**action, **decision.get("edited_action", {})}
    return Decided(decision["type"], made, decision.get("message", ""))

"""Tools that change a channel of the graph's state, also when several are called at once.

Calls of one assistant message all begin with the same state. So that each can tell the model what
will come of it, a call first looks at what the calls before it in the message do. A person may have
changed one of those, which it cannot see, so it says what it counts on; the channel's reducer has
the last word.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.prebuilt import ToolRuntime
from langgraph.types import Command
from pydantic import BaseModel, ValidationError

from langgraph_memory.errors import InvalidInputError
from langgraph_memory.messages import is_said_by_user
from langgraph_memory.session.stamp import ASSISTANT, Stamp
from langgraph_memory.summarization.state import read

__all__ = ["Action", "Done", "state_tools"]

_FORESEEN = "If your calls before this one are run just as you made them, this comes of it:"

Runtime = ToolRuntime[Any, Any]
Held = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Done:
    """What comes of a call.

    Attributes:
        said: What the model is told.
        update: For the channel; None if nothing changes.
        refused: Whether any of it could not be done.
    """

    said: str
    update: dict[str, Any] | None = None
    refused: bool = False


@dataclass(frozen=True, slots=True)
class Action:
    """One tool.

    Attributes:
        name: What the model calls it by.
        description: What the model is told of it.
        schema: Its arguments.
        do: Does it, given what the channel holds, the arguments and who asks.
    """

    name: str
    description: str
    schema: type[BaseModel]
    do: Callable[[Held, Any, Stamp], Done]


def state_tools(
    key: str,
    merge: Callable[[Held, Any], dict[str, Any]],
    actions: Sequence[Action],
    messages_key: str,
) -> list[BaseTool]:
    """LangChain tools whose answers are updates of the graph's state.

    Args:
        key: Of the channel.
        merge: The channel's reducer.
        actions: One for each tool.
        messages_key: Of the messages in the state.
    """
    by_name = {action.name: action for action in actions}

    def tool(action: Action) -> BaseTool:
        def run(runtime: Runtime = None, **given: Any) -> Command[Any]:  # type: ignore[assignment]
            if not isinstance(runtime, ToolRuntime):
                raise InvalidInputError(
                    f"{action.name} was called outside a graph, where there is no state to change. "
                    "Give it to an agent or a ToolNode."
                )
            state = runtime.state
            messages = read(state, messages_key) or []
            held: Held = read(state, key) or {}
            now = held
            for call in _calls_before(messages, runtime.tool_call_id):
                before = by_name.get(call["name"])
                if before is not None:
                    held = _after(held, before, call, _stamp(messages, call["id"]), merge)
            stamp = _stamp(messages, runtime.tool_call_id)
            done = action.do(held, action.schema.model_validate(given), stamp)
            answer = ToolMessage(
                done.said if held is now else f"{_FORESEEN}\n{done.said}",
                tool_call_id=runtime.tool_call_id or "",
                name=action.name,
                status="error" if done.refused else "success",
            )
            update: dict[str, Any] = {messages_key: [answer]}
            return Command(update=update if done.update is None else {key: done.update, **update})

        async def arun(runtime: Runtime = None, **given: Any) -> Command[Any]:  # type: ignore[assignment]
            return run(runtime, **given)

        return StructuredTool.from_function(
            func=run,
            coroutine=arun,
            name=action.name,
            description=action.description,
            args_schema=action.schema,
            handle_validation_error=_faults,
        )

    return [tool(action) for action in actions]


def _calls_before(messages: Sequence[Any], call_id: str | None) -> list[Any]:
    """The calls of the same message that come before a call and are not yet answered."""
    answered = set()
    for message in reversed(messages):
        if isinstance(message, ToolMessage):
            answered.add(message.tool_call_id)
        elif isinstance(message, AIMessage):
            ids = [call["id"] for call in message.tool_calls]
            if call_id not in ids:
                return []
            earlier = message.tool_calls[: ids.index(call_id)]
            return [call for call in earlier if call["id"] not in answered]
    return []


def _after(
    held: Held,
    action: Action,
    call: Mapping[str, Any],
    stamp: Stamp,
    merge: Callable[[Held, Any], dict[str, Any]],
) -> Held:
    """What the channel holds after a call that was made at the same time."""
    try:
        done = action.do(held, action.schema.model_validate(call["args"]), stamp)
    except ValidationError:
        return held
    return held if done.update is None else merge(held, done.update)


def _stamp(messages: Sequence[Any], call_id: str | None) -> Stamp:
    said = [each for each in messages if isinstance(each, HumanMessage) and is_said_by_user(each)]
    message = said[-1].id if said else None
    return Stamp(ASSISTANT, message, call_id) if call_id else Stamp(ASSISTANT, message)


def _faults(error: Any) -> str:
    """What is wrong with a call's arguments, for the model to mend."""
    told = [
        f"{'.'.join(str(step) for step in each['loc'])}: {each['msg']}" for each in error.errors()
    ]
    return f"These arguments cannot be used: {'; '.join(told)}. Nothing was changed."

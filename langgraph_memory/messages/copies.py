"""Changed copies of messages, the same copy each time it is asked for.

A view is computed on every model call. Making the same copies again would cost time, every counter
that remembers messages would have to count them again, and a thread that is made of them would
have to be read again.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable, Mapping
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from langgraph_memory.messages.content import key_of

_Known = tuple["weakref.ref[BaseMessage]", object, Hashable, BaseMessage]
_copies: dict[int, _Known] = {}


def remembered_copy(
    message: BaseMessage, change: Hashable, make: Callable[[], BaseMessage]
) -> BaseMessage:
    """A changed copy of a message; the last one is remembered as long as the message lives.

    Args:
        message: The message.
        change: Names what is changed and how.
        make: Makes the copy.
    """
    key = id(message)
    known = _copies.get(key)
    if known is not None:
        reference, content, done, copy = known
        if reference() is message and content is message.content and done == change:
            return copy
    copy = make()
    reference = weakref.ref(message, lambda _, key=key: _copies.pop(key, None))  # type: ignore[misc]
    _copies[key] = (reference, message.content, change, copy)
    return copy


def with_call_ids(message: BaseMessage, mapping: Mapping[str, str]) -> BaseMessage:
    """A copy of a call or result in which ids are replaced; what is not in `mapping` stays."""
    change = ("call ids", tuple(mapping.items()))
    return remembered_copy(message, change, lambda: _renamed(message, mapping))


def _renamed(message: BaseMessage, mapping: Mapping[str, str]) -> BaseMessage:
    def renamed(call: Mapping[str, Any]) -> dict[str, Any]:
        identity = call.get("id")
        return {**call, "id": mapping.get(identity, identity)} if identity else dict(call)

    # The key of a message without an id is made of what it says, so it becomes the id.
    identity = key_of(message)
    if isinstance(message, ToolMessage):
        answered = mapping[message.tool_call_id]
        return message.model_copy(update={"tool_call_id": answered, "id": identity})
    if not isinstance(message, AIMessage):
        return message
    update: dict[str, Any] = {
        "id": identity,
        "tool_calls": [renamed(call) for call in message.tool_calls],
        "invalid_tool_calls": [renamed(call) for call in message.invalid_tool_calls],
    }
    if not isinstance(message.content, str):
        update["content"] = [
            renamed(block)
            if isinstance(block, dict) and block.get("type") in ("tool_use", "tool_call")
            else block
            for block in message.content
        ]
    raw = message.additional_kwargs.get("tool_calls")
    if isinstance(raw, list):
        calls = [renamed(call) if isinstance(call, dict) else call for call in raw]
        update["additional_kwargs"] = {**message.additional_kwargs, "tool_calls": calls}
    return message.model_copy(update=update)

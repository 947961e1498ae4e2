"""What a message holds: its text, its calls, its role."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Any

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    ChatMessage,
    SystemMessage,
    ToolMessage,
    convert_to_messages,
)

from langgraph_memory.errors import InvalidMessagesError

ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool"}
CHAT_ROLES = {"user": "user", "human": "user", "system": "system", "developer": "system"}
REASONING_BLOCKS = frozenset({"thinking", "redacted_thinking", "reasoning", "reasoning_content"})


def as_messages(given: Any) -> list[BaseMessage]:
    """Messages of a graph's state, in which dicts and tuples stay where no reducer converts them.

    Raises:
        InvalidMessagesError: If they are none.
    """
    if given is None:
        return []
    check_sequence(given)
    read: list[BaseMessage] = []
    for index, one in enumerate(given):
        try:
            read += [one] if isinstance(one, BaseMessage) else convert_to_messages([one])
        except (NotImplementedError, TypeError, ValueError) as error:
            raise InvalidMessagesError(
                f"messages[{index}] of the graph's state is {type(one).__name__} ({_short(one)}), "
                "which LangChain does not know as a message. Give messages, ('user', text) or "
                "{'role': 'user', 'content': text}."
            ) from error
    return read


def check_messages(messages: Sequence[BaseMessage]) -> None:
    """Refuse what is not a sequence of LangChain messages.

    Raises:
        InvalidMessagesError: It names the first value that is not a message, and where it is.
    """
    check_sequence(messages)
    check_each(messages)


def check_sequence(messages: object) -> None:
    """Refuse what is not a list; what is in it is looked at as it is read.

    Raises:
        InvalidMessagesError: It names what was given instead.
    """
    if isinstance(messages, str | bytes | BaseMessage) or not isinstance(messages, Sequence):
        raise InvalidMessagesError(
            f"messages must be a list of LangChain messages, not {type(messages).__name__} "
            f"({_short(messages)}). Wrap a single message in a list."
        )


def check_each(messages: Iterable[BaseMessage], first: int = 0) -> None:
    """Refuse the first element that is not a message; `first` is the position of the first one."""
    for index, message in enumerate(messages, first):
        if not isinstance(message, BaseMessage):
            raise InvalidMessagesError(
                f"messages[{index}] is {type(message).__name__} ({_short(message)}), not a "
                "LangChain message. Convert dicts and tuples with "
                "langchain_core.messages.convert_to_messages()."
            )
        if message.type == "remove":
            raise InvalidMessagesError(
                f"messages[{index}] is a RemoveMessage (id {message.id!r}), which is an order to "
                "the add_messages reducer and not a message. Pass the reduced list of the state."
            )


def role_of(message: BaseMessage) -> str:
    """`system`, `user`, `assistant` or `tool`, whatever class carries it."""
    role = ROLES.get(message.type)
    if role is not None:
        return role
    if isinstance(message, ChatMessage):
        return CHAT_ROLES.get(message.role, "assistant")
    return ROLES.get(message.type.removesuffix("MessageChunk").lower(), "assistant")


def calls_of(message: BaseMessage) -> list[dict[str, Any]]:
    """The tool calls of an assistant message, the unparsable ones included.

    Providers are sent both kinds, so both need an answer.
    """
    if not isinstance(message, AIMessage):
        return []
    calls: list[dict[str, Any]] = [dict(call) for call in message.tool_calls]
    calls.extend(dict(call) for call in message.invalid_tool_calls)
    return calls


def call_ids(message: BaseMessage) -> list[str]:
    """Ids of the tool calls of a message, in order; calls without an id are left out."""
    if not isinstance(message, AIMessage) or not (message.tool_calls or message.invalid_tool_calls):
        return []
    calls = (*message.tool_calls, *message.invalid_tool_calls)
    return [identity for call in calls if (identity := call.get("id")) is not None]


def text_of(message: BaseMessage) -> str:
    """The readable text of a message, its blocks joined; media and reasoning left out."""
    return text_of_content(message.content)


def text_of_content(content: Any) -> str:
    """The readable text of a message's content, given as a string or as blocks."""
    if isinstance(content, str):
        return content
    parts = []
    for block in content or ():
        if isinstance(block, str):
            parts.append(block)
        elif block.get("type") not in REASONING_BLOCKS and isinstance(block.get("text"), str):
            parts.append(block["text"])
    return "\n".join(parts)


def is_empty(message: BaseMessage) -> bool:
    """Whether a message says nothing: no text, no other block, no call."""
    content = message.content
    if isinstance(content, str):
        return (not content or content.isspace()) and not call_ids(message)
    return not call_ids(message) and all(is_empty_block(block) for block in content)


def says_nothing(message: BaseMessage) -> bool:
    """Whether some provider would not be sent a message: it is empty, or reasoning and no more."""
    if is_empty(message):
        return True
    return (
        not isinstance(message.content, str)
        and not call_ids(message)
        and all(
            is_empty_block(block) or (isinstance(block, dict) and block.get("type") == "reasoning")
            for block in message.content
        )
    )


def is_empty_block(block: Any) -> bool:
    """Whether a content block is a text block without text."""
    if isinstance(block, str):
        return not block.strip()
    return block.get("type") == "text" and not str(block.get("text") or "").strip()


def has_reasoning(message: BaseMessage) -> bool:
    """Whether an assistant message carries thinking or reasoning of the model."""
    if not isinstance(message, AIMessage):
        return False
    if message.additional_kwargs.get("reasoning_content"):
        return True
    return any(
        isinstance(block, dict) and block.get("type") in REASONING_BLOCKS
        for block in message.content
        if not isinstance(message.content, str)
    )


def key_of(message: BaseMessage) -> str:
    """A name for a message that survives serialization: its id, or a digest of what it says."""
    if message.id:
        return message.id
    calls = [(c.get("id"), c.get("name"), c.get("args")) for c in calls_of(message)]
    answers = message.tool_call_id if isinstance(message, ToolMessage) else None
    said = json.dumps([message.type, message.content, calls, answers], default=str)
    return "#" + hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _short(value: object, limit: int = 60) -> str:
    shown = repr(value)
    return shown if len(shown) <= limit else shown[:limit] + "…"


def with_text_after(system: SystemMessage | None, text: str) -> SystemMessage | None:
    """A system message with a text at its end; the text alone where there is no message."""
    if not text:
        return system
    if system is None:
        return SystemMessage(content=text)
    content = system.content
    if isinstance(content, str):
        return system.model_copy(update={"content": f"{content}\n\n{text}" if content else text})
    return system.model_copy(update={"content": [*content, {"type": "text", "text": text}]})

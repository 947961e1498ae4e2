"""Where a running summary stands in a request: at the end of the system message, or as a message.

Placed in the one leading system message it is valid for every provider.
"""

from __future__ import annotations

from typing import Any, Literal

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from langgraph_memory.errors import InvalidInputError
from langgraph_memory.messages import Thread, made, summary_of
from langgraph_memory.messages.marks import with_mark
from langgraph_memory.summarization.prompts import SUMMARY_TAG, fenced

Role = Literal["system", "user"]
INTRODUCTION = "Earlier messages of this conversation, summarized:"


def carriers(thread: Thread) -> list[int]:
    """Positions of the messages of a thread that carry a running summary of an earlier view."""
    places = (*thread.systems[:1], *thread.blocks)
    return [index for index in places if summary_of(thread.messages[index]) is not None]


def check_role(role: object) -> None:
    """Refuse a place that a summary cannot have.

    Raises:
        InvalidInputError: It is neither `system` nor `user`.
    """
    if role not in ("system", "user"):
        raise InvalidInputError(
            f"role must be 'system' (the end of the system message) or 'user' (a message of its "
            f"own), not {role!r}."
        )


def summary_text(summary: str) -> str:
    """The block as the model reads it."""
    return f"{INTRODUCTION}\n{fenced(SUMMARY_TAG, summary)}"


def summary_message(summary: str, role: Role) -> BaseMessage:
    """A message of its own that carries a summary, recognisable by `is_summary`."""
    text = summary_text(summary)
    message: BaseMessage = HumanMessage(text) if role == "user" else SystemMessage(text)
    return with_mark(made(message, "summary"), summary=summary)


def with_summary(message: BaseMessage, summary: str) -> BaseMessage:
    """A copy of a message with a summary at its end, in place of one it may have."""
    bare = without_summary(message)
    text = summary_text(summary)
    content: str | list[Any]
    if isinstance(bare.content, str):
        content = f"{bare.content}\n\n{text}" if bare.content else text
    else:
        content = [*bare.content, {"type": "text", "text": text}]
    return with_mark(bare.model_copy(update={"content": content}), summary=summary)


def without_summary(message: BaseMessage) -> BaseMessage:
    """A copy of a message without the summary that it may carry."""
    summary = summary_of(message)
    if summary is None:
        return message
    text = summary_text(summary)
    content: str | list[Any]
    if isinstance(message.content, str):
        content = message.content.removesuffix(text).removesuffix("\n\n")
    else:
        content = [block for block in message.content if block != {"type": "text", "text": text}]
    return with_mark(message.model_copy(update={"content": content}), summary=None)

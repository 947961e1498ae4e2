"""Marks that this package leaves on messages: pins, summaries, and what it made up itself.

A mark lives in `additional_kwargs`, which survives every serializer and is not sent to providers.
"""

from __future__ import annotations

from typing import Any, Literal, TypeVar

from langchain_core.messages import BaseMessage

from langgraph_memory.messages.content import role_of

MARK = "langgraph_memory"
M = TypeVar("M", bound=BaseMessage)

Kind = Literal["summary", "memory", "tool_result", "bridge", "system"]


def pin(message: M) -> M:
    """Return a copy of a message that no context strategy may drop, shorten or summarize.

    A pinned tool call or tool result keeps its whole unit.
    """
    return with_mark(message, pinned=True)


def unpin(message: M) -> M:
    """Return a copy of a message without its pin."""
    return with_mark(message, pinned=False)


def is_pinned(message: BaseMessage) -> bool:
    """Whether a message was pinned."""
    kwargs = message.additional_kwargs
    return bool(kwargs) and bool(_mark(kwargs).get("pinned"))


def made(message: M, kind: Kind) -> M:
    """Return a copy marked as made by this package and not said by anyone in the thread."""
    return with_mark(message, made=kind)


def made_kind(message: BaseMessage) -> Kind | None:
    """What a message that this package made is, or None for a message of the thread."""
    kwargs = message.additional_kwargs
    return _mark(kwargs).get("made") if kwargs else None


def is_said_by_user(message: BaseMessage) -> bool:
    """Whether a person wrote a message: it has the user's role, and no software made it up."""
    kwargs = message.additional_kwargs
    return (
        role_of(message) == "user"
        and made_kind(message) is None
        # LangChain marks like this what its own middleware puts into the user's mouth.
        and not (kwargs and kwargs.get("lc_source"))
    )


def is_summary(message: BaseMessage) -> bool:
    """Whether a message carries a running summary (alone, or at the end of a system message)."""
    kwargs = message.additional_kwargs
    return bool(kwargs) and "summary" in _mark(kwargs)


def summary_of(message: BaseMessage) -> str | None:
    """The running summary that a message carries, as it was written; None where there is none."""
    kwargs = message.additional_kwargs
    return _mark(kwargs).get("summary") if kwargs else None


def _mark(kwargs: dict[str, Any]) -> dict[str, Any]:
    mark = kwargs.get(MARK)
    return mark if isinstance(mark, dict) else {}


def with_mark(message: M, **marks: Any) -> M:
    """Return a copy with the given marks set; a mark of None or False is removed."""
    mark = {**_mark(message.additional_kwargs), **marks}
    mark = {name: value for name, value in mark.items() if value not in (None, False)}
    kwargs = {k: v for k, v in message.additional_kwargs.items() if k != MARK}
    if mark:
        kwargs[MARK] = mark
    return message.model_copy(update={"additional_kwargs": kwargs})

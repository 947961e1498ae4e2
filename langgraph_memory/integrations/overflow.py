"""A provider's refusal of a request that is too long, and the tighter view to try instead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.exceptions import ContextOverflowError
from langchain_core.messages import BaseMessage

from langgraph_memory.context import ContextRequest, SlidingWindow
from langgraph_memory.context.strategy import DEFAULT_COUNTER

TIGHTER = 0.6
# Not every integration maps its provider's error to LangChain's; these words are in the originals.
PHRASES = (
    "context_length_exceeded",
    "maximum context length",
    "context window",
    "prompt is too long",
    "input is too long",
    "exceeds the maximum number of tokens",
)


def is_overflow(error: BaseException) -> bool:
    """Whether a model call failed because its input was longer than the model can take."""
    if isinstance(error, ContextOverflowError):
        return True
    parts = (error, getattr(error, "code", ""), getattr(error, "body", ""))
    text = " ".join(map(str, parts)).lower()
    return any(phrase in text for phrase in PHRASES)


def tighter(
    messages: Sequence[BaseMessage], tools: Sequence[Any], profile: Any
) -> list[BaseMessage]:
    """A view of a refused request that is smaller by a fixed share."""
    tokens = DEFAULT_COUNTER.count_request(messages, tools=tools)
    request = ContextRequest(tools=tools, profile=profile, interrupted=False)
    window = SlidingWindow(max(1, int(tokens * TIGHTER)))
    return window.apply(messages, request).messages

"""A provider's refusal of a request that is too long, and the tighter view to try instead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.exceptions import ContextOverflowError
from langchain_core.messages import BaseMessage
from langchain_core.runnables import Runnable, RunnableConfig

from langgraph_memory.context import ContextRequest, SlidingWindow
from langgraph_memory.messages import Profile
from langgraph_memory.tokens import DEFAULT_COUNTER

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


class OverflowRetry(Runnable[Any, Any]):
    """A chat model that answers an overflow of its window once with a tighter view.

    For the model node of a graph: `OverflowRetry(model).invoke(state["llm_input_messages"])`.
    `ContextMiddleware` does the same by itself.

    Args:
        model: The chat model, with its tools bound.
        tools: Those tools; their schemas count.
        profile: Name of the provider whose message rules hold.
    """

    def __init__(
        self,
        model: Runnable[Any, Any],
        *,
        tools: Sequence[Any] = (),
        profile: str | Profile = "common",
    ) -> None:
        self._model = model
        self._tools = tools
        self._profile = profile

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Call the model, and once more with a tighter view if the request was too long."""
        try:
            return self._model.invoke(input, config, **kwargs)
        except Exception as error:
            if not is_overflow(error):
                raise
        shorter = tighter(input, self._tools, self._profile)
        return self._model.invoke(shorter, config, **kwargs)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """The same as `invoke`, awaited."""
        try:
            return await self._model.ainvoke(input, config, **kwargs)
        except Exception as error:
            if not is_overflow(error):
                raise
        shorter = tighter(input, self._tools, self._profile)
        return await self._model.ainvoke(shorter, config, **kwargs)


def is_overflow(error: BaseException) -> bool:
    """Whether a model call failed because its input was longer than the model can take."""
    if isinstance(error, ContextOverflowError):
        return True
    parts = (error, getattr(error, "code", ""), getattr(error, "body", ""))
    text = " ".join(map(str, parts)).lower()
    return any(phrase in text for phrase in PHRASES)


def tighter(
    messages: Sequence[BaseMessage], tools: Sequence[Any], profile: str | Profile
) -> list[BaseMessage]:
    """A view of a refused request that is smaller by a fixed share."""
    request = ContextRequest(tools=tools, profile=profile, interrupted=False)
    window = SlidingWindow(tighter_limit(messages, tools))
    return window.apply(messages, request).messages


def tighter_limit(messages: Sequence[BaseMessage], tools: Sequence[Any]) -> int:
    """Tokens to keep to after a request was refused."""
    return max(1, int(DEFAULT_COUNTER.count_request(messages, tools=tools) * TIGHTER))

"""Exact token counts, the same for every tool under test.

A message costs the o200k tokens of its text, plus those of its tool calls' names and arguments,
plus four. Each distinct text is tokenised once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple, cast

from langchain_core.messages import AIMessage, BaseMessage

from langgraph_memory.errors import MissingExtraError

__all__ = ["ENCODING", "MESSAGE_OVERHEAD", "ExactCounter", "Rendered", "exact_counter"]

ENCODING = "o200k_base"
MESSAGE_OVERHEAD = 4
"""Tokens that a message costs beside its text."""

_REMEMBERED_MESSAGES = 50_000


class Rendered(NamedTuple):
    """What a model reads of a message: equal renderings are the same object.

    Attributes:
        role: The message's type, such as ``human`` or ``tool``.
        text: Content and tool calls as one string.
        tokens: Exact tokens of `text` plus the overhead of a message.
    """

    role: str
    text: str
    tokens: int


class ExactCounter:
    """Counts o200k tokens of messages and remembers every text it has seen.

    An instance is callable on a list of messages, as LangChain's token counters are.

    Raises:
        MissingExtraError: The tokenizer is not installed.
    """

    def __init__(self) -> None:
        self._batch_count = _load_tokenizer()
        self._renderings: dict[tuple[str, str], Rendered] = {}
        self._by_identity: dict[int, tuple[BaseMessage, object, object, Rendered]] = {}

    def __call__(self, messages: Iterable[BaseMessage]) -> int:
        """Tokens of a list of messages."""
        return sum(self.render(message).tokens for message in messages)

    def count_text(self, text: str) -> int:
        """Tokens of a text, not remembered."""
        return self._batch_count([text], ENCODING, 1)[0]

    def render(self, message: BaseMessage) -> Rendered:
        """The message as a model reads it, with its tokens."""
        calls = message.tool_calls if isinstance(message, AIMessage) else None
        known = self._by_identity.get(id(message))
        # Keeping the message in the entry keeps its id from being given to another one; the
        # comparison notices that a tool has changed a message in place.
        if (
            known is not None
            and known[0] is message
            and known[1] is message.content
            and known[2] is calls
        ):
            return known[3]
        rendered = self._intern(message.type, _text(message))
        if len(self._by_identity) >= _REMEMBERED_MESSAGES:
            self._by_identity.clear()
        self._by_identity[id(message)] = (message, message.content, calls, rendered)
        return rendered

    def render_all(self, messages: Sequence[BaseMessage]) -> list[Rendered]:
        """The messages as a model reads them, in order."""
        return [self.render(message) for message in messages]

    def _intern(self, role: str, text: str) -> Rendered:
        rendered = self._renderings.get((role, text))
        if rendered is None:
            rendered = Rendered(role, text, self.count_text(text) + MESSAGE_OVERHEAD)
            self._renderings[role, text] = rendered
        return rendered


@lru_cache(maxsize=1)
def exact_counter() -> ExactCounter:
    """The counter that all tools and all metrics of a run share."""
    return ExactCounter()


def _text(message: BaseMessage) -> str:
    content = message.content if isinstance(message.content, str) else str(message.text)
    if not isinstance(message, AIMessage) or not message.tool_calls:
        return content
    calls = (
        f"{call['name']}{json.dumps(call['args'], ensure_ascii=False, separators=(',', ':'))}"
        for call in message.tool_calls
    )
    return content + "".join(calls)


def _load_tokenizer() -> Callable[[list[str], str, int], list[int]]:
    try:
        from toktok import batch_count  # type: ignore[import-untyped]
    except ImportError as error:
        raise MissingExtraError("toktok", "evals", "The evaluation") from error
    return cast("Callable[[list[str], str, int], list[int]]", batch_count)

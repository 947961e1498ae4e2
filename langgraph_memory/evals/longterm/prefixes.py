"""How much of a request a provider has seen before, and can read from its cache."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.messages import BaseMessage

from langgraph_memory.evals.context.cost import Spent, common_prefix
from langgraph_memory.evals.context.exact import Rendered
from langgraph_memory.messages import text_of
from langgraph_memory.tokens import DEFAULT_COUNTER

__all__ = ["Prefixes"]


class Prefixes:
    """Compares each request of a thread with the one before it.

    Providers cache from about a thousand tokens on, which threads of a script do not reach: every
    token that both requests begin with counts as cached here.

    Attributes:
        spent: Tokens of all requests, and how many of them were the beginning of the one before.
    """

    def __init__(self) -> None:
        self.spent = Spent()
        self._last: dict[str, list[Rendered]] = {}

    def add(self, thread: str, request: Sequence[BaseMessage]) -> None:
        """Count the next request of a thread."""
        rendered = [
            Rendered(message.type, text_of(message), DEFAULT_COUNTER.count_message(message))
            for message in request
        ]
        shared = common_prefix(self._last.get(thread, []), rendered, DEFAULT_COUNTER.count_text)
        self.spent.add(Spent(sum(each.tokens for each in rendered), shared))
        self._last[thread] = rendered

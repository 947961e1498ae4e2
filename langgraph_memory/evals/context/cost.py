"""What requests cost when a provider caches prompt prefixes.

A request's longest common prefix with an earlier one of the same thread is read from the cache if
it has at least 1,024 tokens, in steps of 128, and costs a tenth. Output is ignored: it is the same
for everybody.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from langgraph_memory.evals.context.exact import ExactCounter, Rendered

__all__ = [
    "CACHED_PRICE",
    "CACHE_MINIMUM",
    "CACHE_STEP",
    "PrefixCache",
    "Spent",
    "cacheable",
    "common_prefix",
]

CACHE_MINIMUM = 1_024
CACHE_STEP = 128
CACHED_PRICE = 0.1


@dataclass
class Spent:
    """Input tokens of a number of requests, and how many of them were read from a cache."""

    tokens: int = 0
    cached: int = 0

    @property
    def cost(self) -> float:
        """The price in uncached input tokens."""
        return self.tokens - self.cached + CACHED_PRICE * self.cached

    @property
    def cached_share(self) -> float:
        """Share of the tokens that came from the cache."""
        return self.cached / self.tokens if self.tokens else 0.0

    def add(self, other: Spent) -> None:
        """Add the tokens of further requests."""
        self.tokens += other.tokens
        self.cached += other.cached


def cacheable(prefix: int) -> int:
    """How many tokens of a common prefix a provider serves from its cache."""
    if prefix < CACHE_MINIMUM:
        return 0
    return CACHE_MINIMUM + (prefix - CACHE_MINIMUM) // CACHE_STEP * CACHE_STEP


def common_prefix(
    earlier: Sequence[Rendered], later: Sequence[Rendered], count: Callable[[str], int]
) -> int:
    """Tokens of the longest common prefix of two requests.

    Whole messages are compared first; in the first that differs, the tokens of the characters in
    common count (off by at most a token or two from comparing token ids).
    """
    tokens = 0
    for before, after in zip(earlier, later, strict=False):
        if before is not after and before != after:
            if before.role == after.role:
                shared = _common_start(before.text, after.text)
                tokens += count(after.text[:shared])
            break
        tokens += after.tokens
    return tokens


@dataclass
class PrefixCache:
    """The cache as one thread meets it: it holds the agent's and the summarizer's last request."""

    counter: ExactCounter
    _agent: Sequence[Rendered] = field(default_factory=list)
    _summarizer: Sequence[Rendered] = field(default_factory=list)

    def agent(self, request: Sequence[Rendered]) -> Spent:
        """Price a request of the agent."""
        spent = self._price(request)
        self._agent = request
        return spent

    def summarizer(self, request: Sequence[Rendered]) -> Spent:
        """Price a request of a summarizer."""
        spent = self._price(request)
        self._summarizer = request
        return spent

    def _price(self, request: Sequence[Rendered]) -> Spent:
        prefix = max(
            common_prefix(self._agent, request, self.counter.count_text),
            common_prefix(self._summarizer, request, self.counter.count_text),
        )
        return Spent(sum(message.tokens for message in request), cacheable(prefix))


def _common_start(first: str, second: str) -> int:
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low

"""An estimate corrected by what the provider reports."""

from __future__ import annotations

import hashlib
import math
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, NamedTuple

from langchain_core.messages import BaseMessage, SystemMessage

from langgraph_memory.errors import InvalidInputError
from langgraph_memory.tokens.approximate import ApproximateTokenCounter
from langgraph_memory.tokens.counter import TokenCounter, reported_input

__all__ = ["CalibratedTokenCounter"]

_SCALE_MIN, _SCALE_MAX = 0.5, 2.0
_SCALE_EVIDENCE = 1_000
"""Estimated tokens that must lie between two reports before a scale is read from them."""

_REMEMBERED = 4_096
"""Reports whose request is remembered."""


class _Report(NamedTuple):
    position: int
    tokens: int
    estimate: int


class CalibratedTokenCounter(TokenCounter):
    """Corrects another counter by the input tokens that the provider reported.

    A report belongs to a request: an answer's ``usage_metadata["input_tokens"]`` to the messages
    before it, or what ``observe`` was told. With ``e`` the base estimate of such a request and
    ``r`` its report, ``count_request`` returns::

        overhead + scale * (estimate of messages, system and tools)

        scale    = (r_last - r_first) / (e_last - e_first), between 0.5 and 2;
                   1 while fewer than 1,000 estimated tokens lie between the two
        overhead = max(0, r_last - scale * e_last)

    So a hidden system prompt is added once and never multiplied. Only input tokens are read: what
    an answer spent on output and reasoning is no input of the next call, its visible text is
    estimated like any other.

    After a cut the reports no longer fit, and the correction is forgotten until a new one comes. A
    report does not fit when its request was longer than, or began differently from, what is sent
    now; when a later request in the list was smaller; or when the report is below half of its
    estimate, because then less was sent than the list holds. Every ``count_request`` decides this
    anew from the list it is given, so one counter may serve several conversations.

    ``count_message`` and ``count_messages`` apply the scale last learnt and no overhead.

    Args:
        base: The counter that is corrected; by default an ``ApproximateTokenCounter``.
    """

    def __init__(self, base: TokenCounter | None = None) -> None:
        self.base = base if base is not None else ApproximateTokenCounter()
        super().__init__(per_message=self.base.per_message, media=self.base.media)
        self._overhead = 0
        self._scale = 1.0
        self._requests: OrderedDict[bytes, tuple[int, bytes]] = OrderedDict()
        self._observed: OrderedDict[bytes, tuple[int, int]] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def overhead(self) -> int:
        """Tokens added to every request, as last learnt."""
        return self._overhead

    @property
    def scale(self) -> float:
        """Factor on the base estimate, as last learnt."""
        return self._scale

    def forget(self) -> None:
        """Drop everything learnt."""
        with self._lock:
            self._requests.clear()
            self._observed.clear()
            self._overhead, self._scale = 0, 1.0

    def observe(
        self,
        messages: Sequence[BaseMessage],
        input_tokens: int,
        system: str | SystemMessage | None = None,
        tools: Sequence[Any] = (),
    ) -> None:
        """Tell what the provider reported for a request.

        Args:
            messages: The messages that were sent.
            input_tokens: The input tokens reported for them.
            system: The system prompt sent with them.
            tools: The tools sent with them.

        Raises:
            InvalidInputError: ``input_tokens`` is not a whole number above zero.
        """
        if isinstance(input_tokens, bool) or not isinstance(input_tokens, int) or input_tokens <= 0:
            raise InvalidInputError(
                f"input_tokens is {input_tokens!r}: give the input tokens that the provider "
                "reported, a whole number above zero."
            )
        prints = _prefix_prints(messages)
        with self._lock:
            self._observed[prints[-1]] = (len(messages), input_tokens)
            _shorten(self._observed)
        self._learn(messages, prints, system, tools)

    def count_request(
        self,
        messages: Sequence[BaseMessage],
        system: str | SystemMessage | None = None,
        tools: Sequence[Any] = (),
    ) -> int:
        """Return the corrected tokens of a request; reads the reports among ``messages``.

        Raises:
            InvalidMessagesError: One of the messages is not one.
            InvalidInputError: The system prompt or a tool cannot be used.
        """
        estimate = self.base.count_request(messages, system, tools)
        overhead, scale = self._learn(messages, _prefix_prints(messages), system, tools)
        return overhead + math.ceil(scale * estimate)

    def __call__(self, messages: Sequence[BaseMessage]) -> int:
        """Return ``count_request(messages)``: the correction is of whole requests."""
        return self.count_request(messages)

    def count_text(self, text: str) -> int:
        """Return the base counter's tokens of a text, scaled."""
        return math.ceil(self._scale * self.base.count_text(text))

    def count_message(self, message: BaseMessage) -> int:
        """Return the base counter's tokens of a message, scaled."""
        return math.ceil(self._scale * self.base.count_message(message))

    def count_tools(self, tools: Sequence[Any]) -> int:
        """Return the base counter's tokens of tool schemas, scaled."""
        return math.ceil(self._scale * self.base.count_tools(tools))

    def _measure(self, text: str) -> int:
        return self.base.count_text(text)

    def _learn(
        self,
        messages: Sequence[BaseMessage],
        prints: list[bytes],
        system: str | SystemMessage | None,
        tools: Sequence[Any],
    ) -> tuple[int, float]:
        with self._lock:
            found = self._fitting(messages, prints)
        fixed = self.base.count_request((), system, tools)
        reports = self._one_run(messages, found, fixed)
        overhead, scale = 0, 1.0
        if reports:
            first, last = reports[0], reports[-1]
            grown = last.estimate - first.estimate
            if grown >= _SCALE_EVIDENCE:
                scale = (last.tokens - first.tokens) / grown
                scale = min(_SCALE_MAX, max(_SCALE_MIN, scale))
            overhead = max(0, last.tokens - math.floor(scale * last.estimate))
        with self._lock:
            self._overhead, self._scale = overhead, scale
        return overhead, scale

    def _fitting(self, messages: Sequence[BaseMessage], prints: list[bytes]) -> dict[int, int]:
        """Reports by the length of their request, without those seen behind a longer one."""
        found: dict[int, int] = {}
        for position, message in enumerate(messages):
            tokens = reported_input(message)
            if tokens is None:
                continue
            key = _message_print(message)
            before = prints[position]
            known = self._requests.get(key)
            if known is None or known[0] < position:
                self._requests[key] = known = (position, before)
            self._requests.move_to_end(key)
            if known == (position, before):
                found[position] = tokens
        _shorten(self._requests)
        for length, mark in enumerate(prints):
            observed = self._observed.get(mark)
            if observed is not None:
                found[length] = observed[1]
        return found

    def _one_run(
        self, messages: Sequence[BaseMessage], found: dict[int, int], fixed: int
    ) -> list[_Report]:
        """The reports since the last cut, oldest first."""
        run: list[_Report] = []
        done, estimate = 0, fixed
        for position in sorted(found):
            estimate += self.base.count_messages(messages[done:position])
            done = position
            tokens = found[position]
            if tokens * 2 < estimate:
                run.clear()
                continue
            if run and tokens < run[-1].tokens:
                run.clear()
            run.append(_Report(position, tokens, estimate))
        return run

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"CalibratedTokenCounter({self.base!r})"


def _message_print(message: BaseMessage) -> bytes:
    said = message.id or f"{message.type}\0{message.content}"
    return hashlib.blake2b(said.encode("utf-8", "replace"), digest_size=16).digest()


def _prefix_prints(messages: Sequence[BaseMessage]) -> list[bytes]:
    """A mark for every prefix of the list, the empty one first."""
    prints = [b""]
    for message in messages:
        prints.append(
            hashlib.blake2b(prints[-1] + _message_print(message), digest_size=16).digest()
        )
    return prints


def _shorten(entries: OrderedDict[bytes, Any]) -> None:
    while len(entries) > _REMEMBERED:
        entries.popitem(last=False)

"""Layered: principles, profile, summary, recent messages and memories, each in its own share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from langchain_core.runnables import Runnable

from langgraph_memory.calls import Steps, call_of
from langgraph_memory.context.budget import check_count
from langgraph_memory.context.composite import Composite, combined
from langgraph_memory.context.sliding_window import SlidingWindow
from langgraph_memory.context.strategy import (
    ContextRequest,
    ContextStrategy,
    ContextView,
    Selection,
    build_view,
)
from langgraph_memory.context.summarize import Summarize
from langgraph_memory.errors import InvalidBudgetError
from langgraph_memory.messages import Thread, made, made_kind, text_of
from langgraph_memory.summarization.prompts import fenced
from langgraph_memory.tokens import TokenCounter

LayerText = str | Iterable[str] | None
Layer = str | Callable[[Sequence[BaseMessage]], LayerText | Awaitable[LayerText]]

PROFILE_TAG = "user_profile"
MEMORY_TAG = "long_term_memory"


@dataclass(frozen=True)
class Shares:
    """Tokens of each layer in a window of 32,000; they scale with the window.

    Attributes:
        principles: Principles and role. They are never cut; more than this is reported.
        profile: The user's profile.
        summary: The running summary.
        recent: Recent messages.
        memories: Long-term memories.
        tools: Tool schemas.
        input: The newest user message.
        of: The window that the shares above are of.
    """

    principles: int = 2_000
    profile: int = 500
    summary: int = 1_000
    recent: int = 10_000
    memories: int = 1_000
    tools: int = 3_000
    input: int = 1_000
    of: int = 32_000

    def __post_init__(self) -> None:
        parts = (
            self.principles,
            self.profile,
            self.summary,
            self.recent,
            self.memories,
            self.tools,
            self.input,
        )
        for part in parts:
            check_count("every share", part)
        if sum(parts) > self.of:
            raise InvalidBudgetError(
                f"The shares add up to {sum(parts):,} tokens, more than the window of {self.of:,}."
            )

    def scaled(self, share: int, window: int) -> int:
        """Tokens of a share in a window."""
        return share * window // self.of


@dataclass(frozen=True, eq=False)
class Layered(ContextStrategy):
    """Build the request in layers: what changes often comes late, so that the prefix stays.

    First the system message: principles, the system prompt, the user's profile, the running
    summary. Then recent messages, and just before the newest user message what was recalled for it.

    Args:
        model: Writes the running summary; without one, older messages are only left out.
        principles: Rules that come first, word for word: text, or a callable.
        profile: What is known about the user; text, or a callable that is given the messages and
            returns text, lines, or None. It may be async.
        memories: Long-term memories that bear on the messages, the most important first; the same
            forms. Lines that do not fit the share are left out.
        window: The model's window in tokens; by default the request's, else 32,000.
        shares: How the window is divided.
        keep_last: At most this many messages stay verbatim when a summary is made.
        counter: Counts the tokens; by default an approximation that needs no tokenizer.
    """

    model: BaseChatModel | Runnable[Any, Any] | None = None
    principles: Layer | None = None
    profile: Layer | None = None
    memories: Layer | None = None
    window: int | None = None
    shares: Shares = field(default_factory=Shares)
    keep_last: int = 20
    counter: TokenCounter | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.window is not None:
            check_count("window", self.window, least=1)
        check_count("keep_last", self.keep_last, least=1)

    def steps(self, messages: Sequence[BaseMessage], request: ContextRequest) -> Steps[ContextView]:
        """Ask the layers, fill the shares, and build the view."""
        window = self.window or request.window or self.shares.of
        request = replace(request, interrupted=request.waits(Thread.of(messages).messages))
        messages = [message for message in messages if made_kind(message) != "memory"]
        thread = Thread.of(messages)
        notes: list[str] = []
        failures: list[str] = []
        rules = yield from _text(self.principles, messages)
        texts = {}
        for name, layer in (("profile", self.profile), ("memories", self.memories)):
            try:
                texts[name] = yield from _text(layer, messages)
            except Exception as error:
                failures.append(f"the {name} layer raised {type(error).__name__}: {error}")
                texts[name] = []
        counter = self.counter_for(request)
        scaled = partial(self.shares.scaled, window=window)
        profile = _fitted(texts["profile"], scaled(self.shares.profile), counter, "profile", notes)
        memories = _fitted(
            texts["memories"], scaled(self.shares.memories), counter, "memories", notes
        )
        system = _system(rules, request.system, profile)
        lead = [thread.messages[index] for index in thread.systems]
        fixed = counter.count_request(lead, system=system, tools=request.tools)
        if counter.count_text("\n".join(rules)) > scaled(self.shares.principles):
            notes.append("the principles are longer than their share; they are never cut")
        inner = self._recent(
            fixed + scaled(self.shares.summary) + scaled(self.shares.recent + self.shares.input),
            scaled(self.shares.recent),
        )
        state = request.state_of(self).get("recent")
        view = yield from inner.steps(messages, replace(request, system=system, state=state))
        return self._with_memories(view, memories, notes, failures, request)

    def _recent(self, budget: int, recent: int) -> ContextStrategy:
        window = SlidingWindow(budget, low_water=0.4, counter=self.counter)
        if self.model is None:
            return window
        summarize = Summarize(
            self.model,
            max_tokens=budget,
            keep_last=self.keep_last,
            keep_tokens=max(1, recent // 2),
            counter=self.counter,
        )
        return Composite([summarize, window])

    def _with_memories(
        self,
        view: ContextView,
        memories: Sequence[str],
        notes: Sequence[str],
        failures: Sequence[str],
        request: ContextRequest,
    ) -> ContextView:
        thread = Thread.of(view.messages)
        added: list[tuple[int, BaseMessage]] = []
        if memories and thread.current is not None:
            text = fenced(MEMORY_TAG, "\n".join(memories))
            added = [(thread.current, made(HumanMessage(content=text), "memory"))]
        selection = Selection(
            range(len(thread)),
            why=lambda _: "",
            added=added,
            notes=notes,
            degraded="; ".join(failures),
        )
        final = build_view(self, thread, selection, replace(request, system=None))
        whole = combined([view, final])
        return replace(whole, state={"strategy": type(self).__name__, "recent": view.state})


def _text(layer: Layer | None, messages: Sequence[BaseMessage]) -> Steps[list[str]]:
    """The lines of a layer."""
    if layer is None:
        return []
    if isinstance(layer, str):
        return [layer]
    text = yield call_of(layer, messages)
    if text is None:
        return []
    return [text] if isinstance(text, str) else [str(line) for line in text]


def _fitted(
    lines: Sequence[str], share: int, counter: TokenCounter, name: str, notes: list[str]
) -> list[str]:
    """The first lines that fit a share together; what is left out is noted."""
    every = [line for text in lines for line in text.splitlines() if line.strip()]
    kept: list[str] = []
    used = 0
    for line in every:
        cost = counter.count_text(line) + 1
        if used + cost > share:
            continue
        used += cost
        kept.append(line)
    if len(kept) < len(every):
        left = len(every) - len(kept)
        notes.append(f"{left} lines of {name} did not fit their {share:,} tokens")
    return kept


def _system(
    rules: Sequence[str], system: str | SystemMessage | None, profile: Sequence[str]
) -> SystemMessage | None:
    parts = list(rules)
    if system is not None:
        parts.append(system if isinstance(system, str) else text_of(system))
    if profile:
        parts.append(f"Must be respected:\n{fenced(PROFILE_TAG, chr(10).join(profile))}")
    text = "\n\n".join(part for part in parts if part)
    return SystemMessage(content=text) if text else None

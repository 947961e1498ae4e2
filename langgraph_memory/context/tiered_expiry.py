"""TieredExpiry: what is older is shown in less detail."""

from __future__ import annotations

import logging
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage, ToolMessage
from langchain_core.runnables import Runnable

from langgraph_memory.calls import Steps
from langgraph_memory.context.budget import check_count
from langgraph_memory.context.clear_tool_results import PLACEHOLDER, cleared
from langgraph_memory.context.strategy import (
    ContextRequest,
    ContextStrategy,
    ContextView,
    Selection,
    build_view,
    with_openers,
)
from langgraph_memory.context.summarize import resumed
from langgraph_memory.errors import SummarizationError
from langgraph_memory.messages import Thread, made_kind
from langgraph_memory.messages.content import is_empty
from langgraph_memory.messages.copies import remembered_copy
from langgraph_memory.summarization.running import Placed, Running
from langgraph_memory.summarization.summarizer import Summarizer, Summary, both_ends

logger = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class TieredExpiry(ContextStrategy):
    """Recent turns verbatim, middle ones shortened, old ones only as a summary.

    A turn is a user message and all that follows it up to the next one.

    Args:
        recent: Newest turns that stay verbatim.
        middle: Turns before those, in which tool results are cleared and long texts shortened.
            Turns before these are old: only pinned messages of them stay, and the running summary.
        max_chars: Characters that a text of a middle turn may have.
        model: Writes the running summary of the old turns. Without one they are left out.
        step: The tiers move this many turns at a time, so that the prompt prefix changes and a
            summary is made once in so many turns.
    """

    recent: int = 5
    middle: int = 15
    max_chars: int = 500
    model: BaseChatModel | Runnable[Any, Any] | None = None
    step: int = 5

    def __post_init__(self) -> None:
        check_count("recent", self.recent, least=1)
        check_count("middle", self.middle)
        check_count("max_chars", self.max_chars, least=20)
        check_count("step", self.step, least=1)
        _ = self.summarizer

    @cached_property
    def summarizer(self) -> Summarizer | None:
        """What summarizes the old turns."""
        return None if self.model is None else Summarizer(self.model)

    def steps(self, messages: Sequence[BaseMessage], request: ContextRequest) -> Steps[ContextView]:
        """Move the tiers, summarize what became old, and build the view."""
        thread = Thread.of(messages)
        running = resumed(thread, request.state_of(self))
        placed = running.on(thread)
        degraded, calls = "", 0
        old = self._turn_start(placed, self.recent + self.middle)
        eviction = placed.evict_before(thread.unit_at(old), request.rules) if old else None
        if eviction is not None:
            try:
                summary = yield from self._summary(list(eviction.messages), running, request)
                moved = running.moved(eviction)
                running = moved if summary is None else running.advanced(eviction, summary.text)
                placed = eviction.after
                calls = 0 if summary is None else summary.model_calls
            except SummarizationError as error:
                logger.warning(
                    "Summary failed, old turns stay in view until one is made: %s", error
                )
                degraded = str(error)
        selection = Selection(
            with_openers(thread, placed.shown, request),
            why=lambda _: f"older than {self.recent + self.middle} turns",
            state=running.view_json(thread),
            summary=running.text,
            summarized=running.covered,
            replaced=self._shortened(thread, placed),
            degraded=degraded,
            model_calls=calls,
        )
        return build_view(self, thread, selection, request)

    def _summary(
        self, messages: list[BaseMessage], running: Running, request: ContextRequest
    ) -> Steps[Summary | None]:
        if self.summarizer is None:
            return None
        return (yield from self.summarizer.summarize(messages, running.text, request.config))

    def _turn_start(self, placed: Placed, age: int) -> int:
        """Position before which turns are at least `age` turns old, moving in whole steps."""
        # Pinned questions never leave, and empty ones are not sent: counting them would move the
        # tiers of a view that is handed in again.
        thread = placed.thread
        pinned = set(thread.pinned)
        turns = [
            index
            for index in thread.users[bisect_left(thread.users, placed.start) :]
            if index == thread.current or not (index in pinned or is_empty(thread.messages[index]))
        ]
        older = (len(turns) - age) // self.step * self.step
        return turns[older] if older > 0 else 0

    def _shortened(self, thread: Thread, placed: Placed) -> dict[int, tuple[BaseMessage, str]]:
        recent = self._turn_start(placed, self.recent)
        untouched = thread.essentials()
        shown = set(placed.shown)
        return {
            index: (short, f"older than {self.recent} turns, shortened")
            for unit in thread.units
            if unit.indices[0] < recent
            for index, message in zip(unit.indices, unit.messages, strict=True)
            if index in shown and index not in untouched and made_kind(message) is None
            if (short := self._short(message)) is not None
        }

    def _short(self, message: BaseMessage) -> BaseMessage | None:
        """The short form of a message of a middle turn; None where it is short already."""
        if isinstance(message, ToolMessage):
            long = len(str(message.content)) > len(PLACEHOLDER)
            return cleared(message, PLACEHOLDER) if long else None
        if isinstance(message.content, str) and self._is_long(message.content):
            text = both_ends(message.content, self.max_chars)
            return remembered_copy(
                message,
                ("shortened", self.max_chars),
                lambda: message.model_copy(update={"content": text}),
            )
        return None

    def _is_long(self, text: str) -> bool:
        # Shortened text, with its mark, must not be shortened again.
        return len(text) > self.max_chars + 60

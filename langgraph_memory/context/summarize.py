"""Summarize: older messages give way to a running summary."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage
from langchain_core.runnables import Runnable

from langgraph_memory.calls import Steps, drive
from langgraph_memory.context.budget import Budget, check_budget, check_count
from langgraph_memory.context.strategy import (
    ContextRequest,
    ContextStrategy,
    ContextView,
    Selection,
    build_view,
    pieces_of,
    tokens_of,
    with_openers,
)
from langgraph_memory.errors import SummarizationError
from langgraph_memory.messages import Thread, key_of, repair, summary_of, text_of
from langgraph_memory.messages.thread import first_units, last_units
from langgraph_memory.summarization.background import BackgroundSummaries, Waiting
from langgraph_memory.summarization.block import Role, carriers, check_role
from langgraph_memory.summarization.hook import KEPT_SHARE, is_within, room_beside
from langgraph_memory.summarization.prompts import request_in_place
from langgraph_memory.summarization.running import Eviction, Placed, Running
from langgraph_memory.summarization.summarizer import Summarizer, Summary
from langgraph_memory.tokens import TokenCounter

logger = logging.getLogger(__name__)

DEFAULT_THRESHOLD = 30
FALLBACK_FIRST = 3


@dataclass(frozen=True, eq=False)
class Summarize(ContextStrategy):
    """Keep a running summary of the older messages, and the newest ones verbatim.

    When what no summary has seen yet is longer than the threshold, one model call merges the older
    part of it into the summary. Between two such calls the beginning of the request does not
    change and no model is called. What the summary covers is carried in `state`.

    When the summarizer fails, the view is the first three messages and the newest ones that fit;
    it says so (`degraded`), and the next call tries again.

    Args:
        model: The chat model that writes the summaries.
        threshold: Messages that may be unsummarized. 30 where `max_tokens` is not given either.
        max_tokens: Tokens that the whole request may have, system prompt and tools included;
            a number, or a fraction of the model's window.
        keep_last: At most this many of the newest messages stay verbatim at a summary.
        keep_tokens: At most this many tokens of them; 15 % of `max_tokens` by default.
        role: Where the summary goes: at the end of the system message, or into a user message.
        max_source_chars: Characters of transcript in one summarizer call; see `Summarizer`.
        overflow: What to do with more: `pieces` or `truncate`.
        background: Summarize beside the conversation; until it is done the newest messages serve
            alone.
        reuse_prefix: Ask for the summary by appending the instruction to the request that the
            model has just seen, so that the provider's prompt cache pays for nearly all of it.
            `model` must then be the model of the conversation.
        counter: Counts the tokens; by default an approximation that needs no tokenizer.
    """

    model: BaseChatModel | Runnable[Any, Any]
    threshold: int | None = None
    max_tokens: Budget | None = None
    keep_last: int = 5
    keep_tokens: int | None = None
    role: Role = "system"
    max_source_chars: int = 50_000
    overflow: Literal["pieces", "truncate"] = "pieces"
    background: bool = False
    reuse_prefix: bool = False
    counter: TokenCounter | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.threshold is None and self.max_tokens is None:
            object.__setattr__(self, "threshold", DEFAULT_THRESHOLD)
        if self.threshold is not None:
            check_count("threshold", self.threshold, least=1)
        if self.max_tokens is not None:
            check_budget("max_tokens", self.max_tokens)
        check_count("keep_last", self.keep_last, least=1)
        if self.keep_tokens is not None:
            check_count("keep_tokens", self.keep_tokens, least=1)
        check_role(self.role)
        _ = self.summarizer

    @cached_property
    def summarizer(self) -> Summarizer:
        """What makes the summaries."""
        return Summarizer(self.model, self.max_source_chars, self.overflow)

    @cached_property
    def background_work(self) -> BackgroundSummaries:
        """The summaries that are being made beside the conversation."""
        return BackgroundSummaries()

    def steps(self, messages: Sequence[BaseMessage], request: ContextRequest) -> Steps[ContextView]:
        """Show the running summary; make a new one first where it is due."""
        state = request.state_of(self)
        thread = Thread.of(messages)
        running = resumed(thread, state)
        waiting = Waiting.from_json(state.get("waiting"))
        failed: str = state.get("failed", "")
        error = ""
        if waiting is not None:
            running, waiting, error = self._collected(running, thread, waiting, request)
            failed = error or (failed if waiting is not None else "")
        placed = running.on(thread)
        selection = self._selection(thread, placed, running, request)
        if error:
            selection = self._fallback(placed, selection, error, request)
        elif waiting is not None:
            _mark_waiting(selection, waiting)
        elif running.has_grown(thread) and self._due(placed, selection, request):
            selection = yield from self._summarized(placed, selection, running, request)
        if failed and "waiting" in selection.state:
            selection = self._held_back(thread, selection.state, failed, request)
        if failed:
            selection.state["failed"] = failed
        return build_view(self, thread, selection, request)

    def _selection(
        self, thread: Thread, placed: Placed, running: Running, request: ContextRequest
    ) -> Selection:
        budget = None
        if self.max_tokens is not None:
            budget = request.tokens("max_tokens", self.max_tokens)
        return Selection(
            with_openers(thread, placed.shown, request),
            why=lambda _: "older than the messages kept verbatim",
            state=running.view_json(thread),
            budget=budget,
            summary=running.text,
            role=self.role,
            summarized=running.covered,
        )

    def _due(self, placed: Placed, selection: Selection, request: ContextRequest) -> bool:
        if self.threshold is not None and len(placed.unsummarized) > self.threshold:
            return True
        if selection.budget is None:
            return False
        counter = self.counter_for(request)
        return tokens_of(placed.thread, selection, request, counter) > selection.budget

    def _eviction(self, placed: Placed, request: ContextRequest) -> Eviction | None:
        counter = self.counter_for(request)
        budget = keep_tokens = None
        if self.max_tokens is not None:
            budget = request.tokens("max_tokens", self.max_tokens)
            room = room_beside(placed.thread, budget, request.system, request.tools, counter)
            keep_tokens = min(self.keep_tokens or int(KEPT_SHARE * budget), room)

        def fits(after: Placed) -> bool:
            if self.threshold is not None and len(after.unsummarized) > self.threshold:
                return False
            return budget is None or is_within(
                after, budget, request.system, request.tools, counter
            )

        return placed.evict(
            request.rules,
            keep_last=self.keep_last,
            keep_tokens=self.keep_tokens if budget is None else keep_tokens,
            counter=counter,
            fits=fits,
        )

    def _summarized(
        self, placed: Placed, shown: Selection, running: Running, request: ContextRequest
    ) -> Steps[Selection]:
        thread = placed.thread
        eviction = self._eviction(placed, request)
        if eviction is None:
            note = "nothing more can be summarized: what must be kept is alone above the threshold"
            shown.notes = [note]
            return shown
        if self.background:
            return self._started(eviction, running, request)
        try:
            summary = yield from self._summary(eviction, shown, running, request)
        except SummarizationError as error:
            logger.warning("Summary failed, a shortened view is used instead: %s", error)
            return self._fallback(placed, shown, str(error), request)
        after = running.advanced(eviction, summary.text)
        selection = self._selection(thread, eviction.after, after, request)
        selection.model_calls = summary.model_calls
        if summary.left_out:
            selection.notes = [
                f"{summary.left_out:,} characters of the summarized messages were left out "
                "(overflow='truncate')"
            ]
        return selection

    def _summary(
        self, eviction: Eviction, shown: Selection, running: Running, request: ContextRequest
    ) -> Steps[Summary]:
        if not self.reuse_prefix:
            return (
                yield from self.summarizer.summarize(
                    eviction.messages, running.text, request.config
                )
            )
        gone = set(eviction.evicted)
        last = max(gone)
        seen = shown.but(keep=[i for i in shown.keep if i <= last])
        thread = eviction.after.thread
        pieces = pieces_of(thread, seen, replace(request, interrupted=False))
        # The instruction is a user message, which not every provider takes after a tool result.
        sent = repair(request_in_place([piece.message for piece in pieces]), request.rules)
        limit = len(running.text or "") + sum(len(text_of(m)) + 16 for m in eviction.messages)
        return (
            yield from self.summarizer.summarize_in_place(
                sent, request.tools, limit, request.config
            )
        )

    def _fallback(
        self, placed: Placed, shown: Selection, error: str, request: ContextRequest
    ) -> Selection:
        """The first messages and the newest ones that fit; nothing counts as summarized."""
        thread = placed.thread
        visible = set(shown.keep)
        base = thread.essentials().union(
            i for i in first_units(thread, FALLBACK_FIRST) if i in visible
        )
        keep = set(base)
        if shown.budget is None:
            room = max(1, (self.threshold or DEFAULT_THRESHOLD) - FALLBACK_FIRST)
            keep.update(i for i in last_units(thread, room) if i in visible)
        else:
            counter = self.counter_for(request)
            only = shown.but(keep=with_openers(thread, base, request))
            tokens = tokens_of(thread, only, request, counter)
            for unit in reversed(thread.units):
                if unit.indices[0] in base:
                    continue
                tokens += sum(map(counter.count_message, unit))
                if tokens > shown.budget or unit.indices[0] not in visible:
                    break
                keep.update(unit.indices)
        return shown.but(
            keep=with_openers(thread, keep, request),
            why=lambda _: "left out until a summary can be made",
            degraded=error,
        )

    def _started(self, eviction: Eviction, running: Running, request: ContextRequest) -> Selection:
        """Take the evicted messages out of view, and have them summarized meanwhile."""
        thread = eviction.after.thread
        evicted = tuple(key_of(message) for message in eviction.messages)
        waiting = Waiting(evicted, running.to_json())
        self._start(list(eviction.messages), running.text, waiting, request)
        selection = self._selection(thread, eviction.after, running.moved(eviction), request)
        _mark_waiting(selection, waiting)
        return selection

    def _start(
        self,
        messages: list[BaseMessage],
        previous: str | None,
        waiting: Waiting,
        request: ContextRequest,
    ) -> None:
        make = self.summarizer.summarize
        self.background_work.start(
            waiting.key, lambda: drive(make(messages, previous, request.config))
        )

    def _collected(
        self, running: Running, thread: Thread, waiting: Waiting, request: ContextRequest
    ) -> tuple[Running, Waiting | None, str]:
        """Take over a finished background summary.

        Returns:
            The running summary, what is still waited for, and why the summary failed.
        """
        job = self.background_work.take(waiting.key)
        if job is None:
            # Another process started it. What it was to summarize is still in the thread.
            messages = [m for m in thread.messages if key_of(m) in set(waiting.evicted)]
            self._start(messages, running.text, waiting, request)
            return running, waiting, ""
        if not job.finished.is_set():
            return running, waiting, ""
        if job.summary is None:
            logger.warning("Background summary failed, it will be tried again: %s", job.error)
            return Running.from_json(waiting.before), None, str(job.error)
        return running.covering(waiting.evicted, job.summary.text), None, ""

    def _held_back(
        self, thread: Thread, state: dict[str, Any], failed: str, request: ContextRequest
    ) -> Selection:
        """The fallback while a background summary is tried again after it has failed."""
        before = Running.from_json(state["waiting"]["before"])
        placed = before.on(thread)
        shown = self._selection(thread, placed, before, request)
        return replace(self._fallback(placed, shown, failed, request), state=state)


def resumed(thread: Thread, state: Mapping[str, Any]) -> Running:
    """The running summary of a state, or the one that the messages of an earlier view carry."""
    running = Running.of(thread, state)
    if running.text is not None:
        return running
    places = carriers(thread)
    return replace(running, text=summary_of(thread.messages[places[-1]])) if places else running


def _mark_waiting(selection: Selection, waiting: Waiting) -> None:
    selection.state["waiting"] = waiting.to_json()
    selection.notes = ["a summary is being made in the background"]

"""The summarization hook: above a token budget, summarize before the model is called.

The decisions are here once; the conditional edge, its node, and the step inside a
`pre_model_hook` or middleware are thin forms of them.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage, SystemMessage
from langchain_core.runnables import Runnable, RunnableConfig

from langgraph_memory.calls import Steps
from langgraph_memory.errors import InvalidBudgetError, SummarizationError
from langgraph_memory.messages import Profile, Thread, profile_named
from langgraph_memory.summarization.assemble import assemble
from langgraph_memory.summarization.block import Role, check_role
from langgraph_memory.summarization.prompts import transcript
from langgraph_memory.summarization.running import Eviction, Placed, Running
from langgraph_memory.summarization.summarizer import Summarizer, both_ends
from langgraph_memory.tokens import DEFAULT_COUNTER, TokenCounter

logger = logging.getLogger(__name__)

MAX_TOKENS = 80_000
KEEP_LAST = 5
KEPT_SHARE = 0.15
SUMMARY_TOKENS = 450
ENDS = 2_000
DECIDED_SHARE = 0.5
NO_MODEL = "no summarizer is configured: older messages were left out"


@dataclass(frozen=True)
class Surroundings:
    """What is sent besides the thread's messages, and what the provider accepts.

    Attributes:
        system: System prompt that stands outside the messages.
        tools: Tools bound to the model; their schemas count.
        profile: Name of the provider profile.
    """

    system: str | SystemMessage | None = None
    tools: Sequence[Any] = ()
    profile: str | Profile = "common"


@dataclass(frozen=True)
class Outcome:
    """What a run of the hook came to.

    Attributes:
        running: The running summary now.
        placed: Its places in the thread.
        model_calls: Calls that were made.
        degraded: Why a fallback was needed; empty where none was.
        stuck: What must be kept is alone above the trigger.
    """

    running: Running
    placed: Placed
    model_calls: int = 0
    degraded: str = ""
    stuck: bool = False


@dataclass(frozen=True)
class SummarizationHook:
    """Summarizes what is older once the whole request is larger than a budget.

    Without a model the view is cut hard to the newest units that fit. When the model fails, or its
    summary is not shorter than its source, the first and last 1,000 characters of the source stand
    in for a summary. When what must be kept is alone above the trigger, it warns once and lets the
    request pass.

    Args:
        model: Writes the summaries.
        max_tokens: The trigger, in tokens of the whole request.
        keep_last: At most this many of the newest messages stay verbatim.
        keep_tokens: At most this many tokens of them; 15 % of `max_tokens` by default.
        role: Where the summary goes: into the system message or into a user message.
        counter: Counts the tokens.
    """

    model: BaseChatModel | Runnable[Any, Any] | None = None
    max_tokens: int = MAX_TOKENS
    keep_last: int = KEEP_LAST
    keep_tokens: int | None = None
    role: Role = "system"
    counter: TokenCounter = field(default=DEFAULT_COUNTER, repr=False)

    def __post_init__(self) -> None:
        if not _is_count(self.max_tokens):
            raise InvalidBudgetError(
                f"max_tokens must be a whole number of more than 0 tokens, not "
                f"{self.max_tokens!r}. The default is {MAX_TOKENS:,}."
            )
        check_role(self.role)

    def request(self, placed: Placed, running: Running, around: Surroundings) -> list[BaseMessage]:
        """The request as it would be sent, with the current summary in place."""
        pieces = assemble(
            placed.thread,
            placed.shown,
            profile_named(around.profile),
            system=around.system,
            summary=running.text,
            role=self.role,
        )
        return [piece.message for piece in pieces]

    def is_over(self, placed: Placed, running: Running, around: Surroundings) -> bool:
        """Whether that request is larger than the trigger, and has grown since it last was."""
        if not running.has_grown(placed.thread):
            return False
        return not self._is_small(placed, running, around)

    def _is_small(self, placed: Placed, running: Running, around: Surroundings) -> bool:
        sent = self.request(placed, running, around)
        return self.counter.count_request(sent, tools=around.tools) <= self.max_tokens

    def eviction(self, placed: Placed, around: Surroundings) -> Eviction | None:
        """What would be summarized."""
        size = (self.max_tokens, around.system, around.tools, self.counter)
        room = room_beside(placed.thread, *size)
        return placed.evict(
            profile_named(around.profile),
            keep_last=self.keep_last,
            keep_tokens=min(self.keep_tokens or int(KEPT_SHARE * self.max_tokens), room),
            counter=self.counter,
            fits=lambda after: is_within(after, *size),
        )

    def steps(
        self,
        thread: Thread,
        running: Running,
        around: Surroundings,
        config: RunnableConfig | None = None,
        *,
        decided: bool = False,
    ) -> Steps[Outcome]:
        """Summarize if the request is over the trigger and something can go.

        Args:
            thread: The thread.
            running: Its running summary.
            around: What else is sent.
            config: Added to the configuration of the model call.
            decided: An edge has found the request over its trigger already.
        """
        placed = running.on(thread)
        if decided:
            # The edge knows its trigger; here it is only known that this request is above it.
            sent = self.request(placed, running, around)
            tokens = self.counter.count_request(sent, tools=around.tools)
            hook = replace(self, max_tokens=max(1, int(tokens * DECIDED_SHARE)))
            return (yield from hook.steps(thread, replace(running, end=None), around, config))
        if not self.is_over(placed, running, around):
            return Outcome(running, placed)
        eviction = self.eviction(placed, around)
        if eviction is None:
            return Outcome(running, placed, stuck=True)
        if self.model is None:
            return self._cut(placed, running, around)
        summarizer = Summarizer(self.model)
        try:
            summary = yield from summarizer.summarize(eviction.messages, running.text, config)
        except SummarizationError as error:
            logger.warning("Summary failed, both ends of its source stand in for it: %s", error)
            source = "\n".join(transcript(eviction.messages))
            text = "\n".join(part for part in (running.text, source) if part)
            if len(text) > ENDS:
                text = both_ends(text, ENDS)
            after = running.advanced(eviction, text)
            return Outcome(after, eviction.after, degraded=str(error))
        after = running.advanced(eviction, summary.text)
        return Outcome(after, eviction.after, summary.model_calls)

    def _cut(self, placed: Placed, running: Running, around: Surroundings) -> Outcome:
        """The newest units that fit, and nothing for the rest."""
        rules = profile_named(around.profile)
        thread = placed.thread
        best = Outcome(running, placed, stuck=True)
        for number in range(len(thread.units) - 1, thread.unit_at(placed.start), -1):
            eviction = placed.evict_before(number, rules)
            if eviction is None:
                break
            after = running.moved(eviction)
            if best.stuck or self._is_small(eviction.after, after, around):
                best = Outcome(after, eviction.after, degraded=NO_MODEL)
            else:
                break
        return best


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def room_beside(
    thread: Thread,
    budget: int,
    system: str | SystemMessage | None,
    tools: Sequence[Any],
    counter: TokenCounter,
) -> int:
    """Tokens that are left beside what is always sent and a new summary.

    What stays in view must fit: what a window behind had to cut, no summary would have seen.
    """
    kept = {*thread.systems, *thread.pinned}
    always = [thread.messages[index] for index in sorted(kept)]
    fixed = counter.count_request(always, system=system, tools=tools)
    return budget - fixed - _for_summary(budget)


def is_within(
    placed: Placed,
    budget: int,
    system: str | SystemMessage | None,
    tools: Sequence[Any],
    counter: TokenCounter,
) -> bool:
    """Whether what is in view, with a new summary, has at most so many tokens."""
    shown = [placed.thread.messages[index] for index in placed.shown]
    tokens = counter.count_request(shown, system=system, tools=tools)
    return tokens + _for_summary(budget) <= budget


def _for_summary(budget: int) -> int:
    """Tokens set aside for a new summary: 300 words, or a quarter of a small budget."""
    return min(SUMMARY_TOKENS, budget // 4)

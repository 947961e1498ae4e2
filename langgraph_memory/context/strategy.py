"""What every context strategy is: messages and a request in, a view out.

A strategy says what to keep; this module turns that into a view that is valid, counted and
reported, in the same way for all of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any

from langchain_core.messages import BaseMessage, SystemMessage
from langchain_core.runnables import RunnableConfig

from langgraph_memory.calls import Call, Steps, adrive, drive
from langgraph_memory.context.budget import Budget, resolve_budget
from langgraph_memory.context.report import Report
from langgraph_memory.errors import InvalidInputError, InvalidStateError
from langgraph_memory.messages import Piece, Profile, Thread, calls_of, openers_needed
from langgraph_memory.messages.content import check_sequence, is_empty
from langgraph_memory.messages.profiles import profile_named
from langgraph_memory.summarization.assemble import assemble
from langgraph_memory.summarization.block import Role
from langgraph_memory.tokens import DEFAULT_COUNTER, CountFunction, TokenCounter, as_counter


@dataclass(frozen=True)
class ContextRequest:
    """What a strategy may know about the model call besides the messages. All of it is optional.

    Attributes:
        state: The `state` of this strategy's last view of the thread.
        system: System prompt that stands outside the messages. It comes first in the view.
        tools: Tools bound to the model; their schemas count.
        profile: Name of the provider whose message rules hold (see `validate`).
        window: Tokens that the model takes in (`model.profile["max_input_tokens"]`).
        reserve: Tokens of the window kept free for the answer.
        counter: Token counter in place of the strategy's own.
        interrupted: Whether the calls at the end of the messages wait for a person. None: they
            do if nothing follows them.
        config: Added to the configuration of a strategy's own model calls.
    """

    state: Mapping[str, Any] | None = None
    system: str | SystemMessage | None = None
    tools: Sequence[Any] = ()
    profile: str | Profile = "common"
    window: int | None = None
    reserve: int = 0
    counter: TokenCounter | None = None
    interrupted: bool | None = None
    config: RunnableConfig | None = None

    def __post_init__(self) -> None:
        profile_named(self.profile)
        if self.system is not None and not isinstance(self.system, str | SystemMessage):
            raise InvalidInputError(
                f"system must be text or a SystemMessage, not {type(self.system).__name__}."
            )
        if self.state is not None and not isinstance(self.state, Mapping):
            raise InvalidStateError(
                f"state must be the `state` of an earlier view (a mapping), not {self.state!r:.80}."
            )

    @property
    def rules(self) -> Profile:
        """The message rules of the profile."""
        return profile_named(self.profile)

    def state_of(self, strategy: object) -> Mapping[str, Any]:
        """The state, if a strategy of this kind wrote it; else an empty one."""
        state = self.state or {}
        return state if state.get("strategy") == type(strategy).__name__ else {}

    def waits(self, messages: Sequence[BaseMessage]) -> bool:
        """Whether calls at the end of the messages are left unanswered for a person to decide."""
        if self.interrupted is not None:
            return self.interrupted
        last = next((m for m in reversed(messages) if m.type != "tool"), None)
        return last is not None and bool(calls_of(last))

    def tokens(self, name: str, budget: Budget) -> int:
        """A strategy's budget in tokens.

        Raises:
            InvalidBudgetError: It is a fraction and the window is not known.
        """
        return resolve_budget(name, budget, self.window, self.reserve)


@dataclass(frozen=True, eq=False)
class ContextView:
    """What the model is sent on one call, and why.

    Attributes:
        messages: The complete list to send; the system message, where there is one, comes first.
        state: Plain JSON to hand back with the next request of the same thread.
        report: What was kept, dropped and replaced, with reasons and tokens.
        over_budget: What must be kept is alone more than the budget.
        degraded: Something failed and a fallback took its place.
    """

    messages: list[BaseMessage]
    state: dict[str, Any]
    report: Report
    over_budget: bool = False
    degraded: bool = False

    def _repr_html_(self) -> str:
        """In Jupyter a view shows its report."""
        return self.report._repr_html_()


@dataclass
class Selection:
    """A strategy's decision about a thread.

    Attributes:
        keep: Positions of the messages to send, ascending.
        why: Reason for leaving out the message at a position.
        state: What the strategy wants back next time.
        budget: Tokens that the view should not exceed, where the strategy has such a limit.
        summary: Running summary to show.
        role: Where it goes.
        summarized: Keys of the messages that the summary has seen.
        replaced: What to send in place of kept messages, and why.
        added: Messages made up for this request, each with the position before which it goes.
        degraded: Why a fallback was needed; empty where none was.
        notes: What else the reader of a report should know.
        model_calls: Calls that were made for this view.
        pieces: The messages as they will be sent, where they have been put together already.
        tokens: Tokens of that request, where they have been counted already.
    """

    keep: Sequence[int]
    why: Callable[[int], str]
    state: dict[str, Any] = field(default_factory=dict)
    budget: int | None = None
    summary: str | None = None
    role: Role = "system"
    summarized: Iterable[str] = ()
    replaced: Mapping[int, tuple[BaseMessage, str]] = field(default_factory=dict)
    added: Sequence[tuple[int, BaseMessage]] = ()
    degraded: str = ""
    notes: Sequence[str] = ()
    model_calls: int = 0
    pieces: list[Piece] | None = None
    tokens: int | None = None

    def but(self, **changes: Any) -> Selection:
        """A changed copy, which has not been put together or counted yet."""
        return replace(self, **{"pieces": None, "tokens": None, **changes})


class ContextStrategy:
    """Decides what a model sees of a thread on one call. It never changes the messages.

    A strategy of one's own overrides `apply` (and `aapply`, if it awaits something), or `steps`, if
    one logic is to serve both; `PureStrategy` is for one that only selects.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Refuse a strategy that overrides neither `apply` nor `steps`."""
        super().__init_subclass__(**kwargs)
        if cls.apply is ContextStrategy.apply and cls.steps is ContextStrategy.steps:
            raise TypeError(f"{cls.__name__} must define apply() or steps().")

    def apply(
        self, messages: Sequence[BaseMessage], request: ContextRequest | None = None
    ) -> ContextView:
        """Compute the view of a thread for one model call.

        Args:
            messages: The thread's messages; they and the list stay as they are.
            request: What else is known about the call.

        Raises:
            InvalidMessagesError: The list holds something that is not a message.
            InvalidBudgetError: A budget is a fraction and the model's window is not known.
        """
        return drive(self._begun(messages, request))

    async def aapply(
        self, messages: Sequence[BaseMessage], request: ContextRequest | None = None
    ) -> ContextView:
        """The same as `apply`, without blocking the event loop on model or embedding calls."""
        return await adrive(self._begun(messages, request))

    def steps(self, messages: Sequence[BaseMessage], request: ContextRequest) -> Steps[ContextView]:
        """The decision as a generator, which yields the outside calls that it needs."""
        view: ContextView = yield Call(
            partial(self.apply, messages, request),
            partial(self.aapply, messages, request)
            if type(self).aapply is not ContextStrategy.aapply
            else None,
        )
        return view

    def _begun(
        self, messages: Sequence[BaseMessage], request: ContextRequest | None
    ) -> Steps[ContextView]:
        check_sequence(messages)
        if request is not None and not isinstance(request, ContextRequest):
            raise InvalidInputError(
                f"request must be a ContextRequest, not {request!r:.80}. "
                "Write ContextRequest(state=…, profile=…)."
            )
        return self.steps(messages, request or ContextRequest())

    def counter_for(self, request: ContextRequest) -> TokenCounter:
        """The counter of a request: its own, the strategy's, or the approximate one."""
        counter = request.counter or getattr(self, "counter", None) or DEFAULT_COUNTER
        return counter if isinstance(counter, TokenCounter) else _counter_of(counter)


@lru_cache(maxsize=64)
def _counter_of(function: CountFunction) -> TokenCounter:
    """One counter for a function, so that it remembers what it has counted."""
    return as_counter(function)


class PureStrategy(ContextStrategy, ABC):
    """A strategy that decides from the messages alone."""

    def steps(self, messages: Sequence[BaseMessage], request: ContextRequest) -> Steps[ContextView]:
        """Select and build the view; nothing outside is called."""
        thread = Thread.of(messages)
        selection = self.select(thread, request)
        return build_view(self, thread, selection, request)
        yield  # a generator that yields nothing

    @abstractmethod
    def select(self, thread: Thread, request: ContextRequest) -> Selection:
        """Decide what to keep."""


def with_openers(thread: Thread, keep: Iterable[int], request: ContextRequest) -> list[int]:
    """Positions in order, with the questions that the provider needs to see after a gap."""
    ordered = sorted(set(keep))
    needed = openers_needed(thread, ordered, request.rules)
    return sorted({*ordered, *needed}) if needed else ordered


def pieces_of(thread: Thread, selection: Selection, request: ContextRequest) -> list[Piece]:
    """The messages of a selection as they would be sent, put together once."""
    if selection.pieces is None:
        selection.pieces = _assembled(thread, selection, request)
    return selection.pieces


def tokens_of(
    thread: Thread, selection: Selection, request: ContextRequest, counter: TokenCounter
) -> int:
    """Tokens of a selection as it would be sent, counted once."""
    if selection.tokens is None:
        sent = [piece.message for piece in pieces_of(thread, selection, request)]
        selection.tokens = counter.count_request(sent, tools=request.tools)
    return selection.tokens


def _assembled(thread: Thread, selection: Selection, request: ContextRequest) -> list[Piece]:
    return assemble(
        thread,
        selection.keep,
        request.rules,
        system=request.system,
        summary=selection.summary,
        role=selection.role,
        replaced=selection.replaced,
        added=selection.added,
        interrupted=request.waits(thread.messages),
    )


def build_view(
    strategy: ContextStrategy, thread: Thread, selection: Selection, request: ContextRequest
) -> ContextView:
    """Turn a decision into a view."""
    counter = strategy.counter_for(request)
    pieces = pieces_of(thread, selection, request)
    over = selection.budget is not None and (
        tokens_of(thread, selection, request, counter) > selection.budget
    )
    report = Report(
        strategy=type(strategy).__name__,
        source=thread.messages,
        pieces=pieces,
        why=lambda index: _reason(thread, selection, index),
        summarized=selection.summarized,
        summary=selection.summary,
        budget=selection.budget,
        over_budget=over,
        degraded_because=selection.degraded,
        notes=tuple(selection.notes),
        model_calls=selection.model_calls,
        count=lambda sent: counter.count_request(sent, tools=request.tools),
        system=request.system,
    )
    return ContextView(
        messages=[piece.message for piece in pieces],
        state={"strategy": type(strategy).__name__, **selection.state},
        report=report,
        over_budget=over,
        degraded=bool(selection.degraded),
    )


def _reason(thread: Thread, selection: Selection, index: int) -> str:
    """Why a message is not in the view."""
    message = thread.messages[index]
    if index in thread.orphans:
        return "answers no tool call"
    if index not in set(selection.keep):
        return selection.why(index)
    if message.type == "tool":
        return "answers a tool call that is answered already"
    return "has no content" if is_empty(message) else "not acceptable to the provider"

"""What every history strategy is: a thread's messages in, what remains of them out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from langchain_core.messages import BaseMessage, RemoveMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph.message import REMOVE_ALL_MESSAGES

from langgraph_memory.calls import Steps, adrive, drive
from langgraph_memory.history.boundaries import always_kept, closed
from langgraph_memory.messages import Piece, Profile, Thread, key_of
from langgraph_memory.messages.profiles import profile_named
from langgraph_memory.messages.repair import ADDED

__all__ = ["Choice", "HistoryChange", "HistoryStrategy"]


@dataclass(frozen=True)
class Choice:
    """What a strategy would have remain of a thread.

    Attributes:
        keep: Positions of the messages; what must stay beside them is added.
        why: Why the others go.
    """

    keep: Iterable[int]
    why: str


@dataclass(frozen=True, eq=False)
class HistoryChange:
    """What a strategy makes of a thread; nothing is written yet.

    Attributes:
        strategy: Name of the strategy.
        source: The thread as it is.
        pieces: What remains, in order, with positions in `source`.
        why: Reason for which the message at a position goes.
        summary: Text of a new summary.
        summarized: Keys of the messages that it stands for.
        model_calls: How often a model was called.
        notes: What else a reader of the report should know.
    """

    strategy: str
    source: Sequence[BaseMessage]
    pieces: Sequence[Piece]
    why: Callable[[int], str]
    summary: str | None = None
    summarized: tuple[str, ...] = ()
    model_calls: int = 0
    notes: tuple[str, ...] = ()

    @cached_property
    def messages(self) -> list[BaseMessage]:
        """What remains, the very same message objects."""
        return [piece.message for piece in self.pieces]

    @cached_property
    def removed(self) -> list[tuple[int, BaseMessage]]:
        """What goes, with its positions in `source`."""
        kept = {piece.origin for piece in self.pieces}
        return [(i, message) for i, message in enumerate(self.source) if i not in kept]

    @cached_property
    def added(self) -> list[BaseMessage]:
        """What is new: a summary, or nothing."""
        return [piece.message for piece in self.pieces if piece.origin == ADDED]

    @property
    def changed(self) -> bool:
        """Whether anything goes or is added."""
        return bool(self.removed or self.added)

    @property
    def updates(self) -> list[BaseMessage]:
        """The change as orders to LangGraph's `add_messages` reducer."""
        if self.added or any(message.id is None for _, message in self.removed):
            # Only a list that is written anew has what is added in its place.
            return [RemoveMessage(id=REMOVE_ALL_MESSAGES), *self.messages]
        return [RemoveMessage(id=str(message.id)) for _, message in self.removed]


@dataclass(frozen=True)
class HistoryStrategy(ABC):
    """Decides what a thread keeps. What goes is gone for good, but for an archive.

    Whatever a strategy chooses, system and pinned messages, summaries, the newest user message and
    the newest unit stay, calls stay or go with their results, and what remains is a valid list for
    the provider. A strategy of one's own is a frozen dataclass with `choose`.

    Args:
        profile: Name of the provider whose message rules hold for what remains. With the default
            it is valid for all of them, for which a question or a reply may stay beside what was
            asked for.
    """

    profile: str | Profile = field(default="common", kw_only=True)

    def __post_init__(self) -> None:
        profile_named(self.profile)

    def change(
        self,
        messages: Sequence[BaseMessage],
        *,
        dry_run: bool = False,
        config: RunnableConfig | None = None,
    ) -> HistoryChange:
        """Work out what would remain of a thread. Nothing is written, no message is changed.

        Args:
            messages: The thread.
            dry_run: Call no model: a summary that would be made is left out.
            config: Added to the configuration of a strategy's own model calls.

        Raises:
            InvalidMessagesError: The list holds something that is not a message.
            SummarizationError: A summary was due and could not be made.
        """
        return drive(self.steps(messages, dry_run=dry_run, config=config))

    async def achange(
        self,
        messages: Sequence[BaseMessage],
        *,
        dry_run: bool = False,
        config: RunnableConfig | None = None,
    ) -> HistoryChange:
        """The same as `change`, with models awaited."""
        return await adrive(self.steps(messages, dry_run=dry_run, config=config))

    def steps(
        self,
        messages: Sequence[BaseMessage],
        *,
        dry_run: bool = False,
        config: RunnableConfig | None = None,
    ) -> Steps[HistoryChange]:
        """The work of `change`, as calls to be made."""
        thread = Thread.of(messages)
        keep, why = self.kept(thread)
        return self.changed(thread, [Piece(thread.messages[i], i) for i in keep], why)
        yield  # a generator that yields nothing

    def kept(self, thread: Thread) -> tuple[list[int], str]:
        """Positions of what remains, and why the rest goes."""
        choice = self.choose(thread)
        wanted = always_kept(thread).union(choice.keep)
        return closed(thread, wanted, profile_named(self.profile)), choice.why

    def changed(
        self,
        thread: Thread,
        pieces: Sequence[Piece],
        why: str,
        *,
        summary: str | None = None,
        summarized: Iterable[BaseMessage] = (),
        model_calls: int = 0,
        notes: tuple[str, ...] = (),
    ) -> HistoryChange:
        """The change that leaves `pieces` of a thread."""
        return HistoryChange(
            strategy=type(self).__name__,
            source=thread.messages,
            pieces=pieces,
            why=lambda index: "answers no tool call" if index in thread.orphans else why,
            summary=summary,
            summarized=tuple(key_of(message) for message in summarized),
            model_calls=model_calls,
            notes=notes,
        )

    @abstractmethod
    def choose(self, thread: Thread) -> Choice:
        """Decide what is to remain."""

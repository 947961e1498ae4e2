"""One run of a graph as long-term memory sees it: whose it is, on which thread, and what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypedDict

from langchain_core.messages import BaseMessage
from langgraph.checkpoint.base import BaseCheckpointSaver

from langgraph_memory.errors import IdentityError, InvalidInputError
from langgraph_memory.identity import OWNER_KEY, Identification, Identity
from langgraph_memory.service import NOTHING, MemoryService, Recollection
from langgraph_memory.service.turns import newest_question, turns_of
from langgraph_memory.summarization.state import read

__all__ = ["RECALL_KEY", "MemoryRun", "MemoryRuns", "memory_layers", "shown_in_layers"]

RECALL_KEY = "memory_recall"
"""State key, private, in which a thread keeps why memories were recalled for its newest turn."""


@dataclass(frozen=True)
class MemoryRun:
    """One run.

    Attributes:
        service: Recalls and remembers.
        who: Whose memories; None where none are to be read or written.
        owner: What the thread is to keep under `OWNER_KEY`.
        thread: Its id; None without a checkpointer.
        readable: Whether the thread's checkpoints can be read in the background.
    """

    service: MemoryService
    who: Identity | None
    owner: Mapping[str, Any]
    thread: str | None
    readable: bool

    def begin(self, messages: Sequence[BaseMessage]) -> None:
        """Start recalling, and note that there will be a turn; not again within the turn."""
        turns = turns_of(messages)
        if self.who is not None and turns and len(turns[-1].messages) == 1:
            self.service.begin(self.who, self.thread, messages, readable=self.readable)

    def recollect(self, messages: Sequence[BaseMessage]) -> Recollection:
        """The memories for the newest message."""
        if self.who is None:
            return NOTHING
        return self.service.recollect(self.who, self.thread, messages)

    async def arecollect(self, messages: Sequence[BaseMessage]) -> Recollection:
        """`recollect` without blocking the event loop."""
        if self.who is None:
            return NOTHING
        return await self.service.arecollect(self.who, self.thread, messages)

    def end(self, messages: Sequence[BaseMessage], recall: Mapping[str, Any] | None) -> None:
        """Have the turn remembered, if it has its reply."""
        turns = turns_of(messages)
        if self.who is None or not turns or turns[-1].is_open:
            return
        kept = recall if isinstance(recall, Mapping) else {}
        why = kept.get("why", ()) if kept.get("question") == turns[-1].key else ()
        self.service.end(self.who, self.thread, messages, why, readable=self.readable)


@dataclass(frozen=True)
class MemoryRuns:
    """Tells runs from what LangGraph hands to a node.

    Args:
        service: Recalls and remembers.
        identification: How a run tells who is asking.
        checkpointer: The one whose threads the service can read in the background.
    """

    service: MemoryService
    identification: Identification
    checkpointer: BaseCheckpointSaver[Any] | None = None

    def of(self, runtime: Any, state: Any, config: Mapping[str, Any]) -> MemoryRun:
        """The run that a node or middleware is in.

        Args:
            runtime: LangGraph's.
            state: The graph's, with what earlier runs have kept.
            config: The node's.

        Raises:
            IdentityError: If nobody says who is asking, or it is not the thread's owner.
        """
        kept = read(state, OWNER_KEY)
        kept = kept if isinstance(kept, Mapping) else None
        messages = read(state, "messages") or []
        execution = runtime.execution_info
        # LangGraph takes ids of any type, and keeps them as text.
        named = execution.thread_id if execution is not None else None
        thread = None if named is None else str(named)
        if not self.service.settings.enabled:
            return MemoryRun(self.service, None, kept or {}, thread, False)
        if self.identification.is_incognito(runtime, kept) and not (
            self.identification.is_stranger(runtime, kept)
        ):
            # From this message on: what was said before may still be read.
            asked = newest_question(messages)
            since = (kept or {}).get("incognito") or (asked.key if asked else True)
            owner = {**(kept or {}), "incognito": since}
            if thread is not None:
                self.service.owners.remember(thread, owner)
            return MemoryRun(self.service, None, owner, thread, False)
        try:
            who = self.identification.identify(runtime, kept)
        except IdentityError:
            if kept and isinstance(kept.get("user"), str) and thread is not None:
                victim = Identity(self.identification.agent, kept["user"])
                checkpoint = execution.checkpoint_id if self._readable(config) else None
                self.service.disown(victim, thread, checkpoint, messages)
            raise
        if thread is not None:
            self.service.owners.remember(thread, who.to_state())
        return MemoryRun(self.service, who, who.to_state(), thread, self._readable(config))

    def owner_of(self, thread: str) -> Mapping[str, Any] | None:
        """What a thread keeps of its owner, for tools that do not see the state."""
        return self.service.owners.of(thread)

    def _readable(self, config: Mapping[str, Any]) -> bool:
        """Whether it is our checkpointer that saves the run, and the thread is its own graph's."""
        given = config.get("configurable") or {}
        # The name under which LangGraph hands its checkpointer down; where it is not there, or
        # another one, messages go with the job, which is safe in any case.
        saver = given.get("__pregel_checkpointer")
        nested = "|" in (given.get("checkpoint_ns") or "")
        return self.checkpointer is not None and saver is self.checkpointer and not nested


_shown: ContextVar[Recollection | None] = ContextVar("recollection", default=None)


@contextmanager
def shown_in_layers(recollection: Recollection) -> Iterator[None]:
    """Let `memory_layers` show a recollection while a strategy works."""
    token = _shown.set(recollection)
    try:
        yield
    finally:
        _shown.reset(token)


Layer = Callable[[Sequence[BaseMessage]], list[str]]


class MemoryLayers(TypedDict):
    """Layers of a `Layered` strategy."""

    profile: Layer
    memories: Layer


def memory_layers() -> MemoryLayers:
    """The `profile` and `memories` layers of `Layered`: ``Layered(model, **memory_layers())``.

    They show what was recalled where the strategy works inside a memory middleware or a recall
    node with ``placement="layers"``, which then add nothing themselves.
    """

    def layer(*blocks: str) -> Layer:
        def lines(messages: Sequence[BaseMessage]) -> list[str]:
            recollection = _shown.get()
            if recollection is None:
                raise InvalidInputError(
                    "Nothing was recalled here. Put the memory middleware in front of the one with "
                    "the Layered strategy, or give the strategy to the recall node."
                )
            return [line for block in blocks for line in recollection.lines(block)]

        return lines

    return {"profile": layer("standing"), "memories": layer("recalled", "tasks")}

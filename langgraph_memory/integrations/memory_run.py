"""One run of a graph as long-term memory sees it: whose it is, on which thread, and what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, TypedDict

from langchain_core.messages import BaseMessage
from langgraph.checkpoint.base import BaseCheckpointSaver

from langgraph_memory.calls import Steps, adrive, drive
from langgraph_memory.errors import IdentityError, InvalidInputError
from langgraph_memory.identity import OWNER_KEY, Identification, Identity
from langgraph_memory.service import NOTHING, MemoryService, Recollection
from langgraph_memory.service.turns import newest_question, turns_of
from langgraph_memory.store import Change, committed
from langgraph_memory.summarization.state import STATE_KEY, read

__all__ = ["RECALL_KEY", "MemoryRun", "MemoryRuns", "memory_layers", "shown_in_layers"]

Config = Mapping[str, Any]
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

    def of(self, runtime: Any, state: Any, config: Config, *, begins: bool = False) -> MemoryRun:
        """The run that a node or middleware is in.

        Args:
            runtime: LangGraph's.
            state: The graph's, with what earlier runs have kept.
            config: The node's.
            begins: Whether this is the first that memory sees of the run, or might be.

        Raises:
            IdentityError: If nobody says who is asking, or it is not the thread's owner.
        """
        return drive(self._steps(runtime, state, config, begins))

    async def aof(
        self, runtime: Any, state: Any, config: Config, *, begins: bool = False
    ) -> MemoryRun:
        """`of` without blocking the event loop."""
        return await adrive(self._steps(runtime, state, config, begins))

    def owner_of(self, runtime: Any) -> Steps[Mapping[str, Any] | None]:
        """What is kept of the owner of the thread that a tool runs in."""
        thread = (runtime.config.get("configurable") or {}).get("thread_id")
        channel = _mapping(read(runtime.state, OWNER_KEY))
        if thread is None:
            return channel
        owners = self.service.owners
        place = owners.place(str(thread), ours=self._is_ours(runtime.config))
        kept = owners.known(place)
        if kept is None:
            item = yield from owners.read(place)
            kept = None if item is None else item.value
        return _owner(kept, channel)

    def _steps(self, runtime: Any, state: Any, config: Config, begins: bool) -> Steps[MemoryRun]:
        service = self.service
        execution = runtime.execution_info
        # LangGraph takes ids of any type, and keeps them as text.
        named = execution.thread_id if execution is not None else None
        thread = None if named is None else str(named)
        channel = _mapping(read(state, OWNER_KEY))
        if not service.settings.enabled:
            return MemoryRun(service, None, channel or {}, thread, False)
        messages = read(state, "messages") or []
        readable = self._is_readable(config)
        if thread is None:
            return self._run(runtime, channel, messages, None, readable, begins)
        checkpoint = execution.checkpoint_id if readable else None
        place = service.owners.place(thread, ours=self._is_ours(config))

        def decided(kept: Mapping[str, Any] | None) -> Steps[MemoryRun]:
            owner = _owner(kept, channel)
            try:
                return self._run(runtime, owner, messages, thread, readable, begins)
            except IdentityError:
                if owner and isinstance(owner.get("user"), str):
                    victim = Identity(self.identification.agent, owner["user"])
                    yield from service.disowned(
                        victim,
                        thread,
                        messages,
                        asked=(channel or {}).get("asked"),
                        checkpoint=checkpoint,
                    )
                raise

        def decide() -> Steps[tuple[Sequence[Change], MemoryRun]]:
            item = yield from service.owners.read(place)
            kept = None if item is None else item.value
            if self.identification.is_stranger(runtime, kept) and begins:
                # Its id may have been another's whose thread was deleted.
                alone = channel is None and len(turns_of(messages)) == 1
                if alone and (yield from self._is_new(state, thread, checkpoint, config)):
                    kept = None
            run = yield from decided(kept)
            return service.owners.change(place, item, run.owner), run

        known = None if begins else service.owners.known(place)
        if known is not None:
            run = yield from decided(known)
            if run.owner.get("incognito") == known["incognito"]:
                return run
        try:
            run = yield from committed(service.store, decide)
        except IdentityError:
            raise
        except Exception as error:
            # Without the store there is no memory, and the user gets a reply all the same.
            service.without_memory(thread, error)
            run = self._run(runtime, channel, messages, thread, readable, begins)
            return replace(run, who=None)
        service.owners.remember(place, run.owner)
        return run

    def _run(
        self,
        runtime: Any,
        owner: Mapping[str, Any] | None,
        messages: Sequence[BaseMessage],
        thread: str | None,
        readable: bool,
        begins: bool,
    ) -> MemoryRun:
        """The run, given what is kept of the thread's owner."""
        stranger = self.identification.is_stranger(runtime, owner)
        if self.identification.is_incognito(runtime, owner) and not stranger:
            # From this message on: what was said before may still be read.
            since = (owner or {}).get("incognito") or _asked(messages) or True
            return MemoryRun(
                self.service, None, {**(owner or {}), "incognito": since}, thread, False
            )
        who = self.identification.identify(runtime, owner)
        begun = {"asked": _asked(messages)} if begins else {}
        return MemoryRun(self.service, who, {**who.to_state(), **begun}, thread, readable)

    def _is_new(
        self, state: Any, thread: str, checkpoint: str | None, config: Config
    ) -> Steps[bool]:
        """Whether a thread has nothing but the message that this run has brought."""
        if self._is_ours(config):
            return checkpoint is not None and (yield from self.service.is_new(thread, checkpoint))
        return not read(state, STATE_KEY)

    def _is_ours(self, config: Config) -> bool:
        """Whether it is our checkpointer that saves the run."""
        given = config.get("configurable") or {}
        # The name under which LangGraph hands its checkpointer down; where it is not there, or
        # another one, messages go with the job, which is safe in any case.
        saver = given.get("__pregel_checkpointer")
        return self.checkpointer is not None and saver is self.checkpointer

    def _is_readable(self, config: Config) -> bool:
        """Whether the run's thread can be read in the background, and is its own graph's."""
        nested = "|" in ((config.get("configurable") or {}).get("checkpoint_ns") or "")
        return self._is_ours(config) and self.service.can_read and not nested


def _asked(messages: Sequence[BaseMessage]) -> str | None:
    """Key of the newest turn."""
    asked = newest_question(messages)
    return None if asked is None else asked.key


def _mapping(value: Any) -> Mapping[str, Any] | None:
    return value if isinstance(value, Mapping) else None


def _owner(
    kept: Mapping[str, Any] | None, channel: Mapping[str, Any] | None
) -> Mapping[str, Any] | None:
    """What is known of a thread's owner: by the store first, and by the thread itself."""
    if kept is None:
        return channel
    channel = channel or {}
    owner = kept if kept["user"] is not None else {**kept, "user": channel.get("user")}
    return {**owner, "incognito": kept["incognito"] or channel.get("incognito")}


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

"""One run of a graph as long-term memory sees it: whose it is, on which thread, and what to do."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, Literal, TypedDict

from langchain_core.messages import BaseMessage

from langgraph_memory.calls import Steps, adrive, drive
from langgraph_memory.errors import IdentityError, InvalidInputError
from langgraph_memory.extraction import SkipReason
from langgraph_memory.identity import OWNER_KEY, Identification, Identity, Owner
from langgraph_memory.integrations.run_place import Config, RunPlace
from langgraph_memory.messages import as_messages
from langgraph_memory.service import NOTHING, MemoryService, Recollection
from langgraph_memory.service.turns import turns_of
from langgraph_memory.summarization.state import read

logger = logging.getLogger("langgraph_memory.integrations")

__all__ = ["RECALL_KEY", "MemoryRun", "MemoryRuns", "memory_layers", "shown_in_layers"]

ASKED, SEEN = "asked", "seen"
"""What a thread keeps with its owner: the turns that the last run has begun, and the newest turn
that was there then."""

Moment = Literal["begins", "goes on", "ends"]
Decide = Callable[[Owner | None], Owner]
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
        begun: Marks of the turns that the run has brought, where it begins.
        refused: Marks of turns that were there when somebody was refused on the thread.
    """

    service: MemoryService
    who: Identity | None
    owner: Mapping[str, Any]
    thread: str | None
    readable: bool
    begun: tuple[str, ...] = ()
    refused: Set[str] = frozenset()

    def begin(self, messages: Sequence[BaseMessage]) -> None:
        """Start recalling, and note which turns there will be; not again within them."""
        if self.who is not None and self.begun:
            self.service.begin(self.who, self.thread, messages, self.begun, readable=self.readable)

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
        """Have the turns remembered that the run has begun, if they have their replies."""
        turns = turns_of(messages)
        if self.who is None or not turns:
            return
        asked = self.owner.get(ASKED) if SEEN in self.owner else [turns[-1].mark]
        done = [turn.mark for turn in turns if turn.mark in (asked or ()) and not turn.is_open]
        if done:
            kept = recall if isinstance(recall, Mapping) else {}
            why = kept.get("why", ()) if kept.get("question") == turns[-1].key else ()
            self.service.end(
                self.who,
                self.thread,
                messages,
                done,
                why,
                readable=self.readable,
                doubted=self.refused,
            )


@dataclass(frozen=True)
class MemoryRuns:
    """Tells runs from what LangGraph hands to a node.

    Args:
        service: Recalls and remembers.
        identification: How a run tells who is asking.
    """

    service: MemoryService
    identification: Identification

    def of(self, runtime: Any, state: Any, config: Config, moment: Moment = "goes on") -> MemoryRun:
        """The run that a node or middleware is in.

        Args:
            runtime: LangGraph's.
            state: The graph's, with what earlier runs have kept.
            config: The node's.
            moment: `begins` if this is the first that memory sees of the run, or might be; `ends`
                if it is the last.

        Raises:
            IdentityError: If nobody says who is asking, or it is not the thread's owner.
        """
        return drive(self._steps(runtime, state, config, moment))

    async def aof(
        self, runtime: Any, state: Any, config: Config, moment: Moment = "goes on"
    ) -> MemoryRun:
        """`of` without blocking the event loop."""
        return await adrive(self._steps(runtime, state, config, moment))

    def owner_of(self, runtime: Any) -> Steps[Owner]:
        """Settle the owner of the thread that a tool runs in, see `Caller.settle`.

        Where an agent has the tools and nothing else of memory, they are the first to learn it.

        Raises:
            IdentityError: If nobody says who is asking, or it is not the thread's owner.
        """
        place = RunPlace.of(runtime.execution_info, runtime.config)
        told = Owner.of(read(runtime.state, OWNER_KEY))
        caller = self.identification.caller(runtime)
        try:
            return (
                yield from self._settled(
                    place, told, "goes on", lambda kept: caller.settle(_joined(kept, told))
                )
            )
        except _StoreFailedError as failed:
            raise failed.error from failed

    def _steps(self, runtime: Any, state: Any, config: Config, moment: Moment) -> Steps[MemoryRun]:
        service = self.service
        channel = read(state, OWNER_KEY)
        channel = channel if isinstance(channel, Mapping) else {}
        place = RunPlace.of(runtime.execution_info, config)
        if not service.settings.enabled:
            return MemoryRun(service, None, channel, place.thread, False)
        messages = as_messages(read(state, "messages"))
        told = Owner.of(channel)
        claimed = True

        def decide(kept: Owner | None) -> Owner:
            nonlocal claimed
            claimed = kept is not None and kept.user is not None
            return caller.settle(_joined(kept, told))

        try:
            caller = self.identification.caller(runtime)
            owner = yield from self._settled(place, told, moment, decide)
        except _StoreFailedError as failed:
            decide(None)  # What the thread says may refuse all the same.
            # Without the store there is no memory, and the user gets a reply all the same.
            service.without_memory(place.thread or "", failed.error)
            return MemoryRun(service, None, channel, place.thread, False)
        except Exception:
            # A stranger, or whatever the application's resolver says to a caller.
            yield from self._refused(place, messages)
            raise
        kept = {name: channel[name] for name in (ASKED, SEEN) if name in channel}
        if owner.incognito:
            state_value = {**kept, "user": owner.user, "incognito": True}
            return MemoryRun(service, None, state_value, place.thread, False)
        who = caller.identify(owner)
        begun: tuple[str, ...] = ()
        # Of a nested run it has to be known whose its turn is, also where it has begun unseen.
        unseen = moment == "ends" and place.nested and SEEN not in channel
        turns = turns_of(messages) if moment == "begins" or unseen else []
        # A turn that has nothing yet is begun again: the process may have died before it was noted.
        if turns and (
            turns[-1].mark != channel.get(SEEN)
            or len(turns[-1].messages) == 1
            or not turns[-1].is_open
        ):
            newest = turns[-1]
            brought = (
                [newest.mark] if unseen else (yield from place.brought(turns, claimed=claimed))
            )
            if brought and not (yield from place.has_from_user(newest.messages[0])):
                service.leave(who, place.thread, newest, SkipReason.UNATTRIBUTED)
                brought = []
            # The input of a run is one person's: of a stranger's, nothing is begun.
            begun = () if set(brought) & set(owner.refused) else tuple(brought)
            kept = {ASKED: list(begun), SEEN: turns[-1].mark}
        readable = yield from self._readable(place)
        return MemoryRun(
            service,
            who,
            {**who.to_state(), **kept},
            place.thread,
            readable,
            begun,
            frozenset(owner.refused),
        )

    def _settled(
        self, place: RunPlace, told: Owner, moment: Moment, decide: Decide
    ) -> Steps[Owner]:
        """Whose thread it is, decided with what is kept of it, and kept with it."""
        if place.thread is None or place.saver is None:
            return decide(None)
        owners = self.service.owners
        kept_in = yield from owners.place(place.thread, place.saver)
        known = owners.known(kept_in) if moment == "goes on" else None
        if known is not None and known.user == told.user:  # It is what this run has begun with.
            owner = decide(known)
            if owner == known:
                return owner
        latest: Owner | None = None

        def noting(kept: Owner | None) -> Owner:
            nonlocal latest
            latest = decide(kept)
            return latest

        try:
            return (yield from self.service.timely(owners.settling(kept_in, noting)))
        except IdentityError:
            raise
        except Exception as error:
            if latest is None:
                raise _StoreFailedError(error) from error
            # Whose it is was read, and only writing fails or takes long: it goes on beside the run.
            logger.warning("It is not written yet whose the thread %r is: %s", place.thread, error)
            return latest

    def _refused(self, place: RunPlace, messages: Sequence[BaseMessage]) -> Steps[None]:
        """Have nothing that is in the thread now begun by a later run that only goes on."""
        if place.thread is None or place.saver is None:
            return
        owners = self.service.owners
        kept_in = yield from owners.place(place.thread, place.saver)
        marks = [turn.mark for turn in turns_of(messages)]

        def marking() -> Steps[None]:
            if (yield from owners.reading(kept_in)) is not None:
                yield from owners.settling(kept_in, lambda kept: (kept or Owner()).refusing(marks))

        try:
            yield from self.service.timely(marking())
        except Exception as error:  # The refusal counts, and what is not begun is not read.
            self.service.without_memory(place.thread, error)

    def _readable(self, place: RunPlace) -> Steps[bool]:
        """Whether the run's thread can be read in the background, and is its own graph's."""
        if place.saver is None or place.nested:
            return False
        return (yield from self.service.can_read(place.saver))


class _StoreFailedError(Exception):
    """It could not be read or written whose a thread is."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


def _joined(kept: Owner | None, told: Owner) -> Owner:
    """What is known of a thread's owner: what is kept of it first, then what the thread says."""
    if kept is None:
        return told
    owner = kept if kept.user is not None else replace(kept, user=told.user)
    return replace(owner, incognito=kept.incognito or told.incognito)


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

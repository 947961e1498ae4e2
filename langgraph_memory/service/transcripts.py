"""The turns of threads, read from their checkpoints."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import is_dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import chain, repeat
from typing import Any

from langchain_core.messages import BaseMessage
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple
from langgraph.constants import START
from pydantic import BaseModel

from langgraph_memory import clock
from langgraph_memory.calls import Call, Steps, drive
from langgraph_memory.checkpoints.asking import asked
from langgraph_memory.checkpoints.conversations import messages_of, place_of
from langgraph_memory.messages import as_messages, is_said_by_user, role_of, text_of
from langgraph_memory.service.turns import Turn, turns_of

__all__ = ["Transcripts", "before_run", "said_around"]

PAGES = (2, 4, 8, 16, 32, 64, 64)
"""How many checkpoints are looked through at a time for turns that a thread has lost since; the
last one again while they are not older than the turns."""
SKEW = timedelta(minutes=1)
"""How far apart clocks may be of those who note a turn and who save it."""
STEPS = 50
"""How many checkpoints a run may have made before memory sees it."""
LOOKS = 50
PAUSE = 0.05
"""How often, and after how many seconds, a checkpoint is looked for that is just being saved."""

Saver = BaseCheckpointSaver[Any]
RESUME = "__resume__"
"""The channel in which LangGraph saves what somebody answered."""


class Transcripts:
    """Reads threads of any graph that keeps its conversation under `messages`.

    Args:
        checkpointer: Where the threads are. Its blocking methods are used, see `can_read`.
    """

    @staticmethod
    def can_read(checkpointer: Saver) -> bool:
        """Whether a checkpointer's blocking methods serve any thread.

        LangGraph's purely asynchronous ones need the event loop that they were opened in.
        """
        return not hasattr(checkpointer, "loop")

    def __init__(self, checkpointer: Saver) -> None:
        self.checkpointer = checkpointer

    def messages(self, thread: str) -> list[BaseMessage]:
        """A thread's messages as they are now; none if there is no such thread."""
        newest = self.checkpointer.get_tuple(place_of(thread))
        return [] if newest is None else self._messages(newest)

    def turns(
        self,
        thread: str,
        wanted: Collection[str],
        known: Collection[str] = (),
        *,
        begun: datetime | None = None,
    ) -> tuple[list[Turn], datetime]:
        """Turns of a thread, in their order, and when the newest of its checkpoints was made.

        A thread may have been trimmed before anybody read it, or have been gone on with from an
        earlier checkpoint. While a turn that is wanted is missing, other checkpoints are looked
        through, the newest first.

        Args:
            thread: Its id.
            wanted: Marks of the turns that are to be read.
            known: Marks of others that are to be given, if the thread still has them.
            begun: When the first of the wanted ones was begun: so far back is looked. If that is
                not known, only a number of checkpoints are looked through.

        Returns:
            Nothing but the present time for a thread that is not there.
        """
        newest = self.checkpointer.get_tuple(place_of(thread))
        if newest is None:
            return [], clock.now()
        made = _made_at(newest)
        now = turns_of(self._messages(newest))
        missing = set(wanted) - {turn.mark for turn in now}
        lost: list[Turn] = []
        for saved in self._earlier(newest, begun) if missing else ():
            found = [turn for turn in turns_of(self._messages(saved)) if turn.mark in missing]
            lost = [*found, *lost]
            missing -= {turn.mark for turn in found}
            if not missing:
                break
        there = [turn for turn in now if turn.mark in wanted or turn.mark in known]
        return [*lost, *there], made

    def _earlier(
        self, newest: CheckpointTuple, begun: datetime | None
    ) -> Iterator[CheckpointTuple]:
        """Checkpoints of a thread that are older than one, the newest first."""
        place = place_of(str(newest.config["configurable"]["thread_id"]))
        oldest = newest
        looked = 0
        for size in chain(PAGES, repeat(PAGES[-1])):
            # Whole pages: a checkpointer may be locked as long as it lists.
            page = [*self.checkpointer.list(place, before=oldest.config, limit=size)]
            yield from page
            if len(page) < size:
                return
            oldest = page[-1]
            looked += size
            if looked >= sum(PAGES) and (begun is None or _made_at(oldest) < begun - SKEW):
                return

    def _messages(self, saved: CheckpointTuple) -> list[BaseMessage]:
        return as_messages(drive(messages_of(self.checkpointer, saved)))


def _made_at(saved: CheckpointTuple) -> datetime:
    return datetime.fromisoformat(saved.checkpoint["ts"])


def before_run(
    saver: Saver, thread: str, checkpoint: str | None, *, at_exit: bool
) -> Steps[list[BaseMessage] | None]:
    """A thread's messages as they were before a run put something into it.

    Args:
        saver: The run's checkpointer.
        thread: The thread's id.
        checkpoint: Id of the run's newest checkpoint.
        at_exit: Whether the run is only saved when it ends, and so is not there yet.

    Returns:
        None if the checkpoints do not tell.
    """
    place = place_of(thread)
    if at_exit:
        saved = yield asked(saver, "get_tuple", place)
        return [] if saved is None else as_messages((yield from messages_of(saver, saved)))
    run = yield from _back_to_input(saver, thread, checkpoint)
    # What is saved as a run's input is the thread as it was before.
    if not run or run[-1].metadata.get("source") != "input":
        return None
    return as_messages((yield from messages_of(saver, run[-1])))


def said_around(saver: Saver, thread: str, checkpoint: str, message: BaseMessage) -> Steps[bool]:
    """Whether the user said what a nested run was given as a user's message.

    That is so if the graph around it has it as a user's message, or was handed the same text by its
    caller. What its own model or nodes have written is nobody's word.

    Args:
        saver: The run's checkpointer.
        thread: The thread's id.
        checkpoint: Id of the outermost graph's newest checkpoint.
        message: What the nested run was given.
    """
    newest = yield from _back_to_input(saver, thread, checkpoint, 1)
    if not newest:
        return False
    text = text_of(message).strip()
    others = set()
    for each in as_messages((yield from messages_of(saver, newest[0]))):
        if is_said_by_user(each):
            if text_of(each).strip() == text or (message.id is not None and each.id == message.id):
                return True
        elif role_of(each) != "user":
            others.add(text_of(each).strip())
    if text in others:
        return False
    run = yield from _back_to_input(saver, thread, checkpoint)
    return any(text == given.strip() for saved in run for given in _given_in(saved))


def _given_in(saved: CheckpointTuple) -> Iterator[str]:
    """The texts that a graph's caller has handed in, as input or as an answer when asked."""
    yield from _texts(saved.checkpoint["channel_values"].get(START))
    for _, channel, value in saved.pending_writes or ():
        # An answer that is more than a text may repeat what the asked one has proposed.
        if channel == RESUME and isinstance(value, str):
            yield value


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, BaseMessage):
        yield from [text_of(value)] if is_said_by_user(value) else []
    elif isinstance(value, Mapping):
        yield from chain.from_iterable(map(_texts, value.values()))
    elif isinstance(value, list | tuple | set | frozenset):
        yield from chain.from_iterable(map(_texts, value))
    elif isinstance(value, BaseModel) or is_dataclass(value):
        yield from _texts(vars(value))


def _back_to_input(
    saver: Saver, thread: str, checkpoint: str | None, most: int = STEPS
) -> Steps[list[CheckpointTuple]]:
    """The checkpoints of a run from a given one back to the run's input, the newest first."""
    place = place_of(thread)
    place["configurable"]["checkpoint_id"] = checkpoint
    saved = None
    for _ in range(LOOKS):  # LangGraph saves beside the run.
        saved = yield asked(saver, "get_tuple", place)
        if saved is not None:
            break
        yield Call(partial(time.sleep, PAUSE), partial(asyncio.sleep, PAUSE))
    run: list[CheckpointTuple] = []
    while saved is not None and len(run) < most:
        run.append(saved)
        before = saved.parent_config
        if saved.metadata.get("source") == "input" or before is None:
            break
        saved = yield asked(saver, "get_tuple", before)
    return run

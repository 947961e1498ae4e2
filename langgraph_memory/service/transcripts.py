"""The messages of threads, read from their checkpoints."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from langchain_core.messages import BaseMessage, RemoveMessage, convert_to_messages
from langchain_core.runnables import RunnableConfig
from langgraph.channels import DeltaChannel
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple
from langgraph.graph.message import REMOVE_ALL_MESSAGES

from langgraph_memory import clock
from langgraph_memory.identity import OWNER_KEY
from langgraph_memory.messages import key_of
from langgraph_memory.service.turns import mark_of

__all__ = ["Transcripts"]

MESSAGES = "messages"
CHECKPOINTS = 200
"""How far back a thread is followed for messages that it has lost since."""
LOOKS = 50
PAUSE = 0.05
"""How often, and after how many seconds, a checkpoint is looked for that is just being saved."""


class Transcripts:
    """Reads threads of any graph that keeps its conversation under `messages`.

    Args:
        checkpointer: Where the threads are. Its blocking methods are used, see `can_read`.
    """

    @staticmethod
    def can_read(checkpointer: BaseCheckpointSaver[Any]) -> bool:
        """Whether a checkpointer's blocking methods serve any thread.

        LangGraph's purely asynchronous ones need the event loop that they were opened in.
        """
        return not hasattr(checkpointer, "loop")

    def __init__(self, checkpointer: BaseCheckpointSaver[Any]) -> None:
        self._checkpointer = checkpointer

    def read(
        self, thread: str, wanted: Collection[str] = (), incognito: Any = None
    ) -> tuple[list[BaseMessage], datetime]:
        """A thread's messages, and when the newest of its checkpoints was made.

        A thread may have been trimmed before anybody read it. While one of the messages that are
        wanted is missing, the checkpoints before are read, on this branch of the thread alone.

        Args:
            thread: Its id.
            wanted: Keys of messages that are to be read.
            incognito: Key of the message since which the thread is incognito, where the thread
                itself may not say so.

        Returns:
            Nothing but the present time for a thread that is not there. What was said in it since
            it became incognito is left out.
        """
        newest = self._checkpointer.get_tuple(_place(thread))
        if newest is None:
            return [], clock.now()
        messages = self._with_earlier(newest, self._messages(newest), wanted)
        made = datetime.fromisoformat(newest.checkpoint["ts"])
        return _until(messages, incognito or _owner(newest).get("incognito")), made

    def brought(self, thread: str, checkpoint: str) -> list[BaseMessage] | None:
        """The messages that a run has brought into a thread, new and edited ones.

        Args:
            thread: Its id.
            checkpoint: Id of a checkpoint of that run.

        Returns:
            None of them for a run that goes on with what was interrupted; and None instead of a
            list if the checkpoints do not tell.
        """
        saved, began = self._began(thread, checkpoint)
        if saved is None or began is None:
            return None
        if _asked(began) != _asked(saved):
            return []
        # What is saved as a run's input is the thread as it was before.
        had = {mark_of(message) for message in self._messages(began)}
        return [message for message in self._messages(saved) if mark_of(message) not in had]

    def is_new(self, thread: str, checkpoint: str) -> bool:
        """Whether a thread began with the run that a checkpoint is of.

        Args:
            thread: Its id.
            checkpoint: Id of a checkpoint of that run.
        """
        saved, began = self._began(thread, checkpoint)
        return saved is not None and began is not None and began.parent_config is None

    def _began(
        self, thread: str, checkpoint: str
    ) -> tuple[CheckpointTuple | None, CheckpointTuple | None]:
        """A checkpoint, and the last before it in which messages were put into the thread."""
        place = _place(thread)
        place["configurable"]["checkpoint_id"] = checkpoint
        saved = None
        for _ in range(LOOKS):  # LangGraph saves beside the run.
            if (saved := self._checkpointer.get_tuple(place)) is not None:
                break
            time.sleep(PAUSE)
        began = saved
        while began is not None and began.metadata.get("source") != "input":
            began = self._before(began)
        return saved, began

    def _before(self, saved: CheckpointTuple) -> CheckpointTuple | None:
        before = saved.parent_config
        return None if before is None else self._checkpointer.get_tuple(before)

    def _messages(self, saved: CheckpointTuple) -> list[BaseMessage]:
        values = saved.checkpoint["channel_values"]
        if MESSAGES in values and isinstance(values[MESSAGES], list):
            return list(values[MESSAGES])
        # A delta channel is saved as what was written to it since its last snapshot.
        history = self._checkpointer.get_delta_channel_history(
            config=saved.config, channels=[MESSAGES]
        )[MESSAGES]
        channel = DeltaChannel(_added, list).from_checkpoint(
            values.get(MESSAGES, history.get("seed"))
        )
        if MESSAGES not in values:
            channel.replay_writes(history["writes"])
        return list(channel.get())

    def _with_earlier(
        self, newest: CheckpointTuple, messages: list[BaseMessage], wanted: Collection[str]
    ) -> list[BaseMessage]:
        have = {key_of(message) for message in messages}
        missing = set(wanted) - have
        earlier = self._before(newest) if missing else None
        for _ in range(CHECKPOINTS):
            if earlier is None or not missing:
                break
            lost = [each for each in self._messages(earlier) if key_of(each) not in have]
            messages = [*lost, *messages]
            have |= {key_of(message) for message in lost}
            missing -= have
            earlier = self._before(earlier)
        return messages


def _place(thread: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}


def _owner(saved: CheckpointTuple) -> Mapping[str, Any]:
    owner = saved.checkpoint["channel_values"].get(OWNER_KEY)
    return owner if isinstance(owner, Mapping) else {}


def _asked(saved: CheckpointTuple) -> Any:
    """The newest turn that a run of the thread's owner has begun."""
    return _owner(saved).get("asked")


def _added(messages: Any, writes: Sequence[Any]) -> list[BaseMessage]:
    """What LangGraph's reducer makes of writes, without new ids, which would differ each time."""
    said: list[BaseMessage] = convert_to_messages(messages or [])
    for write in writes:
        for message in convert_to_messages(write if isinstance(write, list) else [write]):
            at = next(
                (i for i, old in enumerate(said) if message.id and old.id == message.id), None
            )
            if isinstance(message, RemoveMessage):
                if message.id == REMOVE_ALL_MESSAGES:
                    said = []
                elif at is not None:
                    del said[at]
            elif at is not None:
                said[at] = message
            else:
                said.append(message)
    return said


def _until(messages: list[BaseMessage], key: Any) -> list[BaseMessage]:
    """The messages before the one with a key; all of them if there is no key.

    Where that one is gone, nobody can say any more what was said after it.
    """
    if not key:
        return messages
    keys = [key_of(message) for message in messages]
    return messages[: keys.index(key)] if key in keys else []

"""A thread as a checkpointer has it: its messages, whether it rests, and writing them anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import randrange
from typing import Any
from uuid import UUID

from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    CheckpointMetadata,
    CheckpointTuple,
    copy_checkpoint,
)
from langgraph.checkpoint.serde.types import ERROR, INTERRUPT, TASKS, _DeltaSnapshot

from langgraph_memory import clock
from langgraph_memory.calls import Steps
from langgraph_memory.checkpoints.asking import asked
from langgraph_memory.checkpoints.conversations import MESSAGES, messages_of, place_of
from langgraph_memory.errors import InvalidInputError
from langgraph_memory.history.errors import (
    HistoryError,
    PendingThreadError,
    ThreadChangedError,
    UnknownThreadError,
)
from langgraph_memory.messages.content import check_messages
from langgraph_memory.shown import shown

__all__ = ["MESSAGES", "StoredThread", "check_positions", "pending_in", "saver_of"]


def saver_of(target: Any) -> BaseCheckpointSaver[Any]:
    """The checkpointer that is meant: itself, or that of a compiled graph.

    Raises:
        InvalidInputError: It is neither, or the graph has none.
    """
    saver = target if isinstance(target, BaseCheckpointSaver) else None
    if saver is None:
        saver = getattr(target, "checkpointer", None)
    if not isinstance(saver, BaseCheckpointSaver):
        raise InvalidInputError(
            "Threads are changed through a checkpointer or a graph that was compiled with one, "
            f"got {shown(target)}. Use graph.compile(checkpointer=…), or pass the checkpointer."
        )
    return saver


@dataclass(frozen=True, eq=False)
class StoredThread:
    """A thread's newest checkpoint.

    Attributes:
        saver: Where it is.
        id: The thread's id.
        found: The checkpoint.
        messages: The thread's messages.
        key: The key of the graph's state that holds them.
    """

    saver: BaseCheckpointSaver[Any]
    id: str
    found: CheckpointTuple
    messages: list[BaseMessage]
    key: str = MESSAGES

    @classmethod
    def read(
        cls, saver: BaseCheckpointSaver[Any], thread: str, key: str = MESSAGES
    ) -> Steps[StoredThread]:
        """Read a thread.

        Raises:
            UnknownThreadError: There is none of that id.
            InvalidMessagesError: What the key holds is no list of messages.
        """
        found: CheckpointTuple | None = yield asked(saver, "get_tuple", place_of(thread))
        if found is None:
            raise UnknownThreadError(
                f"There is no thread {thread!r}. `threads list` shows those that there are."
            )
        messages = yield from messages_of(saver, found, key)
        check_messages(messages)
        return cls(saver, thread, found, list(messages), key)

    @property
    def last_used(self) -> str:
        """When the newest checkpoint was made, in ISO 8601."""
        return self.found.checkpoint["ts"]

    @property
    def pending(self) -> str:
        """Why the thread must not be changed now; empty when it rests."""
        return pending_in(self.found)

    def check(self) -> None:
        """The thread may be changed.

        Raises:
            PendingThreadError: An interrupt waits in it, or a run of it has not ended.
            HistoryError: Something else in its state counts its messages.
        """
        if self.pending:
            raise PendingThreadError(
                f"The thread {self.id!r} was left as it is: {self.pending}. Answer it or let the "
                "run come to its end first."
            )
        check_positions(self.id, self.found.checkpoint["channel_values"])

    def write(self, messages: Sequence[BaseMessage]) -> Steps[None]:
        """Put other messages into the thread, as a new checkpoint on top of this one.

        Nothing else of the state changes, no node runs and no edge is followed. A run that stores
        a checkpoint at this moment wins, and the thread is what the run has made of it.

        Raises:
            ThreadChangedError: There is a newer checkpoint meanwhile.
        """
        newest: CheckpointTuple | None = yield asked(self.saver, "get_tuple", place_of(self.id))
        if newest is None or newest.checkpoint["id"] != self.found.checkpoint["id"]:
            raise ThreadChangedError(
                f"The thread {self.id!r} went on while it was being looked at. Nothing of it was "
                "changed; try again when no run of it is under way."
            )
        before = self.found.checkpoint
        checkpoint = copy_checkpoint(before)
        versions = checkpoint["channel_versions"]
        current: Any = max(versions.values(), default=None)
        version = self.saver.get_next_version(current, None)
        versions[self.key] = version
        held = before["channel_values"].get(self.key)
        # A delta channel's whole value is a snapshot, from which later writes go on.
        is_delta = isinstance(held, _DeltaSnapshot) or self.key not in before["channel_values"]
        checkpoint["channel_values"][self.key] = (
            _DeltaSnapshot(list(messages)) if is_delta else list(messages)
        )
        # Directly after the one it follows, so that a run which is storing what it has said
        # meanwhile comes after it, and whatever the clocks say: then no more is lost than this.
        checkpoint["id"] = str(UUID(int=UUID(before["id"]).int + randrange(1, 1 << 16)))
        checkpoint["ts"] = clock.now().isoformat()
        checkpoint["updated_channels"] = None
        config: RunnableConfig = {"configurable": dict(self.found.config["configurable"])}
        new = {self.key: version}
        yield asked(self.saver, "put", config, checkpoint, self._metadata(), new)

    def _metadata(self) -> CheckpointMetadata:
        had = self.found.metadata
        metadata: CheckpointMetadata = {
            "source": "update",
            "step": had.get("step", -1) + 1,
            "parents": had.get("parents", {}),
        }
        counters = {**had.get("counters_since_delta_snapshot", {})}
        counters.pop(self.key, None)  # It is a snapshot now.
        if counters:
            metadata["counters_since_delta_snapshot"] = counters
        return metadata


def check_positions(thread: str, state: Any) -> None:
    """Nothing in a thread's state knows its messages by their positions.

    deepagents' summaries do.

    Raises:
        HistoryError: Something does, and would hide other messages once some are gone.
    """
    values = state if isinstance(state, Mapping) else {}
    for name, value in values.items():
        if isinstance(value, Mapping) and isinstance(value.get("cutoff_index"), int):
            raise HistoryError(
                f"The thread {thread!r} was left as it is: {name!r} in its state counts messages "
                "by position, and would hide others from the model. Use one of the two layers: "
                "that one for what the model sees, or ours, with a context strategy."
            )


def pending_in(found: CheckpointTuple) -> str:
    """Why a thread does not rest at a checkpoint; empty when it does.

    LangGraph has no such question for a checkpointer without its graph. What it would go on with
    is in channels of known names: of nodes to run, of tasks, of input that no node has read.
    """
    waiting = {channel for _, channel, _ in found.pending_writes or ()}
    if INTERRUPT in waiting:
        return "an interrupt waits for an answer"
    if ERROR in waiting:
        return "a step failed and can be resumed"
    if waiting:
        return "a step has begun and not ended"
    values: Mapping[str, Any] = found.checkpoint["channel_values"]
    for name, value in values.items():
        if name.startswith("branch:to:"):
            return f"the node {name.removeprefix('branch:to:')!r} is still to run"
        if name == "__start__" or (name == TASKS and value):
            return "a run has begun and not ended"
        if name.startswith("join:") and value:
            return f"the node {name.rpartition(':')[2]!r} waits for others"
    return "a task is still to run" if found.checkpoint.get("pending_sends") else ""

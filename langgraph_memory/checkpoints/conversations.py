"""The messages of a thread, read from one of its checkpoints."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

from langchain_core.messages import BaseMessage, RemoveMessage, convert_to_messages
from langchain_core.runnables import RunnableConfig
from langgraph.channels import DeltaChannel
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple
from langgraph.checkpoint.serde.types import _DeltaSnapshot
from langgraph.graph.message import REMOVE_ALL_MESSAGES

from langgraph_memory.calls import Steps
from langgraph_memory.checkpoints.asking import asked

__all__ = ["MESSAGES", "messages_of", "place_of"]

MESSAGES = "messages"


def place_of(thread: str) -> RunnableConfig:
    """Where a checkpointer has a thread of its own, not that of a subgraph."""
    return {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}


def messages_of(
    saver: BaseCheckpointSaver[Any], found: CheckpointTuple, key: str = MESSAGES
) -> Steps[Any]:
    """What the graph had under a key when a checkpoint was made.

    Args:
        saver: Where the checkpoint is.
        found: The checkpoint.
        key: The key of the graph's state that holds the messages.

    Returns:
        A list of messages; whatever else it is if the graph keeps something else there.
    """
    values = found.checkpoint["channel_values"]
    held = values.get(key)
    if key not in values and key in found.checkpoint["channel_versions"]:
        # A delta channel is saved as what was written to it since its last snapshot.
        saved = yield asked(saver, "get_delta_channel_history", config=found.config, channels=[key])
        channel = DeltaChannel(_added, list).from_checkpoint(saved[key].get("seed"))
        channel.replay_writes(saved[key]["writes"])
        held = channel.get()
    if isinstance(held, _DeltaSnapshot):
        held = held.value
    return [] if held is None else held


def _added(messages: Any, writes: Sequence[Any]) -> list[BaseMessage]:
    """What LangGraph's reducer makes of writes, without new ids, which would differ each time."""
    unnamed = count()
    said: dict[str | int, BaseMessage] = {}
    given = [*(messages or [])]
    for write in writes:
        given.extend(write if isinstance(write, list) else [write])
    for message in convert_to_messages(given):
        key = next(unnamed) if message.id is None else message.id
        if not isinstance(message, RemoveMessage):
            said[key] = message
        elif key == REMOVE_ALL_MESSAGES:
            said.clear()
        else:
            said.pop(key, None)
    return list(said.values())

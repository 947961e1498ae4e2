"""The messages of threads, read from their checkpoints."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, TypedDict, cast

from langchain_core.messages import AnyMessage, BaseMessage
from langgraph.channels import DeltaChannel
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages

from langgraph_memory import clock

__all__ = ["Transcripts"]


def _added(messages: Any, writes: Sequence[Any]) -> list[AnyMessage]:
    for write in writes:
        messages = add_messages(messages or [], write)
    return cast(list[AnyMessage], messages or [])


class _Thread(TypedDict, total=False):
    # A delta channel also reads what a plain channel has saved; agents use either.
    messages: Annotated[list[AnyMessage], DeltaChannel(_added)]


class Transcripts:
    """Reads threads of any graph that keeps its conversation under `messages`.

    Args:
        checkpointer: Where the threads are. Its blocking methods are used.
    """

    def __init__(self, checkpointer: BaseCheckpointSaver[Any]) -> None:
        reader = StateGraph(_Thread)
        reader.add_node("read", lambda _: {})
        reader.add_edge(START, "read")
        self._reader = reader.compile(checkpointer=checkpointer)

    def read(self, thread: str, namespace: str = "") -> tuple[list[BaseMessage], datetime]:
        """A thread's messages, and when the newest of its checkpoints was made.

        Args:
            thread: Its id.
            namespace: Its checkpoint namespace; empty for a graph that is nobody's subgraph.

        Returns:
            Nothing but the present time for a thread that is not there.
        """
        place = {"thread_id": thread, "checkpoint_ns": namespace}
        found = self._reader.get_state({"configurable": place})
        made = datetime.fromisoformat(found.created_at) if found.created_at else clock.now()
        return list(found.values.get("messages", [])), made

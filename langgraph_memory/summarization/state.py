"""The private state of context nodes: messages and plain JSON, so that any serializer keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypedDict

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages

STATE_KEY = "context_state"
INPUT_KEY = "llm_input_messages"


def merge_states(left: Mapping[str, Any] | None, right: Mapping[str, Any] | None) -> dict[str, Any]:
    """Keep what each step remembers, under its name; the newer entry wins."""
    return {**(left or {}), **(right or {})}


class ContextChannels(TypedDict, total=False):
    """The channels that a context node reads and writes; a graph gets them with the node.

    Attributes:
        messages: The thread. A context node only reads it.
        llm_input_messages: The view: what to send to the model.
        context_state: What each step must remember, by its name.
    """

    messages: list[AnyMessage]
    llm_input_messages: list[AnyMessage]
    context_state: Annotated[dict[str, Any], merge_states]


class ContextState(TypedDict, total=False):
    """A graph state with a thread and the channels of context nodes."""

    messages: Annotated[list[AnyMessage], add_messages]
    llm_input_messages: list[AnyMessage]
    context_state: Annotated[dict[str, Any], merge_states]


def read(state: Any, key: str) -> Any:
    """A value of a graph state, whether it is a dict or an object; None where it is missing."""
    return state.get(key) if isinstance(state, Mapping) else getattr(state, key, None)


def remembered(state: Any, name: str) -> dict[str, Any] | None:
    """What a step left in the state the last time."""
    states = read(state, STATE_KEY) or {}
    entry = states.get(name)
    return entry if isinstance(entry, dict) else None

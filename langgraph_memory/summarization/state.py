"""The private state of context nodes: messages and plain JSON, so that any serializer keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Self, TypedDict, cast, get_type_hints

from langchain_core.messages import AnyMessage
from langchain_core.runnables import Runnable
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


@cache
def channels_with(source: str) -> type[Any]:
    """The channels of a node whose messages are under another key of the state."""
    if source in ContextChannels.__annotations__:
        return ContextChannels
    fields = {source: list[AnyMessage], **get_type_hints(ContextChannels, include_extras=True)}
    del fields["messages"]
    make: Any = TypedDict
    return cast(type[Any], make("ContextChannels", fields, total=False))


class ContextState(TypedDict, total=False):
    """A graph state with a thread and the channels of context nodes."""

    messages: Annotated[list[AnyMessage], add_messages]
    llm_input_messages: list[AnyMessage]
    context_state: Annotated[dict[str, Any], merge_states]


class StateReader(Runnable[Any, Any]):
    """A node that tells LangGraph, by the type of its parameter, which channels it needs.

    A graph then has those channels, whatever its own state is. What a subclass is given as
    `source` is the state key that holds the messages.
    """

    def __new__(cls, *args: Any, source: str = "messages", **kwargs: Any) -> Self:
        """Make the node as a class of its own, whose signature names its channels."""

        def call(self: Any, state: Any, config: Any = None) -> Any:
            return self.invoke(state, config)

        call.__annotations__ = {"state": channels_with(source)}
        return cast(Self, object.__new__(type(cls.__name__, (cls,), {"__call__": call})))


def read(state: Any, key: str) -> Any:
    """A value of a graph state, whether it is a dict or an object; None where it is missing."""
    return state.get(key) if isinstance(state, Mapping) else getattr(state, key, None)


def remembered(state: Any, name: str) -> dict[str, Any] | None:
    """What a step left in the state the last time."""
    states = read(state, STATE_KEY) or {}
    entry = states.get(name)
    return entry if isinstance(entry, dict) else None

"""Long-term memory as nodes of a `StateGraph`, and as hooks of `create_react_agent`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any, TypeVar

from langchain_core.messages import SystemMessage
from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda
from langgraph.config import get_config
from langgraph.runtime import get_runtime

from langgraph_memory.identity import OWNER_KEY
from langgraph_memory.integrations.memory_run import (
    RECALL_KEY,
    MemoryRun,
    MemoryRuns,
    shown_in_layers,
)
from langgraph_memory.integrations.node import ContextNode, ViewUpdate
from langgraph_memory.messages import as_messages
from langgraph_memory.service import Placement, Recollection, placed
from langgraph_memory.summarization.state import INPUT_KEY, ContextChannels, read

__all__ = ["MemoryChannels", "MemoryNodes", "RecallNode", "RememberNode"]

Node = TypeVar("Node")


class MemoryChannels(ContextChannels, total=False):
    """The channels of memory nodes; a graph gets them with the nodes.

    Attributes:
        memory_owner: Whose thread it is.
        memory_recall: Why memories were recalled for its newest turn.
    """

    memory_owner: dict[str, Any]
    memory_recall: dict[str, Any]


@dataclass(frozen=True)
class MemoryNodes:
    """The two nodes of a graph with memory: `recall` before the model, `remember` after it."""

    recall: RecallNode
    remember: RememberNode

    def guard(self, node: Node) -> Node:
        """A node that is only run for the thread's owner; anybody else is refused before it is.

        For nodes at which a run may be resumed, such as those with an interrupt, and for those
        after it that use memories or cannot be undone: a resumed run does not pass `recall`.

        Args:
            node: A function or Runnable, as for `StateGraph.add_node`.
        """
        guarded: Node = _guarded(node, self.remember.runs)
        return guarded


class RecallNode(Runnable[Any, Any]):
    """Writes the thread with what is known about the user to `llm_input_messages`.

    `messages` stays as it is. In a loop with tools the way back to the model goes through this
    node; within a turn it shows the same memories.

    Args:
        runs: Tells whose memories.
        system: The system prompt, if it is not among the messages.
        strategy: A context node that works on the result, so that its budget counts memories.
        placement: Where recalled memories go, see `LongTermMemorySettings`.
        on_recall: Called with what the model is shown, to show or log it.
    """

    def __init__(
        self,
        runs: MemoryRuns,
        *,
        system: str | None = None,
        strategy: ContextNode | None = None,
        placement: Placement = "before_last_user",
        on_recall: Callable[[Recollection], None] | None = None,
    ) -> None:
        self.name = "recall"
        self._runs = runs
        self._system = SystemMessage(content=system) if system else None
        self._strategy = strategy
        self._placement = placement
        self._on_recall = on_recall

    def __call__(self, state: MemoryChannels, config: RunnableConfig) -> Any:
        """Tell LangGraph which channels the node has."""
        return self.invoke(state, config)

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Recall for the newest message."""
        run = self._runs.of(get_runtime(), input, get_config(), "begins")
        messages = _messages(input)
        run.begin(messages)
        recollection = run.recollect(messages)
        update = self._update(run, messages, recollection)
        if self._strategy is not None:
            with shown_in_layers(recollection):
                update |= dict(self._strategy.invoke(_seen(input, update)))
        return ViewUpdate(update=list(update.items()))

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """The same as `invoke`, without blocking the event loop."""
        run = await self._runs.aof(get_runtime(), input, get_config(), "begins")
        messages = _messages(input)
        run.begin(messages)
        recollection = await run.arecollect(messages)
        update = self._update(run, messages, recollection)
        if self._strategy is not None:
            with shown_in_layers(recollection):
                update |= dict(await self._strategy.ainvoke(_seen(input, update)))
        return ViewUpdate(update=list(update.items()))

    def _update(
        self, run: MemoryRun, messages: list[Any], recollection: Recollection
    ) -> dict[str, Any]:
        if self._on_recall is not None:
            self._on_recall(recollection)
        lead = self._system
        if lead is None and messages and isinstance(messages[0], SystemMessage):
            lead, messages = messages[0], messages[1:]
        sent, system = placed(recollection, messages, lead, self._placement)
        return {
            INPUT_KEY: [system, *sent] if system is not None else sent,
            OWNER_KEY: dict(run.owner),
            RECALL_KEY: recollection.to_state(),
        }


class RememberNode(Runnable[Any, dict[str, Any]]):
    """Has the turn remembered in the background, once it has its reply.

    Args:
        runs: Tells whose memories.
    """

    def __init__(self, runs: MemoryRuns) -> None:
        self.name = "remember"
        self.runs = runs

    def __call__(self, state: MemoryChannels, config: RunnableConfig) -> dict[str, Any]:
        """Tell LangGraph which channels the node has."""
        return self.invoke(state, config)

    def invoke(
        self, input: Any, config: RunnableConfig | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        """Ask for it; nothing is waited for."""
        run = self.runs.of(get_runtime(), input, get_config(), "ends")
        run.end(_messages(input), read(input, RECALL_KEY))
        return {}

    async def ainvoke(
        self, input: Any, config: RunnableConfig | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        """The same as `invoke`."""
        run = await self.runs.aof(get_runtime(), input, get_config(), "ends")
        run.end(_messages(input), read(input, RECALL_KEY))
        return {}


def _guarded(node: Any, runs: MemoryRuns) -> Any:
    def check(state: Any) -> Any:
        runs.of(get_runtime(), state, get_config())
        return state

    async def acheck(state: Any) -> Any:
        await runs.aof(get_runtime(), state, get_config())
        return state

    if isinstance(node, Runnable):
        return RunnableLambda(check, acheck) | node

    # A function keeps its parameters, by which LangGraph tells what to hand to it.
    @wraps(node)
    def guarded(state: Any, *args: Any, **kwargs: Any) -> Any:
        return node(check(state), *args, **kwargs)

    @wraps(node)
    async def aguarded(state: Any, *args: Any, **kwargs: Any) -> Any:
        return await node(await acheck(state), *args, **kwargs)

    return aguarded if iscoroutinefunction(node) else guarded


def _messages(state: Any) -> list[Any]:
    return [*as_messages(read(state, "messages"))]


def _seen(state: Any, update: dict[str, Any]) -> dict[str, Any]:
    """The state as the strategy's node is to see it."""
    return {"context_state": read(state, "context_state"), INPUT_KEY: update[INPUT_KEY]}

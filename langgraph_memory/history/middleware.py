"""A history strategy as middleware for `langchain.agents.create_agent`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, AgentState
from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from langgraph_memory.history.applying import Archived
from langgraph_memory.history.node import HistoryNode
from langgraph_memory.history.report import HistoryReport
from langgraph_memory.history.stored_thread import MESSAGES
from langgraph_memory.history.strategy import HistoryStrategy

__all__ = ["HistoryMiddleware"]


class HistoryMiddleware(AgentMiddleware[AgentState[Any], Any, Any]):
    """Takes from an agent's thread what it need not keep, when a run ends.

    Put it first in the list of middleware: what runs after an agent runs in reverse order.

    Args:
        strategy: What the thread is to keep.
        archive: Path of a JSONL file, a store, or an `Archive`. None: nothing is archived.
        name: Tells several of them in one agent apart.
        on_report: Given the report of every change.
    """

    def __init__(
        self,
        strategy: HistoryStrategy,
        *,
        archive: Archived = None,
        name: str | None = None,
        on_report: Callable[[HistoryReport], None] | None = None,
    ) -> None:
        super().__init__()
        self._name = f"HistoryMiddleware[{name or type(strategy).__name__}]"
        self._node = HistoryNode(strategy, archive, self._name, MESSAGES, on_report)

    @property
    def name(self) -> str:
        """The name that the agent knows this middleware by."""
        return self._name

    # LangGraph hands a node its configuration by the name of the parameter, and takes a command.
    def after_agent(  # type: ignore[override]
        self, state: AgentState[Any], runtime: Runtime[Any], config: RunnableConfig
    ) -> Any:
        """Take from the thread what goes."""
        return self._node.invoke(state, config)

    async def aafter_agent(  # type: ignore[override]
        self, state: AgentState[Any], runtime: Runtime[Any], config: RunnableConfig
    ) -> Any:
        """The same as `after_agent`, awaited."""
        return await self._node.ainvoke(state, config)

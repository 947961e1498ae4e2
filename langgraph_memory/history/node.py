"""A history strategy as the last node of a graph's run."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.types import Command

from langgraph_memory.calls import Steps, adrive, drive
from langgraph_memory.errors import InvalidInputError, SummarizationError
from langgraph_memory.history.applying import Archived, archived
from langgraph_memory.history.archive import archive_of
from langgraph_memory.history.errors import HistoryError
from langgraph_memory.history.report import HistoryReport, refusal, report_of
from langgraph_memory.history.stored_thread import MESSAGES, check_positions
from langgraph_memory.history.strategy import HistoryStrategy
from langgraph_memory.summarization.state import read

__all__ = ["HistoryNode", "history_node"]

logger = logging.getLogger(__name__)


class HistoryNode(Runnable[Any, Any]):
    """A node that takes from the thread what it need not keep; made by `history_node`."""

    def __init__(
        self,
        strategy: HistoryStrategy,
        archive: Archived,
        name: str,
        messages_key: str,
        on_report: Callable[[HistoryReport], None] | None,
    ) -> None:
        if not isinstance(strategy, HistoryStrategy):
            raise InvalidInputError(
                f"strategy must be a history strategy, such as KeepLatest(20), not {strategy!r:.80}"
                ". Context strategies go into context_node()."
            )
        self.name = name
        self.strategy = strategy
        self.archive = archive_of(archive)
        self._key = messages_key
        self._on_report = on_report

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Take from a graph state what goes."""
        return drive(self._steps(input, config))

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """The same as `invoke`, with models awaited and archives written in a thread."""
        return await adrive(self._steps(input, config))

    def _steps(self, state: Any, config: RunnableConfig | None) -> Steps[Command[Any]]:
        where = (config or {}).get("configurable") or {}
        given = where.get("thread_id")
        thread = "" if given is None else str(given)
        if self.archive is not None and not thread:
            raise InvalidInputError(
                "What a thread loses is archived under its id, and this run has none: invoke the "
                "graph with config={'configurable': {'thread_id': …}}."
            )
        messages = list(read(state, self._key) or ())
        try:
            _check_is_kept(where.get("checkpoint_ns", ""))
            check_positions(thread, state)
            change = yield from self.strategy.steps(messages, config=config)
            if not change.changed:
                return Command()
            entry = yield from archived(self.archive, thread, change)
        except (SummarizationError, HistoryError) as error:
            # The reply is given already and must not be lost; the next run tries again.
            logger.warning("The thread %r keeps all its messages: %s", thread, error)
            self._report(refusal(type(self.strategy).__name__, thread, str(error)))
            return Command()
        self._report(report_of(change, thread, applied=True, archive_entry=entry))
        # LangGraph streams messages that it finds in a dict; nothing of these is said to anybody.
        return Command(update=[(self._key, change.updates)])

    def _report(self, report: HistoryReport) -> None:
        if self._on_report is not None:
            self._on_report(report)


def _check_is_kept(place: str) -> None:
    """The state is one that a checkpointer keeps from run to run.

    Args:
        place: The node's place: names of nodes, each with the id of its task if the graph in it
            begins anew each time.

    Raises:
        HistoryError: It is that of a subgraph which gets its messages from another graph.
    """
    if ":" in place.rpartition("|")[0]:
        raise HistoryError(
            "the node is in a subgraph, whose messages are another graph's, which would put back "
            "whatever goes. Put it at the end of the outermost graph."
        )


def history_node(
    strategy: HistoryStrategy,
    *,
    archive: Archived = None,
    name: str = "history",
    messages_key: str = MESSAGES,
    on_report: Callable[[HistoryReport], None] | None = None,
) -> HistoryNode:
    """Make a node that runs at the end, alone in its step: `graph.add_node("history", …)`.

    It needs the `add_messages` reducer, as `MessagesState` has it. What goes is archived before
    the node returns, so a run that dies in between loses nothing. Where a summary cannot be made or
    an archive not be written, the run ends as it would and the thread keeps all its messages. So
    it does where the node is in a subgraph without a state of its own: put it into the outermost
    graph.

    Args:
        strategy: What the thread is to keep.
        archive: Path of a JSONL file, a store, or an `Archive`. None: nothing is archived.
        name: Name of the node.
        messages_key: The key of the graph's state that holds the messages.
        on_report: Given the report of every change, and of every failure (`refused`).
    """
    return HistoryNode(strategy, archive, name, messages_key, on_report)

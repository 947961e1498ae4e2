"""What a thread keeps: strategies that change it for good, with an archive and a way back."""

from typing import TYPE_CHECKING, Any

from langgraph_memory.errors import MissingExtraError
from langgraph_memory.history.applying import (
    aapply_to_thread,
    aapply_to_threads,
    apply_to_thread,
    apply_to_threads,
)
from langgraph_memory.history.archive import Archive, ArchiveEntry
from langgraph_memory.history.errors import (
    ArchiveError,
    HistoryError,
    PendingThreadError,
    ThreadChangedError,
    UnknownThreadError,
)
from langgraph_memory.history.filter_history import FilterHistory
from langgraph_memory.history.jsonl_archive import JsonlArchive
from langgraph_memory.history.keep_latest import KeepLatest
from langgraph_memory.history.listing import thread_ids
from langgraph_memory.history.node import HistoryNode, history_node
from langgraph_memory.history.report import HistoryReport
from langgraph_memory.history.store_archive import StoreArchive
from langgraph_memory.history.strategy import Choice, HistoryChange, HistoryStrategy
from langgraph_memory.history.summarize_history import SummarizeHistory, kept_summary
from langgraph_memory.history.trim_history import TrimHistory
from langgraph_memory.history.undoing import Undone, aundo_in_thread, undo_in_thread

if TYPE_CHECKING:
    from langgraph_memory.history.middleware import HistoryMiddleware

STRATEGIES: tuple[type[HistoryStrategy], ...] = (
    TrimHistory,
    SummarizeHistory,
    KeepLatest,
    FilterHistory,
)
"""The family: the contract tests go through it, and ask for an example of each."""

__all__ = [
    "STRATEGIES",
    "Archive",
    "ArchiveEntry",
    "ArchiveError",
    "Choice",
    "FilterHistory",
    "HistoryChange",
    "HistoryError",
    "HistoryMiddleware",
    "HistoryNode",
    "HistoryReport",
    "HistoryStrategy",
    "JsonlArchive",
    "KeepLatest",
    "PendingThreadError",
    "StoreArchive",
    "SummarizeHistory",
    "ThreadChangedError",
    "TrimHistory",
    "Undone",
    "UnknownThreadError",
    "aapply_to_thread",
    "aapply_to_threads",
    "apply_to_thread",
    "apply_to_threads",
    "aundo_in_thread",
    "history_node",
    "kept_summary",
    "thread_ids",
    "undo_in_thread",
]


def __getattr__(name: str) -> Any:
    """Import what needs the `langchain` extra when it is asked for."""
    if name != "HistoryMiddleware":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from langgraph_memory.history.middleware import HistoryMiddleware
    except ImportError as error:
        if (error.name or "").split(".")[0] != "langchain":
            raise
        raise MissingExtraError("langchain", "langchain", name) from error
    return HistoryMiddleware

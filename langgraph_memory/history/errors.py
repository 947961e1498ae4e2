"""What history raises."""

from __future__ import annotations

from langgraph_memory.errors import LangGraphMemoryError

__all__ = [
    "ArchiveError",
    "HistoryError",
    "PendingThreadError",
    "ThreadChangedError",
    "UnknownThreadError",
]


class HistoryError(LangGraphMemoryError):
    """A thread's stored messages could not be changed; they are as they were."""


class UnknownThreadError(HistoryError):
    """The checkpointer has no thread of that id."""


class PendingThreadError(HistoryError):
    """A thread waits for a person, or its run has not come to its end."""


class ThreadChangedError(HistoryError):
    """A run went on with the thread while it was being looked at; nothing was written."""


class ArchiveError(HistoryError):
    """An archive cannot be written or read, or cannot give back a message as it was."""

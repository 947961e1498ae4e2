"""What looking for tasks, and writing down what was said about them, comes to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from langgraph_memory.store import Change, MemoryHit
from langgraph_memory.tasks.note import TaskNote
from langgraph_memory.tasks.task import Task

__all__ = ["FoundTask", "NoteFault", "RefusedNote", "TaskChanges"]


@dataclass(frozen=True, slots=True)
class FoundTask:
    """A task that a query found, with the store's hit and the parts of its score."""

    task: Task
    hit: MemoryHit


class NoteFault(StrEnum):
    """Why a note is not merged."""

    UNKNOWN_ID = "unknown_id"
    """It names a task that the user does not have."""
    NO_TITLE = "no_title"
    """It begins a task that has no name."""


@dataclass(frozen=True, slots=True)
class RefusedNote:
    """A note that was not merged, and why."""

    note: TaskNote
    fault: NoteFault


@dataclass(frozen=True, slots=True)
class TaskChanges:
    """What notes come to.

    Attributes:
        tasks: The tasks that they are about, as they are now, each once.
        changes: To be committed; none for a task that stays as it is.
        refused: Notes that cannot be merged.
    """

    tasks: tuple[Task, ...] = ()
    changes: tuple[Change, ...] = ()
    refused: tuple[RefusedNote, ...] = ()

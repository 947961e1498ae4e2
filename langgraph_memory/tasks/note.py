"""What a conversation says about a task."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["TaskNote", "TaskStatus"]


class TaskStatus(StrEnum):
    """How a task stands."""

    IN_PROGRESS = "in_progress"
    """The user is at it."""
    PAUSED = "paused"
    """It is to be gone on with another time."""
    COMPLETED = "completed"
    """It is done."""
    ABANDONED = "abandoned"
    """The user gave it up."""


@dataclass(frozen=True, slots=True)
class TaskNote:
    """What a conversation says about one task, to be merged into what is known of it.

    Attributes:
        title: A few words by which the user would name it.
        id: Of the task it is about; None for one that is not known yet.
        status: How it stands now; None if nothing was said about that.
        description: What it is about, in a sentence or two; empty if nothing was said.
        progress: What was done in this conversation, one entry each.
        next_steps: What is to be done next, which takes the place of what was to be done before;
            None if nothing was said.
        source_message_ids: The messages it comes from.
    """

    title: str
    id: str | None = None
    status: TaskStatus | None = None
    description: str = ""
    progress: tuple[str, ...] = ()
    next_steps: tuple[str, ...] | None = None
    source_message_ids: tuple[str, ...] = ()

"""A task of a user, across conversations."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from langgraph_memory import clock
from langgraph_memory.tasks.note import TaskStatus

__all__ = ["Task"]


@dataclass(frozen=True, slots=True)
class Task:
    """What is known of one task.

    Attributes:
        id: The item's key in the store.
        title: A few words by which the user would name it.
        description: What it is about.
        status: How it stands.
        progress_notes: What was done, oldest first.
        next_steps: What is to be done next.
        created_at: When it was first heard of, in UTC.
        updated_at: When anything was last heard of it.
        source_thread_ids: The conversations in which it was spoken of.
        source_message_ids: The messages.
    """

    id: str
    title: str
    description: str = ""
    status: TaskStatus = TaskStatus.IN_PROGRESS
    progress_notes: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    created_at: datetime = field(default_factory=clock.now)
    updated_at: datetime = field(default_factory=clock.now)
    source_thread_ids: tuple[str, ...] = ()
    source_message_ids: tuple[str, ...] = ()

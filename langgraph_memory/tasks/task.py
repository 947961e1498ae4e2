"""A task of a user, across conversations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Self

from pydantic import TypeAdapter, ValidationError

from langgraph_memory import clock
from langgraph_memory.errors import InvalidInputError
from langgraph_memory.tasks.note import TaskStatus

__all__ = ["INDEXED", "Task"]

INDEXED = ["text"]
"""The member of a stored task that searches look at."""


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
        merged_notes: Digests of the notes that are in it, so that none is merged twice.
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
    merged_notes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """What it is found by: its title, what it is about, and what is to be done next."""
        return "\n".join(part for part in (self.title, self.description, *self.next_steps) if part)

    def to_value(self) -> dict[str, Any]:
        """The task as a JSON value; put it under its id with `index=INDEXED`."""
        value: dict[str, Any] = _TASK.dump_python(self, mode="json")
        del value["id"]
        return value | {
            "created_at": clock.utc_text(self.created_at),
            "updated_at": clock.utc_text(self.updated_at),
            "text": self.text,
        }

    @classmethod
    def from_value(cls, task_id: str, value: Mapping[str, Any]) -> Self:
        """The task in a stored value.

        Raises:
            InvalidInputError: If the value is no task.
        """
        try:
            return _TASK.validate_python({**value, "id": task_id})  # type: ignore[return-value]
        except ValidationError as error:
            fault = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(part) for part in fault["loc"])
            raise InvalidInputError(
                f"The value of {task_id!r} is no task: {where}: {fault['msg']}. Keep other values "
                "in another namespace."
            ) from error


_TASK: TypeAdapter[Task] = TypeAdapter(Task)

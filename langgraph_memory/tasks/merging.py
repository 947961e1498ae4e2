"""What a task becomes when something is said about it."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from langgraph_memory import clock
from langgraph_memory.errors import InvalidInputError
from langgraph_memory.tasks.note import TaskNote, TaskStatus
from langgraph_memory.tasks.task import Task

__all__ = ["UNFINISHED", "id_of", "merged"]

UNFINISHED = (TaskStatus.IN_PROGRESS, TaskStatus.PAUSED)

MOST_PROGRESS = 50
"""Entries of progress that are kept, the newest ones."""
MOST_SOURCES = 100
"""Threads, messages and digests of notes that are kept, the newest ones."""
LONGEST_TITLE = 200
LONGEST_TEXT = 2_000


def id_of(note: TaskNote, thread_id: str | None) -> str:
    """The id of the task that a note begins; the same for the same origin and title."""
    origin = [thread_id, list(note.source_message_ids), _plain(note.title)]
    return str(uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(origin)))


def merged(task: Task | None, note: TaskNote, when: datetime, thread_id: str | None = None) -> Task:
    """A task with a note merged into it.

    What was not mentioned stays. Progress is added to, next steps are replaced, and a task that is
    paused or closed is in progress again when something new was done for it. A note that is older
    than what is known adds its progress and changes nothing else. The same note again changes
    nothing.

    Args:
        task: What is known of it; None for a new task.
        note: What was said.
        when: When that was said; aware.
        thread_id: The conversation.

    Raises:
        InvalidInputError: If a new task has no title, or `when` no time zone.
    """
    when = clock.to_utc(when)
    if task is None:
        if not _line(note.title):
            raise InvalidInputError("A new task needs a title: a few words that name it.")
        task = Task(
            id_of(note, thread_id),
            _line(note.title)[:LONGEST_TITLE],
            created_at=when,
            updated_at=when,
        )
    digest = _digest(note, thread_id)
    if digest in task.merged_notes:
        return task
    progress = _joined(task.progress_notes, map(_line, note.progress))
    if when >= task.updated_at:
        task = _newer(task, note, is_new_progress=progress != task.progress_notes)
    return replace(
        task,
        progress_notes=progress[-MOST_PROGRESS:],
        created_at=min(task.created_at, when),
        updated_at=max(task.updated_at, when),
        source_thread_ids=_sources(task.source_thread_ids, [thread_id] if thread_id else []),
        source_message_ids=_sources(task.source_message_ids, note.source_message_ids),
        merged_notes=_sources(task.merged_notes, [digest] if digest else []),
    )


def _newer(task: Task, note: TaskNote, *, is_new_progress: bool) -> Task:
    """What a note that is not older than the task replaces."""
    steps = task.next_steps
    if note.next_steps is not None:
        steps = _joined((), map(_line, note.next_steps))
    status = note.status
    if status is None:
        goes_on = is_new_progress or (
            task.status not in UNFINISHED and bool(steps) and steps != task.next_steps
        )
        status = TaskStatus.IN_PROGRESS if goes_on else task.status
    elif status is TaskStatus.COMPLETED and note.next_steps is None:
        steps = ()  # Done with the rest.
    # A title without an id is only how the task was found.
    title = _line(note.title)[:LONGEST_TITLE] if note.id is not None else ""
    return replace(
        task,
        title=title or task.title,
        description=_line(note.description) or task.description,
        status=status,
        next_steps=steps,
    )


def _digest(note: TaskNote, thread_id: str | None) -> str | None:
    """What tells a note from others; None if it is not known where it comes from."""
    if thread_id is None and not note.source_message_ids:
        return None
    said = [
        thread_id,
        note.source_message_ids,
        _plain(note.title),
        note.status,
        note.description,
        note.progress,
        note.next_steps,
    ]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:16]


def _joined(known: tuple[str, ...], more: Iterable[str]) -> tuple[str, ...]:
    """Entries and further ones, each once, whatever its case and punctuation."""
    there = {_plain(entry): entry for entry in known}
    for entry in more:
        if entry:
            there.setdefault(_plain(entry), entry)
    return tuple(there.values())


def _sources(known: tuple[str, ...], more: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*known, *more]))[-MOST_SOURCES:]


def _line(text: str) -> str:
    """Text in one line, of bounded length, without what no tokenizer can encode."""
    encodable = text.encode("utf-8", "replace").decode()
    return " ".join(encodable.split())[:LONGEST_TEXT]


def _plain(text: str) -> str:
    letters = [character for character in text.casefold() if character.isalnum()]
    return "".join(letters) or text.strip()

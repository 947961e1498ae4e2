"""The tasks of one user: found again by meaning, and kept up to date."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from langgraph.store.base import Item

from langgraph_memory import clock
from langgraph_memory.calls import Call, Steps, adrive, drive
from langgraph_memory.errors import InvalidInputError
from langgraph_memory.recall.ends import ends
from langgraph_memory.store import Change, MemoryHit, MemoryStore, committed
from langgraph_memory.store.operations import Mode
from langgraph_memory.tasks.found import FoundTask, NoteFault, RefusedNote, TaskChanges
from langgraph_memory.tasks.merging import UNFINISHED, id_of, merged
from langgraph_memory.tasks.note import TaskNote
from langgraph_memory.tasks.returning import Returning
from langgraph_memory.tasks.task import INDEXED, Task
from langgraph_memory.tasks.titles import name_the_same

__all__ = ["Tasks"]

Namespace = tuple[str, ...]
Versioned = tuple[Task, datetime | None]

OPEN: Mapping[str, Any] = {"status": {"$in": [status.value for status in UNFINISHED]}}
NAMESAKES = 10
"""How many tasks the title of a new one is compared with."""
CANDIDATES = 20
"""How many tasks are looked at for whether the user returns to them."""


class Tasks:
    """The tasks in one namespace, usually one user's.

    Methods have async forms (`afind`, …) that do not block the event loop.

    Args:
        store: Where they are.
        namespace: ``("agent:…", "user:…", "tasks")``.
        returning: What makes a message one that returns to a task.
    """

    def __init__(
        self, store: MemoryStore, namespace: Namespace, returning: Returning | None = None
    ) -> None:
        self.store = store
        self.namespace = namespace
        self.returning = returning or Returning()

    # -- reading

    def get(self, task_id: str) -> Task | None:
        """A task by its id, whatever its status; its `progress_notes` are its history."""
        return drive(self._get(task_id))

    async def aget(self, task_id: str) -> Task | None:
        """`get` without blocking the event loop."""
        return await adrive(self._get(task_id))

    def _get(self, task_id: str) -> Steps[Task | None]:
        known = yield from self._reading(task_id)
        return known[0] if known else None

    def find(self, query: str, limit: int = 5) -> list[FoundTask]:
        """Unfinished tasks by meaning and words; a blank query lists the newest."""
        return drive(self.finding(query, limit))

    async def afind(self, query: str, limit: int = 5) -> list[FoundTask]:
        """`find` without blocking the event loop."""
        return await adrive(self.finding(query, limit))

    def unfinished(self, limit: int = 100) -> list[Task]:
        """Unfinished tasks, the one last spoken of first."""
        return [found.task for found in self.find("", limit)]

    async def aunfinished(self, limit: int = 100) -> list[Task]:
        """`unfinished` without blocking the event loop."""
        return [found.task for found in await self.afind("", limit)]

    def returned_to(self, message: str, limit: int = 3) -> list[FoundTask]:
        """Unfinished tasks that the user comes back to with a message, the most relevant first.

        Most messages come back to none. One that only asks to go on, and says with what in no
        word, means the task last spoken of. Of a long message the ends are looked at.
        """
        return drive(self.returned(message, limit))

    async def areturned_to(self, message: str, limit: int = 3) -> list[FoundTask]:
        """`returned_to` without blocking the event loop."""
        return await adrive(self.returned(message, limit))

    def returned(
        self, message: str, limit: int = 3, *, mode: Mode = "hybrid"
    ) -> Steps[list[FoundTask]]:
        """`returned_to` as steps, for those who have other calls to make in between.

        In mode ``keyword`` the embedder is not asked.
        """
        message = ends(message)
        if not message.strip():
            return []
        found = yield from self._searching(message, CANDIDATES, OPEN, mode)
        chosen = [each for each in found if self.returning.is_meant(message, each)]
        if not chosen and self.returning.goes_on(message):
            chosen = yield from self.finding("", 1)
        return chosen[:limit]

    # -- writing

    def save(
        self,
        notes: Sequence[TaskNote],
        *,
        when: datetime | None = None,
        thread_id: str | None = None,
    ) -> TaskChanges:
        """Merge notes into the tasks they are about, and store these.

        Args:
            notes: What was said, in this order.
            when: When it was said; None for now.
            thread_id: The conversation.

        Returns:
            The tasks as they are now, and notes that were refused.

        Raises:
            VersionConflictError: If others change the same tasks all the time.
        """
        return drive(self._save(notes, when, thread_id))

    async def asave(
        self,
        notes: Sequence[TaskNote],
        *,
        when: datetime | None = None,
        thread_id: str | None = None,
    ) -> TaskChanges:
        """`save` without blocking the event loop."""
        return await adrive(self._save(notes, when, thread_id))

    def _save(
        self, notes: Sequence[TaskNote], when: datetime | None, thread_id: str | None
    ) -> Steps[TaskChanges]:
        def decide() -> Steps[tuple[Sequence[Change], TaskChanges]]:
            made = yield from self.changes(notes, when=when, thread_id=thread_id)
            return made.changes, made

        return (yield from committed(self.store, decide))

    def changes(
        self,
        notes: Iterable[TaskNote],
        *,
        when: datetime | None = None,
        thread_id: str | None = None,
    ) -> Steps[TaskChanges]:
        """What notes come to, as changes to be committed together with others.

        A note is about the task that it names by id, else about one of nearly the same title, else
        about a new one. Arguments are as for `save`.
        """
        when = when or clock.now()
        known: dict[str, Versioned] = {}
        before: dict[str, Task | None] = {}
        refused: list[RefusedNote] = []
        for note in notes:
            meant = yield from self._meant(note, thread_id, known)
            if isinstance(meant, NoteFault):
                refused.append(RefusedNote(note, meant))
                continue
            task, version = meant or (None, None)
            now = merged(task, note, when, thread_id)
            before.setdefault(now.id, task)
            known[now.id] = (now, version)
        return TaskChanges(
            tuple(task for task, _ in known.values()),
            tuple(
                self._change(task, version)
                for task, version in known.values()
                if task != before[task.id]
            ),
            tuple(refused),
        )

    def _meant(
        self, note: TaskNote, thread_id: str | None, known: Mapping[str, Versioned]
    ) -> Steps[Versioned | NoteFault | None]:
        """The task that a note is about; None for a new one."""
        if note.id is None and not note.title.strip():
            return NoteFault.NO_TITLE
        wanted = note.id if note.id is not None else id_of(note, thread_id)
        meant = known.get(wanted) or (yield from self._reading(wanted))
        if meant or note.id is not None:
            return meant or NoteFault.UNKNOWN_ID
        for task, version in known.values():
            if name_the_same(task.title, note.title):
                return task, version
        # What has the same words is found by these, without the embedder.
        namesakes = yield from self._searching(note.title, NAMESAKES, None, "keyword")
        alike = [each for each in namesakes if name_the_same(each.task.title, note.title)]
        alike.sort(key=lambda each: each.task.status not in UNFINISHED)
        return next(
            (known.get(each.task.id, (each.task, each.hit.updated_at)) for each in alike),
            None,
        )

    def _change(self, task: Task, version: datetime | None) -> Change:
        return Change(self.namespace, task.id, task.to_value(), version, INDEXED)

    # -- steps on the store

    def _reading(self, task_id: str) -> Steps[Versioned | None]:
        item: Item | None = yield Call.of(self.store.get, self.store.aget, self.namespace, task_id)
        task = None if item is None else _task(item)
        return None if item is None or task is None else (task, item.updated_at)

    def finding(self, query: str, limit: int, *, mode: Mode = "hybrid") -> Steps[list[FoundTask]]:
        """`find` as steps, for those who have other calls to make in between."""
        return (yield from self._searching(query, limit, OPEN, mode))

    def _searching(
        self, query: str, limit: int, filter: Mapping[str, Any] | None, mode: Mode
    ) -> Steps[list[FoundTask]]:
        asked: dict[str, Any] = {"filter": filter, "limit": limit, "mode": mode}
        hits: list[MemoryHit] = yield Call.of(
            self.store.find, self.store.afind, self.namespace, query, **asked
        )
        tasks = [(_task(hit), hit) for hit in hits]
        return [FoundTask(task, hit) for task, hit in tasks if task is not None]


def _task(item: Item) -> Task | None:
    """The task of an item; None for what others have put there."""
    try:
        return Task.from_value(item.key, item.value)
    except InvalidInputError:
        return None

"""Putting back what a history strategy took from a thread."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from langchain_core.messages import BaseMessage

from langgraph_memory.calls import Call, Steps, adrive, drive
from langgraph_memory.errors import InvalidInputError
from langgraph_memory.events import Event, Listener, announce
from langgraph_memory.history.applying import Archived
from langgraph_memory.history.archive import ArchiveEntry, archive_of
from langgraph_memory.history.stored_thread import MESSAGES, StoredThread, saver_of
from langgraph_memory.messages import key_of

__all__ = ["Undone", "aundo_in_thread", "restored", "undo_in_thread"]


@dataclass(frozen=True)
class Undone:
    """What was put back.

    Attributes:
        thread: Id of the thread.
        entry: Id of the archive's entry; None where there was nothing to put back.
        ids: Ids of the messages that are back.
        taken_out: Ids of the messages that had been put in their place and are gone again.
    """

    thread: str
    entry: str | None = None
    ids: tuple[str, ...] = ()
    taken_out: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.entry is None:
            return f"thread {self.thread!r}: nothing to put back"
        return f"thread {self.thread!r}: {len(self.ids)} messages are back (from {self.entry})"


def undo_in_thread(
    target: Any,
    thread_id: str,
    archive: Archived,
    *,
    messages_key: str = MESSAGES,
    on_event: Listener | None = None,
) -> Undone:
    """Put back what the last change took from a thread: the exact messages, ids and order.

    What was said since stays behind them. Called again, the change before is undone.

    Args:
        target: A compiled graph with a checkpointer, or the checkpointer itself.
        thread_id: The thread.
        archive: What `apply_to_thread` or the node was given.
        messages_key: The key of the graph's state that holds the messages.
        on_event: Told of what was done.

    Raises:
        UnknownThreadError: There is no such thread.
        PendingThreadError: An interrupt waits in it, or a run of it has not ended.
        HistoryError: Something else in its state counts its messages.
        ThreadChangedError: A run went on with it meanwhile; nothing was changed.
        ArchiveError: The archive cannot be read.
    """
    return drive(_undone(target, thread_id, archive, messages_key, on_event))


async def aundo_in_thread(
    target: Any,
    thread_id: str,
    archive: Archived,
    *,
    messages_key: str = MESSAGES,
    on_event: Listener | None = None,
) -> Undone:
    """The same as `undo_in_thread`, awaited."""
    return await adrive(_undone(target, thread_id, archive, messages_key, on_event))


def _undone(
    target: Any, thread: str, archive: Archived, key: str, listener: Listener | None
) -> Steps[Undone]:
    kept_in = archive_of(archive)
    if kept_in is None:
        raise InvalidInputError("Without an archive there is nothing to undo from; name it.")
    stored = yield from StoredThread.read(saver_of(target), thread, key)
    stored.check()
    entries: Sequence[ArchiveEntry] = yield Call(partial(kept_in.entries, thread))
    had = {key_of(message) for message in stored.messages}
    for entry in reversed(entries):
        if not _is_of(entry, had):
            continue  # What went from a branch that was left belongs to that one.
        messages = restored(stored.messages, entry)
        if messages is not None:
            yield from stored.write(messages)
        # An entry without effect was archived for a change that was never written.
        yield Call(partial(kept_in.mark_undone, entry))
        if messages is not None:
            back = tuple(k for _, message in entry.removed if (k := key_of(message)) not in had)
            taken = tuple(added for added in entry.added if added in had)
            announce(listener, Event("thread_restored", thread=thread, ids=back))
            return Undone(thread, entry.id, back, taken)
    return Undone(thread)


def _is_of(entry: ArchiveEntry, had: Collection[str]) -> bool:
    """Whether the messages of a thread are those of the branch that an entry was taken from."""
    gone = {at for at, _ in entry.removed}
    kept = [at for at in range(len(entry.order)) if at not in gone]
    # What came after the first that went is not shared with branches from before.
    later = [at for at in kept if at > min(gone, default=0)] or kept
    told = [*(entry.order[at] for at in later), *entry.added]
    return not told or any(key in had for key in told)


def restored(messages: Sequence[BaseMessage], entry: ArchiveEntry) -> list[BaseMessage] | None:
    """A thread with what an entry has back in its place; None if none of it is missing.

    Messages without ids are known by what they say, and may say the same.
    """
    removed = dict(entry.removed)
    places: defaultdict[str, deque[int]] = defaultdict(deque)
    for kept_first in (True, False):
        for at, key in enumerate(entry.order):
            if (at not in removed) == kept_first:
                places[key].append(at)
    whole: dict[int, BaseMessage] = {}
    since: list[BaseMessage] = []
    for message in messages:
        key = key_of(message)
        if places[key]:
            whole[places[key].popleft()] = message
        elif key not in entry.added:
            since.append(message)
    missing = {at: message for at, message in removed.items() if at not in whole}
    if not missing:
        return None
    whole.update(missing)
    return [*(whole[at] for at in sorted(whole)), *since]

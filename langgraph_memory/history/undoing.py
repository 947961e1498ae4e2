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
    had = {key for message in stored.messages for key in _keys(message)}
    for entry in reversed(entries):
        if not _is_of(entry, had):
            continue  # What went from a branch that was left belongs to that one.
        messages = restored(stored.messages, entry)
        if messages is not None:
            yield from stored.write(messages)
        # An entry without effect was archived for a change that was never written.
        yield Call(partial(kept_in.mark_undone, entry))
        if messages is not None:
            back = _without(messages, stored.messages)
            taken = _without(stored.messages, messages)
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
    # The same may be said in several branches; an id is in one, and in those from behind it.
    told = [key for key in told if not key.startswith("#")] or told
    return not told or any(key in had for key in told)


def restored(messages: Sequence[BaseMessage], entry: ArchiveEntry) -> list[BaseMessage] | None:
    """A thread with what an entry has back in its place; None if none of it is missing.

    A message without an id is known by what it says. Another may say the same, and it may have
    been given an id since.
    """
    removed = dict(entry.removed)
    known = [(message, _keys(message)) for message in messages]
    had = {key for _, keys in known for key in keys}
    rest = iter(known)
    all_there = all(
        any(key in keys for _, keys in rest)
        for at, key in enumerate(entry.order)
        if at in removed or key in had
    )
    places: defaultdict[str, deque[int]] = defaultdict(deque)
    for at, key in enumerate(entry.order):
        # What went without an id is gone: what says the same was kept, or said since.
        if at not in removed or removed[at].id or all_there:
            places[key].append(at)
    whole: dict[int, BaseMessage] = {}
    since: list[BaseMessage] = []
    for message, keys in known:
        found = next((places[key] for key in keys if places[key]), None)
        if found:
            whole[found.popleft()] = message
        elif keys[0] not in entry.added:
            since.append(message)
    if removed.keys() <= whole.keys():
        return None
    whole = {**removed, **whole}
    return [*(whole[at] for at in sorted(whole)), *since]


def _keys(message: BaseMessage) -> tuple[str, ...]:
    """What a message is known by now, and what it was known by while it had no id."""
    unnamed = message.model_copy(update={"id": None})
    return key_of(message), key_of(unnamed)


def _without(messages: Sequence[BaseMessage], others: Sequence[BaseMessage]) -> tuple[str, ...]:
    """Keys of the messages that are not among others."""
    there = set(map(id, others))
    return tuple(key_of(message) for message in messages if id(message) not in there)

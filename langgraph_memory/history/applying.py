"""Applying a history strategy to stored threads, from outside of any run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.store.base import BaseStore

from langgraph_memory import clock
from langgraph_memory.calls import Call, Steps, adrive, drive
from langgraph_memory.errors import InvalidInputError, LangGraphMemoryError
from langgraph_memory.events import Event, Listener, announce
from langgraph_memory.history.archive import Archive, ArchiveEntry, archive_of
from langgraph_memory.history.listing import thread_ids
from langgraph_memory.history.report import HistoryReport, refusal, report_of
from langgraph_memory.history.stored_thread import MESSAGES, StoredThread, saver_of
from langgraph_memory.history.strategy import HistoryChange, HistoryStrategy

__all__ = [
    "aapply_to_thread",
    "aapply_to_threads",
    "apply_to_thread",
    "apply_to_threads",
    "archived",
]

Archived = Archive | BaseStore | str | os.PathLike[str] | None


def apply_to_thread(
    target: Any,
    thread_id: str,
    strategy: HistoryStrategy,
    *,
    archive: Archived = None,
    dry_run: bool = False,
    messages_key: str = MESSAGES,
    config: RunnableConfig | None = None,
    on_event: Listener | None = None,
) -> HistoryReport:
    """Change what a thread keeps, for good.

    What goes is archived first. Then the messages that remain are written as a new checkpoint;
    earlier checkpoints still have what went until they are pruned. Applied again to a thread that
    has not grown, a strategy changes nothing and writes nothing.

    Args:
        target: A compiled graph with a checkpointer, or the checkpointer itself.
        thread_id: The thread.
        strategy: What it is to keep.
        archive: Path of a JSONL file, a store, or an `Archive`. None: nothing is archived.
        dry_run: Only report what would go. No model is called.
        messages_key: The key of the graph's state that holds the messages.
        config: Added to the configuration of the strategy's own model calls.
        on_event: Told of what was done.

    Returns:
        What went and why.

    Raises:
        UnknownThreadError: There is no such thread.
        PendingThreadError: An interrupt waits in it, or a run of it has not ended.
        HistoryError: Something else in its state counts its messages.
        ThreadChangedError: A run went on with it meanwhile; nothing was changed.
        ArchiveError: What would go could not be archived; nothing was changed.
        SummarizationError: A summary was due and could not be made; nothing was changed.
    """
    return drive(
        _applied(target, thread_id, strategy, archive, dry_run, messages_key, config, on_event)
    )


async def aapply_to_thread(
    target: Any,
    thread_id: str,
    strategy: HistoryStrategy,
    *,
    archive: Archived = None,
    dry_run: bool = False,
    messages_key: str = MESSAGES,
    config: RunnableConfig | None = None,
    on_event: Listener | None = None,
) -> HistoryReport:
    """The same as `apply_to_thread`, awaited."""
    return await adrive(
        _applied(target, thread_id, strategy, archive, dry_run, messages_key, config, on_event)
    )


def apply_to_threads(
    target: Any,
    strategy: HistoryStrategy,
    *,
    older_than: timedelta | None = None,
    threads: Iterable[str] | None = None,
    archive: Archived = None,
    dry_run: bool = False,
    messages_key: str = MESSAGES,
    config: RunnableConfig | None = None,
    on_event: Listener | None = None,
    on_report: Callable[[HistoryReport], None] | None = None,
) -> list[HistoryReport]:
    """Change what many threads keep, one after the other.

    A thread that cannot be changed, for instance because an interrupt waits in it, is left as it
    is; its report says so (`refused`), and the others are gone on with.

    Args:
        target: A compiled graph with a checkpointer, or the checkpointer itself.
        strategy: What they are to keep.
        older_than: Only threads that were not used for so long.
        threads: Ids of the threads; by default all that the checkpointer has.
        archive: As for `apply_to_thread`.
        dry_run: Only report what would go. No model is called.
        messages_key: The key of the graph's state that holds the messages.
        config: Added to the configuration of the strategy's own model calls.
        on_event: Told of what was done.
        on_report: Given each report as soon as it is there.

    Returns:
        One report a thread that is old enough.
    """
    given = (target, strategy, older_than, threads, archive, dry_run, messages_key)
    return drive(_applied_to_all(*given, config, on_event, on_report))


async def aapply_to_threads(
    target: Any,
    strategy: HistoryStrategy,
    *,
    older_than: timedelta | None = None,
    threads: Iterable[str] | None = None,
    archive: Archived = None,
    dry_run: bool = False,
    messages_key: str = MESSAGES,
    config: RunnableConfig | None = None,
    on_event: Listener | None = None,
    on_report: Callable[[HistoryReport], None] | None = None,
) -> list[HistoryReport]:
    """The same as `apply_to_threads`, awaited."""
    given = (target, strategy, older_than, threads, archive, dry_run, messages_key)
    return await adrive(_applied_to_all(*given, config, on_event, on_report))


def archived(archive: Archive | None, thread: str, change: HistoryChange) -> Steps[str | None]:
    """Archive what a change takes; returns the id of the entry, None without an archive."""
    if archive is None:
        return None
    entry = ArchiveEntry.of(thread, change)
    yield Call(partial(archive.add, entry))
    return entry.id


def _applied(
    target: Any,
    thread: str,
    strategy: HistoryStrategy,
    archive: Archived,
    dry_run: bool,
    key: str,
    config: RunnableConfig | None,
    listener: Listener | None,
) -> Steps[HistoryReport]:
    if not isinstance(strategy, HistoryStrategy):
        raise InvalidInputError(
            f"strategy must be a history strategy, such as KeepLatest(20), not {strategy!r:.80}. "
            "Context strategies change what the model sees, not what a thread keeps."
        )
    kept_in = archive_of(archive)
    stored = yield from StoredThread.read(saver_of(target), thread, key)
    stored.check()
    change = yield from strategy.steps(stored.messages, dry_run=dry_run, config=config)
    if dry_run or not change.changed:
        return report_of(change, thread, dry_run=dry_run)
    entry = yield from archived(kept_in, thread, change)
    yield from stored.write(change.messages)
    gone = tuple(message.id or "" for _, message in change.removed)
    announce(listener, Event("thread_trimmed", change.strategy, thread=thread, ids=gone))
    return report_of(change, thread, applied=True, archive_entry=entry)


def _applied_to_all(
    target: Any,
    strategy: HistoryStrategy,
    older_than: timedelta | None,
    threads: Iterable[str] | None,
    archive: Archived,
    dry_run: bool,
    key: str,
    config: RunnableConfig | None,
    listener: Listener | None,
    on_report: Callable[[HistoryReport], None] | None,
) -> Steps[list[HistoryReport]]:
    saver = saver_of(target)
    kept_in = archive_of(archive)
    ids = list(threads) if threads is not None else (yield Call(partial(thread_ids, saver)))
    limit = None if older_than is None else clock.now() - older_than
    reports = []
    for thread in ids:
        try:
            if limit is not None:
                stored = yield from StoredThread.read(saver, thread, key)
                if datetime.fromisoformat(stored.last_used) >= limit:
                    continue
            report = yield from _applied(
                saver, thread, strategy, kept_in, dry_run, key, config, listener
            )
        except LangGraphMemoryError as error:
            report = refusal(type(strategy).__name__, thread, str(error), dry_run=dry_run)
        reports.append(report)
        if on_report is not None:
            on_report(report)
    return reports

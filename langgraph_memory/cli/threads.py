"""Looking at stored threads, and making them smaller."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from langgraph.checkpoint.base import BaseCheckpointSaver
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from langgraph_memory.calls import drive
from langgraph_memory.checkpoints import open_checkpointer, prune_checkpoints
from langgraph_memory.cli.databases import THREADS, Db, refuse_empty
from langgraph_memory.cli.terminal import printable
from langgraph_memory.errors import LangGraphMemoryError
from langgraph_memory.history import (
    ArchiveEntry,
    HistoryChange,
    HistoryReport,
    HistoryStrategy,
    JsonlArchive,
    KeepLatest,
    SummarizeHistory,
    TrimHistory,
    UnknownThreadError,
    apply_to_thread,
    apply_to_threads,
    thread_ids,
    undo_in_thread,
)
from langgraph_memory.history.stored_thread import MESSAGES, StoredThread
from langgraph_memory.messages import calls_of, role_of, text_of
from langgraph_memory.models import chat_model
from langgraph_memory.service.owners import Owners
from langgraph_memory.store.opening import open_store
from langgraph_memory.tokens import DEFAULT_COUNTER

__all__ = ["threads_app"]

threads_app = typer.Typer(help="Stored conversations.", no_args_is_help=True)


class Way(StrEnum):
    """How a thread is made smaller."""

    latest = "latest"
    ends = "ends"
    summarize = "summarize"


Thread = Annotated[str, typer.Argument(help="Id of a thread.")]
Key = Annotated[str, typer.Option(help="Key of the graph's state that holds the messages.")]
ArchiveFile = Annotated[Path, typer.Option("--archive", help="JSONL file for what is removed.")]
ARCHIVE = Path("threads-archive.jsonl")


@threads_app.command("list")
def list_threads(
    db: Db = "memory.db",
    key: Key = MESSAGES,
    limit: Annotated[int, typer.Option(min=1, help="How many at most.")] = 50,
) -> None:
    """List threads, the one used last first."""
    with _opened(db) as saver:
        ids = thread_ids(saver)
        table = Table(box=None, pad_edge=False)
        for heading in ("thread", "last used", "messages", "tokens", "state"):
            right = heading in ("messages", "tokens")
            table.add_column(heading, overflow="fold", justify="right" if right else "left")
        for thread in ids[:limit]:
            table.add_row(*(Text(printable(cell)) for cell in _row(saver, thread, key)))
    if not ids:
        _say("There are no threads.")
        return
    _console().print(table)
    if len(ids) > limit:
        _say(f"… and {len(ids) - limit} more; --limit shows them.")


@threads_app.command()
def show(thread: Thread, db: Db = "memory.db", key: Key = MESSAGES) -> None:
    """Show the messages of a thread."""
    with _opened(db) as saver:
        stored = drive(StoredThread.read(saver, thread, key))
    for message in stored.messages:
        called = "".join(f" [calls {call.get('name')}]" for call in calls_of(message))
        _say(f"{role_of(message)}: {text_of(message)}{called}")
    tokens = DEFAULT_COUNTER.count_request(stored.messages)
    _say(f"({len(stored.messages)} messages, about {tokens:,} tokens; {stored.pending or 'idle'})")


@threads_app.command()
def trim(
    thread: Annotated[
        str | None, typer.Argument(help="Id of a thread; without it, all that are old enough.")
    ] = None,
    db: Db = "memory.db",
    keep: Annotated[int, typer.Option(min=1, help="Newest messages that stay.")] = 20,
    keep_first: Annotated[
        int, typer.Option(min=0, help="Oldest messages that stay, with --by ends.")
    ] = 2,
    by: Annotated[
        Way, typer.Option(help="Keep the latest, both ends, or a summary and the latest.")
    ] = Way.latest,
    model: Annotated[
        str | None, typer.Option(help="What summarizes: provider:name, or 'offline'.")
    ] = None,
    older_than: Annotated[
        float | None, typer.Option(min=0, help="Days that a thread was not used.")
    ] = None,
    archive: ArchiveFile = ARCHIVE,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what would go; no model is called.")
    ] = False,
    key: Key = MESSAGES,
) -> None:
    """Take old messages from threads for good; they are archived first.

    A thread in which an interrupt waits is left alone. `threads undo` puts back what went.
    """
    strategy = _strategy(by, keep, keep_first, model)
    given: dict[str, Any] = {"archive": archive, "dry_run": dry_run, "messages_key": key}
    with _opened(db) as saver:
        if thread is not None:
            if older_than is not None:
                raise typer.BadParameter("name a thread or an age, not both")
            _say(str(apply_to_thread(saver, thread, strategy, **given)))
            return
        if older_than is None:
            raise typer.BadParameter("name a thread, or --older-than DAYS (0 for all threads)")
        with Progress(console=_console(), transient=True) as progress:
            task = progress.add_task("threads", total=None)

            def told(report: HistoryReport) -> None:
                progress.advance(task)
                if report.removed or report.refused:
                    progress.console.print(Text(_line(report)))

            reports = apply_to_threads(
                saver, strategy, older_than=timedelta(days=older_than), on_report=told, **given
            )
    _say(_total(reports, dry_run=dry_run))


@threads_app.command()
def undo(
    thread: Thread, db: Db = "memory.db", archive: ArchiveFile = ARCHIVE, key: Key = MESSAGES
) -> None:
    """Put back what the last trim took from a thread."""
    if not archive.is_file():
        raise typer.BadParameter(f"there is no file {str(archive)!r}", param_hint="--archive")
    with _opened(db) as saver:
        _say(str(undo_in_thread(saver, thread, archive, messages_key=key)))


@threads_app.command()
def prune(
    thread: Annotated[
        str | None, typer.Argument(help="Id of a thread; without it, all of them.")
    ] = None,
    db: Db = "memory.db",
    keep_last: Annotated[
        int, typer.Option(min=1, help="Newest checkpoints of a thread that stay.")
    ] = 20,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would go.")] = False,
) -> None:
    """Remove old checkpoints; the newest state of a thread stays as it is, and all its messages.

    What goes is the way back to earlier states. The file becomes smaller at once.
    """
    with _opened(db) as saver:
        if thread is not None:
            drive(StoredThread.read(saver, thread))
        report = prune_checkpoints(
            saver, thread, keep_last=keep_last, dry_run=dry_run, vacuum=not dry_run
        )
    verb = "would go" if dry_run else "removed"
    size = "" if dry_run else f"; {_mb(report.bytes_before)} -> {_mb(report.bytes_after)} MB"
    _say(
        f"{report.removed} checkpoints {verb}, {report.kept} stay "
        f"({len(report.threads)} threads{size})."
    )


@threads_app.command()
def delete(
    thread: Thread,
    db: Db = "memory.db",
    archive: Annotated[
        Path | None, typer.Option(help="JSONL file that the messages are written to first.")
    ] = None,
    erase: Annotated[
        Path | None,
        typer.Option(help="JSONL file from which goes what was trimmed of the thread before."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would go.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    key: Key = MESSAGES,
) -> None:
    """Delete a thread with all its checkpoints; what it had besides messages cannot come back."""
    with _opened(db) as saver:
        try:
            stored = drive(StoredThread.read(saver, thread, key))
        except UnknownThreadError:
            if erase is None or dry_run:
                raise
            _erase(thread, erase)
            return
        what = f"the thread {thread!r} with {len(stored.messages)} messages"
        if dry_run:
            _say(f"Would delete {what} ({stored.pending or 'it is idle'}).")
            return
        waits = f" In it, {stored.pending}." if stored.pending else ""
        if not yes and not typer.confirm(f"Delete {what}?{waits}"):
            raise typer.Exit(1)
        if archive is not None:
            change = HistoryChange("delete", stored.messages, [], lambda _: "thread deleted")
            JsonlArchive(archive).add(ArchiveEntry.of(thread, change))
        saver.delete_thread(thread)
        with open_store(db) as store:
            owners = Owners(store)
            owners.forget(drive(owners.place(thread, saver)))
    _say(f"Deleted {what}.")
    if erase is not None:
        _erase(thread, erase)
    elif archive is None and ARCHIVE.is_file() and JsonlArchive(ARCHIVE).entries(thread):
        _say(f"What was trimmed from it is still in {ARCHIVE}: --erase {ARCHIVE} takes it out.")


def _erase(thread: str, archive: Path) -> None:
    gone = JsonlArchive(archive).erase(thread)
    _say(f"{gone} archived changes of {thread!r} erased from {archive}.")


@contextmanager
def _opened(db: str) -> Iterator[BaseCheckpointSaver[Any]]:
    refuse_empty(db, THREADS)
    with open_checkpointer(db) as saver:
        yield saver


def _strategy(by: Way, keep: int, keep_first: int, model: str | None) -> HistoryStrategy:
    if by is Way.latest:
        return KeepLatest(keep)
    if by is Way.ends:
        return TrimHistory(keep_first, keep)
    return SummarizeHistory(chat_model(model), threshold=keep, keep_last=keep)


def _row(saver: BaseCheckpointSaver[Any], thread: str, key: str) -> list[str]:
    try:
        stored = drive(StoredThread.read(saver, thread, key))
    except LangGraphMemoryError as error:
        return [thread, "", "", "", str(error)]
    used = datetime.fromisoformat(stored.last_used).astimezone().strftime("%Y-%m-%d %H:%M")
    tokens = DEFAULT_COUNTER.count_request(stored.messages)
    return [thread, used, str(len(stored.messages)), f"{tokens:,}", stored.pending or "idle"]


def _line(report: HistoryReport) -> str:
    if report.refused:
        return f"{report.thread}: {report.refused}"
    return (
        f"{report.thread}: {len(report.removed)} of {len(report.source)} messages, "
        f"{report.tokens_before:,} -> {report.tokens_after:,} tokens"
    )


def _total(reports: list[HistoryReport], *, dry_run: bool) -> str:
    count = sum(bool(report.removed) for report in reports)
    gone = sum(len(report.removed) for report in reports)
    refused = sum(bool(report.refused) for report in reports)
    verb = "would be removed" if dry_run else "removed"
    left = f"; {refused} threads left as they are" if refused else ""
    return f"{gone} messages {verb} from {count} of {len(reports)} threads{left}."


def _mb(size: int) -> str:
    return f"{size / 1e6:,.1f}"


def _say(text: str) -> None:
    _console().print(Text(printable(text)))


def _console() -> Console:
    return Console(highlight=False, soft_wrap=True)

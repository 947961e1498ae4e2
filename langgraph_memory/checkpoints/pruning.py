"""Keeping the store of threads small: old checkpoints go, and what the new ones need stays."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver

from langgraph_memory.checkpoints.retention import Place, Resolved, Stored, retained
from langgraph_memory.checkpoints.tables import Tables, tables_of
from langgraph_memory.checkpoints.tiered import TieredSaver
from langgraph_memory.drawn import table
from langgraph_memory.errors import InvalidInputError

__all__ = ["PruneReport", "PrunedThread", "prune_checkpoints", "tables_for"]


@dataclass(frozen=True, slots=True)
class PrunedThread:
    """What became of a thread, in numbers of checkpoints, those of subgraphs included.

    Attributes:
        thread_id: Which thread.
        kept: Those from which it can go on.
        links: Older ones that stay because channels of the former are put together from them.
        removed: Those that went, or would go.
    """

    thread_id: str
    kept: int
    links: int
    removed: int


@dataclass(frozen=True, slots=True)
class PruneReport:
    """What pruning did, or would do.

    Attributes:
        threads: Those that were looked at.
        dry_run: Whether nothing was done.
        bytes_before: Size of the SQLite file without its log, or of the three tables on Postgres.
        bytes_after: The same afterwards. Without `vacuum` it hardly changes: what was freed is
            used by what is stored next.
    """

    threads: tuple[PrunedThread, ...]
    dry_run: bool
    bytes_before: int
    bytes_after: int

    @property
    def kept(self) -> int:
        """Checkpoints that stay, of all threads, with those that the others need."""
        return sum(each.kept + each.links for each in self.threads)

    @property
    def removed(self) -> int:
        """Checkpoints that went, or would go, of all threads."""
        return sum(each.removed for each in self.threads)

    def _repr_html_(self) -> str:
        """How the report draws itself in Jupyter: the threads that lose most come first."""
        most_first = sorted(self.threads, key=lambda each: -each.removed)
        rows = [(each.thread_id, each.kept, each.links, each.removed) for each in most_first]
        return (
            f"<div><b>{self.removed:,} checkpoints {'would go' if self.dry_run else 'went'}</b>, "
            f"{self.kept:,} stay; {self.bytes_before:,} → <b>{self.bytes_after:,}</b> bytes</div>"
            + table(rows, ("thread", "kept", "kept for others", "removed"))
        )


def prune_checkpoints(
    saver: BaseCheckpointSaver[Any],
    thread_id: str | None = None,
    *,
    keep_last: int,
    dry_run: bool = False,
    vacuum: bool = False,
) -> PruneReport:
    """Remove old checkpoints; the state of the thread does not change.

    Of each thread, and of each of its subgraphs, the newest `keep_last` checkpoints stay, with
    whatever they need: pending writes, the state of subgraphs at them, values that they share with
    older ones, ancestors from whose writes a channel of differences is put together (back to its
    last snapshot), the parents of forks. So do checkpoints at the end of a branch at which a person
    is still waited for. All of them can be resumed, forked and replayed as before; time travel
    reaches no further back.

    Runs may add to the thread meanwhile. A run that started from a checkpoint which is removed
    while it goes on is not safe; with `keep_last` above the number of steps of a run there is none,
    but for replays of the past.

    It blocks: asynchronous code calls it through `asyncio.to_thread`.

    Args:
        saver: From `open_checkpointer` or `sqlite_saver`, LangGraph's `PostgresSaver`, or a
            `TieredSaver` before one of them.
        thread_id: Which thread; all of them by default, one transaction for each.
        keep_last: How many checkpoints. A run of an agent stores one at its beginning and one
            after each step.
        dry_run: Whether to only say what would go.
        vacuum: Whether free space is given back to the system at the end. SQLite rewrites the
            file for it, Postgres locks and rewrites the three tables one by one.

    Raises:
        InvalidInputError: `keep_last` is not positive, or it is another kind of checkpointer.
    """
    if isinstance(keep_last, bool) or not isinstance(keep_last, int) or keep_last < 1:
        raise InvalidInputError(
            f"keep_last must be a whole number above 0, not {keep_last!r}: without its newest "
            "checkpoint a thread cannot go on. To remove threads, use delete_thread."
        )
    tables = tables_for(saver)
    before = tables.size()
    names = tables.threads() if thread_id is None else [thread_id]
    pruned = tuple(_prune(tables, each, keep_last, dry_run) for each in names)
    if not dry_run:
        if isinstance(saver, TieredSaver):
            for each in pruned:
                if each.removed:
                    saver.forget(each.thread_id)
        if vacuum:
            tables.vacuum()
    return PruneReport(pruned, dry_run, before, before if dry_run else tables.size())


def tables_for(saver: BaseCheckpointSaver[Any]) -> Tables:
    """The tables behind a checkpointer.

    Raises:
        InvalidInputError: There are none, or they cannot be reached by blocking calls.
    """
    durable = saver.cold if isinstance(saver, TieredSaver) else saver
    tables = tables_of(durable)
    if tables is None:
        raise InvalidInputError(
            f"A {type(durable).__name__} cannot be pruned. Open the same file or database with "
            "langgraph_memory.checkpoints.open_checkpointer, and prune that."
        )
    return tables


def _prune(tables: Tables, thread: str, keep_last: int, dry_run: bool) -> PrunedThread:
    counted = PrunedThread(thread, 0, 0, 0)

    def decide(
        rows: Sequence[Stored], deltas: Sequence[str], resolved: Resolved
    ) -> Collection[Place]:
        nonlocal counted
        kept = retained(rows, keep_last, deltas, resolved)
        going = {each.place for each in rows} - kept.whole - kept.links
        counted = PrunedThread(thread, len(kept.whole), len(kept.links), len(going))
        return () if dry_run else going

    tables.change(thread, decide)
    return counted

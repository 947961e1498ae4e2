"""What LangGraph's checkpointers may do beyond storing and reading, for ours on a database."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from langgraph.checkpoint.base import BaseCheckpointSaver

from langgraph_memory.checkpoints.pruning import prune_checkpoints, tables_for
from langgraph_memory.errors import InvalidInputError

__all__ = ["Upkeep"]


class Upkeep(BaseCheckpointSaver[str]):
    """Prunes and copies threads, and removes the checkpoints of runs.

    To be named before the checkpointer among the bases of a class.
    """

    _told: tuple[Callable[[str], None], ...] = ()

    def on_delete(self, told: Callable[[str], None]) -> None:
        """Have somebody told of every thread that is deleted, by its id."""
        self._told = (*self._told, told)

    def delete_thread(self, thread_id: str) -> None:
        """Remove a thread with all its checkpoints."""
        super().delete_thread(thread_id)
        for told in self._told:
            told(str(thread_id))

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Remove checkpoints of threads; unlike `delete_thread`, several at once.

        Args:
            thread_ids: Which threads.
            strategy: `keep_latest`, which is `prune_checkpoints` with `keep_last=1`, or `delete`
                for all of them.

        Raises:
            InvalidInputError: There is no such strategy, or `thread_ids` is one string.
        """
        if isinstance(thread_ids, str):
            raise InvalidInputError(f"thread_ids must be a list of ids, not {thread_ids!r}.")
        if strategy not in ("keep_latest", "delete"):
            raise InvalidInputError(
                f"The strategy must be 'keep_latest' or 'delete', not {strategy!r}."
            )
        for each in thread_ids:
            if strategy == "delete":
                self.delete_thread(each)
            else:
                prune_checkpoints(self, str(each), keep_last=1)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """See `prune`."""
        await asyncio.to_thread(lambda: self.prune(thread_ids, strategy=strategy))

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Remove the checkpoints of runs, for instance of one that is to be taken back.

        What later runs built on the writes of these in channels that are stored as differences
        is lost with them.

        Args:
            run_ids: As in the metadata of checkpoints.
        """
        tables = tables_for(self)
        for thread, places in tables.of_runs(run_ids).items():
            tables.change(thread, lambda *_, going=places: going)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """See `delete_for_runs`."""
        await asyncio.to_thread(self.delete_for_runs, run_ids)

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy a thread with its whole past.

        Args:
            source_thread_id: Of what is copied. If there is nothing, nothing is copied.
            target_thread_id: Of the copy. It must not exist: the database refuses it.
        """
        tables_for(self).copy(str(source_thread_id), str(target_thread_id))

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """See `copy_thread`."""
        await asyncio.to_thread(self.copy_thread, source_thread_id, target_thread_id)

"""A fast checkpointer in front of a durable one."""

from __future__ import annotations

import asyncio
import copy
import logging
import threading
from collections import OrderedDict
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
    get_checkpoint_id,
)

from langgraph_memory import clock
from langgraph_memory.calls import Call, Steps, adrive, drive
from langgraph_memory.checkpoints.asking import asked
from langgraph_memory.checkpoints.heads import Head, Heads, heads_of
from langgraph_memory.errors import InvalidInputError

__all__ = ["TieredSaver"]

logger = logging.getLogger(__name__)

DAY = 24 * 60 * 60.0
THREADS = 1_000
PER_THREAD = 32


@dataclass(slots=True)
class _Kept:
    """What this process put of one thread into the hot tier.

    Attributes:
        until: When it is given up.
        channels: The channels with a value, by namespace and id of a checkpoint. A hot tier that
            lost a part of one is told by them.
    """

    until: datetime
    channels: dict[tuple[str, str], frozenset[str]] = field(default_factory=dict)


class TieredSaver(BaseCheckpointSaver[Any]):
    """Serves the values of checkpoints from a hot tier; what is true is in the cold one.

    Everything is written to the cold tier first. What changes about a checkpoint (which one is
    the latest, its pending writes, its parent) is asked of the cold tier at every read, so a hot
    entry that another machine's writes have overtaken is never served. The hot tier holds values
    only, which never change under a checkpoint's id. It may be lost at any time, wholly or in
    part, and may fail: what it does not have is read from the cold tier and put back.

    The price of a read with a cold tier on LangGraph's SQLite or Postgres checkpointer: two
    look-ups by primary key there, and the values, which are the large part, from the hot tier. A
    cold tier of another kind is read whole unless `heads` is given, and the hot tier is then of no
    use. Lists and the histories of delta channels come from the cold tier.

    Usable from several threads and event loops, if both tiers are. A tier without awaitable
    methods is used in threads by asynchronous graphs.
    """

    def __init__(
        self,
        hot: BaseCheckpointSaver[Any],
        cold: BaseCheckpointSaver[Any],
        *,
        ttl: float = DAY,
        max_threads: int = THREADS,
        heads: Heads | None = None,
    ) -> None:
        """Put one checkpointer before another.

        Args:
            hot: For instance LangGraph's `InMemorySaver`. What it holds may be removed by this
                tier at any time: do not give one that somebody else uses.
            cold: The durable one.
            ttl: Seconds after which a thread that was not written to leaves the hot tier.
            max_threads: How many threads are in the hot tier at most; the one that was not written
                to for longest leaves it. Of each thread up to 32 checkpoints are held.
            heads: How the heads of a cold tier of another kind are read.

        Raises:
            InvalidInputError: `ttl` or `max_threads` is not positive, or both tiers are the same.
        """
        if not ttl > 0 or max_threads < 1:
            raise InvalidInputError(
                f"ttl (seconds) and max_threads must be positive, not {ttl!r} and {max_threads!r}."
            )
        if hot is cold:
            raise InvalidInputError("The hot and the cold tier must be two checkpointers, not one.")
        super().__init__(serde=cold.serde)
        self.hot = hot
        self.cold = cold
        self.ttl = ttl
        self.max_threads = max_threads
        self.heads = heads
        # The thread written to longest ago comes first, which is also the first to expire.
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def config_specs(self) -> list[Any]:
        """The cold tier's."""
        return self.cold.config_specs

    def get_next_version(self, current: Any, channel: None) -> Any:
        """The cold tier's."""
        return self.cold.get_next_version(current, channel)

    def with_allowlist(self, extra_allowlist: Collection[tuple[str, ...]]) -> TieredSaver:
        """The same two tiers, with serializers that read more types."""
        clone = copy.copy(self)
        clone.hot = self.hot.with_allowlist(extra_allowlist)
        clone.cold = self.cold.with_allowlist(extra_allowlist)
        clone.serde = clone.cold.serde
        return clone

    # Reading

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The checkpoint that a configuration names, or the latest of its thread."""
        return drive(self._get(config))

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """See `get_tuple`."""
        return await adrive(self._get(config))

    def _get(self, config: RunnableConfig) -> Steps[CheckpointTuple | None]:
        found: CheckpointTuple | None
        if heads := self.heads or heads_of(self.cold):
            head: Head | None = yield Call(lambda: heads(config))
            if head is None:
                return None
            found = yield from self._from_hot(config, head)
            if found is not None:
                return found
        found = yield asked(self.cold, "get_tuple", config)
        if found is not None:
            yield from self._to_hot(
                {"configurable": _place(found.config, None)},
                found.checkpoint,
                found.metadata,
            )
        return found

    def _from_hot(self, config: RunnableConfig, head: Head) -> Steps[CheckpointTuple | None]:
        place = _place(config, head.id)
        namespace = place["checkpoint_ns"]
        yield from self._sweep()
        with self._lock:
            kept = self._kept.get(place["thread_id"])
            channels = kept.channels.get((namespace, head.id)) if kept else None
        if channels is None:
            return None
        found: CheckpointTuple | None = yield from self._try("get_tuple", {"configurable": place})
        if found is None or not found.checkpoint["channel_values"].keys() >= channels:
            return None
        # A tier that stores values by version may find one where the checkpoint had stored none.
        values = {key: found.checkpoint["channel_values"][key] for key in sorted(channels)}
        checkpoint: Checkpoint = {**found.checkpoint, "channel_values": values}
        before: RunnableConfig = {"configurable": _place(config, head.parent)}
        # A caller that names a checkpoint gets the configuration back as it gave it.
        named: RunnableConfig = config if get_checkpoint_id(config) else {"configurable": place}
        parent = before if head.parent else None
        return CheckpointTuple(named, checkpoint, head.metadata, parent, head.writes)

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Checkpoints, the newest first, as the cold tier lists them."""
        return self.cold.list(config, filter=filter, before=before, limit=limit)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """See `list`."""
        given: dict[str, Any] = {"filter": filter, "before": before, "limit": limit}
        try:
            async for each in self.cold.alist(config, **given):
                yield each
        except NotImplementedError:
            for each in await asyncio.to_thread(lambda: [*self.cold.list(config, **given)]):
                yield each

    def get_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """What a checkpoint's ancestors wrote to channels, as the cold tier has it."""
        return self.cold.get_delta_channel_history(config=config, channels=channels)

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """See `get_delta_channel_history`."""
        call = asked(self.cold, "get_delta_channel_history", config=config, channels=channels)
        found: Mapping[str, DeltaChannelHistory] = await adrive(_one(call))
        return found

    # Writing

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint in the cold tier, then in the hot one."""
        return drive(self._put(config, checkpoint, metadata, new_versions))

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """See `put`."""
        return await adrive(self._put(config, checkpoint, metadata, new_versions))

    def _put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> Steps[RunnableConfig]:
        stored: RunnableConfig = yield asked(
            self.cold, "put", config, checkpoint, metadata, new_versions
        )
        yield from self._to_hot(config, checkpoint, metadata)
        return stored

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Store the writes of a task, which only the cold tier holds."""
        self.cold.put_writes(config, writes, task_id, task_path)

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """See `put_writes`."""
        await adrive(_one(asked(self.cold, "put_writes", config, writes, task_id, task_path)))

    # Removing and copying

    def delete_thread(self, thread_id: str) -> None:
        """Remove a thread from both tiers.

        Values of it in the hot tiers of other machines are not served any more, and stay there
        until their time is over.

        Raises:
            Exception: That of the hot tier, if it fails when the cold one has removed the thread.
        """
        drive(self._change([thread_id], "delete_thread", thread_id))

    async def adelete_thread(self, thread_id: str) -> None:
        """See `delete_thread`."""
        await adrive(self._change([thread_id], "delete_thread", thread_id))

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Remove the checkpoints of runs, if the cold tier can; the hot one is emptied."""
        drive(self._change(None, "delete_for_runs", run_ids))

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """See `delete_for_runs`."""
        await adrive(self._change(None, "delete_for_runs", run_ids))

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy a thread, if the cold tier can."""
        drive(self._change([target_thread_id], "copy_thread", source_thread_id, target_thread_id))

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """See `copy_thread`."""
        steps = self._change([target_thread_id], "copy_thread", source_thread_id, target_thread_id)
        await adrive(steps)

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Remove all but the latest checkpoints of threads, if the cold tier can."""
        drive(self._change([*thread_ids], "prune", thread_ids, strategy=strategy))

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """See `prune`."""
        await adrive(self._change([*thread_ids], "prune", thread_ids, strategy=strategy))

    def forget(self, thread_id: str | None = None) -> None:
        """Empty the hot tier of a thread, or of all that this process put there.

        If it fails, what it holds is not served any more all the same.
        """
        drive(self._forget(None if thread_id is None else [thread_id]))

    def _change(
        self, threads: Sequence[str] | None, method: str, *args: Any, **kwargs: Any
    ) -> Steps[None]:
        """Change the cold tier, then take what it is about out of the hot one."""
        yield asked(self.cold, method, *args, **kwargs)
        failure = yield from self._forget(threads)
        if failure and method.startswith("delete"):
            # What somebody wants deleted is still there: that is said, not only logged.
            failure.add_note(
                "The cold tier has deleted it. Values of it are still in the hot tier, which "
                "failed; they are not served any more."
            )
            raise failure

    def _forget(self, threads: Sequence[str] | None) -> Steps[Exception | None]:
        """Take threads out of the hot tier; the last failure is returned."""
        with self._lock:
            forgotten = [*self._kept] if threads is None else [str(each) for each in threads]
            for thread in forgotten:
                self._kept.pop(thread, None)
        failure = None
        for thread in forgotten:
            try:
                yield asked(self.hot, "delete_thread", thread)
            except Exception as error:
                logger.warning("The hot tier failed at delete_thread.", exc_info=True)
                failure = error
        return failure

    # The hot tier

    def _to_hot(
        self, config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata
    ) -> Steps[None]:
        thread = str(config["configurable"]["thread_id"])
        namespace = config["configurable"].get("checkpoint_ns", "")
        versions, values = checkpoint["channel_versions"], checkpoint["channel_values"]
        # A tier may store values by their versions: each must have one, and it must be its own.
        # Versions that are counted up are given twice where a thread has a fork.
        if values.keys() - versions.keys() or not all(
            isinstance(versions[channel], str) for channel in values
        ):
            return
        yield from self._sweep()
        with self._lock:
            kept = self._kept.get(thread)
            full = kept is not None and len(kept.channels) >= PER_THREAD
            if full:
                del self._kept[thread]
        if full:
            yield from self._try("delete_thread", thread)
        # All versions, not the new ones only: the values of the others may not be there any more.
        held = {channel: version for channel, version in versions.items() if channel in values}
        if (yield from self._try("put", config, checkpoint, metadata, held)) is None:
            return
        with self._lock:
            until = clock.now() + timedelta(seconds=self.ttl)
            kept = self._kept.setdefault(thread, _Kept(until))
            kept.until = until
            kept.channels[namespace, checkpoint["id"]] = frozenset(values)
            self._kept.move_to_end(thread)
        yield from self._sweep()

    def _sweep(self) -> Steps[None]:
        """Take out of the hot tier what is over its time, and what is too much."""
        while True:
            with self._lock:
                thread, kept = next(iter(self._kept.items()), (None, None))
                if thread is None or kept is None:
                    return
                if kept.until > clock.now() and len(self._kept) <= self.max_threads:
                    return
                del self._kept[thread]
            yield from self._try("delete_thread", thread)

    def _try(self, method: str, *args: Any) -> Steps[Any]:
        """Ask the hot tier; None if it fails, because the cold one has everything."""
        try:
            return (yield asked(self.hot, method, *args))
        except Exception:
            logger.warning("The hot tier failed at %s.", method, exc_info=True)
            return None


def _one(call: Call) -> Steps[Any]:
    return (yield call)


def _place(config: RunnableConfig, checkpoint_id: str | None) -> dict[str, Any]:
    configurable = config["configurable"]
    place = {
        "thread_id": str(configurable["thread_id"]),
        "checkpoint_ns": configurable.get("checkpoint_ns", ""),
    }
    return {**place, "checkpoint_id": checkpoint_id} if checkpoint_id else place

"""What of a checkpoint changes after it was stored, read without its values.

The values of a checkpoint never change under its id. Which one is the latest of its thread, what
its parent is and which writes wait at it does; that is its head, and it is small.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    CheckpointMetadata,
    PendingWrite,
    get_checkpoint_id,
    writes_sort_key,
)
from langgraph.checkpoint.sqlite import SqliteSaver

__all__ = ["Head", "Heads", "heads_of"]


@dataclass(frozen=True, slots=True)
class Head:
    """A checkpoint without its values.

    Attributes:
        id: Of the checkpoint.
        parent: Id of the checkpoint before it.
        metadata: As the checkpointer gives it.
        writes: Waiting at it, in the order in which they are applied.
    """

    id: str
    parent: str | None
    metadata: CheckpointMetadata
    writes: list[PendingWrite]


Heads = Callable[[RunnableConfig], Head | None]
"""Finds the head that a configuration names, or the latest one of its thread and namespace."""

_CHECKPOINT = """
SELECT checkpoint_id, parent_checkpoint_id, metadata FROM checkpoints
WHERE thread_id = {mark} AND checkpoint_ns = {mark} {which}
"""
_LATEST = "ORDER BY checkpoint_id DESC LIMIT 1"
_GIVEN = "AND checkpoint_id = {mark}"
_WRITES = """
SELECT task_id, channel, type, {value}, task_path, idx FROM {table}
WHERE thread_id = {mark} AND checkpoint_ns = {mark} AND checkpoint_id = {mark}
"""


def heads_of(saver: BaseCheckpointSaver[Any]) -> Heads | None:
    """How the heads of a checkpointer are read: two look-ups by primary key.

    Returns:
        None for other checkpointers than LangGraph's on SQLite and Postgres (those with blocking
        methods): theirs cannot be read without the values.
    """
    if isinstance(saver, SqliteSaver):
        return lambda config: _sqlite(saver, config)
    try:
        from langgraph.checkpoint.postgres import PostgresSaver
    except ImportError:
        return None
    if isinstance(saver, PostgresSaver):
        return lambda config: _postgres(saver, config)
    return None


def _sqlite(saver: SqliteSaver, config: RunnableConfig) -> Head | None:
    query, named = _query(config, "?")
    with saver.cursor(transaction=False) as cursor:
        row = cursor.execute(query, named).fetchone()
        if row is None:
            return None
        query = _WRITES.format(value="value", table="writes", mark="?")
        writes = cursor.execute(query, (*named[:2], row[0])).fetchall()
    metadata: CheckpointMetadata = json.loads(row[2]) if row[2] is not None else {}
    return Head(row[0], row[1] or None, metadata, _loaded(saver, writes))


def _postgres(saver: Any, config: RunnableConfig) -> Head | None:
    query, named = _query(config, "%s")
    with saver._cursor() as cursor:
        row = cursor.execute(query, named).fetchone()
        if row is None:
            return None
        id, parent, metadata = row.values()
        query = _WRITES.format(value="blob", table="checkpoint_writes", mark="%s")
        writes = cursor.execute(query, (*named[:2], id)).fetchall()
    return Head(id, parent or None, metadata, _loaded(saver, (w.values() for w in writes)))


def _query(config: RunnableConfig, mark: str) -> tuple[str, tuple[str, ...]]:
    configurable = config["configurable"]
    named: tuple[str, ...] = (
        str(configurable["thread_id"]),
        configurable.get("checkpoint_ns", ""),
    )
    if given := get_checkpoint_id(config):
        named, which = (*named, given), _GIVEN.format(mark=mark)
    else:
        which = _LATEST
    return _CHECKPOINT.format(mark=mark, which=which), named


def _loaded(saver: BaseCheckpointSaver[Any], rows: Iterable[Iterable[Any]]) -> list[PendingWrite]:
    ordered = sorted(map(tuple, rows), key=lambda row: writes_sort_key(row[4], row[0], row[5]))
    return [
        (task, channel, saver.serde.loads_typed((kind, value)))
        for task, channel, kind, value, _, _ in ordered
    ]

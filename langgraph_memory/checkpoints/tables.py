"""The tables of LangGraph's checkpointers, as retention needs them; one class a database."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde.types import INTERRUPT
from langgraph.checkpoint.sqlite import SqliteSaver

from langgraph_memory.checkpoints.retention import Place, Resolved, Stored

__all__ = ["COUNTERS", "Decide", "SQLiteTables", "Tables", "stored", "tables_of"]

COUNTERS = "counters_since_delta_snapshot"
"""Where a checkpoint's metadata names the channels that are stored as differences."""

Decide = Callable[[Sequence[Stored], Sequence[str], Resolved], Collection[Place]]
"""Says what of a thread goes: its checkpoints, its channels stored as differences, their values."""


class Tables(Protocol):
    """What can be done with threads at rest."""

    def threads(self) -> list[str]:
        """Ids of all threads."""

    def change(self, thread: str, decide: Decide) -> None:
        """Remove of a thread what is decided on, in one transaction with the decision."""

    def of_runs(self, runs: Sequence[str]) -> Mapping[str, set[Place]]:
        """Where the checkpoints of runs are, by thread."""

    def copy(self, source: str, target: str) -> None:
        """Copy all of a thread."""

    def size(self) -> int:
        """Bytes that the file, or the tables with their indexes, take up."""

    def vacuum(self) -> None:
        """Give free space back to the system."""


def tables_of(saver: BaseCheckpointSaver[Any]) -> Tables | None:
    """The tables of a checkpointer, or None if it is not one of LangGraph's with blocking methods.

    Args:
        saver: On SQLite or Postgres.
    """
    if isinstance(saver, SqliteSaver):
        return SQLiteTables(saver)
    try:
        from langgraph.checkpoint.postgres import PostgresSaver

        from langgraph_memory.checkpoints.postgres_tables import PostgresTables
    except ImportError:
        return None
    return PostgresTables(saver) if isinstance(saver, PostgresSaver) else None


def stored(
    place: Place, parent: str | None, metadata: Mapping[str, Any], waiting: bool, sends: bool
) -> Stored:
    """A checkpoint as retention sees it."""
    parents = metadata.get("parents") or {}
    return Stored(place, parent or None, parents, metadata.get("source") or "", waiting, sends)


class SQLiteTables:
    """Threads in an SQLite file, whose checkpoints hold their values themselves."""

    def __init__(self, saver: SqliteSaver) -> None:
        self._saver = saver

    def threads(self) -> list[str]:
        """See `Tables`."""
        with self._saver.cursor(transaction=False) as cursor:
            rows = cursor.execute("SELECT DISTINCT thread_id FROM checkpoints ORDER BY 1")
            return [row[0] for row in rows.fetchall()]

    def change(self, thread: str, decide: Decide) -> None:
        """See `Tables`."""
        with self._transaction() as cursor:
            interrupted = cursor.execute(
                "SELECT DISTINCT checkpoint_ns, checkpoint_id FROM writes "
                "WHERE thread_id = ? AND channel = ?",
                (thread, INTERRUPT),
            )
            waiting = {Place(*row) for row in interrupted.fetchall()}
            read = cursor.execute(
                "SELECT checkpoint_ns, checkpoint_id, parent_checkpoint_id, metadata "
                "FROM checkpoints WHERE thread_id = ?",
                (thread,),
            )
            rows: list[Stored] = []
            deltas: set[str] = set()
            for namespace, id, parent, raw in read.fetchall():
                metadata = json.loads(raw) if raw else {}
                place = Place(namespace, id)
                rows.append(stored(place, parent, metadata, place in waiting, sends=False))
                deltas.update(metadata.get(COUNTERS) or ())
            going = decide(rows, sorted(deltas), self._resolved(cursor, thread))
            for namespace, id in going:
                gone = (thread, namespace, id)
                where = "WHERE thread_id = ? AND checkpoint_ns = ?"
                cursor.execute(f"DELETE FROM checkpoints {where} AND checkpoint_id = ?", gone)
                cursor.execute(f"DELETE FROM writes {where} AND checkpoint_id = ?", gone)
            orphans = [
                (thread, *each.place)
                for each in rows
                if each.parent and Place(each.place.namespace, each.parent) in going
            ]
            cursor.executemany(
                "UPDATE checkpoints SET parent_checkpoint_id = NULL "
                "WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?",
                orphans,
            )

    def _resolved(self, cursor: Any, thread: str) -> Resolved:
        """Reads a checkpoint's values once, and only if a channel is stored as differences."""
        known: dict[Place, tuple[set[str], set[str]]] = {}

        def resolved(place: Place, channel: str) -> bool:
            if place not in known:
                row = cursor.execute(
                    "SELECT type, checkpoint FROM checkpoints "
                    "WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?",
                    (thread, *place),
                ).fetchone()
                checkpoint = self._saver.serde.loads_typed((row[0], row[1]))
                known[place] = (
                    set(checkpoint["channel_versions"]),
                    set(checkpoint["channel_values"]),
                )
            versions, values = known[place]
            return channel in values or channel not in versions

        return resolved

    def of_runs(self, runs: Sequence[str]) -> Mapping[str, set[Place]]:
        """See `Tables`."""
        found: dict[str, set[Place]] = {}
        with self._saver.cursor(transaction=False) as cursor:
            for run in runs:
                rows = cursor.execute(
                    "SELECT thread_id, checkpoint_ns, checkpoint_id FROM checkpoints "
                    "WHERE json_extract(CAST(metadata AS TEXT), '$.run_id') = ?",
                    (str(run),),
                )
                for thread, *place in rows.fetchall():
                    found.setdefault(thread, set()).add(Place(*place))
        return found

    def copy(self, source: str, target: str) -> None:
        """See `Tables`."""
        with self._transaction() as cursor:
            for table, columns in (
                ("checkpoints", "checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata"),
                ("writes", "checkpoint_id, task_id, task_path, idx, channel, type, value"),
            ):
                cursor.execute(
                    f"INSERT INTO {table} (thread_id, checkpoint_ns, {columns}) "
                    f"SELECT ?, checkpoint_ns, {columns} FROM {table} WHERE thread_id = ?",
                    (target, source),
                )

    def size(self) -> int:
        """See `Tables`."""
        with self._saver.cursor(transaction=False) as cursor:
            pages = int(cursor.execute("PRAGMA page_count").fetchone()[0])
            return pages * int(cursor.execute("PRAGMA page_size").fetchone()[0])

    def vacuum(self) -> None:
        """See `Tables`."""
        with self._saver.cursor(transaction=False) as cursor:
            cursor.execute("VACUUM")
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()

    @contextmanager
    def _transaction(self) -> Iterator[Any]:
        """The saver's own cursor would commit what an error left half done."""
        connection = self._saver.conn
        with self._saver.cursor(transaction=False) as cursor:
            cursor.execute("BEGIN IMMEDIATE")
            try:
                yield cursor
            except BaseException:
                connection.rollback()
                raise
            connection.commit()

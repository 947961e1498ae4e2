"""Threads on Postgres, where checkpoints share the values of channels that did not change."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import Any

from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.checkpoint.serde.types import INTERRUPT, TASKS
from psycopg import errors

from langgraph_memory.checkpoints.retention import Place, Resolved, Stored
from langgraph_memory.checkpoints.tables import COUNTERS, Decide, stored

__all__ = ["PostgresTables"]

ATTEMPTS = 5
TABLES = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")

_ROWS = f"""
SELECT c.checkpoint_ns, c.checkpoint_id, c.parent_checkpoint_id, c.metadata,
    EXISTS (
        SELECT 1 FROM checkpoint_writes w
        WHERE w.thread_id = c.thread_id AND w.checkpoint_ns = c.checkpoint_ns
        AND w.checkpoint_id = c.checkpoint_id AND w.channel = '{INTERRUPT}'
    ) AS waiting,
    (c.checkpoint ->> 'v')::int < 4 AND EXISTS (
        SELECT 1 FROM checkpoint_writes w
        WHERE w.thread_id = c.thread_id AND w.checkpoint_ns = c.checkpoint_ns
        AND w.checkpoint_id = c.parent_checkpoint_id AND w.channel = '{TASKS}'
    ) AS sends
FROM checkpoints c WHERE c.thread_id = %s
"""

# A value is in the checkpoint, or among the blobs under the version that the checkpoint names.
_RESOLVED = """
SELECT c.checkpoint_ns, c.checkpoint_id, k.channel
FROM checkpoints c CROSS JOIN unnest(%s::text[]) AS k (channel)
WHERE c.thread_id = %s AND (
    c.checkpoint -> 'channel_versions' ->> k.channel IS NULL
    OR c.checkpoint -> 'channel_values' ->> k.channel IS NOT NULL
    OR EXISTS (
        SELECT 1 FROM checkpoint_blobs b
        WHERE b.thread_id = c.thread_id AND b.checkpoint_ns = c.checkpoint_ns
        AND b.channel = k.channel AND b.type <> 'empty'
        AND b.version = c.checkpoint -> 'channel_versions' ->> k.channel
    )
)
"""

_HERE = "WHERE thread_id = %s AND checkpoint_ns = %s"
_REMOVE_WRITES = f"DELETE FROM checkpoint_writes {_HERE} AND checkpoint_id = ANY(%s)"
_REMOVE = f"""
DELETE FROM checkpoints {_HERE} AND checkpoint_id = ANY(%s)
RETURNING checkpoint -> 'channel_versions' AS versions
"""
_CUT = f"""
UPDATE checkpoints SET parent_checkpoint_id = NULL {_HERE} AND parent_checkpoint_id = ANY(%s)
"""
_LEFT = f"SELECT checkpoint -> 'channel_versions' AS versions FROM checkpoints {_HERE}"
_REMOVE_BLOBS = f"DELETE FROM checkpoint_blobs {_HERE} AND channel = %s AND version = ANY(%s)"


class PostgresTables:
    """Threads in a Postgres database."""

    def __init__(self, saver: PostgresSaver) -> None:
        self._saver = saver

    def threads(self) -> list[str]:
        """See `Tables`."""
        rows = self._all("SELECT DISTINCT thread_id FROM checkpoints ORDER BY 1")
        return [row["thread_id"] for row in rows]

    def change(self, thread: str, decide: Decide) -> None:
        """See `Tables`. What a run stores meanwhile is neither seen nor removed."""
        for attempt in range(ATTEMPTS):
            try:
                with self._transaction() as cursor:
                    cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
                    self._change(cursor, thread, decide)
                return
            except (errors.SerializationFailure, errors.DeadlockDetected):
                # Somebody else changed the same rows first.
                if attempt == ATTEMPTS - 1:
                    raise

    def _change(self, cursor: Any, thread: str, decide: Decide) -> None:
        rows: list[Stored] = []
        deltas: set[str] = set()
        for row in cursor.execute(_ROWS, (thread,)).fetchall():
            place = Place(row["checkpoint_ns"], row["checkpoint_id"])
            metadata = row["metadata"] or {}
            rows.append(
                stored(place, row["parent_checkpoint_id"], metadata, row["waiting"], row["sends"])
            )
            deltas.update(metadata.get(COUNTERS) or ())
        names = sorted(deltas)
        going = decide(rows, names, self._resolved(cursor, thread, names))
        for namespace, places in groupby(sorted(going), lambda place: place.namespace):
            self._remove(cursor, thread, namespace, [place.id for place in places])

    def _resolved(self, cursor: Any, thread: str, deltas: Sequence[str]) -> Resolved:
        read = cursor.execute(_RESOLVED, (deltas, thread)).fetchall() if deltas else []
        known = {(row["checkpoint_ns"], row["checkpoint_id"], row["channel"]) for row in read}
        return lambda place, channel: (*place, channel) in known

    def _remove(self, cursor: Any, thread: str, namespace: str, ids: Sequence[str]) -> None:
        here = (thread, namespace)
        cursor.execute(_REMOVE_WRITES, (*here, ids))
        freed = _versions(cursor.execute(_REMOVE, (*here, ids)).fetchall())
        cursor.execute(_CUT, (*here, ids))
        freed -= _versions(cursor.execute(_LEFT, here).fetchall())
        for channel, versions in groupby(sorted(freed), lambda each: each[0]):
            cursor.execute(_REMOVE_BLOBS, (*here, channel, [version for _, version in versions]))

    def of_runs(self, runs: Sequence[str]) -> Mapping[str, set[Place]]:
        """See `Tables`."""
        rows = self._all(
            "SELECT thread_id, checkpoint_ns, checkpoint_id FROM checkpoints "
            "WHERE metadata ->> 'run_id' = ANY(%s)",
            ([str(run) for run in runs],),
        )
        found: dict[str, set[Place]] = {}
        for row in rows:
            place = Place(row["checkpoint_ns"], row["checkpoint_id"])
            found.setdefault(row["thread_id"], set()).add(place)
        return found

    def copy(self, source: str, target: str) -> None:
        """See `Tables`."""
        with self._transaction() as cursor:
            for table, columns in zip(
                TABLES,
                (
                    "checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata",
                    "channel, version, type, blob",
                    "checkpoint_id, task_id, idx, channel, type, blob, task_path",
                ),
                strict=True,
            ):
                cursor.execute(
                    f"INSERT INTO {table} (thread_id, checkpoint_ns, {columns}) "
                    f"SELECT %s, checkpoint_ns, {columns} FROM {table} WHERE thread_id = %s",
                    (target, source),
                )

    def size(self) -> int:
        """See `Tables`."""
        rows = self._all(
            "SELECT sum(pg_total_relation_size(name::regclass))::bigint AS bytes "
            "FROM unnest(%s::text[]) AS name",
            ([*TABLES],),
        )
        return int(rows[0]["bytes"])

    def vacuum(self) -> None:
        """See `Tables`. Each table is locked while it is rewritten."""
        for table in TABLES:
            with self._saver._cursor() as cursor:
                cursor.execute(f"VACUUM FULL {table}".encode())

    def _all(self, query: str, arguments: Sequence[Any] = ()) -> list[dict[str, Any]]:
        with self._saver._cursor() as cursor:
            return cursor.execute(query.encode(), arguments).fetchall()

    @contextmanager
    def _transaction(self) -> Iterator[Any]:
        with self._saver._cursor() as cursor, cursor.connection.transaction():
            yield cursor


def _versions(rows: Collection[Mapping[str, Any]]) -> set[tuple[str, str]]:
    # Numbers among the versions are text where blobs are named by them.
    return {
        (channel, str(version))
        for row in rows
        for channel, version in (row["versions"] or {}).items()
    }

"""The threads that a checkpointer has."""

from __future__ import annotations

from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.sqlite import SqliteSaver

from langgraph_memory import checkpoints

__all__ = ["thread_ids"]

_NEWEST_FIRST = (
    "SELECT thread_id FROM checkpoints WHERE checkpoint_ns = '' "
    "GROUP BY thread_id ORDER BY MAX(checkpoint_id) DESC"
)


def thread_ids(saver: BaseCheckpointSaver[Any]) -> list[str]:
    """Ids of a checkpointer's threads, the one used last first.

    SQLite and Postgres are asked for nothing else. Any other checkpointer is read through, for
    which all its checkpoints are loaded one after the other.
    """
    if isinstance(saver, SqliteSaver):
        return checkpoints.thread_ids(saver)
    if _is_postgres(saver):
        return _on_postgres(saver)
    newest: dict[str, str] = {}
    for found in saver.list(None):
        thread = str(found.config["configurable"]["thread_id"])
        newest[thread] = max(newest.get(thread, ""), found.checkpoint["id"])
    return sorted(newest, key=newest.__getitem__, reverse=True)


def _is_postgres(saver: BaseCheckpointSaver[Any]) -> bool:
    try:
        from langgraph.checkpoint.postgres import PostgresSaver
    except ImportError:
        return False
    return isinstance(saver, PostgresSaver)


def _on_postgres(saver: Any) -> list[str]:
    from psycopg.rows import tuple_row
    from psycopg_pool import ConnectionPool

    def read(connection: Any) -> list[str]:
        with connection.cursor(row_factory=tuple_row) as cursor:
            return [str(row[0]) for row in cursor.execute(_NEWEST_FIRST).fetchall()]

    if isinstance(saver.conn, ConnectionPool):
        with saver.conn.connection() as connection:
            return read(connection)
    with saver.lock:
        return read(saver.conn)

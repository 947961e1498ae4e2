"""Which database a checkpointer keeps its threads in."""

from __future__ import annotations

from inspect import getclosurevars
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver

from langgraph_memory.checkpoints.tiered import TieredSaver
from langgraph_memory.store.database import postgres_database, sqlite_database

__all__ = ["database_of"]


def database_of(saver: BaseCheckpointSaver[Any]) -> str | None:
    """The name of the database that a checkpointer's threads are in.

    Returns:
        None if they are in this process alone; of a checkpointer of another kind than LangGraph's
        own, the name of its class.
    """
    if isinstance(saver, TieredSaver):
        return database_of(saver.cold)
    if isinstance(saver, InMemorySaver):
        return None
    connection = getattr(saver, "conn", None)
    if isinstance(saver, SqliteSaver):
        # Under its lock: a second thread on a connection that waits for another writer would stop
        # the whole process, and so that writer, too.
        with saver.cursor(transaction=False) as cursor:
            rows = cursor.execute("PRAGMA database_list").fetchall()
        return sqlite_database(next(row[2] for row in rows if row[1] == "main"))
    connector = getattr(connection, "_connector", None)  # Of aiosqlite, in a thread of its own.
    if callable(connector):
        told = getclosurevars(connector).nonlocals.get("database")
        return sqlite_database(str(told)) if told is not None else _kind(saver)
    return (postgres_database(connection) if connection is not None else None) or _kind(saver)


def _kind(saver: BaseCheckpointSaver[Any]) -> str:
    return f"{type(saver).__module__}.{type(saver).__qualname__}"

"""Threads that survive a restart: LangGraph's checkpointers, opened well."""

from langgraph_memory.checkpoints.opening import SQLiteCheckpointer, open_checkpointer
from langgraph_memory.checkpoints.sqlite import async_sqlite_saver, sqlite_saver, thread_ids
from langgraph_memory.checkpoints.thread_id import thread_id

__all__ = [
    "SQLiteCheckpointer",
    "async_sqlite_saver",
    "open_checkpointer",
    "sqlite_saver",
    "thread_id",
    "thread_ids",
]

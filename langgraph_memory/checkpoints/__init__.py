"""Threads that survive a restart: LangGraph's checkpointers, opened well."""

from langgraph_memory.checkpoints.opening import SQLiteCheckpointer, open_checkpointer
from langgraph_memory.checkpoints.pruning import PrunedThread, PruneReport, prune_checkpoints
from langgraph_memory.checkpoints.sqlite import async_sqlite_saver, sqlite_saver, thread_ids
from langgraph_memory.checkpoints.thread_id import thread_id
from langgraph_memory.checkpoints.tiered import TieredSaver

__all__ = [
    "PruneReport",
    "PrunedThread",
    "SQLiteCheckpointer",
    "TieredSaver",
    "async_sqlite_saver",
    "open_checkpointer",
    "prune_checkpoints",
    "sqlite_saver",
    "thread_id",
    "thread_ids",
]

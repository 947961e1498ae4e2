"""The long-term store in one SQLite file, with nothing to install."""

from langgraph_memory.store.sqlite.store import SQLiteMemoryStore

__all__ = ["SQLiteMemoryStore"]

"""Long-term memory as a LangGraph store: hybrid search on SQLite and Postgres."""

from typing import TYPE_CHECKING, Any

from langgraph_memory.identity import decode_label, encode_label
from langgraph_memory.store.base import MemoryStore
from langgraph_memory.store.change import Change
from langgraph_memory.store.committing import committed
from langgraph_memory.store.hits import MemoryHit, SearchReport, StoreStats
from langgraph_memory.store.opening import open_store as open
from langgraph_memory.store.ranking import Weights
from langgraph_memory.store.sqlite import SQLiteMemoryStore

if TYPE_CHECKING:
    from langgraph_memory.store.postgres import PostgresMemoryStore

__all__ = [
    "Change",
    "MemoryHit",
    "MemoryStore",
    "PostgresMemoryStore",
    "SQLiteMemoryStore",
    "SearchReport",
    "StoreStats",
    "Weights",
    "committed",
    "decode_label",
    "encode_label",
    "open",
]


def __getattr__(name: str) -> Any:
    """Import the Postgres store when it is asked for: it needs the `postgres` extra."""
    if name == "PostgresMemoryStore":
        from langgraph_memory.store.postgres import PostgresMemoryStore

        return PostgresMemoryStore
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

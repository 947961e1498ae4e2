"""Long-term memory as a LangGraph store: hybrid search on SQLite and Postgres."""

from langgraph_memory.store.base import MemoryStore
from langgraph_memory.store.hits import MemoryHit, SearchReport, StoreStats
from langgraph_memory.store.labels import decode_label, encode_label
from langgraph_memory.store.opening import open_store as open
from langgraph_memory.store.ranking import Weights
from langgraph_memory.store.sqlite import SQLiteMemoryStore

__all__ = [
    "MemoryHit",
    "MemoryStore",
    "SQLiteMemoryStore",
    "SearchReport",
    "StoreStats",
    "Weights",
    "decode_label",
    "encode_label",
    "open",
]

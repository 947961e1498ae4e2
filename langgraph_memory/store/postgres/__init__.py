"""The long-term store in Postgres with pgvector, for many machines."""

from langgraph_memory.store.postgres.store import PostgresMemoryStore

__all__ = ["PostgresMemoryStore"]

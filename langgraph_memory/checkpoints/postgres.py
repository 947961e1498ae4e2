"""Threads on Postgres; needs the extra `postgres`."""

from __future__ import annotations

from langgraph.checkpoint.postgres import PostgresSaver

from langgraph_memory.checkpoints.off_loop import OffLoop

__all__ = ["PostgresCheckpointer"]


class PostgresCheckpointer(OffLoop, PostgresSaver):
    """LangGraph's Postgres checkpointer, awaitable as well."""

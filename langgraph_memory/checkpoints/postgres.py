"""Threads on Postgres; needs the extra `postgres`."""

from __future__ import annotations

from langgraph.checkpoint.postgres import PostgresSaver

from langgraph_memory.checkpoints.off_loop import OffLoop
from langgraph_memory.checkpoints.upkeep import Upkeep

__all__ = ["PostgresCheckpointer"]


class PostgresCheckpointer(Upkeep, OffLoop, PostgresSaver):
    """LangGraph's Postgres checkpointer, awaitable as well."""

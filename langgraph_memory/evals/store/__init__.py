"""``python -m langgraph_memory.evals store``: the latency of long-term stores, side by side."""

from langgraph_memory.evals.store.arguments import add_parser
from langgraph_memory.evals.store.command import run

__all__ = ["add_parser", "run"]

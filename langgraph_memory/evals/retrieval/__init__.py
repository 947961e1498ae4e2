"""``python -m langgraph_memory.evals retrieval``: whether stores find what answers a question."""

from langgraph_memory.evals.retrieval.arguments import add_parser
from langgraph_memory.evals.retrieval.command import run

__all__ = ["add_parser", "run"]

"""``python -m langgraph_memory.evals longterm``: what remembering costs, and what it brings."""

from langgraph_memory.evals.longterm.arguments import add_parser
from langgraph_memory.evals.longterm.command import run

__all__ = ["add_parser", "run"]

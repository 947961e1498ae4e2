"""Context strategies on recorded agent runs, beside the tools in use today."""

from langgraph_memory.evals.context.arguments import add_parser
from langgraph_memory.evals.context.command import compare_contexts as run

__all__ = ["add_parser", "run"]

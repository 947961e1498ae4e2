"""Context strategies in LangGraph and LangChain: pre-model nodes, hooks and middleware."""

from typing import TYPE_CHECKING, Any

from langgraph_memory.errors import MissingExtraError
from langgraph_memory.integrations.node import ContextNode, add_pre_model_steps, context_node
from langgraph_memory.integrations.ordered_steps import ordered_steps
from langgraph_memory.integrations.overflow import OverflowRetry

if TYPE_CHECKING:
    from langgraph_memory.integrations.middleware import ContextMiddleware

__all__ = [
    "ContextMiddleware",
    "ContextNode",
    "OverflowRetry",
    "add_pre_model_steps",
    "context_node",
    "ordered_steps",
]


def __getattr__(name: str) -> Any:
    """Import the middleware when it is asked for: it needs the `langchain` extra."""
    if name != "ContextMiddleware":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from langgraph_memory.integrations.middleware import ContextMiddleware
    except ImportError as error:
        if (error.name or "").split(".")[0] != "langchain":
            raise
        raise MissingExtraError("langchain", "langchain", "ContextMiddleware") from error
    return ContextMiddleware

"""Context strategies and memory in LangGraph and LangChain: nodes, hooks and middleware."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from langgraph_memory.errors import MissingExtraError
from langgraph_memory.integrations.node import ContextNode, add_pre_model_steps, context_node
from langgraph_memory.integrations.ordered_steps import ordered_steps
from langgraph_memory.integrations.overflow import OverflowRetry

if TYPE_CHECKING:
    from langgraph_memory.integrations.memory_middleware import MemoryMiddleware
    from langgraph_memory.integrations.memory_nodes import MemoryNodes, RecallNode, RememberNode
    from langgraph_memory.integrations.memory_run import memory_layers
    from langgraph_memory.integrations.middleware import ContextMiddleware
    from langgraph_memory.integrations.session_middleware import SessionMiddleware
    from langgraph_memory.integrations.traces import hide_memories

__all__ = [
    "ContextMiddleware",
    "ContextNode",
    "MemoryMiddleware",
    "MemoryNodes",
    "OverflowRetry",
    "RecallNode",
    "RememberNode",
    "SessionMiddleware",
    "add_pre_model_steps",
    "context_node",
    "hide_memories",
    "memory_layers",
    "ordered_steps",
]


_WHEN_ASKED_FOR = {
    "ContextMiddleware": "middleware",
    "MemoryMiddleware": "memory_middleware",
    "MemoryNodes": "memory_nodes",
    "RecallNode": "memory_nodes",
    "RememberNode": "memory_nodes",
    "SessionMiddleware": "session_middleware",
    "hide_memories": "traces",
    "memory_layers": "memory_run",
}


def __getattr__(name: str) -> Any:
    """Import what takes long, and what needs the `langchain` extra, when it is asked for."""
    if name not in _WHEN_ASKED_FOR:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        module = import_module(f"{__name__}.{_WHEN_ASKED_FOR[name]}")
    except ImportError as error:
        if (error.name or "").split(".")[0] != "langchain":
            raise
        raise MissingExtraError("langchain", "langchain", name) from error
    return getattr(module, name)

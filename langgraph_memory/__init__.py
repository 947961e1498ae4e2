"""Memory for LangGraph agents: context that always fits, threads that survive a restart."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from langgraph_memory.context import (
    ClearToolResults,
    Composite,
    ContextRequest,
    ContextStrategy,
    ContextView,
    Layered,
    MessageWindow,
    SemanticRecall,
    SlidingWindow,
    Summarize,
    TieredExpiry,
    Trim,
    UsageFeedbackWindow,
)
from langgraph_memory.errors import LangGraphMemoryError
from langgraph_memory.integrations import add_pre_model_steps, context_node, ordered_steps
from langgraph_memory.messages import pin, repair, units, validate
from langgraph_memory.records import MemoryRecord
from langgraph_memory.store import MemoryStore, SQLiteMemoryStore
from langgraph_memory.summarization import (
    ContextState,
    SummarizationHook,
    add_summarization,
    summarization_edge,
    summarize_node,
    summarized_messages,
)

if TYPE_CHECKING:
    from langgraph_memory.integrations import ContextMiddleware
    from langgraph_memory.memory import Memory
    from langgraph_memory.store import PostgresMemoryStore

__version__ = "0.1.0"

__all__ = [
    "ClearToolResults",
    "Composite",
    "ContextMiddleware",
    "ContextRequest",
    "ContextState",
    "ContextStrategy",
    "ContextView",
    "LangGraphMemoryError",
    "Layered",
    "Memory",
    "MemoryRecord",
    "MemoryStore",
    "MessageWindow",
    "PostgresMemoryStore",
    "SQLiteMemoryStore",
    "SemanticRecall",
    "SlidingWindow",
    "SummarizationHook",
    "Summarize",
    "TieredExpiry",
    "Trim",
    "UsageFeedbackWindow",
    "add_pre_model_steps",
    "add_summarization",
    "context_node",
    "ordered_steps",
    "pin",
    "repair",
    "summarization_edge",
    "summarize_node",
    "summarized_messages",
    "units",
    "validate",
]


_WHEN_ASKED_FOR = {
    "ContextMiddleware": "integrations",
    "Memory": "memory",
    "PostgresMemoryStore": "store",
}


def __getattr__(name: str) -> Any:
    """Import what takes long, and what needs an extra (`langchain`, `postgres`), when asked for."""
    if name not in _WHEN_ASKED_FOR:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_WHEN_ASKED_FOR[name]}"), name)

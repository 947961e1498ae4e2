"""Memory for LangGraph agents: context that always fits, threads that survive a restart."""

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
    "MessageWindow",
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


def __getattr__(name: str) -> Any:
    """Import the middleware when it is asked for: it needs the `langchain` extra."""
    if name == "ContextMiddleware":
        from langgraph_memory import integrations

        return integrations.ContextMiddleware
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""What the model sees on one call: strategies that compute a view and never change the thread."""

from langgraph_memory.context.clear_tool_results import ClearToolResults
from langgraph_memory.context.composite import Composite
from langgraph_memory.context.function_step import FunctionStep
from langgraph_memory.context.layered import Layered, Shares
from langgraph_memory.context.message_window import MessageWindow
from langgraph_memory.context.report import Report
from langgraph_memory.context.semantic_recall import SemanticRecall
from langgraph_memory.context.sliding_window import SlidingWindow
from langgraph_memory.context.strategy import (
    ContextRequest,
    ContextStrategy,
    ContextView,
    PureStrategy,
    Selection,
)
from langgraph_memory.context.summarization_step import SummarizationStep
from langgraph_memory.context.summarize import Summarize
from langgraph_memory.context.tiered_expiry import TieredExpiry
from langgraph_memory.context.trim import Trim
from langgraph_memory.context.usage_feedback import UsageFeedbackWindow

__all__ = [
    "ClearToolResults",
    "Composite",
    "ContextRequest",
    "ContextStrategy",
    "ContextView",
    "FunctionStep",
    "Layered",
    "MessageWindow",
    "PureStrategy",
    "Report",
    "Selection",
    "SemanticRecall",
    "Shares",
    "SlidingWindow",
    "SummarizationStep",
    "Summarize",
    "TieredExpiry",
    "Trim",
    "UsageFeedbackWindow",
]

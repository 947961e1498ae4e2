"""A chat on a thread: the graph, its model, and the strategies it can use by name."""

from langgraph_memory.chat.graph import SYSTEM_PROMPT, chat_graph
from langgraph_memory.chat.strategies import STRATEGIES, strategy_named
from langgraph_memory.models import chat_model

__all__ = ["STRATEGIES", "SYSTEM_PROMPT", "chat_graph", "chat_model", "strategy_named"]

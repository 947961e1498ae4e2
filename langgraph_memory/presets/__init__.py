"""Presets: middleware for `create_agent`, put together and in order, for three situations.

They need the `langchain` extra. `served_model` and `served_memory` are for graphs that LangGraph's
server loads.
"""

from langgraph_memory.presets.cowriting import Brief, cowriting
from langgraph_memory.presets.environment import Person, served_budget, served_memory, served_model
from langgraph_memory.presets.open_chat import open_chat
from langgraph_memory.presets.task import task

__all__ = [
    "Brief",
    "Person",
    "cowriting",
    "open_chat",
    "served_budget",
    "served_memory",
    "served_model",
    "task",
]

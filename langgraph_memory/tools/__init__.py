"""Tools by which a model saves, finds, corrects and forgets memories of its user."""

from langgraph_memory.tools.memory_tools import memory_tools

__all__ = ["memory_tools"]

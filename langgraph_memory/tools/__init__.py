"""Tools with which an agent remembers, corrects, forgets, and keeps track of tasks."""

from langgraph_memory.tools.memory_tools import memory_tools
from langgraph_memory.tools.task_tools import task_tools
from langgraph_memory.tools.user_tool import TOLD_LINE, TOOL_NAMES

__all__ = ["TOLD_LINE", "TOOL_NAMES", "memory_tools", "task_tools"]

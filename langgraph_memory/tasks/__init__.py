"""Unfinished tasks of a user across conversations."""

from langgraph_memory.tasks.note import TaskNote, TaskStatus
from langgraph_memory.tasks.task import Task

__all__ = ["Task", "TaskNote", "TaskStatus"]

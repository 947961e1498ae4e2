"""Unfinished tasks of a user across conversations."""

from langgraph_memory.tasks.block import task_block
from langgraph_memory.tasks.found import FoundTask, NoteFault, RefusedNote, TaskChanges
from langgraph_memory.tasks.merging import merged
from langgraph_memory.tasks.note import TaskNote, TaskStatus
from langgraph_memory.tasks.returning import Returning
from langgraph_memory.tasks.task import Task
from langgraph_memory.tasks.tasks import Tasks
from langgraph_memory.tasks.titles import name_the_same

__all__ = [
    "FoundTask",
    "NoteFault",
    "RefusedNote",
    "Returning",
    "Task",
    "TaskChanges",
    "TaskNote",
    "TaskStatus",
    "Tasks",
    "merged",
    "name_the_same",
    "task_block",
]

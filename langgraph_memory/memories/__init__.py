"""The memories of one user, and the rules by which they are written."""

from langgraph_memory.memories.edits import Edit, Edited, Outcome, Remember, Retire, Saved
from langgraph_memory.memories.memories import FoundMemory, Memories
from langgraph_memory.memories.statements import is_contained
from langgraph_memory.memories.values import Swap

__all__ = [
    "Edit",
    "Edited",
    "FoundMemory",
    "Memories",
    "Outcome",
    "Remember",
    "Retire",
    "Saved",
    "Swap",
    "is_contained",
]

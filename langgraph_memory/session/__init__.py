"""What one conversation works on: a form that is filled in, a text that is written together."""

from langgraph_memory.session.artifact import Artifact
from langgraph_memory.session.errors import InvalidEditError, InvalidSlotError
from langgraph_memory.session.lines import Section
from langgraph_memory.session.prompt import SessionPrompt
from langgraph_memory.session.state_schema import state_with
from langgraph_memory.session.task_form import TaskForm

__all__ = [
    "Artifact",
    "InvalidEditError",
    "InvalidSlotError",
    "Section",
    "SessionPrompt",
    "TaskForm",
    "state_with",
]

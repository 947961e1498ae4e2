"""A person's approval before what cannot be undone, and answers that are checked first."""

from langgraph_memory.integrations.approval.approved_tools import approved_tools
from langgraph_memory.integrations.approval.asking import Decided, approval_node, ask
from langgraph_memory.integrations.approval.decisions import (
    DECISIONS,
    DecisionError,
    NotPendingError,
)
from langgraph_memory.integrations.approval.resuming import resume_command

__all__ = [
    "DECISIONS",
    "Decided",
    "DecisionError",
    "NotPendingError",
    "approval_node",
    "approved_tools",
    "ask",
    "resume_command",
]

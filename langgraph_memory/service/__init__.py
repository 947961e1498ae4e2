"""Long-term memory at work: recalled before a model call, remembered after the reply."""

from langgraph_memory.service.learner import Learner
from langgraph_memory.service.ledger import Account, Cursor
from langgraph_memory.service.recaller import Recaller
from langgraph_memory.service.recollection import (
    NOTHING,
    Placement,
    Recollection,
    placed,
)
from langgraph_memory.service.service import MemoryService
from langgraph_memory.service.transcripts import Transcripts
from langgraph_memory.service.why import Reason

__all__ = [
    "NOTHING",
    "Account",
    "Cursor",
    "Learner",
    "MemoryService",
    "Placement",
    "Reason",
    "Recaller",
    "Recollection",
    "Transcripts",
    "placed",
]

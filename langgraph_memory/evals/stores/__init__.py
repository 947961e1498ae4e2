"""Long-term stores as the evaluations see them: this package's, LangGraph's, others, and yours."""

from langgraph_memory.evals.stores.contender import (
    MODES,
    Backend,
    Document,
    Mode,
    Place,
    Session,
    StoreContender,
)
from langgraph_memory.evals.stores.databases import Databases, open_databases
from langgraph_memory.evals.stores.loading import load_store
from langgraph_memory.evals.stores.table import CONTENDERS, choose, present

__all__ = [
    "CONTENDERS",
    "MODES",
    "Backend",
    "Databases",
    "Document",
    "Mode",
    "Place",
    "Session",
    "StoreContender",
    "choose",
    "load_store",
    "open_databases",
    "present",
]

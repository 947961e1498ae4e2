"""What one memory is: a record, the kinds there are of it, and how its worth changes with time."""

from langgraph_memory.records.record import MemoryRecord, is_record
from langgraph_memory.records.scoring import (
    decay,
    decayed_heat,
    effective_importance,
    heat_after_use,
)
from langgraph_memory.records.types import (
    LIFETIMES,
    Confirmation,
    Lifetime,
    MemoryType,
    Scope,
    Source,
    Status,
)
from langgraph_memory.records.use import used

__all__ = [
    "LIFETIMES",
    "Confirmation",
    "Lifetime",
    "MemoryRecord",
    "MemoryType",
    "Scope",
    "Source",
    "Status",
    "decay",
    "decayed_heat",
    "effective_importance",
    "heat_after_use",
    "is_record",
    "used",
]

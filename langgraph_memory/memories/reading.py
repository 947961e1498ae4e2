"""From what is stored to memories."""

from __future__ import annotations

import logging

from langgraph.store.base import Item

from langgraph_memory.errors import InvalidInputError
from langgraph_memory.records import MemoryRecord, is_record

__all__ = ["record_in"]

logger = logging.getLogger("langgraph_memory.memories")


def record_in(item: Item) -> MemoryRecord | None:
    """The memory in an item; None for what others have put there, or have written wrongly."""
    if not is_record(item.value):
        return None
    try:
        return MemoryRecord.from_value(item.value)
    except InvalidInputError:  # It quotes what it finds fault with, which is not for logs.
        logger.warning("The item %r cannot be read as a memory and is passed over.", item.key)
        return None

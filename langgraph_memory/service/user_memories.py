"""The memories of a user, by the settings of an agent."""

from __future__ import annotations

from langgraph_memory.identity import Identity
from langgraph_memory.memories import Memories
from langgraph_memory.settings import LongTermMemorySettings
from langgraph_memory.store import MemoryStore

__all__ = ["memories_of"]


def memories_of(who: Identity, store: MemoryStore, settings: LongTermMemorySettings) -> Memories:
    """A user's memories, bounded and compared as the settings say."""
    return Memories(
        store,
        who.memories,
        max_items=settings.max_items,
        duplicate_similarity=settings.duplicate_similarity,
    )

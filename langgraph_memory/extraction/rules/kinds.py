"""The types of memory that rules propose, by their bare names."""

from __future__ import annotations

from langgraph_memory.records import MemoryType

__all__ = ["CONSTRAINT", "EPISODE", "FACT", "GOAL", "PREFERENCE", "SKILL"]

FACT = MemoryType.FACT
PREFERENCE = MemoryType.PREFERENCE
CONSTRAINT = MemoryType.CONSTRAINT
GOAL = MemoryType.GOAL
EPISODE = MemoryType.EPISODE
SKILL = MemoryType.SKILL

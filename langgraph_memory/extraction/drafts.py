"""What a rule finds in one clause, before it is completed with where and when it was said."""

from __future__ import annotations

from dataclasses import dataclass

from langgraph_memory.memories.values import Swap
from langgraph_memory.records import MemoryType

__all__ = ["IMPORTANCE", "Draft"]

# What is not said to be more or less important.
IMPORTANCE = {
    MemoryType.FACT: 0.6,
    MemoryType.CONSTRAINT: 0.85,
    MemoryType.INSTRUCTION: 0.85,
    MemoryType.PREFERENCE: 0.6,
    MemoryType.SKILL: 0.6,
    MemoryType.PROJECT: 0.7,
    MemoryType.GOAL: 0.6,
    MemoryType.EPISODE: 0.5,
}
"""How important a memory of a type is where nothing else decides it."""


@dataclass(frozen=True, slots=True)
class Draft:
    """One statement about the user, in the third person.

    Attributes:
        type: What it says.
        content: The sentence, without its full stop.
        importance: From 0 to 1; that of its type if None.
        confidence: From 0 to 1.
        subject: See `Proposal.subject`.
        retracts: See `Proposal.retracts`.
        swap: See `Proposal.swap`.
        forgets: Whether it withdraws what `content` names.
    """

    type: MemoryType
    content: str
    importance: float | None = None
    confidence: float = 0.9
    subject: str | None = None
    retracts: tuple[str, ...] = ()
    swap: Swap | None = None
    forgets: bool = False

    @property
    def weight(self) -> float:
        """Its importance, its own or that of its type."""
        return IMPORTANCE.get(self.type, 0.5) if self.importance is None else self.importance

"""What recall gives back: memories with the reasons, and what it cost to find them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from langgraph.store.base import Item

from langgraph_memory.recall.passage import Passage
from langgraph_memory.recall.scoring import Parts
from langgraph_memory.store import MemoryHit

__all__ = ["RecallReport", "Recalled"]


@dataclass(frozen=True, slots=True)
class Recalled:
    """A memory that is recalled, with the reasons.

    Attributes:
        item: As stored; a `MemoryHit`, or an `Item` that was found only beside one.
        passage: What was read from its value.
        tokens: Length of its text.
        parts: What its score is made of.
        moved: Places it went up (above 0) or down (below 0) as the newer or older of several
            statements about the same thing.
    """

    item: Item
    passage: Passage
    tokens: int
    parts: Parts
    moved: int = 0

    @property
    def score(self) -> float:
        """Worth of the item to the question, comparable within one report."""
        return self.parts.score

    def explain(self) -> dict[str, Any]:
        """The reasons as plain values, for traces and for people who ask why."""
        hit = self.item if isinstance(self.item, MemoryHit) else None
        return {
            "namespace": self.item.namespace,
            "key": self.item.key,
            "score": self.score,
            "similarity": hit.similarity if hit else None,
            "keyword": hit.keyword if hit else None,
            "tokens": self.tokens,
            "moved": self.moved,
            "parts": asdict(self.parts),
        }


@dataclass(frozen=True, slots=True)
class RecallReport:
    """What was recalled and what it cost.

    Attributes:
        memories: Best first, within the budget.
        query: The text that was searched by.
        tokens: Tokens of all their texts.
        calls: Calls to the store.
        rows: Items read from it, which are all that were considered.
    """

    memories: list[Recalled]
    query: str
    tokens: int = 0
    calls: int = 0
    rows: int = 0

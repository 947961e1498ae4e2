"""The kinds of memory, where one comes from, and what each kind weighs and how long it lasts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

__all__ = [
    "LIFETIMES",
    "Confirmation",
    "Lifetime",
    "MemoryType",
    "Scope",
    "Source",
    "Status",
]


class MemoryType(StrEnum):
    """What a memory says. Import also takes `identity` for a fact, `event` and `history`."""

    FACT = "fact"
    """Something stable about the user: name, work, family."""
    PREFERENCE = "preference"
    """What the user likes better; it changes."""
    INSTRUCTION = "instruction"
    """A standing order on style or behaviour."""
    CONSTRAINT = "constraint"
    """What must not be violated: a budget, an allergy."""
    PROCEDURE = "procedure"
    """How a thing was solved; it may go out of date."""
    PROJECT = "project"
    """What the user is working on."""
    SKILL = "skill"
    """What the user can do, or is learning."""
    GOAL = "goal"
    """What the user wants to reach."""
    EPISODE = "episode"
    """What happened at one time; it is forgotten first."""

    @classmethod
    def _missing_(cls, value: object) -> MemoryType | None:
        return _synonyms().get(value.strip().lower()) if isinstance(value, str) else None


def _synonyms() -> dict[str, MemoryType]:
    return {member.value: member for member in MemoryType} | {
        "identity": MemoryType.FACT,
        "event": MemoryType.EPISODE,
        "history": MemoryType.EPISODE,
    }


class Scope(StrEnum):
    """Whom a memory is about, hence who may see it."""

    USER = "user"
    """One user of one agent."""
    AGENT = "agent"
    """Knowledge that all users of an agent share."""
    ENVIRONMENT = "environment"
    """A place or system that several users share."""


class Confirmation(StrEnum):
    """How sure it is that the memory is true."""

    STATED = "stated"
    """The user said so."""
    INFERRED = "inferred"
    """Concluded from what was said."""
    CONFIRMED = "confirmed"
    """Asked about, and the user agreed."""
    DISPUTED = "disputed"
    """Another memory says otherwise, and nobody has decided yet."""


class Source(StrEnum):
    """Which way the memory came in."""

    AUTO_EXTRACT = "auto_extract"
    """From a conversation, after the turn."""
    AGENT_TOOL = "agent_tool"
    """The agent called a tool to save it."""
    USER = "user"
    """A person entered it."""
    IMPORT = "import"
    """From a file or another system."""
    PROMOTION = "promotion"
    """From what many users' memories have in common."""


class Status(StrEnum):
    """Whether the memory counts."""

    ACTIVE = "active"
    """It is recalled."""
    ARCHIVED = "archived"
    """Forgotten, but can be restored."""
    SUPERSEDED = "superseded"
    """A newer memory stands in its place."""
    PENDING_REVIEW = "pending_review"
    """A person has yet to approve it."""


@dataclass(frozen=True, slots=True)
class Lifetime:
    """What a type of memory weighs and how long it lasts.

    Attributes:
        weight: Factor of its relevance when memories are ranked, above 0 and at most 1.
        half_life_days: Days without use after which its heat is half of what it was.
        archived_by_time: Whether not being used can be a reason to archive it.
    """

    weight: float
    half_life_days: float = 30.0
    archived_by_time: bool = True


LIFETIMES: Mapping[MemoryType, Lifetime] = MappingProxyType(
    {
        MemoryType.FACT: Lifetime(1.0, half_life_days=180.0),
        MemoryType.CONSTRAINT: Lifetime(0.95, half_life_days=180.0, archived_by_time=False),
        MemoryType.INSTRUCTION: Lifetime(0.95, half_life_days=90.0, archived_by_time=False),
        MemoryType.PREFERENCE: Lifetime(0.9),
        MemoryType.SKILL: Lifetime(0.85, half_life_days=90.0),
        MemoryType.PROJECT: Lifetime(0.8),
        MemoryType.GOAL: Lifetime(0.8),
        MemoryType.PROCEDURE: Lifetime(0.75),
        MemoryType.EPISODE: Lifetime(0.6, half_life_days=7.0),
    }
)
"""Weight and lifetime of every type.

Standing orders and limits hold until somebody withdraws them, so silence does not archive them.
"""

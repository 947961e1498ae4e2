"""What a model may say when it calls a memory tool, as it is told."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints

from langgraph_memory.records import MemoryType

__all__ = ["Forgotten", "Saved", "Searched", "Updated"]

Statement = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=2_000),
    Field(
        description="One self-contained sentence in the third person, such as 'The user prefers Go "
        "for back ends', that will be understood without this conversation."
    ),
]
Id = Annotated[str, Field(min_length=1, description="Id of a memory, as memory_search shows it.")]


class Saved(BaseModel):
    """Arguments of memory_save."""

    content: Statement
    type: MemoryType = Field(
        MemoryType.FACT,
        description="fact: stable (name, job, family); preference; instruction: a standing order "
        "on how to answer; constraint: must not be violated (budget, allergy); procedure; project; "
        "skill; goal; episode: tied to a time.",
    )
    importance: float = Field(
        0.6,
        ge=0,
        le=1,
        description="0.8-1.0 for identity, health and standing orders, 0.7 for a current project, "
        "0.5-0.7 for general preferences.",
    )


class Searched(BaseModel):
    """Arguments of memory_search."""

    query: str = Field(
        max_length=2_000, description="What to look for, in words; empty for the newest memories."
    )
    limit: int = Field(5, ge=1, le=20, description="How many memories at most.")


class Updated(BaseModel):
    """Arguments of memory_update."""

    id: Id
    content: Statement


class Forgotten(BaseModel):
    """Arguments of memory_forget."""

    id: Id

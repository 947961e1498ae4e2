"""What an extractor is given, and what an extractor is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from langchain_core.messages import BaseMessage

from langgraph_memory.calls import Steps
from langgraph_memory.extraction.proposals import Extraction
from langgraph_memory.records import MemoryRecord
from langgraph_memory.tasks import Task

__all__ = ["ExtractionRequest", "Extractor"]


@dataclass(frozen=True, slots=True)
class ExtractionRequest:
    """One turn, or a few that are read together.

    Attributes:
        messages: Oldest first; the message before them may be among them, as the question that
            the first one answers.
        said_at: When they were written; aware.
        known: The active memories that are nearest to what was said, the nearest first.
        tasks: The user's unfinished tasks that are nearest to it.
        speaker: In a thread with several speakers, the `name` of the one whose memories these are.
    """

    messages: Sequence[BaseMessage]
    said_at: datetime
    known: Sequence[MemoryRecord] = ()
    tasks: Sequence[Task] = ()
    speaker: str | None = None


class Extractor(Protocol):
    """Reads what is worth remembering from a conversation."""

    @property
    def name(self) -> str:
        """Name and version, for `MemoryRecord.extractor`."""

    def steps(self, request: ExtractionRequest) -> Steps[Extraction]:
        """What is proposed; bad output of a model is reported, not raised."""

"""TrimHistory: the beginning and the end of a thread."""

from __future__ import annotations

from dataclasses import dataclass

from langgraph_memory.context.budget import check_count
from langgraph_memory.history.strategy import Choice, HistoryStrategy
from langgraph_memory.messages import Thread
from langgraph_memory.messages.thread import first_units, last_units

__all__ = ["TrimHistory"]


@dataclass(frozen=True)
class TrimHistory(HistoryStrategy):
    """Keep the first and the last messages.

    Args:
        keep_first: Messages kept from the beginning; system messages do not count.
        keep_last: Messages kept from the end. A unit that does not fit whole goes, except the
            newest one.
        profile: See `HistoryStrategy`.
    """

    keep_first: int = 2
    keep_last: int = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("keep_first", self.keep_first)
        check_count("keep_last", self.keep_last)

    def choose(self, thread: Thread) -> Choice:
        """Keep both ends."""
        first = first_units(thread, self.keep_first)
        last = last_units(thread, self.keep_last)
        why = f"between the first {self.keep_first} and the last {self.keep_last} messages"
        return Choice([*first, *last], why)

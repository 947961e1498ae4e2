"""KeepLatest: the end of a thread."""

from __future__ import annotations

from dataclasses import dataclass

from langgraph_memory.context.budget import check_count
from langgraph_memory.history.strategy import Choice, HistoryStrategy
from langgraph_memory.messages import Thread
from langgraph_memory.messages.thread import last_units

__all__ = ["KeepLatest"]


@dataclass(frozen=True)
class KeepLatest(HistoryStrategy):
    """Keep the newest messages: of eight, the last five.

    Where these begin with a reply, its question stays as well, because some providers refuse a
    conversation that the user does not open; with `profile="openai"` it goes.

    Args:
        n: How many; system messages do not count. A unit that does not fit whole goes, except the
            newest one.
        profile: See `HistoryStrategy`.
    """

    n: int = 5

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("n", self.n, least=1)

    def choose(self, thread: Thread) -> Choice:
        """Keep the end."""
        return Choice(last_units(thread, self.n), f"older than the newest {self.n} messages")

"""FilterHistory: the messages that a function of the application wants."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from langchain_core.messages import BaseMessage

from langgraph_memory.errors import InvalidInputError
from langgraph_memory.history.strategy import Choice, HistoryStrategy
from langgraph_memory.messages import Thread

__all__ = ["FilterHistory"]


@dataclass(frozen=True)
class FilterHistory(HistoryStrategy):
    """Keep what a predicate accepts, for instance the user's messages and the replies with prices.

    A call and its results stay if any of them is accepted.

    Args:
        predicate: Whether a message is to be kept. It must depend on the message alone.
        profile: See `HistoryStrategy`.
    """

    predicate: Callable[[BaseMessage], bool]

    def __post_init__(self) -> None:
        super().__post_init__()
        if not callable(self.predicate):
            raise InvalidInputError(
                f"predicate must be a function from a message to a bool, not {self.predicate!r}."
            )

    def choose(self, thread: Thread) -> Choice:
        """Keep what is accepted."""
        accepted = [i for i, message in enumerate(thread.messages) if self.predicate(message)]
        return Choice(accepted, "not accepted by the predicate")

"""Trim: the beginning and the end of a thread."""

from __future__ import annotations

from dataclasses import dataclass

from langgraph_memory.context.budget import check_count
from langgraph_memory.context.strategy import (
    ContextRequest,
    PureStrategy,
    Selection,
    with_openers,
)
from langgraph_memory.messages import Thread
from langgraph_memory.messages.thread import first_units, last_units


@dataclass(frozen=True)
class Trim(PureStrategy):
    """Keep the first and the last messages: of ten with 2 and 3, `[1, 2, 8, 9, 10]`.

    Args:
        keep_first: Messages kept from the beginning. System messages do not count.
        keep_last: Messages kept from the end. A unit that does not fit whole is left out, except
            the newest one.
    """

    keep_first: int = 2
    keep_last: int = 10

    def __post_init__(self) -> None:
        check_count("keep_first", self.keep_first)
        check_count("keep_last", self.keep_last)

    def select(self, thread: Thread, request: ContextRequest) -> Selection:
        """Keep both ends."""
        keep = thread.essentials()
        keep.update(first_units(thread, self.keep_first))
        keep.update(last_units(thread, self.keep_last))
        reason = f"between the first {self.keep_first} and the last {self.keep_last} messages"
        return Selection(with_openers(thread, keep, request), why=lambda _: reason)

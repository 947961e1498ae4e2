"""MessageWindow: the newest messages, by number."""

from __future__ import annotations

from dataclasses import dataclass

from langgraph_memory.context.budget import check_count
from langgraph_memory.context.strategy import ContextRequest, PureStrategy, Selection
from langgraph_memory.messages import Thread, openers_needed, role_of
from langgraph_memory.messages.thread import last_units


@dataclass(frozen=True)
class MessageWindow(PureStrategy):
    """Keep the newest messages.

    Args:
        max_messages: How many. System messages never count and always stay; so do pinned ones. A
            unit that does not fit whole is left out, except the newest one.
    """

    max_messages: int = 20

    def __post_init__(self) -> None:
        check_count("max_messages", self.max_messages, least=1)

    def select(self, thread: Thread, request: ContextRequest) -> Selection:
        """Keep the end; begin it with the user where the provider needs that."""
        essential = thread.essentials()
        window = last_units(thread, self.max_messages)
        if request.rules.user_first and thread.current is not None:
            while window and openers_needed(thread, sorted(essential.union(window)), request.rules):
                unit = thread.units[thread.unit_at(window[0])]
                window = [index for index in window if index not in unit.indices]
        keep = essential.union(window)
        keep.update(openers_needed(thread, sorted(keep), request.rules))
        reason = f"older than the newest {self.max_messages} messages"
        return Selection(sorted(keep), why=lambda index: _why(thread, index, reason))


def _why(thread: Thread, index: int, reason: str) -> str:
    if role_of(thread.messages[index]) == "tool":
        return f"{reason}, or without its call"
    return reason

"""Deciding on changes and committing them, again if others were quicker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from langgraph_memory.calls import Call, Steps
from langgraph_memory.errors import VersionConflictError
from langgraph_memory.store.base import MemoryStore
from langgraph_memory.store.change import Change

__all__ = ["committed"]

ATTEMPTS = 100
"""How often a change is tried that others get in the way of; one of them succeeds each time."""

T = TypeVar("T")


def committed(
    store: MemoryStore, decide: Callable[[], Steps[tuple[Sequence[Change], T]]]
) -> Steps[T]:
    """Commit what a decision comes to; decide anew if an item was changed since it was read.

    Args:
        store: Where the items are.
        decide: Reads, and gives the changes and a result. Without changes nothing is written.

    Returns:
        The result of the decision that was written.

    Raises:
        VersionConflictError: If others change the same items all the time; nothing was written.
    """
    for attempt in range(ATTEMPTS):
        changes, result = yield from decide()
        if not changes:
            return result
        try:
            yield Call.of(store.commit, store.acommit, changes)
        except VersionConflictError:
            if attempt == ATTEMPTS - 1:
                raise
        else:
            return result
    raise AssertionError("the last attempt returns or raises")

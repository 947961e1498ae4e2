"""Whose threads are, for tools that are not handed their graph's whole state."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from langgraph_memory.service.transcripts import Transcripts

__all__ = ["Owners"]

REMEMBERED = 10_000


class Owners:
    """Remembers what threads keep of their owners, and reads it where it does not remember.

    Args:
        transcripts: Where threads can be read.
    """

    def __init__(self, transcripts: Transcripts | None) -> None:
        self._transcripts = transcripts
        self._known: OrderedDict[str, Mapping[str, Any]] = OrderedDict()
        self._lock = threading.Lock()

    def remember(self, thread: str, owner: Mapping[str, Any]) -> None:
        """A run has told it."""
        with self._lock:
            self._known[thread] = owner
            self._known.move_to_end(thread)
            while len(self._known) > REMEMBERED:
                self._known.popitem(last=False)

    def of(self, thread: str) -> Mapping[str, Any] | None:
        """What a thread keeps of its owner; None if nobody knows."""
        with self._lock:
            known = self._known.get(thread)
        if known is None and self._transcripts is not None:
            return self._transcripts.owner(thread)
        return known

"""What happened to memories and why, for logs and for whoever listens. No content of memories."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from langgraph_memory import clock

__all__ = ["Event", "Listener", "announce"]

logger = logging.getLogger("langgraph_memory.events")


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened.

    Of recall: `recalled`, and `recall_failed` where nothing could be.

    Of turns that are read for memories: `extracted`; `extraction_skipped` where nothing can be in
    them; `extraction_waits` for another day, told once; `extraction_failed` where it is tried again
    later; `extraction_passed_over` where it failed too often.

    Of what comes of it: `saved`, `superseded` and `archived` memories, `profile_changed`,
    `task_changed`, and `dropped` for what was proposed and is no good.

    `forget_everything_asked` where the user wants all to be forgotten. Nothing is, as that cannot
    be undone: the application may ask once more, and then erase.

    Of threads: `thread_trimmed` and `thread_restored`.

    Attributes:
        name: One of those below.
        reason: Why, where there is a choice.
        agent: Name of the agent in namespaces.
        user: Whose memories.
        thread: Id of the conversation.
        ids: Of the memories or messages concerned.
        counts: Figures, such as model calls or tokens.
        at: When.
    """

    name: str
    reason: str = ""
    agent: str = ""
    user: str = ""
    thread: str = ""
    ids: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    at: datetime = field(default_factory=clock.now)


Listener = Callable[[Event], None]


def announce(listener: Listener | None, event: Event) -> None:
    """Tell the log and the listener. A listener that fails changes nothing."""
    logger.debug("%s", event)
    if listener is None:
        return
    try:
        listener(event)
    except Exception:
        logger.exception("A listener failed on %r.", event.name)

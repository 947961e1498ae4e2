"""Who changed something in a session, when, and in answer to which message."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field

from langgraph_memory import clock

__all__ = ["ASSISTANT", "USER", "Stamp"]

USER = "user"
ASSISTANT = "assistant"


def _now() -> str:
    return clock.utc_text(clock.now())


@dataclass(frozen=True, slots=True)
class Stamp:
    """Where a change comes from.

    Attributes:
        by: Who said it: `user`, `assistant`, or a name that the application chooses.
        message: Id of the user's newest message then, where it is known.
        id: Of the change; the same when a call is looked at again.
        at: When, in UTC.
    """

    by: str = USER
    message: str | None = None
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    at: str = field(default_factory=_now)

"""The transcript as data: units, what providers accept, repair, and pins."""

from langgraph_memory.messages.content import (
    as_messages,
    calls_of,
    check_messages,
    key_of,
    role_of,
    text_of,
    with_text_after,
)
from langgraph_memory.messages.marks import (
    is_pinned,
    is_said_by_user,
    is_summary,
    made,
    made_kind,
    pin,
    summary_of,
    unpin,
)
from langgraph_memory.messages.profiles import PROFILES, Profile, profile_named
from langgraph_memory.messages.repair import Piece, repair, repair_pieces
from langgraph_memory.messages.thread import Thread, openers_needed
from langgraph_memory.messages.units import Unit, units
from langgraph_memory.messages.validate import Violation, validate

__all__ = [
    "PROFILES",
    "Piece",
    "Profile",
    "Thread",
    "Unit",
    "Violation",
    "as_messages",
    "calls_of",
    "check_messages",
    "is_pinned",
    "is_said_by_user",
    "is_summary",
    "key_of",
    "made",
    "made_kind",
    "openers_needed",
    "pin",
    "profile_named",
    "repair",
    "repair_pieces",
    "role_of",
    "summary_of",
    "text_of",
    "units",
    "unpin",
    "validate",
    "with_text_after",
]

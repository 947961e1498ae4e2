"""Thread ids put together from parts, such as user and session, or customer and ticket."""

from __future__ import annotations

from urllib.parse import quote

from langgraph_memory.errors import InvalidInputError


def thread_id(*parts: str) -> str:
    """One id for a thread that belongs to several things at once.

    Different parts never give the same id: what separates them is escaped inside them.

    Args:
        parts: For instance a user and a session. Any text that is not empty.

    Raises:
        InvalidInputError: There is no part, or one is empty or not a string.
    """
    if not parts:
        raise InvalidInputError("A thread id needs at least one part, for instance the user's id.")
    for part in parts:
        if not isinstance(part, str) or not part:
            raise InvalidInputError(
                f"Every part of a thread id must be a non-empty string, not {part!r}: an empty one "
                "would make strangers share a thread."
            )
    return "/".join(quote(part, safe="@.+-_~", errors="surrogatepass") for part in parts)

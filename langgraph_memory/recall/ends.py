"""How much of a message is searched by."""

from __future__ import annotations

__all__ = ["LONGEST", "ends"]

LONGEST = 2_000
"""Characters of a message that are looked at: far less than any embedder takes."""


def ends(text: str, longest: int = LONGEST) -> str:
    """The first and the last of a long text, which is where people ask about what they paste.

    Args:
        text: Any text.
        longest: Characters that are kept, half of them from either end.
    """
    if len(text) <= longest:
        return text
    return f"{text[: longest // 2]}\n{text[-longest // 2 :]}"

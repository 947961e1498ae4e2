"""Text of users and models on a terminal: shown, and never obeyed by it."""

from __future__ import annotations

import re

__all__ = ["printable"]

# Rich leaves out some of them, but not the one that begins a terminal's orders.
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


def printable(text: str) -> str:
    """A text with its control characters, and what no terminal can be sent, written out."""
    return _UNPRINTABLE.sub(lambda found: ascii(found[0])[1:-1], text)

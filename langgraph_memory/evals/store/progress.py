"""What a long run is doing, on the error stream."""

from __future__ import annotations

import sys

__all__ = ["say"]


def say(text: str) -> None:
    """Tell whoever waits."""
    print(text, file=sys.stderr, flush=True)

"""What of a ranking is recalled: as much as there is room for."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["within"]


def within(tokens: Sequence[int], budget: int, limit: int | None = None) -> list[int]:
    """Choose from a ranking, best first, what fits into a budget whole.

    What does not fit any more is left out, and what comes after it may still fit: a long text
    must not keep short ones out.

    Args:
        tokens: Length of each text, best first.
        budget: Tokens there are.
        limit: How many texts at most; None for any number.

    Returns:
        Numbers of those chosen, in order.
    """
    chosen: list[int] = []
    left = budget
    for number, length in enumerate(tokens):
        if limit is not None and len(chosen) >= limit:
            break
        if length <= left:
            chosen.append(number)
            left -= length
    return chosen

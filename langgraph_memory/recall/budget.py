"""What of a ranking is recalled: as much as there is room for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

__all__ = ["within"]

PATIENCE = 20
"""Texts in a row that do not fit, after which nothing more is counted."""

T = TypeVar("T")


def within(
    ranked: Iterable[T], tokens: Callable[[T], int], budget: int, limit: int | None = None
) -> list[tuple[T, int]]:
    """Choose from a ranking what fits into a budget whole.

    What does not fit any more is left out, and what comes after it may still fit: a long text
    must not keep short ones out.

    Args:
        ranked: Best first.
        tokens: Counts one; only called as long as there may be room.
        budget: Tokens there are.
        limit: How many at most; None for any number.

    Returns:
        Those chosen, in order, each with its tokens.
    """
    chosen: list[tuple[T, int]] = []
    left, misfits = budget, 0
    for each in ranked:
        if (limit is not None and len(chosen) >= limit) or misfits >= PATIENCE or left <= 0:
            break
        length = tokens(each)
        if length <= left:
            chosen.append((each, length))
            left -= length
            misfits = 0
        else:
            misfits += 1
    return chosen

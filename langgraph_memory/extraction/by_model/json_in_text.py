"""JSON in what a model writes, whatever is around it."""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["values_in"]

MOST_STARTS = 500
"""How many places are tried at which a value may begin."""


def values_in(text: str, opening: re.Pattern[str]) -> tuple[list[Any], bool]:
    """The complete values that are not inside another one, and whether others are broken.

    Args:
        text: What was written.
        opening: What a value begins with.
    """
    decoder = json.JSONDecoder()
    values: list[Any] = []
    at, broken = 0, False
    for _ in range(MOST_STARTS):
        found = opening.search(text, at)
        if found is None:
            break
        try:
            value, at = decoder.raw_decode(text, found.start())
        except (ValueError, RecursionError):
            at, broken = found.end(), True
        else:
            values.append(value)
    return values, broken

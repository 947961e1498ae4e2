"""What may go into graph state: JSON that every serializer gives back as it was."""

from __future__ import annotations

import json
from typing import Any

from pydantic_core import to_jsonable_python

__all__ = ["check_text", "plain"]

_INTEGERS = range(-(2**63), 2**64)


def plain(value: Any) -> Any:
    """A value as plain JSON.

    Raises:
        ValueError: If it has no form in JSON, or one that a serializer would change or refuse.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=to_jsonable_python)
    except (TypeError, RecursionError) as error:
        raise ValueError(f"it has no form in JSON: {error}") from error
    check_text(text)
    return json.loads(text, parse_int=_integer)


def check_text(text: str) -> None:
    """Refuse half of a character: a checkpoint would keep a question mark in its place.

    Raises:
        ValueError: It says where.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(
            f"it has U+{ord(text[error.start]):04X} at character {error.start}, which is half of a "
            "character and no text; write the whole character"
        ) from None


def _integer(digits: str) -> int:
    if len(digits) > 20 or int(digits) not in _INTEGERS:
        raise ValueError("it has a whole number of more than 64 bits; write it as text")
    return int(digits)

r"""Text and JSON in a form that every database holds, and back, without loss.

Postgres refuses NUL in any text and NUL or lone surrogates in `jsonb`; SQLite's functions stop at
a NUL, and no driver can encode a surrogate. Both occur in what people and tools hand to a memory.
They are therefore written as pairs of characters that are legal everywhere:

| character | written as |
|---|---|
| U+0000 | U+0001 U+0001 |
| U+0001 (an unused control character) | U+0001 U+0002 |
| U+D7FF (a code point without a character) | U+D7FF U+0001 |
| lone surrogate U+D800 + n, n = 0 … 2047 | U+D7FF, then the character 256 + n |

All other text is left as it is, so what people write is stored as they wrote it.

The form keeps equality (no two texts share one) and, since each pair begins with the neighbour of
what it stands for, also the order: escaped texts compare by code point exactly as the originals
do, which is what Postgres does under `COLLATE "C"` in a UTF-8 database and SQLite by default.
Whoever compares stored text with an operand escapes the operand first.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

from langgraph_memory.errors import InvalidInputError
from langgraph_memory.shown import shown

__all__ = ["MAX_DEPTH", "MAX_INTEGER_BITS", "dump", "escape", "load", "unescape"]

MAX_DEPTH = 256
"""How many lists and objects may contain each other. More would exhaust the stack of a reader."""

MAX_INTEGER_BITS = 13_000
"""The size of the largest integer, about 3,900 digits. Python refuses to read 4,300 or more."""

_LOW = "\x01"
_HIGH = "\ud7ff"
_FIRST_SURROGATE = 0xD800
_SURROGATE_OFFSET = 256

_ESCAPES: dict[int, str] = {0: _LOW + "\x01", 1: _LOW + "\x02", 0xD7FF: _HIGH + "\x01"} | {
    _FIRST_SURROGATE + n: _HIGH + chr(_SURROGATE_OFFSET + n) for n in range(2048)
}
_ORIGINALS = {written: chr(code) for code, written in _ESCAPES.items()}
_SPECIAL = re.compile("[\x00\x01\ud7ff\ud800-\udfff]")
_WRITTEN = re.compile("[\x01\ud7ff].")


def escape(text: str) -> str:
    """The form of a text that can be stored; the text itself unless it has such characters."""
    if text.isascii() and "\x00" not in text and _LOW not in text:
        return text
    return _SPECIAL.sub(lambda found: _ESCAPES[ord(found[0])], text)


def unescape(text: str) -> str:
    """The text that `escape` was given.

    Pairs that `escape` never writes are left as they are: text that another program put into the
    table can still be read.
    """
    if _LOW not in text and _HIGH not in text:
        return text
    return _WRITTEN.sub(lambda found: _ORIGINALS.get(found[0], found[0]), text)


def dump(value: Any) -> str:
    """A value as compact JSON text in a form that can be stored, keys and strings escaped.

    Tuples are written as lists. The order of keys is kept.

    Raises:
        InvalidInputError: the value is not JSON (another type, a key that is not text, NaN or
            infinity), nested deeper than `MAX_DEPTH`, or holds an integer of more than
            `MAX_INTEGER_BITS`. The message names the place, e.g. `profile.ages[2]`.
    """
    try:
        prepared = _prepared(value, MAX_DEPTH)
    except _RefusedError as refused:
        raise InvalidInputError(
            f"The value at {refused.place()} {refused.reason}. "
            "A stored value is JSON: objects with text keys, lists, text, finite numbers, "
            "true, false and null."
        ) from None
    return json.dumps(prepared, ensure_ascii=False, separators=(",", ":"), check_circular=False)


def load(text: str) -> Any:
    """The value that `dump` was given."""
    value = json.loads(text)
    # JSON writes U+0001 as \u0001, so text without either mark has nothing to undo.
    return _restored(value) if "\\u" in text or _HIGH in text else value


class _RefusedError(Exception):
    """Why a member cannot be stored; the way to it is added from the inside out."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.steps: list[str | int] = []

    def place(self) -> str:
        if not self.steps:
            return "the top"
        # A value nested too deep has a way of hundreds of steps; its beginning says enough.
        shown = list(reversed(self.steps))[:12]
        way = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in shown)
        return ascii(way.removeprefix("."))[1:-1] + ("…" if len(shown) < len(self.steps) else "")


def _prepared(value: Any, levels: int) -> Any:
    """A copy with escaped text, of plain Python types; raises `_RefusedError`."""
    if isinstance(value, str):
        # A subclass, such as a member of a StrEnum, may print as something else.
        return escape(value if type(value) is str else str.__str__(value))
    if value is None or value is True or value is False:
        return value
    if isinstance(value, int):
        return _integer(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise _RefusedError(
                f"is {value}, which JSON does not have; use null or a finite number"
            )
        return float(value)
    if not isinstance(value, dict | list | tuple):
        raise _RefusedError(f"is of type {type(value).__qualname__}, which is not JSON")
    if levels == 0:
        raise _RefusedError(f"is nested deeper than {MAX_DEPTH} levels, or contains itself")
    if isinstance(value, dict):
        return _object(value, levels - 1)
    items: list[Any] = []
    for place, item in enumerate(value):
        try:
            items.append(_prepared(item, levels - 1))
        except _RefusedError as refused:
            refused.steps.append(place)
            raise
    return items


def _object(value: dict[Any, Any], levels: int) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for key, member in value.items():
        if not isinstance(key, str):
            raise _RefusedError(
                f"has the key {shown(key)} of type {type(key).__qualname__}, not text"
            )
        try:
            members[_prepared(key, levels)] = _prepared(member, levels)
        except _RefusedError as refused:
            refused.steps.append(key)
            raise
    return members


def _integer(value: int) -> int:
    if value.bit_length() > MAX_INTEGER_BITS:
        raise _RefusedError(
            f"is an integer of {value.bit_length()} bits, more than {MAX_INTEGER_BITS}; "
            "write it as text"
        )
    return int(value)


def _restored(value: Any) -> Any:
    if isinstance(value, str):
        return unescape(value)
    if isinstance(value, list):
        return [_restored(item) for item in value]
    if isinstance(value, dict):
        return {unescape(key): _restored(member) for key, member in value.items()}
    return value

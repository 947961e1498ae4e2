"""Exact changes of a text: where an anchor stands, hunks at their places, and the way back.

Everything counts in characters (Unicode code points) and nothing is normalized: no line end, no
accent, no blank.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from langgraph_memory.errors import InvalidInputError, InvalidStateError
from langgraph_memory.session.errors import InvalidEditError
from langgraph_memory.shown import shown

__all__ = [
    "Edit",
    "Hunk",
    "applied",
    "between",
    "edits_from",
    "fits",
    "hunks_of",
    "line_of",
    "undone",
]

Edit = tuple[str, str]
"""What to find and what to put in its place."""

Hunk = dict[str, Any]
"""`start` (characters before it in the old text), `old` and `new`."""

_SHOWN_LINES = 10


def hunks_of(text: str, edits: Sequence[Edit]) -> list[Hunk]:
    """The hunks of edits that all refer to the same text, in the order of their places.

    Raises:
        InvalidEditError: If an anchor does not stand there exactly once, or two of them overlap.
    """
    hunks: list[tuple[int, int, Hunk]] = []
    for number, (old, new) in enumerate(edits, 1):
        if not old:
            raise InvalidEditError(
                f"Edit {number}: the text to find is empty. Give the exact words at the place."
            )
        places = _places(text, old)
        if len(places) != 1:
            fault = _not_found(text, old) if not places else _ambiguous(text, places)
            raise InvalidEditError(f"Edit {number}: {_quoted(old)} was found {fault}")
        hunks.append((places[0], number, {"start": places[0], "old": old, "new": new}))
    hunks.sort(key=lambda each: each[0])
    for (start, number, hunk), (following, other, _) in pairwise(hunks):
        if start + len(hunk["old"]) > following:
            raise InvalidEditError(
                f"Edits {min(number, other)} and {max(number, other)} overlap in line "
                f"{line_of(text, following)}. Make one edit of them."
            )
    return [hunk for _, _, hunk in hunks]


def between(old: str, new: str) -> list[Hunk]:
    """The one hunk that makes one text of another, without what both begin and end with."""
    start = _common(old, new)
    rest = min(len(old), len(new)) - start
    end = _common(old[::-1][:rest], new[::-1][:rest])
    hunk = {"start": start, "old": old[start : len(old) - end], "new": new[start : len(new) - end]}
    return [hunk] if hunk["old"] or hunk["new"] else []


def fits(text: str, hunks: Sequence[Mapping[str, Any]]) -> bool:
    """Whether every hunk finds its old text at its place, one after the other."""
    end = 0
    for hunk in hunks:
        start, old = hunk["start"], hunk["old"]
        if start < end or not text.startswith(old, start) or start > len(text):
            return False
        end = start + len(old)
    return True


def edits_from(edits: Sequence[Any]) -> list[Edit]:
    """Edits given as pairs, or as mappings with `find` and `replace`."""
    found = []
    for each in edits:
        pair = (each.get("find"), each.get("replace")) if isinstance(each, Mapping) else tuple(each)
        if len(pair) != 2 or not all(isinstance(part, str) for part in pair):
            raise InvalidInputError(
                f"An edit is two texts, what to find and what to put there; not {shown(each)}."
            )
        found.append((pair[0], pair[1]))
    return found


def applied(text: str, hunks: Sequence[Mapping[str, Any]]) -> str:
    """A text with hunks that fit it."""
    parts, end = [], 0
    for hunk in hunks:
        parts += [text[end : hunk["start"]], hunk["new"]]
        end = hunk["start"] + len(hunk["old"])
    return "".join([*parts, text[end:]])


def undone(text: str, hunks: Sequence[Mapping[str, Any]]) -> str:
    """The text before hunks were applied.

    Raises:
        InvalidStateError: If this is not the text that they led to.
    """
    moved, shift = [], 0
    for hunk in hunks:
        moved.append({"start": hunk["start"] + shift, "old": hunk["new"], "new": hunk["old"]})
        shift += len(hunk["new"]) - len(hunk["old"])
    if not fits(text, moved):
        raise InvalidStateError(
            "The log of edits does not lead to the text beside it: one of them was changed "
            "without the other. Change an artifact's state with its own methods only."
        )
    return applied(text, moved)


def line_of(text: str, place: int) -> int:
    """The number of the line that a place is in; the first is 1."""
    return text.count("\n", 0, place) + 1


def _places(text: str, anchor: str) -> list[int]:
    """Every place where an anchor stands, also where it overlaps with itself."""
    places, place = [], text.find(anchor)
    while place >= 0:
        places.append(place)
        place = text.find(anchor, place + 1)
    return places


def _ambiguous(text: str, places: Sequence[int]) -> str:
    lines = [str(line_of(text, place)) for place in places[:_SHOWN_LINES]]
    more = ", …" if len(places) > _SHOWN_LINES else ""
    return (
        f"{len(places)} times, in lines {', '.join(lines)}{more}. Take in more of the text around "
        "the place, until it stands there only once."
    )


def _not_found(text: str, anchor: str) -> str:
    for written, other in (
        ("\\r\\n", anchor.replace("\r\n", "\n").replace("\n", "\r\n")),
        ("\\n", anchor.replace("\r\n", "\n")),
    ):
        if other != anchor and other in text:
            return f"0 times, but it is there with {written} as line ends. Give it with these."
    known = _longest(lambda length: anchor[:length] in text, len(anchor))
    if known < min(len(anchor), 8) // 2:
        return "0 times. Copy the words exactly as they stand in the text."
    place = text.find(anchor[:known])
    goes_on = text[place + known : place + known + 30]
    return (
        f"0 times. Its first {known} characters stand in line {line_of(text, place)}, where the "
        f"text goes on with {_quoted(goes_on)} and not with {_quoted(anchor[known : known + 30])}. "
        "Copy the words exactly as they stand in the text."
    )


def _quoted(text: str) -> str:
    return json.dumps(text if len(text) <= 80 else f"{text[:60]}…{text[-19:]}", ensure_ascii=False)


def _common(one: str, other: str) -> int:
    """How many characters two texts have in common at their start."""
    most = min(len(one), len(other))
    return _longest(lambda length: one[:length] == other[:length], most)


def _longest(holds: Callable[[int], bool], most: int) -> int:
    """The greatest length up to which something holds; it does for 0."""
    known, unknown = 0, most + 1
    while unknown - known > 1:
        middle = (known + unknown) // 2
        known, unknown = (middle, unknown) if holds(middle) else (known, middle)
    return known

"""A text and the log of its edits: how it grows, how it meets other edits, and every version of it.

The log is the truth: an update is nothing but new entries, and of a whole state that comes from a
subgraph the entries that are not yet known are taken over. An entry that was made on another
version than the present one is made again by its anchors, where it has any.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langgraph_memory.errors import InvalidInputError
from langgraph_memory.session.errors import InvalidEditError
from langgraph_memory.session.hunks import (
    Hunk,
    applied,
    between,
    fits,
    hunks_of,
    undone,
)
from langgraph_memory.session.plain_json import check_text, plain
from langgraph_memory.session.stamp import Stamp
from langgraph_memory.shown import shown

__all__ = ["Held", "entry_of", "hunks_at", "merged", "text_at", "text_of", "version_of"]

Held = Mapping[str, Any] | None
"""What the channel of an artifact holds: `text`, `log` and `refused`; nothing at first."""

_KINDS = frozenset({"edit", "write", "append", "prepend", "restore"})
_FIELDS = frozenset({"id", "after", "kind", "by", "at", "note", "hunks"})
_KEPT_REFUSALS = 5


def text_of(held: Held) -> str:
    """The current text."""
    return str((held or {}).get("text", ""))


def version_of(held: Held) -> int:
    """The number of the current version; 0 is the empty text before the first entry."""
    return len((held or {}).get("log", ()))


def text_at(held: Held, version: int) -> str:
    """The text of a version, exactly.

    Raises:
        InvalidEditError: If there is no such version.
        InvalidStateError: If text and log do not belong together.
    """
    newest = version_of(held)
    if isinstance(version, bool) or not isinstance(version, int) or not 0 <= version <= newest:
        raise InvalidEditError(
            f"There is no version {shown(version)}; there are the versions 0 (empty) to {newest}."
        )
    text = text_of(held)
    for entry in reversed((held or {}).get("log", ())[version:]):
        text = undone(text, entry["hunks"])
    return text


def hunks_at(text: str, kind: str, new: str) -> list[Hunk]:
    """The hunk that writes a text anew, or adds at its end or start; none if nothing changes."""
    if kind not in ("append", "prepend"):
        return between(text, new)
    start = len(text) if kind == "append" else 0
    return [{"start": start, "old": "", "new": new}] if new else []


def entry_of(
    held: Held, kind: str, hunks: Sequence[Hunk], stamp: Stamp, note: str, longest: int
) -> dict[str, Any]:
    """A log entry that leads from the present text to the next version.

    Raises:
        InvalidEditError: If the text would be too long, or hold what is no text.
    """
    for written in (*(hunk["new"] for hunk in hunks), note, stamp.by):
        try:
            check_text(written)
        except ValueError as error:
            raise InvalidEditError(f"The new text cannot be kept: {error}.") from None
    length = len(applied(text_of(held), hunks))
    if length > longest:
        raise InvalidEditError(
            f"The text would have {length:,} characters; {longest:,} are allowed. Shorten it."
        )
    return {
        # A call's id may come again in a long thread, but not on the same version.
        "id": f"{version_of(held) + 1}:{stamp.id}",
        "after": _last_id(held),
        "kind": kind,
        "by": stamp.by,
        "at": stamp.at,
        "note": note,
        "hunks": list(hunks),
    }


def merged(left: Held, right: Any, longest: int) -> dict[str, Any]:
    """What is kept after `right`, new entries or a whole state, has met `left`.

    Raises:
        InvalidInputError: If `right` has not the form of either.
    """
    log = _log_of(right)
    held: dict[str, Any] = {
        "text": text_of(left),
        "log": list((left or {}).get("log", ())),
        "refused": list((left or {}).get("refused", ())),
    }
    known = {entry["id"] for entry in held["log"]}
    told = {each["id"] for each in held["refused"]}
    for entry in log:
        if entry["id"] in known or entry["id"] in told:
            continue
        try:
            fitting = _fitted(held, entry, longest)
        except InvalidEditError as error:
            fault = {"id": entry["id"], "version": len(held["log"]), "by": entry["by"]}
            held["refused"].append({**fault, "fault": str(error)})
        else:
            held["text"] = applied(held["text"], fitting["hunks"])
            held["log"].append(fitting)
    held["refused"] = held["refused"][-_KEPT_REFUSALS:]
    return held


def _fitted(held: Held, entry: Mapping[str, Any], longest: int) -> dict[str, Any]:
    """An entry as it is made on the present text."""
    text, kind, hunks = text_of(held), entry["kind"], entry["hunks"]
    if entry["after"] == _last_id(held) and fits(text, hunks):
        fitting = list(hunks)
    elif kind == "edit":
        fitting = hunks_of(text, [(hunk["old"], hunk["new"]) for hunk in hunks])
    elif kind in ("append", "prepend"):
        fitting = hunks_at(text, kind, "".join(hunk["new"] for hunk in hunks))
    else:
        raise InvalidEditError(
            f"The text was changed while this {kind} was being made, and it would have undone "
            "that. Look at the text as it is now and try again."
        )
    stamp = Stamp(entry["by"], id="", at=entry["at"])
    made = entry_of(held, kind, fitting, stamp, entry["note"], longest)
    return {**made, "id": entry["id"]}


def _last_id(held: Held) -> str:
    log = (held or {}).get("log", ())
    return str(log[-1]["id"]) if log else ""


def _log_of(right: Any) -> list[dict[str, Any]]:
    try:
        found = plain(right)
        log = found.get("log", [])
        ours = set(found) <= {"text", "log", "refused"} and all(map(_is_entry, log))
    except (ValueError, TypeError, AttributeError, KeyError):
        ours = False
    if not ours:
        raise InvalidInputError(
            f"The state of an artifact takes no {shown(right)}. Make the update with the "
            "artifact, as in artifact.write(state, 'text')."
        )
    return list(log)


def _is_entry(entry: Any) -> bool:
    texts = all(isinstance(entry[name], str) for name in _FIELDS - {"hunks"})
    return (
        texts
        and set(entry) == _FIELDS
        and entry["kind"] in _KINDS
        and bool(entry["hunks"])
        and all(map(_is_hunk, entry["hunks"]))
    )


def _is_hunk(hunk: Any) -> bool:
    return (
        set(hunk) == {"start", "old", "new"}
        and type(hunk["start"]) is int
        and hunk["start"] >= 0
        and isinstance(hunk["old"], str)
        and isinstance(hunk["new"], str)
    )

"""What a profile was before: its changes by field, as JSON beside the fields."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from langgraph_memory import clock
from langgraph_memory.profile.fields import Path
from langgraph_memory.profile.update import ProfileChange

__all__ = ["MOST_CHANGES", "changes_of", "history_of", "last_change", "with_change"]

MOST_CHANGES = 50
"""Changes kept of each field, the newest ones."""

History = Mapping[str, list[dict[str, Any]]]


def history_of(value: Mapping[str, Any]) -> History:
    """The history in a stored profile."""
    history: History = value.get("history") or {}
    return history


def changes_of(history: History, field: str | None = None) -> list[ProfileChange]:
    """Changes in order of time, of one field or of all."""
    found = [
        _read(name, entry)
        for name, entries in history.items()
        if field is None or name == field or name.startswith(f"{field}.")
        for entry in entries
    ]
    return sorted(found, key=lambda change: change.at)


def last_change(history: History, path: Path) -> ProfileChange | None:
    """The last change of a field by time, or of what is in it or around it."""
    name = ".".join(path)
    related = [
        change
        for change in changes_of(history)
        if f"{change.field}.".startswith(f"{name}.") or f"{name}.".startswith(f"{change.field}.")
    ]
    return related[-1] if related else None


def with_change(history: History, change: ProfileChange) -> History:
    """A history with one more change; the oldest go where there are too many."""
    entry = {
        "old": change.old,
        "new": change.new,
        "at": clock.utc_text(change.at),
        "thread": change.thread_id,
        "messages": list(change.message_ids),
    }
    entries = [*history.get(change.field, ()), entry]
    return {**history, change.field: entries[-MOST_CHANGES:]}


def _read(field: str, entry: Mapping[str, Any]) -> ProfileChange:
    return ProfileChange(
        field,
        entry["old"],
        entry["new"],
        datetime.fromisoformat(entry["at"]),
        entry["thread"],
        tuple(entry["messages"]),
    )

"""What recall reads from a stored item: its text, who said it when, and where in a conversation.

A value that is a `MemoryRecord` says so itself. Of other values these members are read, all of
them optional; without them recall is plain search:

| member | what it is |
|---|---|
| `text` | what is recalled; without it, all texts of the value |
| `speaker` | who said it, `"user"` and `"assistant"` in a chat with an assistant |
| `timestamp` | when, ISO 8601; without a time zone it is UTC |
| `session` | the conversation or thread it belongs to |
| `position` | its place among the turns of its session, counted 0, 1, 2 … |

A turn put under `turn_key(session, position)` can be read by its neighbours at the price of a key.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from langgraph_memory.records import LIFETIMES, MemoryType, Status, effective_importance, is_record
from langgraph_memory.records.scoring import decayed_heat

__all__ = ["Passage", "passage_of", "turn_key"]


@dataclass(frozen=True, slots=True)
class Passage:
    """A stored text with what is known about it.

    Attributes:
        text: What is recalled.
        speaker: Who said it; empty if that is not known.
        moment: When it was said, or since when it holds; aware. None if that is not known.
        happened: Whether `moment` is when it happened. What holds since then, such as a
            preference, is as good an answer about any time.
        session: Its conversation; None if it has none.
        position: Its place there.
        messages: Ids of the messages that a record comes from.
        weight: What a record of its type weighs, 0 to 1; 1 for what is no record.
        importance: A record's importance at the time of the question, 0 to 1; None if no record.
        heat: Its heat then, 0 or more; None if no record.
        counts: Whether it may be recalled: archived, superseded and unapproved records may not.
    """

    text: str
    speaker: str = ""
    moment: datetime | None = None
    happened: bool = True
    session: str | None = None
    position: int | None = None
    messages: tuple[str, ...] = ()
    weight: float = 1.0
    importance: float | None = None
    heat: float | None = None
    counts: bool = True


def turn_key(session: str, position: int) -> str:
    """The key of a turn whose neighbours are to be found by key.

    Args:
        session: Its session.
        position: Its place there, from 0.
    """
    return f"{session}#{position}"


def passage_of(value: Mapping[str, Any], now: datetime) -> Passage:
    """Read an item's value.

    Args:
        value: As stored, of any form.
        now: The time of the question, aware.
    """
    if is_record(value):
        return _of_record(value, now)
    text, session, position = value.get("text"), value.get("session"), value.get("position")
    whole = isinstance(position, int) and not isinstance(position, bool)
    return Passage(
        text=text if isinstance(text, str) else "\n".join(_texts(value)),
        speaker=_text(value.get("speaker")),
        moment=_moment(value.get("timestamp")),
        session=_text(session) or None,
        position=position if whole else None,
    )


def _of_record(value: Mapping[str, Any], now: datetime) -> Passage:
    created = _moment(value["created_at"]) or now
    used = _moment(value["last_accessed_at"]) or created
    lifetime = LIFETIMES[MemoryType(value["type"])]
    messages = value.get("source_message_ids")
    importance = value.get("importance")
    known = isinstance(importance, int | float) and 0 <= importance <= 1
    return Passage(
        text=value["content"],
        moment=_moment(value.get("valid_from")) or created,
        happened=value["type"] == MemoryType.EPISODE,
        session=_text(value.get("source_thread_id")) or None,
        messages=tuple(map(str, messages)) if isinstance(messages, list | tuple) else (),
        weight=lifetime.weight,
        importance=effective_importance(
            float(importance) if known and importance is not None else 0.5, created, used, now
        ),
        heat=decayed_heat(max(0.0, value["heat"]), used, now, lifetime.half_life_days),
        counts=value["status"] == Status.ACTIVE,
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _moment(value: object) -> datetime | None:
    """Wrong times are no times: recall must not fail on what somebody once stored."""
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        for member in value.values():
            yield from _texts(member)
    elif isinstance(value, list | tuple):
        for member in value:
            yield from _texts(member)
    elif value is not None:
        yield value if isinstance(value, str) else json.dumps(value)

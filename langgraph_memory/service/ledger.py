"""What is kept of a user beside memories: how far threads were read, the quota, an opt-out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any

from langgraph.store.base import Item

from langgraph_memory.identity import Identity
from langgraph_memory.store import Change

__all__ = ["ACCOUNT", "Account", "Cursor", "cursor_key", "ledger_of"]

ACCOUNT = "account"
DIGESTS = 200
"""Turns whose digests are kept, to know what was said before."""
REMEMBERED = 50
"""Turns of a thread that are known to have been read; a fork shares one of them."""

Namespace = tuple[str, ...]


def ledger_of(who: Identity) -> Namespace:
    """Where it is kept: beside the user's memories, so that it goes when the user goes."""
    return (*who.memories[:-1], "extraction")


def cursor_key(thread: str) -> str:
    """Key of a thread's cursor."""
    return f"thread:{thread}"


@dataclass(frozen=True, slots=True)
class Account:
    """What is known of one user's extraction.

    Attributes:
        enabled: Whether the user lets conversations be read for memories.
        day: The day that `stored` is about, in UTC.
        stored: Memories stored on that day.
        skipped: How many turns were skipped, by reason.
        digests: Of the turns read last, see `extraction.text_digest`.
        turns_since_profile: Turns read since the profile was last looked after.
        version: Of its item; None if there is none.
    """

    enabled: bool = True
    day: date | None = None
    stored: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)
    digests: tuple[str, ...] = ()
    turns_since_profile: int = 0
    version: datetime | None = None

    @classmethod
    def of(cls, item: Item | None) -> Account:
        """The account in an item."""
        if item is None:
            return cls()
        value = item.value
        return cls(
            enabled=value["enabled"],
            day=None if value["day"] is None else date.fromisoformat(value["day"]),
            stored=value["stored"],
            skipped=value["skipped"],
            digests=tuple(value["digests"]),
            turns_since_profile=value["turns_since_profile"],
            version=item.updated_at,
        )

    def stored_on(self, day: date) -> int:
        """Memories stored on a day, as far as it is the last one."""
        return self.stored if day == self.day else 0

    def after(
        self,
        day: date,
        *,
        stored: int,
        skipped: Collection[str],
        digests: Collection[str],
        turns_since_profile: int,
    ) -> Account:
        """The account after some turns were read."""
        return replace(
            self,
            day=day,
            stored=self.stored_on(day) + stored,
            skipped=dict(Counter(self.skipped) + Counter(skipped)),
            digests=(*self.digests, *digests)[-DIGESTS:],
            turns_since_profile=turns_since_profile,
        )

    def change(self, who: Identity) -> Change:
        """To be committed, if nobody else changed it."""
        value: dict[str, Any] = {
            "enabled": self.enabled,
            "day": self.day and self.day.isoformat(),
            "stored": self.stored,
            "skipped": dict(self.skipped),
            "digests": list(self.digests),
            "turns_since_profile": self.turns_since_profile,
        }
        return Change(ledger_of(who), ACCOUNT, value, self.version, index=False)


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far one thread was read.

    Attributes:
        thread: Its id.
        read: Keys of the turns read last, the newest last.
        version: Of its item; None if there is none.
    """

    thread: str
    read: tuple[str, ...] = ()
    version: datetime | None = None

    @classmethod
    def of(cls, thread: str, item: Item | None) -> Cursor:
        """The cursor in an item."""
        return (
            cls(thread) if item is None else cls(thread, tuple(item.value["read"]), item.updated_at)
        )

    def after(self, keys: Collection[str]) -> Cursor:
        """The cursor after some turns."""
        return replace(self, read=(*self.read, *keys)[-REMEMBERED:])

    def change(self, who: Identity) -> Change:
        """To be committed, if nobody else moved it."""
        value = {"read": list(self.read)}
        return Change(ledger_of(who), cursor_key(self.thread), value, self.version, index=False)

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

__all__ = ["ACCOUNT", "RUN", "Account", "Cursor", "cursor_key"]

ACCOUNT = "account"
DIGESTS = 200
"""Turns whose digests are kept, to know what was said before."""
RUN = "run:"
"""What the name of a run begins with that has no thread."""
RUN_MINUTES = 24 * 60.0
IGNORED = 10_000
"""Messages of strangers that are known as such in one thread."""
REMEMBERED = 50
"""Turns of a thread that are known to have been read; a fork shares one of them."""

Namespace = tuple[str, ...]


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
        changed: bool,
        turns_since_profile: int,
    ) -> Account:
        """The account after some turns were read.

        Where a memory gave way to another (`changed`), what was said before may be said again and
        be news: then the older digests do not count any more.
        """
        known = () if changed else self.digests
        return replace(
            self,
            day=day,
            stored=self.stored_on(day) + stored,
            skipped=dict(Counter(self.skipped) + Counter(skipped)),
            digests=(*known, *digests)[-DIGESTS:],
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
        return Change(who.ledger, ACCOUNT, value, self.version, index=False)


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far one thread was read.

    Attributes:
        thread: Its id.
        read: Marks of the turns read last, the newest last.
        ignored: Marks of messages that are not the user's, although they are in the thread.
        version: Of its item; None if there is none.
    """

    thread: str
    read: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    version: datetime | None = None

    @classmethod
    def of(cls, thread: str, item: Item | None) -> Cursor:
        """The cursor in an item."""
        if item is None:
            return cls(thread)
        value = item.value
        return cls(thread, tuple(value["read"]), tuple(value["ignored"]), item.updated_at)

    @property
    def keys(self) -> frozenset[str]:
        """Keys of the messages that begin those turns."""
        return frozenset(mark.rpartition("#")[0] for mark in self.read)

    def after(self, marks: Collection[str]) -> Cursor:
        """The cursor after some turns."""
        return replace(self, read=(*self.read, *marks)[-REMEMBERED:])

    def without(self, marks: Collection[str]) -> Cursor:
        """The cursor of a thread in which somebody else has written messages."""
        return replace(self, ignored=(*self.ignored, *marks)[-IGNORED:])

    def change(self, who: Identity) -> Change:
        """To be committed, if nobody else moved it."""
        value = {"read": list(self.read), "ignored": list(self.ignored)}
        # A run without a thread is never gone on with.
        ttl = RUN_MINUTES if self.thread.startswith(RUN) else None
        return Change(
            who.ledger, cursor_key(self.thread), value, self.version, index=False, ttl=ttl
        )

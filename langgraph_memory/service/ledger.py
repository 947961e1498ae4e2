"""What is kept of a user beside memories: how far threads were read, the quota, an opt-out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any

from langgraph.store.base import Item

from langgraph_memory.drawn import table
from langgraph_memory.identity import Identity
from langgraph_memory.store import Change

__all__ = ["ACCOUNT", "RUN", "Account", "Cursor", "cursor_key"]

ACCOUNT = "account"
DIGESTS = 200
"""Turns whose digests are kept, to know what was said before."""
WAITING = 200
"""Threads with turns that wait of which it is known that this was told."""
RUN = "run:"
"""What the name of a run begins with that has no thread."""
RUN_MINUTES = 24 * 60.0
REMEMBERED = 50
"""Turns of a thread that are known to have been read; a fork shares one of them."""


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
        skipped: How many turns were skipped or passed over, or had to wait, by reason.
        digests: Ids of the memories that hold what a turn said, by its `extraction.text_digest`,
            of the turns read last. To say it again is news once one of them is not active.
        waiting: The newest turn of each thread that was counted as waiting, by its mark.
        turns_since_profile: Turns read since the profile was last looked after.
        unlooked: Notes of the newest of these turns, of whatever thread, as in `notes.note_of`.
        version: Of its item; None if there is none.
    """

    enabled: bool = True
    day: date | None = None
    stored: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)
    digests: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    waiting: Mapping[str, str] = field(default_factory=dict)
    turns_since_profile: int = 0
    unlooked: Mapping[str, Any] = field(default_factory=dict)
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
            digests={digest: tuple(ids) for digest, ids in value["digests"].items()},
            waiting=value["waiting"],
            turns_since_profile=value["turns_since_profile"],
            unlooked=value.get("unlooked", {}),
            version=item.updated_at,
        )

    def _repr_html_(self) -> str:
        """A small table for notebooks."""
        return table(
            [
                ("conversations are read", "yes" if self.enabled else "no"),
                ("memories stored on", f"{self.day or '–'}: {self.stored}"),
                *((f"turns skipped: {reason}", count) for reason, count in self.skipped.items()),
            ]
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
        digests: Mapping[str, tuple[str, ...]],
        changed: bool,
        turns_since_profile: int,
        unlooked: Mapping[str, Any],
    ) -> Account:
        """The account after some turns were read.

        Where the profile was `changed`, what was said before may be said again and be news: then
        the older digests do not count any more.
        """
        older = {} if changed else self.digests
        known = {digest: ids for digest, ids in older.items() if digest not in digests}
        newest = [*known.items(), *digests.items()][-DIGESTS:]
        return replace(
            self.counting(*skipped),
            day=day,
            stored=self.stored_on(day) + stored,
            digests=dict(newest),
            turns_since_profile=turns_since_profile,
            unlooked=unlooked,
        )

    def counting(self, *reasons: str) -> Account:
        """The account after turns were not read, each for a reason."""
        return replace(self, skipped=dict(Counter(self.skipped) + Counter(reasons)))

    def with_waiting(self, thread: str, marks: Sequence[str]) -> tuple[Account, Sequence[str]]:
        """The account with the turns of a thread that wait, and those not counted before.

        Args:
            thread: Its id.
            marks: Of all turns that wait, oldest first.
        """
        counted = self.waiting.get(thread)
        new = marks[marks.index(counted) + 1 :] if counted in marks else marks
        waiting = {key: mark for key, mark in self.waiting.items() if key != thread}
        if marks:
            waiting[thread] = marks[-1]
        waiting = dict(list(waiting.items())[-WAITING:])
        return replace(self.counting(*["quota" for _ in new]), waiting=waiting), new

    def change(self, who: Identity) -> Change:
        """To be committed, if nobody else changed it."""
        value: dict[str, Any] = {
            "enabled": self.enabled,
            "day": self.day and self.day.isoformat(),
            "stored": self.stored,
            "skipped": dict(self.skipped),
            "digests": {digest: list(ids) for digest, ids in self.digests.items()},
            "waiting": dict(self.waiting),
            "turns_since_profile": self.turns_since_profile,
            "unlooked": dict(self.unlooked),
        }
        return Change(who.ledger, ACCOUNT, value, self.version, index=False)


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far one thread was read.

    Attributes:
        thread: Its id.
        read: Marks of the turns read last, the newest last.
        unheard: Marks of turns that nobody is to read, as the user has said so.
        named: Whether the user has spoken in it by name, so that what has another name is not
            theirs.
        version: Of its item; None if there is none.
    """

    thread: str
    read: tuple[str, ...] = ()
    unheard: tuple[str, ...] = ()
    named: bool = False
    version: datetime | None = None

    @classmethod
    def of(cls, thread: str, item: Item | None) -> Cursor:
        """The cursor in an item."""
        if item is None:
            return cls(thread)
        value = item.value
        unheard = tuple(value.get("unheard", ()))
        named = bool(value.get("named"))
        return cls(thread, tuple(value["read"]), unheard, named, item.updated_at)

    def after(
        self,
        marks: Sequence[str],
        unheard: Collection[str] = (),
        *,
        asked: Collection[str],
        named: bool = False,
    ) -> Cursor:
        """The cursor after some turns, of which some were not to be read.

        Of those that are still `asked` for none is forgotten: it would be read again.
        """
        read = [mark for mark in marks if mark not in unheard]
        return replace(
            self,
            read=_newest((*self.read, *read), asked),
            unheard=_newest((*self.unheard, *unheard), asked),
            named=self.named or named,
        )

    def change(self, who: Identity) -> Change:
        """To be committed, if nobody else moved it."""
        value = {"read": list(self.read), "unheard": list(self.unheard), "named": self.named}
        # A run without a thread is never gone on with.
        ttl = RUN_MINUTES if self.thread.startswith(RUN) else None
        return Change(
            who.ledger, cursor_key(self.thread), value, self.version, index=False, ttl=ttl
        )


def _newest(marks: Sequence[str], asked: Collection[str]) -> tuple[str, ...]:
    older = (mark for mark in marks[:-REMEMBERED] if mark in asked)
    return (*older, *marks[-REMEMBERED:])

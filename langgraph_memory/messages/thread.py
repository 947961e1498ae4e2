"""A thread read as units, and read on rather than again when it has grown."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from langchain_core.messages import BaseMessage

from langgraph_memory.messages.content import (
    call_ids,
    check_each,
    check_messages,
    is_empty,
    role_of,
    says_nothing,
)
from langgraph_memory.messages.marks import is_pinned, made_kind
from langgraph_memory.messages.profiles import Profile
from langgraph_memory.messages.units import Unit, UnitReader

REMEMBERED = 16


@dataclass(frozen=True, eq=False)
class Thread:
    """What every strategy needs to know about a message list.

    Attributes:
        messages: The messages, in a list of our own.
        units: Its units, ordered by their first message.
        starts: Position of each unit's first message.
        systems: Positions of the system messages.
        users: Positions of the user messages: each opens a turn.
        pinned: Positions of the messages of units with a pinned message, and of `blocks`.
        blocks: Positions of messages that a strategy put in: summaries and recalled memories.
        orphans: Positions of results that answer no call; they are sent to no provider.
        folds: What strategies worked out over the thread so far; a longer thread goes on from it.
    """

    messages: list[BaseMessage]
    units: list[Unit]
    starts: list[int]
    systems: tuple[int, ...]
    users: list[int]
    pinned: tuple[int, ...]
    blocks: tuple[int, ...]
    orphans: frozenset[int]
    _reader: UnitReader = field(repr=False)
    folds: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.messages)

    @classmethod
    def of(cls, messages: Sequence[BaseMessage]) -> Thread:
        """Read a message list.

        The last few lists are remembered: a list that starts with the very same message objects
        as one of them (as a thread does that has grown by a turn) is only read where it is new.

        Raises:
            InvalidMessagesError: The list holds something that is not a message.
        """
        known = _recent.prefix_of(messages)
        if known is not None and len(known) == len(messages):
            return known
        thread = cls._read(messages) if known is None else known._extended(messages)
        _recent.remember(thread, instead_of=known)
        return thread

    @property
    def current(self) -> int | None:
        """Position of the newest user message; None where the user has said nothing."""
        return self.users[-1] if self.users else None

    def opener(self, index: int) -> int | None:
        """Position of the user message that opens the turn of a message; None before the first.

        A user message without any content opens nothing: it is not sent to every provider.
        """
        place = bisect_right(self.users, index)
        while place and self.users[place - 1] != self.current:
            if not is_empty(self.messages[self.users[place - 1]]):
                break
            place -= 1
        return self.users[place - 1] if place else None

    def unit_at(self, index: int) -> int:
        """Number of the first unit that begins at or after a position."""
        return bisect_left(self.starts, index)

    def essentials(self) -> set[int]:
        """Positions of what every view has: system, pinned, newest user message, newest unit."""
        keep = {*self.systems, *self.pinned}
        if self.users:
            keep.add(self.users[-1])
        for unit in reversed(self.units):
            if unit.kind not in ("system", "orphan"):
                keep.update(unit.indices)
                # What says nothing is not sent to every provider: then the one before is newest.
                if unit.kind == "user" or not says_nothing(unit.messages[0]):
                    break
        return keep

    @classmethod
    def _read(cls, messages: Sequence[BaseMessage]) -> Thread:
        check_messages(messages)
        return cls([], [], [], (), [], (), (), frozenset(), UnitReader())._extended(messages)

    def _extended(self, messages: Sequence[BaseMessage]) -> Thread:
        known = len(self)
        new = list(messages[known:])
        check_each(new, known)
        reader = self._reader.fork()
        reader.extend(new)
        starts = self.starts.copy()
        starts.extend(unit.indices[0] for unit in reader.units[len(self.units) :])
        roles = [role_of(message) for message in new]
        users = self.users.copy()
        kinds = [made_kind(message) for message in new]
        users.extend(
            known + i for i, role in enumerate(roles) if role == "user" and kinds[i] is None
        )
        systems = [known + i for i, role in enumerate(roles) if role == "system"]
        blocks = [
            known + i
            for i, kind in enumerate(kinds)
            if kind in ("summary", "memory") and roles[i] != "system"
        ]
        orphans = [u.indices[0] for u in reader.units[len(self.units) :] if u.kind == "orphan"]
        pinned = {*self.pinned, *blocks, *_pinned(reader.units[reader.touched :])}
        return Thread(
            messages=[*self.messages, *new],
            units=reader.units,
            starts=starts,
            systems=(*self.systems, *systems),
            users=users,
            pinned=tuple(sorted(pinned)) if len(pinned) > len(self.pinned) else self.pinned,
            blocks=(*self.blocks, *blocks),
            orphans=self.orphans.union(orphans) if orphans else self.orphans,
            _reader=reader,
            folds=self.folds.copy(),
        )


def openers_needed(thread: Thread, keep: Sequence[int], rules: Profile) -> list[int]:
    """Questions that must stay so that what is kept after a gap is accepted.

    A provider may want the conversation to open with the user, or calls to follow a user message
    or a tool result. Where leaving messages out would break that, the user message that opens the
    turn mends it.

    Args:
        thread: The thread.
        keep: Positions of the messages that are kept, ascending.
        rules: What the provider accepts.
    """
    if not (rules.user_first or rules.call_after_input):
        return []
    needed = []
    before: int | None = None
    for index in keep:
        message = thread.messages[index]
        role = role_of(message)
        if role == "system" or index in thread.orphans or index in thread.blocks:
            continue
        if rules.no_empty and role != "tool" and index != thread.current and is_empty(message):
            continue
        if before is None:
            unfit = rules.user_first and role != "user"
        else:
            unfit = (
                rules.call_after_input
                and before + 1 != index
                and bool(call_ids(message))
                and role_of(thread.messages[before]) == "assistant"
                # Calls are always answered in a view, so a message with calls ends on a result.
                and not call_ids(thread.messages[before])
            )
        opener = thread.opener(index) if unfit else None
        if opener is not None and (before is None or opener > before):
            needed.append(opener)
        before = index
    return needed


def first_units(thread: Thread, limit: int) -> list[int]:
    """Positions of the first units that have at most `limit` messages together."""
    return _fitting(thread.units, limit)


def last_units(thread: Thread, limit: int) -> list[int]:
    """Positions of the last units that have at most `limit` messages together, ascending."""
    return sorted(_fitting(reversed(thread.units), limit))


def _fitting(units: Iterable[Unit], limit: int) -> list[int]:
    fitting: list[int] = []
    for unit in units:
        if unit.kind in ("system", "orphan"):
            continue
        # What was made up for an earlier view is not the thread's, so it takes nobody's place.
        limit -= sum(1 for message in unit if made_kind(message) is None)
        if limit < 0:
            break
        fitting.extend(unit.indices)
    return fitting


def _pinned(units: Sequence[Unit]) -> tuple[int, ...]:
    return tuple(index for unit in units if any(map(is_pinned, unit)) for index in unit.indices)


class _RecentThreads:
    """The threads read last; only objects that are the same are taken for the same message."""

    def __init__(self) -> None:
        self._threads: list[Thread] = []
        self._lock = Lock()

    def prefix_of(self, messages: Sequence[BaseMessage]) -> Thread | None:
        if not isinstance(messages, list) or not messages:
            return None
        best: Thread | None = None
        for thread in self._threads.copy():
            known = len(thread)
            if known > len(messages) or (best is not None and known <= len(best)):
                continue
            # Three looks first: comparing lists calls a slow == on messages that are not the same.
            ends = (0, known // 2, known - 1)
            if all(thread.messages[i] is messages[i] for i in ends) and (
                thread.messages == messages[:known]
            ):
                best = thread
        return best

    def remember(self, thread: Thread, instead_of: Thread | None) -> None:
        if not thread.messages:
            return
        with self._lock:
            self._threads = [
                thread,
                *(other for other in self._threads if other is not instead_of),
            ][:REMEMBERED]


_recent = _RecentThreads()

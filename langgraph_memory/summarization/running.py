"""The running summary of a thread: what it covers, what is still to be covered.

Plain JSON between calls. Positions are only hints: every one is checked against the message's
key, and looked up by it when the thread has been edited.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from langgraph_memory.errors import InvalidStateError
from langgraph_memory.messages import Profile, Thread, key_of, made_kind, openers_needed
from langgraph_memory.summarization.place import Place, find, place_of, read_place
from langgraph_memory.tokens import TokenCounter


@dataclass(frozen=True)
class Running:
    """A running summary and how far it has come.

    Attributes:
        text: The summary; None before the first.
        covered: Keys of the messages that it has seen, in order.
        start: The first message after those that were taken out of view; None before the first cut.
        held: Messages before `start` that no summary has seen yet and that are shown verbatim.
        end: Length of the thread, and key of its newest message, when messages were last taken
            out of view.
    """

    text: str | None = None
    covered: tuple[str, ...] = ()
    start: Place | None = None
    held: tuple[Place, ...] = ()
    end: tuple[int, str] | None = None

    @classmethod
    def from_json(cls, state: Mapping[str, Any] | None) -> Running:
        """Read what `to_json` wrote.

        Raises:
            InvalidStateError: It is something else.
        """
        if not state:
            return cls()
        try:
            text = state.get("summary")
            if text is not None and not isinstance(text, str):
                raise TypeError("the summary is not text")
            return cls(
                text=text,
                covered=tuple(state.get("covered", ())),
                start=read_place(state.get("start")),
                held=tuple(p for place in state.get("held", ()) if (p := read_place(place))),
                end=(int(end[0]), str(end[1])) if (end := state.get("end")) else None,
            )
        except (TypeError, ValueError, AttributeError, IndexError) as error:
            raise InvalidStateError(
                f"This is not the state of a running summary: {state!r:.200}. Hand back the "
                "`state` of the last view as it was, or None to start again."
            ) from error

    @classmethod
    def of(cls, thread: Thread, state: Mapping[str, Any] | None) -> Running:
        """Read a state for a thread; begin anew if nothing it speaks of is in the thread.

        A thread that was cleared, or another one, must not be shown the summary of what was there;
        one that was only shortened has at least a message that the last view ended on.
        """
        running = cls.from_json(state)
        last = (state or {}).get("last")
        if last is None or running.start is None or find(thread, running.start) is not None:
            return running
        spoken_of = {last, *running.covered, *(key for *_, key in running.held)}
        if running.end is not None:
            spoken_of.add(running.end[1])
        if any(key_of(message) in spoken_of for message in thread.messages):
            return running
        return cls()

    def to_json(self) -> dict[str, Any]:
        """The state as plain JSON; `view_json` adds the message that a view ends on."""
        return {
            "summary": self.text,
            "covered": list(self.covered),
            "start": list(self.start) if self.start else None,
            "held": [list(place) for place in self.held],
            "end": list(self.end) if self.end else None,
        }

    def view_json(self, thread: Thread) -> dict[str, Any]:
        """The state that goes with a view of a thread."""
        last = key_of(thread.messages[-1]) if thread.messages else None
        return {**self.to_json(), "last": last}

    def on(self, thread: Thread) -> Placed:
        """Find this summary's places in a thread."""
        start = find(thread, self.start)
        if start is None and self.start is not None:
            start = self._after_covered(thread)
        placed = Placed(thread, start or 0, ())
        found = {index for place in self.held if (index := find(thread, place)) is not None}
        return replace(placed, held=tuple(sorted(found.difference(placed.tail))))

    def _after_covered(self, thread: Thread) -> int:
        covered = set(self.covered)
        for index in range(len(thread) - 1, -1, -1):
            if key_of(thread.messages[index]) in covered:
                return index + 1
        return 0

    def advanced(self, eviction: Eviction, text: str) -> Running:
        """The running summary after a further one has seen what was evicted."""
        seen = [key_of(message) for message in eviction.messages]
        return self.moved(eviction).covering(seen, text)

    def covering(self, seen: Iterable[str], text: str) -> Running:
        """The running summary with a newer text, which has seen further messages, by their keys."""
        known = set(self.covered)
        return replace(
            self, text=text, covered=(*self.covered, *(key for key in seen if key not in known))
        )

    def moved(self, eviction: Eviction) -> Running:
        """The same summary with the view's start where an eviction puts it."""
        after = eviction.after
        return replace(
            self,
            start=place_of(after.thread, after.start),
            held=tuple(place_of(after.thread, index) for index in after.held),
            end=(len(after.thread), key_of(after.thread.messages[-1])),
        )

    def has_grown(self, thread: Thread) -> bool:
        """Whether anything was said since messages were last taken out of view."""
        if self.end is None or not thread.messages:
            return True
        length, newest = self.end
        return len(thread) > length or key_of(thread.messages[-1]) != newest


@dataclass(frozen=True, eq=False)
class Placed:
    """A running summary's places in a thread.

    Attributes:
        thread: The thread.
        start: Position from which all is shown.
        held: Positions before it that are shown because no summary has seen them.
    """

    thread: Thread
    start: int
    held: tuple[int, ...]

    @property
    def tail(self) -> list[int]:
        """Positions of the units from `start` on; late results stay with their call."""
        first = self.thread.unit_at(self.start)
        tail = [i for unit in self.thread.units[first:] for i in unit.indices]
        return sorted(i for i in tail if i not in self.thread.systems)

    @property
    def shown(self) -> list[int]:
        """Positions that are in view: system, pinned, held, and all from `start` on."""
        before = {*self.thread.systems, *self.thread.pinned, *self.held}
        current = self.thread.current
        if current is not None:
            before.add(current)
        return sorted(before.union(self.tail))

    @property
    def unsummarized(self) -> list[int]:
        """Positions that no summary has seen, pinned and made-up messages left out."""
        pinned = set(self.thread.pinned)
        messages = self.thread.messages
        return [
            i
            for i in (*self.held, *self.tail)
            if i not in pinned and made_kind(messages[i]) is None
        ]

    def evict(
        self,
        rules: Profile,
        *,
        keep_last: int,
        keep_tokens: int | None = None,
        counter: TokenCounter,
        fits: Callable[[Placed], bool],
    ) -> Eviction | None:
        """Choose what to take out of view; None when nothing may go.

        The steps of the current turn go last: where it is enough that older turns go, it stays
        whole. Otherwise the newest units stay, as many as have at most `keep_last` messages and
        `keep_tokens` tokens together and at least one. The newest user message and pinned messages
        stay too, and so does the question of the first turn in view where the provider needs it.

        Args:
            rules: What the provider accepts.
            keep_last: Messages.
            keep_tokens: Tokens.
            counter: Counts them.
            fits: Whether a view is small enough.
        """
        units = self.thread.units
        first = self.thread.unit_at(self.start)
        cut = _boundary(self.thread, first, keep_last, keep_tokens, counter)
        if cut is None:
            return None
        current = self.thread.current
        turn = cut if current is None else max(self.thread.unit_at(current), first)
        most: Eviction | None = None
        # Where even that is too much, less stays, down to the newest unit: what a window behind
        # had to cut, no summary would have seen.
        for start in ([turn] if turn < cut else []) + list(range(cut, len(units))):
            eviction = self.evict_before(start, rules)
            if eviction is not None and fits(eviction.after):
                return eviction
            if eviction is not None and (most is None or len(eviction.evicted) > len(most.evicted)):
                most = eviction
        return most

    def evict_before(self, cut: int, rules: Profile) -> Eviction | None:
        """Take out of view what begins before a unit, given by its number; see `evict`."""
        thread = self.thread
        first = thread.unit_at(self.start)
        start = thread.starts[cut]
        stays = thread.essentials()
        tail = [i for unit in thread.units[cut:] for i in unit.indices]
        stays.update(openers_needed(thread, sorted(stays.union(tail)), rules))
        waiting = [*self.held, *(i for u in thread.units[first:cut] for i in u.indices)]
        evicted = tuple(sorted(i for i in waiting if i not in stays))
        if all(made_kind(thread.messages[index]) for index in evicted):
            return None  # nothing, or only what an earlier view put between messages
        apart = {*thread.systems, *thread.pinned}
        held = tuple(sorted(i for i in waiting if i in stays and i not in apart))
        return Eviction(evicted, Placed(thread, start, held))


@dataclass(frozen=True, eq=False)
class Eviction:
    """What goes out of view, and the view's places after it.

    Attributes:
        evicted: Positions of the messages that go, for a summary to see.
        after: The places once they are gone.
    """

    evicted: tuple[int, ...]
    after: Placed

    @property
    def messages(self) -> Sequence[Any]:
        """The messages that go."""
        return [self.after.thread.messages[index] for index in self.evicted]


def _boundary(
    thread: Thread,
    first: int,
    keep_last: int,
    keep_tokens: int | None,
    counter: TokenCounter,
) -> int | None:
    """Number of the first unit to keep."""
    if first >= len(thread.units):
        return None
    messages = tokens = 0
    cut = len(thread.units)
    for number in range(len(thread.units) - 1, first - 1, -1):
        unit = thread.units[number]
        messages += sum(1 for m in unit if made_kind(m) is None and m.type != "system")
        if keep_tokens is not None:
            tokens += sum(map(counter.count_message, unit))
        newest = cut == len(thread.units)
        too_many = messages > keep_last or (keep_tokens is not None and tokens > keep_tokens)
        if not newest and too_many:
            break
        cut = number
    return cut

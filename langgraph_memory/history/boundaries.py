"""What must stay beside what is wanted, so that what remains of a thread is valid on its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from langchain_core.messages import HumanMessage

from langgraph_memory.messages import (
    PROFILES,
    Piece,
    Profile,
    Thread,
    Violation,
    openers_needed,
    repair_pieces,
    role_of,
    validate,
)
from langgraph_memory.messages.content import says_nothing
from langgraph_memory.messages.repair import ADDED

__all__ = ["always_kept", "closed"]

_NEXT = HumanMessage("…")


def always_kept(thread: Thread) -> set[int]:
    """Positions that no strategy removes.

    These are system and pinned messages, earlier summaries, the newest user message and the newest
    unit, and all of the current turn while one of its calls has no result: a person may have been
    asked about it.
    """
    keep = thread.essentials()
    begin = 0 if thread.current is None else thread.current
    turn = [unit for unit in thread.units if unit.indices[0] >= begin]
    if any(unit.unanswered for unit in turn):
        keep.update(index for unit in turn for index in unit.indices)
    return keep


def closed(thread: Thread, keep: Iterable[int], rules: Profile) -> list[int]:
    """Positions in order: whole units, and the neighbours that a provider needs at a gap.

    What remains then breaks no rule that the whole thread does not break.

    Args:
        thread: The thread.
        keep: Positions that are wanted.
        rules: What the provider accepts.
    """
    wanted = set(keep)
    judge = _Judge(thread, rules)
    while True:
        for unit in thread.units:
            if not wanted.isdisjoint(unit.indices):
                wanted.update(unit.indices)
        ordered = sorted(wanted)
        needed = {*openers_needed(thread, ordered, rules), *_replies(thread, ordered, rules)}
        if needed <= wanted:
            # Threads of crashed and cancelled runs have faults that no rule of thumb foresees.
            needed = judge.missing(ordered)
        if needed <= wanted:
            return ordered
        wanted |= needed


class _Judge:
    """Compares what remains with the whole thread, as it is and as a view would repair it.

    Both are looked at with a next question behind them, as they will be sent.
    """

    def __init__(self, thread: Thread, rules: Profile) -> None:
        self._thread = thread
        # What is to be safe everywhere is repaired by each provider's own rules in the end.
        everywhere = rules == PROFILES["common"]
        mended = PROFILES.values() if everywhere else [rules]
        self._looks = [(rules, False), *((each, True) for each in mended)]
        self._known: dict[tuple[str, bool], set[str]] = {}

    def missing(self, keep: Sequence[int]) -> set[int]:
        """The nearest message before the first new fault that is not there; empty without one."""
        if len(keep) == len(self._thread):
            return set()
        for rules, mended in self._looks:
            pieces, faults = self._faults(keep, rules, mended)
            for fault in faults:
                if fault.rule not in self._broken(rules, mended):
                    return self._before(pieces, fault.index, set(keep))
        return set()

    def _broken(self, rules: Profile, mended: bool) -> set[str]:
        """Rules that the whole thread breaks.

        A result that answers no call may hide that what is around it does not go together.
        """
        look = (rules.name, mended)
        if look not in self._known:
            whole = range(len(self._thread))
            answering = [index for index in whole if index not in self._thread.orphans]
            found = (self._faults(each, rules, mended)[1] for each in (whole, answering))
            self._known[look] = {fault.rule for faults in found for fault in faults}
        return self._known[look]

    def _faults(
        self, keep: Sequence[int], rules: Profile, mended: bool
    ) -> tuple[list[Piece], list[Violation]]:
        # A summary does not count as the user's: a strategy puts it there only after this.
        said = [i for i in keep if i not in self._thread.blocks]
        pieces = [Piece(self._thread.messages[i], i) for i in said]
        pieces.append(Piece(_NEXT, ADDED))
        if mended:
            pieces = repair_pieces(pieces, rules, interrupted=False)
        return pieces, validate([piece.message for piece in pieces], rules)

    def _before(self, pieces: Sequence[Piece], fault: int, kept: set[int]) -> set[int]:
        at = max((piece.origin for piece in pieces[: fault + 1]), default=0)
        gone = [i for i in range(len(self._thread)) if i not in kept | self._thread.orphans]
        nearest = max((i for i in gone if i < at), default=None)
        return set(gone[:1] if nearest is None else [nearest])


def _replies(thread: Thread, keep: Sequence[int], rules: Profile) -> list[int]:
    """Replies between a tool result and the next question, where they may not meet."""
    if not rules.bridge_after_tool:
        return []
    replies = []
    before: int | None = None
    for index in keep:
        role = role_of(thread.messages[index])
        if role == "system" or index in thread.orphans:
            continue
        if role == "user" and before is not None and role_of(thread.messages[before]) == "tool":
            reply = next(
                (
                    between
                    for between in range(index - 1, before, -1)
                    if role_of(thread.messages[between]) == "assistant"
                    and not says_nothing(thread.messages[between])
                ),
                None,
            )
            replies += [] if reply is None else [reply]
        before = index
    return replies

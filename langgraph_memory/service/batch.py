"""Which of the unread turns are read together."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date

from langgraph_memory.extraction import (
    GateSettings,
    Seen,
    SkipReason,
    should_skip_extraction,
    text_digest,
)
from langgraph_memory.messages import text_of
from langgraph_memory.service.ledger import Account
from langgraph_memory.service.turns import Turn

__all__ = ["TURNS_AT_ONCE", "Batch", "batch_of"]

TURNS_AT_ONCE = 20
CHARACTERS_AT_ONCE = 12_000
"""What is read in one go; what is more is read in several."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Turns that are read together.

    Attributes:
        worth: Those that the gate lets through to the extractor.
        skipped: The others, with the reason.
        waits: Whether the turns after them must wait for another day.
    """

    worth: tuple[Turn, ...] = ()
    skipped: tuple[tuple[Turn, SkipReason], ...] = ()
    waits: bool = False

    @property
    def keys(self) -> list[str]:
        """Of all its turns, the skipped ones first."""
        return [turn.key for turn, _ in self.skipped] + [turn.key for turn in self.worth]


def batch_of(
    new: Sequence[Turn], account: Account, quota: int, today: date, known: Collection[str] = ()
) -> Batch:
    """The first of the unread turns, up to the first that must wait or is too much.

    Args:
        new: Unread turns, oldest first.
        account: What is known of the user.
        quota: Memories per day; 0 for no limit.
        today: The day, in UTC.
        known: Digests of turns that say nothing new.
    """
    gate = GateSettings(enabled=account.enabled, daily_quota=quota)
    stored = account.stored_on(today)
    digests: list[str] = []
    worth: list[Turn] = []
    skipped: list[tuple[Turn, SkipReason]] = []
    size = 0
    for turn in new:
        digest = text_digest(turn.in_context)
        if digest in digests[:-1]:
            break  # What was said in between may have made it news again: first write that.
        seen = Seen(digests={*known, *digests[-1:]}, stored_today=stored)
        reason = should_skip_extraction(turn.in_context, gate, seen)
        if reason is SkipReason.QUOTA:
            return Batch(tuple(worth), tuple(skipped), waits=True)
        length = sum(len(text_of(message)) for message in turn.messages)
        full = worth and size + length > CHARACTERS_AT_ONCE
        if full or len(worth) + len(skipped) == TURNS_AT_ONCE:
            break
        if reason is None:
            worth.append(turn)
            size += length
            digests.append(digest)
        else:
            skipped.append((turn, reason))
    return Batch(tuple(worth), tuple(skipped))

"""The parameters of recall."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from langgraph_memory.errors import InvalidInputError

__all__ = ["RecallWeights"]


@dataclass(frozen=True)
class RecallWeights:
    """What recall goes by, one setting for short chats and long pages, English and Chinese.

    The defaults were chosen by the share of the evidence within 1,000 tokens on one half of
    recorded conversations and judged on the other; see `langgraph_memory.recall.scoring`.

    Attributes:
        sharpness: Power of the store's score: above 1, good hits stand out from many fair ones
            before they lend anything to their neighbours.
        next_turn: Share of its score that a hit lends to the turns beside it.
        turn_after: Share it lends to the turns after those.
        half_length: Tokens of a hit's text at which it lends half of that: question and answer
            are neighbours in a chat, pages of text are not.
        session: How much more an item of the best hit's session is worth.
        time: How many times more an item of the time asked about is worth.
        before: How far an item may lie before that time to count half, in lengths of the span
            plus a day.
        after: The same for items after it; what happened is often told later.
        speaker: How much more a turn of the one whom the question is about is worth.
        bounds: What is left of a record's score without any importance, and without any heat.
        room: Tokens at which an item is worth half, as it leaves no room for others; infinity to
            go by relevance alone.
        same_thing: How much of what two statements say must agree for them to be about the same
            thing, 0 to 1; above 1 to leave the order as it is.
        rival: How much of the question the lower one must cover for that, as a share of what the
            higher one covers.
    """

    sharpness: float = 1.5
    next_turn: float = 0.5
    turn_after: float = 0.3
    half_length: float = 100.0
    session: float = 0.3
    time: float = 4.0
    before: float = 0.3
    after: float = 0.5
    speaker: float = 0.2
    bounds: float = 0.7
    room: float = 250.0
    same_thing: float = 0.3
    rival: float = 0.7

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or math.isnan(value) or value < 0:
                raise InvalidInputError(
                    f"RecallWeights.{each.name} must be a number of at least 0, got {value!r}."
                )
            if value == 0 and each.name in _ABOVE_ZERO:
                raise InvalidInputError(f"RecallWeights.{each.name} must be above 0.")


_ABOVE_ZERO = frozenset({"sharpness", "half_length", "before", "after", "room"})

"""Measuring calls that take turns, so that what disturbs the machine disturbs all alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np

from langgraph_memory.evals.store.serving import ServedVectors

__all__ = ["Spread", "Track", "take_turns"]

T = TypeVar("T")

_TURN = 10
_ROUND_SECONDS = 1.5
"""A store that takes seconds for a search is asked once in each round."""


@dataclass(frozen=True, slots=True)
class Spread:
    """A value in each of several rounds of measuring.

    Attributes:
        median: The median of the rounds.
        least: The best round, the least disturbed one.
    """

    median: float
    least: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """Summarise the rounds."""
        return cls(statistics.median(values), min(values))


@dataclass
class Track(Generic[T]):
    """One call that is measured again and again.

    Attributes:
        call: What is measured, given one of the arguments of a round.
        after: What is done with its answer, outside the time.
        rounds: Milliseconds of each call, for each round.
    """

    call: Callable[[T], Any]
    after: Callable[[T, Any], None] | None = None
    rounds: list[list[float]] = field(default_factory=list)

    @property
    def calls(self) -> int:
        """How many calls were measured."""
        return sum(map(len, self.rounds))

    def percentile(self, percent: float) -> Spread:
        """A percentile of a round's calls, in milliseconds, over the rounds."""
        return Spread.of([float(np.percentile(taken, percent)) for taken in self.rounds if taken])

    def run(self, argument: T, embedder: ServedVectors) -> None:
        """Measure one call, without what the embedder takes."""
        before = embedder.seconds
        start = time.perf_counter()
        answer = self.call(argument)
        taken = time.perf_counter() - start - (embedder.seconds - before)
        self.rounds[-1].append(1_000 * taken)
        if self.after is not None:
            self.after(argument, answer)


def take_turns(
    tracks: Sequence[Track[T]],
    arguments: Sequence[Sequence[T]],
    embedder: ServedVectors,
    number: int = 0,
) -> None:
    """One round: every track runs its arguments, some at a time, in turns.

    A track that has used up its time in this round leaves out the rest of its arguments.

    Args:
        tracks: What is measured.
        arguments: The arguments of each track.
        embedder: Serves the vectors.
        number: Of the round: another track begins in each.
    """
    for track in tracks:
        track.rounds.append([])
    longest = max(map(len, arguments), default=0)
    for turn, start in enumerate(range(0, longest, _TURN)):
        for place in range(len(tracks)):
            which = (place + turn + number) % len(tracks)
            track = tracks[which]
            for argument in arguments[which][start : start + _TURN]:
                if sum(track.rounds[-1]) > 1_000 * _ROUND_SECONDS:
                    break
                track.run(argument, embedder)

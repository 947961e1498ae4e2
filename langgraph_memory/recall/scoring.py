"""How much each candidate is worth to a question, from what a search alone cannot know.

Each step multiplies or adds, and none of them makes something out of nothing: what the store did
not find relevant gains only from a relevant neighbour. In this order:

1. relevance: the store's score to the power `sharpness`;
2. time: what lies in the time asked about counts in full, and so does what holds at any time;
   the rest down to ``1 / (1 + time)`` of it;
3. surroundings: a hit lends a share to the turns around it, less the longer its own text is, as
   the answer to a short question stands beside it, while pages stand for themselves;
4. session: items of the session where the best hit is are worth a little more;
5. speaker: turns of the one whom the question is about count in full;
6. worth: type weight, importance and heat of a record, the latter two within bounds, so that
   what is old and cold is still found;
7. room: divided by ``1 + tokens / room``, as what is long leaves no room for others. This is the
   greedy rule of the knapsack problem, value by weight, softened for short texts, of which a
   few tokens more or less should not decide.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from langgraph_memory.recall.passage import Passage
from langgraph_memory.recall.times import Span, closeness
from langgraph_memory.recall.weights import RecallWeights

__all__ = ["Candidate", "Parts", "score"]

BYTES_PER_TOKEN = 3.5
"""Of UTF-8, in English and in Chinese alike."""

Array = NDArray[np.float64]
Namespace = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """An item that may be recalled.

    Attributes:
        place: Namespace and key of the item.
        passage: What its value says.
        relevance: The store's score, 0 to 1; 0 for a turn that is only beside a hit.
    """

    place: tuple[Namespace, str]
    passage: Passage
    relevance: float

    @property
    def namespace(self) -> Namespace:
        """Where it is stored."""
        return self.place[0]

    @property
    def size(self) -> float:
        """About how many tokens its text has: close enough to score by, at no cost."""
        return len(self.passage.text.encode("utf-8", "surrogatepass")) / BYTES_PER_TOKEN


@dataclass(frozen=True, slots=True)
class Parts:
    """Why a candidate has its score.

    That is ``(relevance * time + around) * session * speaker * worth * room``.

    Attributes:
        relevance: The store's score, sharpened.
        time: How near it is to the time asked about, as a factor.
        around: What the turns around it lend.
        session: Factor for its session.
        speaker: Factor for who said it.
        worth: Factor for type, importance and heat.
        room: Factor for its length.
    """

    relevance: float
    time: float
    around: float
    session: float
    speaker: float
    worth: float
    room: float

    @property
    def score(self) -> float:
        """All of it."""
        return (
            (self.relevance * self.time + self.around)
            * self.session
            * self.speaker
            * self.worth
            * self.room
        )


def score(
    candidates: Sequence[Candidate],
    *,
    asked: tuple[Span, ...] = (),
    speakers: frozenset[str] = frozenset(),
    weights: RecallWeights,
) -> list[Parts]:
    """Score candidates for one question.

    Args:
        candidates: What was found, and the turns around it.
        asked: The times it asks about; none if it names no time.
        speakers: Whom it is about; none if that cannot be told.
        weights: The parameters.

    Returns:
        The parts of each candidate's score, in the same order.
    """
    relevance = np.array([each.relevance for each in candidates]) ** weights.sharpness
    time = _time(candidates, asked, weights)
    tokens = np.array([each.size for each in candidates], dtype=np.float64)
    lent = relevance * time / (1 + tokens / weights.half_length)
    around = np.zeros(len(candidates))
    for giver, taker, share in _neighbours(candidates, weights):
        around[taker] += share * lent[giver]
    session = _session(candidates, lent, weights)
    room = 1 / (1 + tokens / weights.room)
    return [
        Parts(
            relevance=float(relevance[number]),
            time=float(time[number]),
            around=float(around[number]),
            session=float(session[number]),
            speaker=_speaker(each.passage, speakers, weights),
            worth=_worth(each.passage, weights),
            room=float(room[number]),
        )
        for number, each in enumerate(candidates)
    ]


def _time(
    candidates: Sequence[Candidate], asked: tuple[Span, ...], weights: RecallWeights
) -> Array:
    if not asked or not weights.time:
        return np.ones(len(candidates))
    near = [
        closeness(each.passage.moment, asked, weights.before, weights.after)
        if each.passage.moment and each.passage.happened
        else 1.0
        for each in candidates
    ]
    return np.asarray((1 + weights.time * np.array(near)) / (1 + weights.time), dtype=np.float64)


def _neighbours(
    candidates: Sequence[Candidate], weights: RecallWeights
) -> Iterator[tuple[int, int, float]]:
    """(giver, taker, share): turns side by side, and records of one message."""
    shares = {1: weights.next_turn, 2: weights.turn_after}
    turns: dict[tuple[Namespace, str, int], int] = {}
    messages: dict[tuple[Namespace, str, str], list[int]] = {}
    for number, each in enumerate(candidates):
        passage = each.passage
        if passage.session is None:
            continue
        if passage.position is not None:
            turns[each.namespace, passage.session, passage.position] = number
        for message in passage.messages:
            messages.setdefault((each.namespace, passage.session, message), []).append(number)
    for (namespace, session, position), number in turns.items():
        for distance, share in shares.items():
            for place in (position - distance, position + distance):
                taker = turns.get((namespace, session, place))
                if taker is not None:
                    yield number, taker, share
    pairs = {
        (giver, taker)
        for group in messages.values()
        for giver in group
        for taker in group
        if giver != taker
    }
    yield from ((giver, taker, weights.next_turn) for giver, taker in pairs)


def _session(candidates: Sequence[Candidate], lent: Array, weights: RecallWeights) -> Array:
    best: dict[tuple[Namespace, str], float] = {}
    for each, value in zip(candidates, lent, strict=True):
        if each.passage.session is not None:
            place = (each.namespace, each.passage.session)
            best[place] = max(best.get(place, 0.0), float(value))
    highest = max(best.values(), default=0.0)
    return np.array([1 + weights.session * _share(each, best, highest) for each in candidates])


def _share(
    candidate: Candidate, best: Mapping[tuple[Namespace, str], float], highest: float
) -> float:
    session = candidate.passage.session
    if session is None or highest <= 0:
        return 0.0
    return best[candidate.namespace, session] / highest


def _speaker(passage: Passage, speakers: frozenset[str], weights: RecallWeights) -> float:
    """Where nobody is named, or it is not known who spoke, all count alike."""
    if not speakers or not passage.speaker or passage.speaker in speakers:
        return 1.0
    return 1 / (1 + weights.speaker)


def _worth(passage: Passage, weights: RecallWeights) -> float:
    if passage.importance is None or passage.heat is None:
        return passage.weight
    warm = passage.heat / (1 + passage.heat)
    least = min(weights.bounds, 1.0)
    return (
        passage.weight * (least + (1 - least) * passage.importance) * (least + (1 - least) * warm)
    )

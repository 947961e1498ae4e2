"""From candidates to the page of a search result."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from langgraph_memory.store.operations import Candidates, Ranked, Row
from langgraph_memory.store.ranking import attainable, fuse, keyword_score

__all__ = ["Page", "Score", "rank"]


@dataclass(frozen=True, slots=True)
class Score:
    """A score from 0 to 1 with its parts, None for a part that found nothing.

    `place` is the position in the result; items of one score and one moment share it.
    """

    place: int
    score: float
    similarity: float | None
    keyword: float | None


@dataclass(frozen=True, slots=True)
class Page:
    """The items of a page by id, and those that tie with its ends.

    Attributes:
        scores: Of each item.
        skip: How many of them, in order, belong to the pages before.
        limit: How many make the page.
    """

    scores: Mapping[int, Score]
    skip: int = 0
    limit: int = 0

    def of(self, rows: Sequence[Row]) -> list[Row]:
        """The page's rows: best first, ties newest first, then by namespace and key."""
        order = sorted(rows, key=lambda row: (self.scores[row.item].place, row.path, row.key))
        return order[self.skip : self.skip + self.limit]


def rank(candidates: Candidates, search: Ranked) -> Page:
    """Score candidates and choose one page of them."""
    similarity, keyword = candidates.similarity, candidates.keyword
    if search.mode == "vector":
        order = np.nan_to_num(similarity, nan=-2.0)
        scores, wanted = np.clip(order, 0.0, 1.0), ~np.isnan(similarity)
    elif search.mode == "keyword":
        scores = order = keyword_score(keyword)
        wanted = keyword > 0
    else:
        scores = order = _fused(candidates, search)
        wanted = np.ones(len(scores), dtype=bool)
    best = np.lexsort((-candidates.updated, -order))
    best = best[wanted[best]]
    places = _places(order[best], candidates.updated[best])
    first, last = search.offset, min(search.offset + search.limit, len(best))
    if first >= last:
        return Page({})
    start = int(np.searchsorted(places, places[first]))
    stop = int(np.searchsorted(places, places[last - 1], side="right"))
    return Page(
        {
            int(candidates.items[at]): Score(
                int(places[position]),
                float(scores[at]),
                None if math.isnan(similarity[at]) else float(similarity[at]),
                float(keyword[at]) or None,
            )
            for position, at in enumerate(best[start:stop], start)
        },
        first - start,
        search.limit,
    )


def _fused(candidates: Candidates, search: Ranked) -> NDArray[np.float64]:
    return fuse(
        candidates.similarity,
        candidates.keyword,
        length=candidates.length,
        mean_length=candidates.total_length / max(1, candidates.documents),
        attainable=attainable(
            search.terms, candidates.frequency, candidates.documents, search.weights
        ),
        weights=search.weights,
    )


def _places(order: NDArray[np.float64], updated: NDArray[np.int64]) -> NDArray[np.int64]:
    """Of items in order, the number of the tie that each belongs to."""
    changes = (np.diff(order) != 0) | (np.diff(updated) != 0)
    return np.concatenate(([0], np.cumsum(changes))) if len(order) else np.empty(0, np.int64)

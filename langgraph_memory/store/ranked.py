"""From candidates to the page of a search result."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from langgraph_memory.store.operations import Candidates, Ranked
from langgraph_memory.store.ranking import attainable, fuse, keyword_score

__all__ = ["Score", "rank"]


@dataclass(frozen=True, slots=True)
class Score:
    """A score from 0 to 1 with its parts, None for a part that found nothing."""

    score: float
    similarity: float | None
    keyword: float | None


def rank(candidates: Candidates, search: Ranked) -> Mapping[int, Score]:
    """The ids of one page, best first, with their scores; ties newest first."""
    if not candidates.items.size:
        return {}
    similarity, keyword = candidates.similarity, candidates.keyword
    if search.mode == "vector":
        scores = np.clip(np.nan_to_num(similarity, nan=-1.0), 0.0, 1.0)
        order = np.nan_to_num(similarity, nan=-2.0)
        wanted = ~np.isnan(similarity)
    elif search.mode == "keyword":
        scores = order = keyword_score(keyword)
        wanted = keyword > 0
    else:
        scores = order = fuse(
            similarity,
            keyword,
            length=candidates.length,
            mean_length=candidates.total_length / max(1, candidates.documents),
            attainable=attainable(
                search.terms, candidates.frequency, candidates.documents, search.weights
            ),
            weights=search.weights,
        )
        wanted = np.ones(len(scores), dtype=bool)
    best = np.lexsort((candidates.items, -candidates.updated, -order))
    best = best[wanted[best]][search.offset : search.offset + search.limit]
    return {
        int(candidates.items[at]): Score(
            float(scores[at]),
            None if math.isnan(similarity[at]) else float(similarity[at]),
            float(keyword[at]) or None,
        )
        for at in best
    }

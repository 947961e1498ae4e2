"""How relevant an item is: BM25 of its words, fused with the similarity of its meaning."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from langgraph_memory.errors import InvalidInputError

__all__ = ["Weights", "bm25", "fuse", "keyword_score"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Weights:
    """Parameters of a search."""

    keyword: float = 0.5
    k1: float = 1.2
    b: float = 0.9
    padding: float = 50.0

    def __post_init__(self) -> None:
        if not 0 <= self.keyword <= 1:
            raise InvalidInputError(f"keyword must be from 0 to 1, got {self.keyword!r}.")


_DEFAULT = Weights()


def bm25(
    tf: Array,
    length: Array,
    *,
    df: int,
    items: int,
    mean_length: float,
    weight: float = 1.0,
    weights: Weights = _DEFAULT,
) -> Array:
    """What one query term adds to the keyword scores of the items it occurs in."""
    rarity = np.log1p((items - df + 0.5) / (df + 0.5))
    relative = (length + weights.padding) / (mean_length + weights.padding)
    saturation = weights.k1 * (1 - weights.b + weights.b * relative)
    return np.asarray(weight * rarity * (weights.k1 + 1) * tf / (tf + saturation))


def keyword_score(keyword: Array) -> Array:
    """Keyword scores as shares of the best one, 0 to 1."""
    best = float(keyword.max(initial=0.0))
    return keyword / best if best > 0 else np.zeros_like(keyword)


def fuse(
    similarity: Array,
    keyword: Array,
    *,
    length: Array,
    mean_length: float,
    weights: Weights = _DEFAULT,
) -> Array:
    """One score from 0 to 1 for each candidate, from what either side found."""
    found = np.nan_to_num(similarity, nan=-1.0)
    if not keyword.max(initial=0.0) > 0:
        return np.where(found >= 0, 0.001 + 0.999 * found, 0.001 * (1 + found))
    best = float(found.max(initial=0.0))
    if best <= 0:
        return keyword_score(keyword)
    return weights.keyword * keyword_score(keyword) + (1 - weights.keyword) * (
        np.maximum(found, 0.0) / best
    )

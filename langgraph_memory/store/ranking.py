"""How relevant an item is: BM25 of its words, fused with the similarity of its meaning.

The defaults were chosen by recall and reciprocal rank on recorded conversations in English and
Chinese, short chats and pages of text, one setting for all (``python -m langgraph_memory.evals
retrieval`` measures it). What was found there:

- words beat vectors of small models on short texts, vectors beat words on long ones, so the
  keyword side's share shrinks with the mean length of the texts (`Weights.keyword_short`,
  `keyword_long`);
- the lengths of short texts differ by chance, those of long ones by kind, so lengths are compared
  with a constant added (`padding`);
- but a text of few words among short ones is seldom an answer, though its vector is often near
  ("Thanks, Ann!"), so such a text is worth a little less (`brevity`);
- in a large namespace common words match by accident, so rarity counts more than in plain BM25
  (`rarity`);
- where even the best match covers little of the query, as with an English query that shares
  nothing but a name with Chinese texts, the keyword side counts for less (`coverage`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from langgraph_memory.errors import InvalidInputError

__all__ = ["Weights", "attainable", "bm25", "fuse", "keyword_score", "term_rarity"]

Array = NDArray[np.float64]

_BELOW_ZERO = 0.001
"""Share of the scores that is kept for similarities below 0, so that these have an order too."""


@dataclass(frozen=True)
class Weights:
    """What a search goes by.

    Attributes:
        keyword_short: The keyword side's share, 0 to 1, where texts are short; similarity has
            the rest.
        keyword_long: Its share where texts are long.
        half_length: Mean length of texts, in terms, at which the share is halfway between.
        brevity: How much less an item of no length is worth than a long one where texts are short;
            0 to treat all alike.
        coverage: Share of the query, by rarity of its terms, that the best match must cover for
            the keyword side to have its full share; 0 to give it always.
        rarity: Power of a term's inverse document frequency; 1 in plain BM25.
        k1: How slowly further occurrences of a term stop counting, as in BM25.
        b: How much a text's length counts against it, 0 to 1, as in BM25.
        padding: Terms added to every length before lengths are compared.

    Raises:
        InvalidInputError: If one is no number or out of its range.
    """

    keyword_short: float = 0.8
    keyword_long: float = 0.3
    half_length: float = 75.0
    brevity: float = 0.4
    coverage: float = 0.15
    rarity: float = 1.8
    k1: float = 1.2
    b: float = 1.0
    padding: float = 15.0

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            highest = 1.0 if each.name in _SHARES else math.inf
            if (
                not isinstance(value, int | float)
                or isinstance(value, bool)
                or not (0 <= value <= highest and math.isfinite(value))
            ):
                allowed = "from 0 to 1" if highest == 1.0 else "of at least 0"
                raise InvalidInputError(
                    f"Weights.{each.name} must be a finite number {allowed}, got {value!r}."
                )


_SHARES = frozenset({"keyword_short", "keyword_long", "coverage", "b"})
_DEFAULT = Weights()


def term_rarity(df: int, items: int, weights: Weights = _DEFAULT) -> float:
    """How much a term tells: ``ln(1 + (items - df + 0.5) / (df + 0.5)) ** rarity``.

    Robertson's and Spärck Jones's inverse document frequency as Lucene has it (never below 0),
    to a power.

    Args:
        df: Items that contain the term.
        items: Items in the namespaces searched.
        weights: For `rarity`.
    """
    return float(math.log1p((max(items - df, 0) + 0.5) / (df + 0.5)) ** weights.rarity)


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
    """What one query term adds to the keyword scores of the items it occurs in.

    ``weight * term_rarity * (k1 + 1) * tf / (tf + k1 * (1 - b + b * relative))`` where
    ``relative = (length + padding) / (mean_length + padding)``.

    Args:
        tf: How often it occurs in each.
        length: Length of each, in terms.
        df: Items that contain it.
        items: Items in the namespaces searched.
        mean_length: Their mean length, in terms.
        weight: The term's weight in the query.
        weights: The rest.

    Returns:
        Values above 0, one for each of `tf`; about ``weight * term_rarity`` for one occurrence in
        a text of mean length.
    """
    told = weight * term_rarity(df, items, weights)
    relative = (length + weights.padding) / (mean_length + weights.padding or 1.0)
    slowed = weights.k1 * (1 - weights.b + weights.b * relative)
    return np.asarray(told * (weights.k1 + 1) * tf / (tf + slowed), dtype=np.float64)


def attainable(
    terms: Mapping[str, float],
    frequency: Mapping[str, int],
    items: int,
    weights: Weights = _DEFAULT,
) -> float:
    """The keyword score of a text of mean length with each term of a query once.

    Args:
        terms: The query's terms with their weights.
        frequency: In how many items each occurs; terms may be missing where it is in none.
        items: Items in the namespaces searched.
        weights: For `rarity`.
    """
    return sum(
        weight * term_rarity(frequency.get(term, 0), items, weights)
        for term, weight in terms.items()
    )


def keyword_score(keyword: Array) -> Array:
    """Keyword scores as shares of the best one, from 0 to 1; all 0 where nothing was found."""
    best = float(keyword.max(initial=0.0))
    return keyword / best if best > 0 else np.zeros(keyword.shape)


def fuse(
    similarity: Array,
    keyword: Array,
    *,
    length: Array,
    mean_length: float,
    attainable: float,
    weights: Weights = _DEFAULT,
) -> Array:
    """One score for each candidate from what the two sides found.

    A side that found nothing does not count: without any keyword the order is exactly that of
    the similarities, without any similarity above 0 that of the keyword scores. Otherwise either
    is divided by its best, and the two are added by their shares.

    Args:
        similarity: Cosine of each candidate, nan where it has no vector.
        keyword: Keyword score of each, 0 where no term occurs.
        length: Length of each, in terms.
        mean_length: Mean length in the namespaces searched.
        attainable: What `attainable` returns for the query.
        weights: The rest.

    Returns:
        Scores from 0 to 1. They depend on the candidates only through the best similarity and the
        best keyword score, so more candidates change neither order nor scores of the others.
    """
    found = np.nan_to_num(np.asarray(similarity, dtype=np.float64), nan=-1.0).clip(-1.0, 1.0)
    nearest = float(found.max(initial=-1.0))
    best = float(keyword.max(initial=0.0))
    if best <= 0:
        above = _BELOW_ZERO + (1 - _BELOW_ZERO) * found
        return np.where(found >= 0, above, _BELOW_ZERO * (1 + found))
    if nearest <= 0:
        return keyword_score(keyword)
    brief = weights.half_length / ((weights.half_length + mean_length) or 1.0)
    needed = weights.coverage * attainable
    trust = min(1.0, best / needed) if needed > 0 else 1.0
    share = trust * (weights.keyword_long + (weights.keyword_short - weights.keyword_long) * brief)
    brevity = trust * weights.brevity * brief**2
    substance = length / np.maximum(length + mean_length, 1.0)
    near = np.maximum(found, 0.0) / nearest
    scores = share * keyword / best + (1 - share) * near + brevity * substance
    return np.asarray(np.minimum(scores / (1 + brevity), 1.0), dtype=np.float64)

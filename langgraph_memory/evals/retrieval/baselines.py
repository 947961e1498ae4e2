"""Search as it is done without any store: BM25, and its ranks fused with those of vectors."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import snowballstemmer
from numpy.typing import NDArray

from langgraph_memory.evals.stores import Document, Mode, Place, StoreContender

__all__ = ["BASELINES"]

Namespace = tuple[str, ...]

_K1, _B = 1.5, 0.75
_RANK_CONSTANT = 60
_WORD = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]+|[^\\W_\u3400-\u4dbf\u4e00-\u9fff]+")
_stem = lru_cache(maxsize=None)(snowballstemmer.stemmer("english").stemWord)


@dataclass
class _Space:
    documents: dict[str, Document] = field(default_factory=dict)
    counts: dict[str, Counter[str]] = field(default_factory=dict)
    vectors: dict[str, NDArray[np.float32]] = field(default_factory=dict)

    def bm25(self, query: str) -> dict[str, float]:
        """Scores above 0."""
        lengths = {key: sum(counts.values()) for key, counts in self.counts.items()}
        mean = sum(lengths.values()) / max(len(lengths), 1) or 1.0
        scores: dict[str, float] = {}
        for term in set(_words(query)):
            holding = [key for key, counts in self.counts.items() if term in counts]
            idf = math.log1p((len(lengths) - len(holding) + 0.5) / (len(holding) + 0.5))
            for key in holding:
                count = self.counts[key][term]
                slowed = count + _K1 * (1 - _B + _B * lengths[key] / mean)
                scores[key] = scores.get(key, 0.0) + idf * count * (_K1 + 1) / slowed
        return scores

    def cosines(self, vector: NDArray[np.float32]) -> dict[str, float]:
        """Similarity of each document."""
        return {key: float(row @ vector) for key, row in self.vectors.items()}


class _Bm25Session:
    """Okapi BM25, k1 1.5 and b 0.75: stemmed words, pairs of Chinese characters, no stop words."""

    modes: Sequence[Mode] = ("keyword",)

    def __init__(self) -> None:
        self.spaces: dict[Namespace, _Space] = {}

    def put(self, documents: Sequence[Document]) -> None:
        for each in documents:
            space = self.spaces.setdefault(each.namespace, _Space())
            space.documents[each.key] = each
            space.counts[each.key] = Counter(_words(each.text))

    def load(self, documents: Sequence[Document]) -> None:
        self.put(documents)

    def search(
        self,
        namespace: Namespace,
        query: str,
        *,
        mode: Mode,
        limit: int = 10,
        topic: str | None = None,
    ) -> list[str]:
        space = self.spaces.get(namespace, _Space())
        allowed = [
            key for key in self.scores(space, query) if topic in (None, space.documents[key].topic)
        ]
        return allowed[:limit]

    def scores(self, space: _Space, query: str) -> list[str]:
        """Keys found, best first."""
        return _best_first(space.bm25(query))

    def get(self, namespace: Namespace, key: str) -> bool:
        return key in self.spaces.get(namespace, _Space()).documents

    def list(self, namespace: Namespace, limit: int = 10) -> list[str]:
        return list(self.spaces.get(namespace, _Space()).documents)[:limit]


class _RankFusionSession(_Bm25Session):
    """Reciprocal rank fusion of the above and exact vector search, equal weights, k 60."""

    modes: Sequence[Mode] = ("hybrid",)

    def __init__(self, embeddings: Any) -> None:
        super().__init__()
        self._embeddings = embeddings

    def put(self, documents: Sequence[Document]) -> None:
        super().put(documents)
        vectors = self._embeddings.embed_documents([each.text for each in documents])
        for each, vector in zip(documents, vectors, strict=True):
            self.spaces[each.namespace].vectors[each.key] = _unit(vector)

    def scores(self, space: _Space, query: str) -> list[str]:
        nearest = _best_first(space.cosines(_unit(self._embeddings.embed_query(query))))
        fused: Counter[str] = Counter()
        for ranked in (nearest, super().scores(space, query)):
            for rank, key in enumerate(ranked, 1):
                fused[key] += 1 / (_RANK_CONSTANT + rank)  # type: ignore[assignment]
        return _best_first(fused)


class _HalfAndHalfSession(_RankFusionSession):
    """Half of either score, each stretched from its least to its highest."""

    def scores(self, space: _Space, query: str) -> list[str]:
        nearest = _stretched(space.cosines(_unit(self._embeddings.embed_query(query))))
        told = _stretched(dict.fromkeys(nearest, 0.0) | space.bm25(query))
        return _best_first({key: nearest[key] + told[key] for key in nearest})


@contextmanager
def _open_bm25(place: Place, index: Mapping[str, Any]) -> Iterator[_Bm25Session]:
    yield _Bm25Session()


@contextmanager
def _open_fusion(place: Place, index: Mapping[str, Any]) -> Iterator[_RankFusionSession]:
    yield _RankFusionSession(index["embed"])


@contextmanager
def _open_half(place: Place, index: Mapping[str, Any]) -> Iterator[_HalfAndHalfSession]:
    yield _HalfAndHalfSession(index["embed"])


BASELINES = (
    StoreContender("plain BM25", "memory", _open_bm25, {}),
    StoreContender("equal rank fusion", "memory", _open_fusion, {}),
    StoreContender("half and half", "memory", _open_half, {}),
)


def _words(text: str) -> list[str]:
    words: list[str] = []
    for run in _WORD.findall(text.lower()):
        if "\u3400" <= run[0] <= "\u9fff":
            words += [first + second for first, second in pairwise(run)] or [run]
        else:
            words.append(_stem(run))
    return words


def _best_first(scores: Mapping[str, float]) -> list[str]:
    return sorted(scores, key=lambda key: -scores[key])


def _stretched(scores: Mapping[str, float]) -> dict[str, float]:
    least, most = min(scores.values(), default=0.0), max(scores.values(), default=0.0)
    return {key: (score - least) / ((most - least) or 1.0) for key, score in scores.items()}


def _unit(vector: Sequence[float]) -> NDArray[np.float32]:
    row = np.asarray(vector, np.float32)
    length = np.float32(np.linalg.norm(row))
    return row / length if length else row

"""Scoring the items of some namespaces with numpy, and keeping the best of either side."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from langgraph_memory.store.operations import Candidates, Ranked, Reads
from langgraph_memory.store.ranking import bm25
from langgraph_memory.store.sqlite.namespace_index import NamespaceRow, NamespaceView

__all__ = ["candidates"]

Scalar = TypeVar("Scalar", bound=np.generic)

Viewed = tuple[int, NamespaceView, NDArray[np.bool_]]


def candidates(
    connection: sqlite3.Connection,
    spaces: Sequence[NamespaceRow],
    views: Sequence[Viewed],
    search: Ranked,
) -> Candidates:
    """The best items of namespaces by similarity united with the best by keywords.

    Args:
        connection: Whose transaction sees what the views show.
        spaces: Rows of the namespaces.
        views: Of each its id, its state, and which places may be found.
        search: What is looked for.
    """
    documents = sum(space.documents for space in spaces)
    length = sum(space.length for space in spaces)
    keyword, frequency, postings = _keyword(connection, views, search, documents, length)
    similarity = _joined([_similarity(view, search) for _, view, _ in views], np.float64)
    allowed = _joined([mask for _, _, mask in views], np.bool_)
    found = _best(np.where(allowed, similarity, np.nan), search.depth)
    matched = _best(np.where(allowed & (keyword > 0), keyword, np.nan), search.depth)
    chosen = np.union1d(found, matched)
    return Candidates(
        items=_joined([view.items for _, view, _ in views], np.int64)[chosen],
        updated=_joined([view.updated for _, view, _ in views], np.int64)[chosen],
        similarity=similarity[chosen],
        keyword=keyword[chosen],
        length=_joined([view.length for _, view, _ in views], np.float64)[chosen],
        documents=documents,
        total_length=length,
        frequency=frequency,
        reads=Reads(
            namespaces=len(spaces),
            items=sum(space.items for space in spaces),
            postings=postings,
            vectors=0 if search.vector is None else sum(len(view.vectors) for _, view, _ in views),
        ),
    )


def _similarity(view: NamespaceView, search: Ranked) -> NDArray[np.float32]:
    if search.vector is None or not len(view.vectors):
        return np.full(len(view.items), np.nan, np.float32)
    return view.similarity(search.vector)


def _keyword(
    connection: sqlite3.Connection,
    views: Sequence[Viewed],
    search: Ranked,
    documents: int,
    length: int,
) -> tuple[NDArray[np.float64], dict[str, int], int]:
    """BM25 of every place, in how many items each term occurs, and the postings read."""
    starts = np.cumsum([0, *(len(view.items) for _, view, _ in views)])
    scores = np.zeros(int(starts[-1]))
    lengths = _joined([view.length for _, view, _ in views], np.float64)
    alive = _joined([view.alive for _, view, _ in views], np.bool_)
    frequency: dict[str, int] = {}
    read = 0
    for term, weight in search.terms.items():
        found = [view.postings(connection, ns, term) for ns, view, _ in views]
        places = _joined(
            [at + start for (at, _), start in zip(found, starts, strict=False) if at.size], np.int64
        )
        tf = _joined([counts for _, counts in found if counts.size], np.float64)
        living = alive[places]
        places, tf = places[living], tf[living]
        read += len(living)
        if not places.size:
            continue
        frequency[term] = len(places)
        scores[places] += bm25(
            tf,
            lengths[places],
            df=len(places),
            items=documents,
            mean_length=length / documents if documents else 1.0,
            weight=weight,
            weights=search.weights,
        )
    return scores, frequency, read


def _joined(parts: Sequence[NDArray[Any]], kind: type[Scalar]) -> NDArray[Scalar]:
    if len(parts) == 1:
        return parts[0].astype(kind, copy=False)
    return np.concatenate(parts).astype(kind, copy=False) if parts else np.empty(0, kind)


def _best(scores: NDArray[np.float64], depth: int) -> NDArray[np.int64]:
    """Places of the `depth` highest scores, nan left out."""
    there = np.flatnonzero(~np.isnan(scores))
    if len(there) <= depth:
        return there
    return there[np.argpartition(-scores[there], depth - 1)[:depth]]

"""Reading items by key, listing them, and putting them: one, or a hundred at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from langgraph_memory.evals.store.corpus import Corpus
from langgraph_memory.evals.store.laps import Track, take_turns
from langgraph_memory.evals.store.measures import Measure, Scale
from langgraph_memory.evals.store.running import Running
from langgraph_memory.evals.stores import Document

__all__ = ["reads", "writes"]

READS = 30
PUTS = 10
BATCHES = 2
BATCH = 100


def reads(running: Sequence[Running], corpus: Corpus, repeats: int, seed: int) -> list[Measure]:
    """Items by key and lists of ten, in namespaces chosen at random."""
    getting: list[Track[tuple[int, int]]] = [_getting(store) for store in running]
    listing: list[Track[tuple[int, int]]] = [_listing(store) for store in running]
    random = np.random.default_rng(seed)
    for number in range(repeats):
        places = [
            (int(random.integers(corpus.spaces)), int(random.integers(corpus.each)))
            for _ in range(READS)
        ]
        for tracks in (getting, listing):
            take_turns(tracks, [places] * len(tracks), corpus.embedder, number)
    return [
        *(_measure(store, track, "get") for store, track in zip(running, getting, strict=True)),
        *(_measure(store, track, "list") for store, track in zip(running, listing, strict=True)),
    ]


def writes(running: Sequence[Running], corpus: Corpus, repeats: int, seed: int) -> list[Measure]:
    """Puts of new keys, then of the same keys with other texts; every batch in one namespace."""
    sizes = {"put": (PUTS, 1), "batch": (BATCHES, BATCH)}
    measures: list[Measure] = []
    random = np.random.default_rng(seed)
    for kind, (count, size) in sizes.items():
        new: list[Track[Sequence[Document]]] = [_putting(store) for store in running]
        again: list[Track[Sequence[Document]]] = [_putting(store) for store in running]
        for number in range(repeats):
            spaces = [int(space) for space in random.integers(corpus.spaces, size=count)]
            for tracks in (new, again):
                groups = [
                    corpus.fresh(space, [f"{kind}-{number}-{place}-{each}" for each in range(size)])
                    for place, space in enumerate(spaces)
                ]
                take_turns(tracks, [groups] * len(tracks), corpus.embedder, number)
        for tracks, operation in ((new, kind), (again, f"{kind} again")):
            measures += [
                _measure(store, track, operation)
                for store, track in zip(running, tracks, strict=True)
            ]
    return measures


def _getting(store: Running) -> Track[tuple[int, int]]:
    return Track(lambda at: store.session.get(store.corpus.namespace(at[0]), f"m{at[1]}"))


def _listing(store: Running) -> Track[tuple[int, int]]:
    return Track(lambda at: store.session.list(store.corpus.namespace(at[0])))


def _putting(store: Running) -> Track[Sequence[Document]]:
    return Track(store.session.put)


def _measure(store: Running, track: Track[Any], operation: str) -> Measure:
    corpus = store.corpus
    return Measure(
        Scale(corpus.spaces, corpus.each),
        store.contender.name,
        store.contender.backend,
        operation,
        None,
        track.percentile(50),
        track.percentile(95),
        track.calls,
    )

"""Searches: in namespaces searched before, in others, the first of all, and with a filter."""

from __future__ import annotations

import time
from collections.abc import Sequence
from statistics import fmean

import numpy as np

from langgraph_memory.evals.store.corpus import Corpus, Question
from langgraph_memory.evals.store.laps import Track, take_turns
from langgraph_memory.evals.store.measures import Loaded, Measure, Scale, recall
from langgraph_memory.evals.store.running import Running, resident_megabytes
from langgraph_memory.evals.stores import MODES, Mode

__all__ = ["filtered_searches", "first_searches", "random_searches", "warm_searches"]

QUESTIONS = 30
WARM_SPACES = 5
WARM_UP = 15
_WARM_UP_SECONDS = 1.5
_FILTERING: tuple[Mode, ...] = ("vector", "hybrid")


class _Searching:
    """One store in one mode, with how good its answers were."""

    def __init__(self, running: Running, mode: Mode) -> None:
        self.running = running
        self.mode: Mode = mode
        self.returned: list[int] = []
        self.recalls: list[float] = []
        self.track: Track[Question] = Track(self.ask, self._judge)

    def ask(self, question: Question) -> list[str]:
        return self.running.search(question, self.mode)

    def _judge(self, question: Question, found: list[str]) -> None:
        self.returned.append(len(found))
        if self.mode == "vector":
            nearest = self.running.corpus.nearest(question)
            self.recalls.append(recall(found, nearest))

    def measure(self, operation: str) -> Measure:
        corpus, contender = self.running.corpus, self.running.contender
        return Measure(
            Scale(corpus.spaces, corpus.each),
            contender.name,
            contender.backend,
            operation,
            self.mode,
            self.track.percentile(50),
            self.track.percentile(95),
            self.track.calls,
            fmean(self.recalls) if self.recalls else None,
            fmean(self.returned),
        )


def warm_searches(running: Sequence[Running], corpus: Corpus, repeats: int) -> list[Measure]:
    """Some namespaces again and again, after each was searched once."""
    spaces = range(min(WARM_SPACES, corpus.spaces))
    searching = _all(running, MODES)
    for each in searching:
        _warm_up(each, corpus, list(spaces))
    _rounds(searching, corpus, list(spaces), repeats, filtered=False)
    return [each.measure("warm") for each in searching]


def filtered_searches(running: Sequence[Running], corpus: Corpus, repeats: int) -> list[Measure]:
    """Warm, and a tenth of the items fit the filter."""
    spaces = list(range(min(WARM_SPACES, corpus.spaces)))
    searching = _all(running, _FILTERING)
    _rounds(searching, corpus, spaces, repeats, filtered=True)
    return [each.measure("filtered") for each in searching]


def random_searches(
    running: Sequence[Running], corpus: Corpus, repeats: int, seed: int
) -> list[Measure]:
    """Namespaces at random that were not searched since the store was opened.

    Searches in another namespace come first, so that connections and plans are there.
    """
    searching = _all(running, MODES)
    random = np.random.default_rng(seed)
    for number in range(repeats):
        for store in running:
            store.reopen()
        order = [int(space) for space in random.permutation(corpus.spaces)]
        first, others = order[0], order[1:] or order
        # Each kind of search has namespaces of its own: the one before would warm them up.
        count = max(1, min(QUESTIONS, len(others) // len(MODES)))
        questions = {
            mode: [
                corpus.question(space)
                for space in others[place :: len(MODES)][:count] or others[:1]
            ]
            for place, mode in enumerate(MODES)
        }
        for each in searching:
            if each.running.lasting:
                _warm_up(each, corpus, [first])
        take_turns(
            [each.track for each in searching],
            [questions[each.mode] for each in searching],
            corpus.embedder,
            number,
        )
    return [each.measure("random") for each in searching]


def first_searches(
    running: Sequence[Running], corpus: Corpus
) -> tuple[list[Measure], list[Loaded]]:
    """The first search after a store was opened, and the memory that it took."""
    measures: list[Measure] = []
    loads: list[Loaded] = []
    scale = Scale(corpus.spaces, corpus.each)
    for store in running:
        grown = None if store.lasting else store.load_megabytes
        # The kind that reads most first: what it leaves in the heap would hide the growth.
        for mode in reversed(_modes(store, MODES)):
            store.reopen()
            before = resident_megabytes()
            searching = _Searching(store, mode)
            take_turns([searching.track], [[corpus.question(0)]], corpus.embedder)
            after = resident_megabytes()
            if grown is None and before is not None and after is not None:
                grown = after - before
            measures.append(searching.measure("first"))
        loads.append(Loaded(scale, store.contender.name, store.load_seconds, grown))
    return measures, loads


def _warm_up(searching: _Searching, corpus: Corpus, spaces: Sequence[int]) -> None:
    """Search in each namespace, and so often that Postgres has settled on a plan.

    It plans a prepared statement anew the first five times; drivers prepare it after some more.
    """
    until = time.perf_counter() + _WARM_UP_SECONDS
    for number in range(max(WARM_UP, len(spaces))):
        if number >= len(spaces) and time.perf_counter() > until:
            return
        searching.ask(corpus.question(spaces[number % len(spaces)]))


def _modes(store: Running, wanted: Sequence[Mode]) -> list[Mode]:
    """The modes of a store; one that has none of those wanted has its own."""
    return [mode for mode in wanted if mode in store.session.modes]


def _all(running: Sequence[Running], wanted: Sequence[Mode]) -> list[_Searching]:
    return [_Searching(store, mode) for store in running for mode in _modes(store, wanted)]


def _rounds(
    searching: Sequence[_Searching],
    corpus: Corpus,
    spaces: Sequence[int],
    repeats: int,
    *,
    filtered: bool,
) -> None:
    for number in range(repeats):
        questions = [
            corpus.question(spaces[place % len(spaces)], filtered=filtered)
            for place in range(QUESTIONS)
        ]
        take_turns(
            [each.track for each in searching],
            [questions] * len(searching),
            corpus.embedder,
            number,
        )

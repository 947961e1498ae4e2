"""Time per call as a thread grows: warm, with one call's messages appended each time."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence

from langgraph_memory.evals.context.contenders import Contender
from langgraph_memory.evals.context.summarizers import ScriptedSummarizer
from langgraph_memory.evals.context.transcripts import Thread, thread_of_length

__all__ = ["LENGTHS", "timing_threads", "warm_median"]

LENGTHS = (100, 1_000, 10_000)
"""Lengths of the threads in messages."""

REPEATS = 15
_WARM_UP = 3
_ENOUGH_SECONDS = 4.0
_FEWEST = 5


def timing_threads(runs: Sequence[Thread]) -> dict[int, Thread]:
    """A thread for each length, made of recorded runs that are repeated as often as it takes."""
    calls = REPEATS + _WARM_UP + 1
    return {length: thread_of_length(runs, length, calls) for length in LENGTHS}


def warm_median(thread: Thread, length: int, contender: Contender, budget: int) -> float:
    """Median milliseconds that a tool takes for a call on a thread it already knows.

    Args:
        thread: A thread with at least `length` messages and enough calls after them.
        length: Messages in the thread before the calls that are timed.
        contender: The tool.
        budget: Token budget of a view.
    """
    session = contender.start(budget, ScriptedSummarizer())
    taken: list[float] = []
    later = [end for end in thread.calls if end >= length]
    for number, end in enumerate(later[: REPEATS + _WARM_UP]):
        messages = list(thread.messages[:end])
        start = time.perf_counter()
        session.view(messages)
        seconds = time.perf_counter() - start
        if number >= _WARM_UP:
            taken.append(seconds)
        if sum(taken) > _ENOUGH_SECONDS and len(taken) >= _FEWEST:
            break
    return 1_000 * statistics.median(taken)

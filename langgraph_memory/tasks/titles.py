"""Whether two titles name the same task."""

from __future__ import annotations

from langgraph_memory.store.analysis import query_terms

__all__ = ["name_the_same"]

SHARED = 0.8
"""Share of the longer title's terms that the shorter one must have."""


def name_the_same(title: str, other: str) -> bool:
    """Whether two titles differ in nothing but form, filling words, or a small addition.

    The terms of one must all be in the other. Where each has a term that the other has not, as
    with "chapter 3" and "chapter 4", they are different tasks, however much they share.
    """
    short, long = sorted((set(query_terms(title)), set(query_terms(other))), key=len)
    return bool(short) and short <= long and len(short) >= SHARED * len(long)

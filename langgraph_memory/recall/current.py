"""Which of several statements about the same thing is the current one.

A newer memory is no better than an older one, unless both say something about the same thing:
then the newer one holds. So recency never adds to a score. It only orders statements that agree
in what they are about, and what they are about is told by their words: the sentence of each that
answers the question best, without its numbers, which are what changes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence

from langgraph_memory.recall.passage import Passage
from langgraph_memory.store.analysis import query_terms

__all__ = ["age", "agreement", "best_sentence", "newest_first", "one_speaker", "sentences"]

ASKED = 3.0
"""How many times more a word counts that the question has, too."""

FAINT = 0.1
"""Share of the higher one's score below which a statement is not compared at all."""

LONGEST = 2_000
"""Characters of a text that are looked at."""

_END = re.compile(
    r"(?<=[.!?;])(?<!\b[MD][rs]\.)(?<!\bMrs\.)(?<!\bProf\.)(?<!\bSt\.)\s+|(?<=[。！？；])|\n+"
)


def newest_first(
    ranked: Sequence[tuple[Passage, float]],
    query: Mapping[str, float],
    *,
    names: frozenset[str] = frozenset(),
    same_thing: float,
    rival: float,
    depth: int,
) -> list[int]:
    """A better order of a ranking: statements about the same thing change places among themselves.

    Each group keeps the places it has; the newest statement takes the first of them, and so on.
    Everything else stays where it is.

    Args:
        ranked: Passages with their scores, best first.
        query: Terms of the question with their weights.
        names: Terms that only say who speaks, which make no two statements alike.
        same_thing: `agreement` from which two statements are about the same thing.
        rival: How much of the question the lower one must cover, as a share of what the higher
            one covers; a statement that hardly answers the question is no newer answer to it.
        depth: How many of the best are looked at.

    Returns:
        Numbers of the passages in their new order.
    """
    order = list(range(len(ranked)))
    if same_thing > 1:
        return order
    top = order[:depth]
    about = {term: weight for term, weight in query.items() if term not in names} or query
    said = {
        number: _without_numbers(best_sentence(ranked[number][0].text, about)) - names
        for number in top
    }
    grouped: set[int] = set()
    for first in top:
        passage, score = ranked[first]
        if first in grouped or passage.moment is None or not about.keys() & said[first]:
            continue
        group = [first] + [
            other
            for other in top[first + 1 :]
            if other not in grouped
            and ranked[other][0].moment is not None
            and ranked[other][1] >= FAINT * score
            and _covered(said[other], about) >= rival * _covered(said[first], about)
            and one_speaker(passage, ranked[other][0])
            and agreement(said[first], said[other], about) >= same_thing
        ]
        grouped.update(group)
        for place, number in zip(
            group, sorted(group, key=lambda each: age(ranked[each][0])), strict=True
        ):
            order[place] = number
    return order


def best_sentence(text: str, query: Mapping[str, float]) -> frozenset[str]:
    """The terms of the sentence of a text that answers a question best.

    Args:
        text: Any text.
        query: Terms of the question with their weights.
    """
    said = (frozenset(query_terms(sentence)) for sentence in sentences(text))
    return max(said, key=lambda terms: _covered(terms, query), default=frozenset())


def agreement(one: frozenset[str], other: frozenset[str], query: Mapping[str, float]) -> float:
    """How much of what two statements say both of them say, from 0 to 1.

    The weighted Jaccard index of their terms, those of the question counting `ASKED` times.
    """
    either = sum(ASKED if term in query else 1.0 for term in one | other)
    both = sum(ASKED if term in query else 1.0 for term in one & other)
    return both / either if either else 0.0


def _covered(said: frozenset[str], query: Mapping[str, float]) -> float:
    return sum(weight for term, weight in query.items() if term in said)


def sentences(text: str) -> Iterator[str]:
    """The sentences of the beginning of a text, `LONGEST` characters of it."""
    return (sentence for sentence in _END.split(text[:LONGEST]) if sentence.strip())


def one_speaker(one: Passage, other: Passage) -> bool:
    """Whether the same person may have said both."""
    return not one.speaker or not other.speaker or one.speaker == other.speaker


def age(passage: Passage) -> tuple[float, int]:
    """For sorting, newest first; turns of one moment by their places."""
    moment = passage.moment.timestamp() if passage.moment else -math.inf
    return (-moment, -(passage.position or 0))


def _without_numbers(said: frozenset[str]) -> frozenset[str]:
    return frozenset(term for term in said if not term[0].isdigit())

"""Statements that replace another one by naming what no longer holds.

"I cancelled Ironworks and signed up with Pulse House" answers the question which gym it is, but
shares no word with it: it shares one with the old answer. So what was said after one of the best
answers, tells of a change and has that answer's own words comes before it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from langgraph_memory.offline.kinship import RELATIVE, RELATIVE_HAN
from langgraph_memory.recall.current import age, best_sentence, one_speaker, sentences
from langgraph_memory.recall.passage import Passage
from langgraph_memory.store.analysis import query_terms

__all__ = ["own_words", "replaced_by"]

COMMON = 3
"""A word that is in more sentences about changes than this tells no answer from another."""

TITLES = frozenset({"mr", "mrs", "ms", "dr", "prof", "st"})
"""Words that many names have."""

_FRAME = re.compile(r"\bthe user(?:['’]s)?\b|用户的?|[不没]", re.IGNORECASE)
"""What records begin with, or deny with; it ties none of them to another."""

_CHANGE = re.compile(
    r"\b(?:no longer|no more|any ?more|instead|rather than|used to|until now|so far|from now on|"
    r"(?:chang|switch|replac|mov|return|retir|resign|transferr|exchang|upgrad|convert|ditch|"
    r"abandon|postpon|reschedul|cancell?|swapp|dropp|stopp|expir|divorc|dump|migrat|port|sack|"
    r"fir|enroll?|trad|evict|kick)(?:e|ed|es|ing)?|swap|drop|stop|quit|end(?:ed|s)?|sold|broke|"
    r"left|leav(?:e|ing)|lost|died|closed|bec[ao]mes?|(?:done|finished|fed up) with|rid of|"
    r"(?:pull|drop|back|mov)(?:ed|ing) out|sh[uo]t down|fell (?:apart|through)|my notice|"
    r"g[ai]v(?:e|en|ing) up|t(?:ook|aken|aking) over|from\b.{1,60}\bto|not\b.{1,60}\bbut)\b|"
    "不再|不是|改|换|搬|辞|退|离开|离职|放弃|弃用|转[到去为成手让]|变|[取代接]替|接手|取代|挪|推迟|"
    "提前|停|戒|卖|[坏丢送]了|送[人给]|调[到去]|迁|销户|注销|撤销|终止|结束|到期|倒闭|关[门张]|告别|"
    "以前|原来|本来|不.{1,20}了|没.{1,8}了",
    re.IGNORECASE,
)

_OF_ANOTHER = re.compile(
    rf"^\W*(?:(?:my|our|the\suser['’]s)\s(?:\w+\s)?({RELATIVE})\b|(?:我们?|用户)的?家?的?({RELATIVE_HAN}))",
    re.IGNORECASE,
)
"""The relative or friend that a sentence is about; it ends nothing of the user's own."""


def own_words(
    best: Sequence[Passage], query: Mapping[str, float], names: frozenset[str] = frozenset()
) -> list[frozenset[str]]:
    """What each of the best answers says beyond the question: the terms that tell it from others.

    Args:
        best: The passages that answer best.
        query: Terms of the question with their weights.
        names: Terms that only say who speaks.
    """
    known = query.keys() | names | TITLES
    return [best_sentence(_FRAME.sub(" ", each.text), query) - known for each in best]


def replaced_by(
    best: Sequence[Passage], words: Sequence[frozenset[str]], others: Sequence[Passage]
) -> dict[int, int]:
    """Which of the best answers no longer hold.

    Args:
        best: The passages that answer best.
        words: Their `own_words`.
        others: Passages that have some of these words.

    Returns:
        Numbers of the answers, each with the number of the newest passage that replaces it.
    """
    changes = [
        (number, query_terms(sentence).keys(), _about(sentence))
        for number, other in enumerate(others)
        for sentence in sentences(other.text)
        if _CHANGE.search(sentence)
    ]
    known = Counter(term for _, said, _ in changes for term in said)
    replaced = {}
    for old, answer in enumerate(best):
        own = {term for term in words[old] if known[term] <= COMMON}
        replacing = [
            new
            for new, said, about in changes
            if own
            and 2 * len(own & said) >= len(own)
            and about in answer.text.lower()
            and _later(others[new], answer)
        ]
        if replacing:
            replaced[old] = min(replacing, key=lambda new: age(others[new]))
    return replaced


def _about(sentence: str) -> str:
    """The word for whom a sentence is about; empty for the user."""
    found = _OF_ANOTHER.match(sentence)
    return (found[1] or found[2]).lower() if found else ""


def _later(one: Passage, other: Passage) -> bool:
    known = one.moment is not None and other.moment is not None
    return known and age(one) < age(other) and one_speaker(one, other)

"""Which of several statements about the same thing holds: the newest, as corrected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from langgraph_memory.offline.answer import Finding
from langgraph_memory.offline.lexicon import word_meanings
from langgraph_memory.offline.passages import Passage, Source
from langgraph_memory.offline.question import LIGHT, Question
from langgraph_memory.offline.scoring import STRONG, in_context, match
from langgraph_memory.offline.statement import Statement, corrects, read_statement
from langgraph_memory.offline.words import has_han

__all__ = ["corrected", "newest_of_same"]


def newest_of_same(question: Question, good: list[Finding]) -> Finding:
    """The newest statement about what the best one is about."""
    best = good[0]
    for finding in sorted(good, key=lambda one: one.passage.message):
        later = finding.passage.message > best.passage.message
        speaks = finding.passage.source in {Source.USER, Source.TOOL} or (
            finding.passage.source is best.passage.source
        )
        if not later or not speaks:
            continue
        if finding.score >= 0.85 * good[0].score and _covers(question, finding, best):
            best = finding
    return best


def _covers(question: Question, one: Finding, other: Finding) -> bool:
    """Whether a passage speaks to every part of the question that another one speaks to."""
    first, second = (
        read_statement(in_context(one.passage)),
        read_statement(in_context(other.passage)),
    )
    return all(
        match(slot, first) >= match(slot, second) - 0.1
        for slot in question.slots
        if slot.words[0] not in LIGHT and match(slot, second) >= STRONG
    )


def corrected(question: Question, found: Finding, candidates: Sequence[Passage]) -> Finding:
    """The latest correction of a statement, or the statement itself."""
    current = found
    later = False
    for passage in candidates:
        if passage is current.passage:
            later = True
        elif (
            later
            and passage.source in {Source.USER, Source.TOOL, Source.SUMMARY, Source.MEMORY}
            and corrects(passage.text)
            and _replaces(question, passage, current.passage)
        ):
            current = replace(current, passage=passage)
    return current


def _replaces(question: Question, new: Passage, old: Passage) -> bool:
    """Whether a correction is about the value that an earlier statement gave."""
    first, second = read_statement(old.text), read_statement(new.text)
    repeated = any(word[0].isdigit() for word in first.stems & second.stems)
    if repeated and second.dependent and "#number" in first.kinds & second.kinds:
        return True
    wanted = question.wanted or (first.kinds & _REPLACEABLE)
    if not wanted & second.kinds & first.kinds:
        return False
    if second.about_kin != first.about_kin or (
        second.names and first.names and not (second.names & first.names) and second.about_other
    ):
        return False
    if any(
        slot.strict and match(slot, first) >= STRONG > match(slot, second)
        for slot in question.slots
    ) and (not second.dependent):
        return False
    numbers = {word for word in first.stems & second.stems if word[0].isdigit()}
    if numbers or first.names & second.names:
        return True
    shared = any(
        min(match(slot, first), match(slot, second)) >= STRONG
        for slot in question.slots
        if slot.words[0] not in LIGHT
    )
    if shared and not second.dependent and not _common_words(first, second):
        # Both name a price, say, but of different things.
        shared = False
    # "Make it 900." says nothing of its own: it is about what was said just before.
    exact = first.kinds & second.kinds & (_REPLACEABLE - {"#number", "#place"})
    near = new.message - old.message <= 2
    if question.wanted:
        exact &= question.wanted
    return shared or (near and second.dependent and second.length <= 9 and bool(exact))


def _common_words(first: Statement, second: Statement) -> set[str]:
    """Words that two statements share, units of money left out; in Chinese their characters."""
    money = word_meanings("euro") | word_meanings("dollar")
    words = first.stems & second.stems
    if has_han(first.text):
        return {word for word in words if has_han(word)}
    return {
        word
        for word in words
        if word.isalpha()
        and len(word) > 3
        and word not in LIGHT
        and not word_meanings(word) & money
    }


_REPLACEABLE = frozenset(
    ["#money", "#date", "#time", "#code", "#number", "#place", "#phone", "#email", "#age", "#ip"]
)

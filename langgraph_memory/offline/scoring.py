"""How well one statement of a prompt answers a question.

The score is how much of the question the statement covers: its content words exactly, by meaning
(the thesaurus), the kind of value asked for, and the person it is about.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache

from langgraph_memory.offline.lexicon import (
    closeness,
    concepts,
    excludes,
    is_kind_of,
    word_meanings,
)
from langgraph_memory.offline.passages import Passage, Source
from langgraph_memory.offline.question import LIGHT, Question, Slot, is_question
from langgraph_memory.offline.statement import Statement, read_statement
from langgraph_memory.offline.values import KINDS, specifics
from langgraph_memory.offline.words import has_han

__all__ = ["STRONG", "in_context", "kind_match", "lead_of", "match", "rarity_of", "score_of"]

_SOURCE_WEIGHT = {
    Source.USER: 1.0,
    Source.SUMMARY: 0.97,
    Source.MEMORY: 0.97,
    Source.TOOL: 0.97,
    Source.ASSISTANT: 0.82,
    Source.ECHO: 0.7,
    Source.SYSTEM: 0.62,
}
# What a statement keeps of its score when it lacks the kind of value that was asked for.
_MISSING_KIND = {
    "#time": 0.45, "#date": 0.5, "#age": 0.5, "#money": 0.45, "#number": 0.5, "#frequency": 0.7,
    "#duration": 0.6, "#place": 0.65, "#person": 0.6, "#reason": 0.75, "#email": 0.3,
    "#phone": 0.35, "#name": 0.65, "#code": 0.5, "#self": 0.2,
}  # fmt: skip
_OWNED = re.compile(r"\b([A-Z]\w+)['’]s ([a-z]\w+)")
_KIND_WEIGHT = 0.7
_UNMATCHED = 0.85
_UNMATCHED_FOCUS = 0.55
_CONFLICT = 0.5
_FIRM = 0.8
_LOOSE = 0.7
_VALUED = 0.75
_DENIED = 0.5
STRONG = 0.5
_HARDLY = 0.25
_LINKED = 0.55
_SHARED_CHARACTER = 0.45
_IDLE_TALK = 0.7


def in_context(passage: Passage) -> str:
    """The text of a passage with the sentence that it leans on."""
    lead = lead_of(passage)
    return f"{lead} {passage.text}" if lead else passage.text


def lead_of(passage: Passage) -> str:
    """The sentence that a passage leans on: what it refers to, or the question it replies to."""
    statement = read_statement(passage.text)
    if passage.asked and statement.fragment:
        return passage.asked
    short = statement.fragment and is_question(passage.before)
    return passage.before if passage.before and (statement.dependent or short) else ""


def rarity_of(question: Question, candidates: Sequence[Passage]) -> dict[tuple[str, ...], float]:
    """Inverse document frequency of the question's words within the prompt, 0.35 to 1."""
    number = len(candidates)
    rarity: dict[tuple[str, ...], float] = {}
    for slot in question.slots:
        if number < 12:
            rarity[slot.words] = 1.0
            continue
        holding = sum(_literal(slot, read_statement(one.text)) == 1 for one in candidates)
        value = math.log((number + 1) / (holding + 0.5)) / math.log(number + 1)
        rarity[slot.words] = min(1.0, max(0.35, value))
    return rarity


def _literal(slot: Slot, statement: Statement) -> float:
    """How far the statement has the very words of a slot."""
    word = slot.words[0]
    if has_han(word):
        if word in statement.text:
            return 1.0
        if len(word) > 2 and not slot.meanings:
            pairs = [word[i : i + 2] for i in range(len(word) - 1)]
            return sum(pair in statement.text for pair in pairs) / len(pairs) * 0.9
        # Chinese words of one character in common often have a sense in common.
        shares = len(word) == 2 and any(
            one in statement.text for one in word if one not in _COMMON_CHARACTERS
        )
        return _SHARED_CHARACTER if shares else 0.0
    if all(part in statement.stems for part in slot.words):
        return 1.0
    if len(slot.words) == 1 and len(word) >= 5:
        for other in statement.stems:
            shared = _shared_prefix(word, other)
            if shared >= max(5, 0.7 * max(len(word), len(other))):
                return 0.8
    return 0.0


_COMMON_CHARACTERS = frozenset(
    "的一是不了在人有我他她它这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后"
    "里用道行所然家事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心本前开但因只从想实日"
    "最高老第间月公无己机常每次点号几车电手回新打做"
)


def _shared_prefix(one: str, other: str) -> int:
    shared = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        shared += 1
    return shared


@lru_cache(maxsize=4096)
def _valuable(meanings: tuple[int, ...]) -> bool:
    """Whether any kind of value has one of the meanings."""
    return any(set(meanings) & set(concepts((kind,))) for kind in KINDS)


@lru_cache(maxsize=4096)
def _is_bare_value(meaning: int) -> bool:
    """Whether a word only gives a date or an amount, which says nothing of what it is for."""
    values = [one for kind in ("#date", "#time", "#number", "#money") for one in concepts((kind,))]
    return any(meaning == one or is_kind_of(meaning, one) for one in values)


def match(slot: Slot, statement: Statement) -> float:
    """How far a statement speaks of what a slot asks for, 0 to 1."""
    literal = _literal(slot, statement)
    if literal == 1.0 or not slot.meanings:
        return literal
    near = max(
        (
            near
            for asked in slot.meanings
            for said in statement.meanings
            if (near := closeness(asked, said)) > _LINKED or not _is_bare_value(said)
        ),
        default=0.0,
    )
    # Only a slot that a value can stand for makes it worth looking for values.
    if near < _VALUED and _valuable(slot.meanings) and statement.valued.intersection(slot.meanings):
        only_denies = "#negation" in statement.kinds and set(slot.meanings) & word_meanings(
            "#negation"
        )
        near = max(near, _DENIED if only_denies else _VALUED)
    return max(literal, near)


def _names_another(slot: Slot, statement: Statement) -> bool:
    """Whether a statement names another one of the kind that the slot names."""
    return any(excludes(asked, said) for asked in slot.meanings for said in statement.meanings)


def score_of(
    question: Question, passage: Passage, rarity: dict[tuple[str, ...], float]
) -> tuple[float, float]:
    """The score of a passage, and the share that its shortcomings leave of any score."""
    statement = read_statement(passage.text)
    support = [(read_statement(text), share) for text, share in _support(passage, statement)]
    total = gained = own = firm = 0.0
    heavy = 0
    keep = 1.0
    for slot in question.slots:
        here = match(slot, statement)
        around = max((share * match(slot, other) for other, share in support), default=0.0)
        weight = slot.weight * rarity[slot.words]
        total += weight
        gained += weight * max(here, around)
        trust = 0.7 if slot.words[0] in LIGHT else 1.0
        own = max(own, here * trust, around * trust * 0.9)
        if slot.weight >= 0.7:
            if max(here, around) < STRONG and _names_another(slot, statement):
                keep *= _CONFLICT
            elif max(here, around) < _HARDLY:
                # A word that the thesaurus does not know may well have been said otherwise.
                keep *= _UNMATCHED_FOCUS if slot.focus else _UNMATCHED if slot.meanings else 1.0
        firm = max(firm, here, around)
        heavy += slot.weight >= 0.7
    if heavy > 1 and firm < _FIRM:
        keep *= _LOOSE
    if total == 0 or own < STRONG * 0.8:
        return 0.0, keep * 0.6
    keep *= _penalty(question, passage) * _SOURCE_WEIGHT[passage.source]
    if passage.source is Source.ASSISTANT and not (specifics(passage.text) or statement.names):
        keep *= _IDLE_TALK
    score = gained / total
    if question.wanted:
        # The kind asked for confirms what the words say; it is no evidence by itself.
        kind = kind_match(question, statement)
        score = (score * total + _KIND_WEIGHT * kind * score) / (total + _KIND_WEIGHT)
    score *= keep
    if statement.length > 45:
        score *= 0.93
    return score, keep


def _support(passage: Passage, statement: Statement) -> list[tuple[str, float]]:
    """Neighbouring sentences with the share of their words that carries over."""
    support = [(passage.also, 0.9)] if passage.also else []
    if passage.asked:
        support.append((passage.asked, 0.9 if statement.fragment else 0.4))
    if passage.before:
        leans = statement.dependent or (statement.fragment and is_question(passage.before))
        support.append((passage.before, 0.85 if leans else 0.35))
    return support


def kind_match(question: Question, statement: Statement) -> float:
    """Whether a statement holds a value of the kind asked for: 1, 0.7 for a vague one, or 0."""
    if not question.wanted & statement.kinds:
        return 0.0
    return 1.0 if question.wanted & statement.kinds - {"#name?", "#condition"} else 0.7


def _penalty(question: Question, passage: Passage) -> float:
    """What a statement keeps for lacking the value, the person or the sense asked for."""
    statement = read_statement(passage.text)
    around = [read_statement(text) for text in (passage.before, passage.asked) if text]
    keep = 1.0
    if question.wanted and not question.wanted & statement.kinds:
        loose = question.wanted <= {"#person", "#name", "#name?", "#place", "#reason", "#code"}
        short_reply = bool(passage.asked) and statement.fragment and loose
        if not short_reply:
            keep *= max(_MISSING_KIND.get(kind, 1.0) for kind in question.wanted)
    kin = read_statement(passage.also) if passage.also else None
    people = False
    for slot in question.slots:
        if not slot.strict:
            continue
        here = match(slot, statement)
        if here >= STRONG or (kin is not None and match(slot, kin) >= STRONG):
            people = True
        elif any(match(slot, other) >= STRONG for other in around) and (
            statement.dependent or passage.asked
        ):
            people = True
            keep *= 0.95
        else:
            keep *= 0.4
    wants_person = bool(question.wanted & {"#person", "#name"})
    if (
        statement.about_other
        and question.first_person
        and not people
        and not wants_person
        and not _mentions_people(question)
    ):
        keep *= 0.85 if statement.mixed else 0.47 if statement.about_kin else 0.75
    if _is_inverse(question.text, passage.text):
        keep *= 0.2
    if question.negative and not statement.negative:
        keep *= 0.6
    elif statement.negative and not question.negative and not question.polar:
        keep *= 0.9
    if statement.past and not question.past:
        keep *= 0.8
    return keep


def _is_inverse(question: str, statement: str) -> bool:
    """Whether "Ann's boss" is asked for and the statement says that Ann is someone's boss."""
    for owner, owned in _OWNED.findall(question):
        own = re.compile(
            rf"\b(?:my|our|his|her|their|the user's)\s+(?:\w+\s+)?{re.escape(owned)}\b",
            re.IGNORECASE,
        )
        if own.search(statement) and f"{owner.lower()}'s" not in statement.lower().replace(
            "’", "'"
        ):
            return True
    return False


def _mentions_people(question: Question) -> bool:
    people = {
        meaning
        for word in ("family", "person", "friend", "child")
        for meaning in word_meanings(word)
    }
    return any(
        closeness(person, meaning) >= 0.5
        for slot in question.slots
        for meaning in slot.meanings
        for person in people
    )

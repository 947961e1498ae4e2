"""What the user does, likes, can, must and wants: "I" with a full verb."""

from __future__ import annotations

import re

from langgraph_memory.extraction.drafts import Draft
from langgraph_memory.extraction.rules.english.changes import read_changed, read_perfect
from langgraph_memory.extraction.rules.english.clauses import Predicate
from langgraph_memory.extraction.rules.english.denials import read_denied
from langgraph_memory.extraction.rules.english.habits import habit_key, read_present
from langgraph_memory.extraction.rules.english.modals import (
    read_obliged,
    read_possible,
    read_willing,
)
from langgraph_memory.extraction.rules.english.ongoing import read_progressive
from langgraph_memory.extraction.rules.english.third_person import about_user
from langgraph_memory.extraction.rules.english.topics import is_deictic
from langgraph_memory.extraction.rules.english.word_classes import (
    is_past,
)
from langgraph_memory.extraction.rules.kinds import FACT

__all__ = ["read_doing"]


def read_doing(clause: str, said: Predicate) -> list[Draft]:
    """What a clause with "I" and a full verb tells about the user."""
    if not re.fullmatch(r"[a-zé'-]+", said.verb) or re.search(r"\bif\b|^I\s\w+,", clause, re.I):
        return []
    if re.search(
        r"\b(?:of|after|for|with|about|from|to|on|in|without)\s(?:it|that|this|those|these|them)$",
        clause,
        re.I,
    ):
        return []  # It points at something of another sentence.
    draft = _read(clause, said)
    return [draft] if draft else []


def _read(clause: str, said: Predicate) -> Draft | None:
    verb, rest, aux = said.verb, said.rest, said.auxiliary
    if aux in {"am", "have been"}:
        return read_progressive(clause, said)
    if aux == "was":
        return None
    if aux == "used to":
        if is_deictic(rest):
            return None
        return Draft(FACT, about_user(clause, past=True), 0.4, 0.8, subject=habit_key(verb, rest))
    if aux in {"can", "could"}:
        return read_possible(clause, said)
    if aux == "must":
        return read_obliged(clause, said)
    if aux in {"will", "would"}:
        return read_willing(clause, said)
    if aux in {"have", "had"}:
        return read_perfect(clause, said)
    if aux == "did" or aux in {"should", "may", "might", "need not", "ought"}:
        return None
    if said.negated and (
        said.stopped
        or aux == "do"
        or "never" in said.adverbs
        or said.adverbs & {"rarely", "seldom", "hardly", "barely"}
    ):
        return read_denied(clause, said)
    if is_past(verb):
        return read_changed(clause, said)
    return read_present(clause, said)

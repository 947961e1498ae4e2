"""What the user wants to reach, and what the user needs."""

# A pattern is easier to check in one piece.

from __future__ import annotations

import re

from langgraph_memory.extraction.dates import has_date
from langgraph_memory.extraction.drafts import Draft
from langgraph_memory.extraction.rules.english.clauses import Predicate
from langgraph_memory.extraction.rules.english.third_person import about_user
from langgraph_memory.extraction.rules.english.topics import is_deictic, topic
from langgraph_memory.extraction.rules.english.word_classes import (
    EXPLICIT_HABIT,
    REPLIES,
    SHORT_WISH,
)
from langgraph_memory.extraction.rules.kinds import CONSTRAINT, GOAL, PREFERENCE
from langgraph_memory.offline.words import listed
from langgraph_memory.records import MemoryType

__all__ = ["read_need", "read_wish"]

_MUST = frozenset(
    listed("""
    avoid limit stay wear watch inject take wake get be leave finish work pick check eat drink
    keep submit deliver commute
    """)
)
_EVERYDAY = frozenset({"run", "stop", "start", "write", "read", "eat", "drink", "cook"})
_BIG_IF_DATED = frozenset(
    listed("""
    go see have do be buy open watch get
    """)
)
_BETTER = re.compile(r"\b(?:a|an|able|fluent|better|healthier|fitter)\b")
_BIG_THING = re.compile(
    r"\b(?:house|flat|apartment|home|business|restaurant|cafe|café|shop|fit|degree|certified|promoted|in\sshape|dog|cat)\b"
)


def read_wish(clause: str, said: Predicate) -> Draft | None:
    """What "I want …", "I need …" and their like tell about the user."""
    verb, rest = said.verb, said.rest
    if verb == "try" and not (
        EXPLICIT_HABIT.search(clause) or re.match(r"to\s(?:avoid|limit|stay|cut|eat|keep)\b", rest)
    ):
        return None
    if said.negated:
        return None
    if REPLIES.search(rest):
        return Draft(MemoryType.INSTRUCTION, about_user(clause), 0.8, 0.75)
    if rest.startswith("to "):
        words = rest[3:].split(" ")
        word = next(
            (
                one
                for one in words
                if one not in {"eventually", "finally", "really", "someday", "also"}
            ),
            "",
        )
        if len(words) < 2 or (is_deictic(" ".join(words[1:])) and len(words) < 4):
            return None
        if verb == "need":
            return read_need(clause, word, rest)
        if verb == "try" and re.match(r"to\s(?:avoid|limit|stay|cut|eat|keep)\b", rest):
            return Draft(
                CONSTRAINT if "avoid" in rest else PREFERENCE,
                about_user(clause),
                0.6,
                subject=f"habit:{topic(' '.join(words[1:]))}",
            )
        lasting = has_date(rest) or re.search(
            r"\b(?:before\sI|by\sthe\stime|one\sday|someday|some\sday|eventually|marathon|this\syear)\b",
            rest,
        )
        if word in SHORT_WISH - _EVERYDAY and not (
            (lasting and word in _BIG_IF_DATED and not re.search(r"help|answer", rest))
            or (word == "be" and _BETTER.search(rest))
            or (word in {"buy", "open", "get"} and _BIG_THING.search(rest))
        ):
            return None
        if word in _EVERYDAY and not (
            lasting
            or re.search(
                r"\b(?:more|less|novel|book|memoir|healthier|smoking|biting|business|company|family|vegan|marathon|drinking|every)\b",
                rest,
            )
        ):
            return None
        return Draft(GOAL, about_user(clause), 0.6, 0.8)
    if (
        verb in {"want", "need"}
        and re.match(
            r"(?:every|all|each|any)\s(?:of\s)?(?:the\s|my\s|your\s)?\w+\s.*\b(?:in|as|with|to|without|before|on)\b",
            rest,
        )
        and not re.search(r"\b(?:this|these|above|here)\b", rest)
    ):
        return Draft(MemoryType.INSTRUCTION, about_user(clause), 0.8, 0.75)
    if verb == "need" and (is_deictic(rest) or re.match(r"(?:the|this|your)\s", rest)):
        return None
    if verb == "need" and (
        EXPLICIT_HABIT.search(clause)
        or re.search(
            r"\b(?:accessible|wheelchair|step-free|ground\sfloor|glasses|hearing\said|insulin|inhaler|gluten-free|dairy-free|vegan|vegetarian|halal|kosher)\b",
            rest,
            re.I,
        )
    ):
        return Draft(CONSTRAINT, about_user(clause), 0.8)
    if verb == "dream" and rest.startswith("of "):
        return Draft(GOAL, about_user(clause), 0.6)
    return None


def read_need(clause: str, word: str, rest: str) -> Draft | None:
    """What the user has to do again and again, or wants to reach."""
    recurring = EXPLICIT_HABIT.search(rest)
    if word in _MUST and (recurring or word in {"avoid", "limit"} or has_date(rest)):
        return Draft(CONSTRAINT, about_user(clause), 0.75)
    if (
        word in {"lose", "gain", "learn", "pass", "save", "improve", "find"}
        and (re.search(r"\d", rest) or word in {"learn", "improve"})
        and not is_deictic(" ".join(rest.split(" ")[2:]))
    ):
        return Draft(GOAL, about_user(clause), 0.6, 0.7)
    return None

"""What the user can, must and will do, and what not."""

# A pattern is easier to check in one piece.

from __future__ import annotations

import re

from langgraph_memory.extraction.dates import has_date
from langgraph_memory.extraction.drafts import Draft
from langgraph_memory.extraction.rules.english.clauses import Predicate
from langgraph_memory.extraction.rules.english.third_person import about_user
from langgraph_memory.extraction.rules.english.topics import is_deictic, topic
from langgraph_memory.extraction.rules.english.wishes import read_need, read_wish
from langgraph_memory.extraction.rules.english.word_classes import (
    CONSUME,
    EXPLICIT_HABIT,
    MOMENT,
    REPLIES,
    SKILLED,
    STANCE,
    one_of,
)
from langgraph_memory.extraction.rules.kinds import CONSTRAINT, EPISODE, FACT, PREFERENCE
from langgraph_memory.offline.words import listed
from langgraph_memory.records import MemoryType

__all__ = ["read_obliged", "read_possible", "read_willing"]

_WILL_NOT = frozenset(
    listed("""
    eat drink fly take use work pay buy stay go wear touch consider do travel drive sit accept
    book watch cook sleep read spend
    """)
)
_CAN_NOT = frozenset(
    listed("""
    eat drink have take tolerate digest handle do fly sit stay wear touch afford spend pay go
    live drive swim travel work attend make be lift sleep run walk climb stomach consume smell
    hear read meet leave come start smoke ride stand bear abide get
    """)
)


def read_possible(clause: str, said: Predicate) -> Draft | None:
    """What "I can …" and "I can not …" tell about the user."""
    verb, rest = said.verb, said.rest
    if verb == "do" and rest.startswith("without ") and not is_deictic(rest[8:]):
        return Draft(PREFERENCE, about_user(clause), 0.55, 0.8, subject=f"taste:{topic(rest[8:])}")
    if (
        said.auxiliary == "could"
        and verb in {"eat", "drink", "watch", "listen", "spend", "do", "play", "read"}
        and not said.negated
        and re.search(
            r"\b(?:every\s(?:single\s)?day|all\sday|forever|for\shours|endlessly|nonstop|daily|for\severy\smeal)\b",
            rest,
        )
    ):
        return Draft(PREFERENCE, about_user(clause), 0.55, 0.8, subject=f"taste:{topic(rest)}")
    if said.auxiliary == "could":
        if (
            said.negated
            and re.match(r"(?:live|function|survive)$", verb)
            and rest.startswith("without")
        ):
            return Draft(PREFERENCE, about_user(clause), 0.6, subject=f"taste:{topic(rest[8:])}")
        return None
    if "only" in said.adverbs and verb in _CAN_NOT | {"do", "meet", "call", "talk"} and rest:
        return Draft(CONSTRAINT, about_user(clause), 0.75)
    if not said.negated:
        if (
            verb in SKILLED
            and rest
            and not is_deictic(rest)
            and not re.search(r"\b(?:you|it|this|that|for\sme)\b", rest)
        ):
            return Draft(MemoryType.SKILL, about_user(clause), 0.6)
        return None
    if verb in {"stand", "bear", "abide", "live", "function", "survive", "resist", "stomach"}:
        what = re.sub(r"^without\s", "", rest)
        return (
            None
            if is_deictic(what)
            else Draft(PREFERENCE, about_user(clause), 0.65, subject=f"taste:{topic(what)}")
        )
    if verb not in _CAN_NOT or (is_deictic(rest) and not re.match(r"anything\s\w+", rest)):
        return None
    if verb in one_of(
        "get make be have run do take read hear go start come leave sleep work handle"
    ):
        food_like = (
            verb in {"have", "do", "take", "handle"}
            and len(rest.split()) <= 6
            and not re.search(
                r"\b(?:access|time|that|error|connection|money|right|a\s(?:look|meeting))\b", rest
            )
        )
        if (
            not food_like
            and not EXPLICIT_HABIT.search(clause)
            and not re.search(
                r"\b(?:without|because|due\sto|before|after|alone|upstairs|stairs|crowds?)\b", rest
            )
        ):
            return None
        if verb in {"get", "make", "be", "run", "read"} and not EXPLICIT_HABIT.search(clause):
            return None
    if MOMENT.search(rest):
        return None
    return Draft(
        CONSTRAINT,
        about_user(clause),
        0.85 if verb in CONSUME else 0.75,
        subject=f"habit:{verb} {topic(rest)}" if verb in CONSUME else None,
    )


def read_obliged(clause: str, said: Predicate) -> Draft | None:
    """What "I must …" tells about the user."""
    if said.negated or not said.rest or MOMENT.search(said.rest):
        return None
    content = re.sub(
        r"^The user (?:need|have|got|ought)s? ", lambda one: one.group(), about_user(clause)
    )
    if said.verb in {"avoid", "limit"} and not is_deictic(said.rest):
        return Draft(CONSTRAINT, content, 0.8)
    if EXPLICIT_HABIT.search(clause) and said.verb not in {"say", "ask", "admit"}:
        return Draft(CONSTRAINT, content, 0.75)
    if said.verb in {"take", "inject", "wear", "use"} and re.search(
        r"\b(?:insulin|medication|meds|pills?|glasses|inhaler|mask|hearing\saids?|brace|cane|crutches|wheelchair)\b",
        said.rest,
    ):
        return Draft(FACT, content, 0.85)
    if has_date(said.rest) and said.verb in one_of(
        "submit deliver finish hand turn defend file move present renew pay leave ship"
    ):
        return Draft(EPISODE, content, 0.5)
    return read_need(clause, said.verb, f"to {said.verb} {said.rest}")


def read_willing(clause: str, said: Predicate) -> Draft | None:
    """What "I will …" and "I would …" tell about the user."""
    verb, rest = said.verb, said.rest
    if said.auxiliary == "would":
        if "rather" in clause.split(" ")[2:3] or verb in {"rather", "prefer", "sooner"}:
            bare = re.sub(r"^(?:not|to)\s", "", rest)
            if not rest or is_deictic(bare) or re.match(r"(?:not\s)?(?:you|that|it)\b", rest):
                return None
            return Draft(PREFERENCE, about_user(clause), 0.65)
        if (
            verb in {"take", "choose", "pick"}
            and re.search(r"\bover\b", rest)
            and not is_deictic(rest)
        ):
            return Draft(PREFERENCE, about_user(clause), 0.6, 0.85, subject=f"taste:{topic(rest)}")
        if (
            verb in {"love", "like", "want"}
            and (rest.startswith("to ") or REPLIES.search(rest))
            and not said.negated
        ):
            return read_wish(clause, Predicate("", "want", rest, said.adverbs, False, False))
        if "never" in said.adverbs and verb in _WILL_NOT and not is_deictic(rest):
            return Draft(CONSTRAINT, about_user(clause), 0.75)
        return None
    if said.negated:
        if verb in _WILL_NOT and not is_deictic(rest) and not MOMENT.search(rest):
            return Draft(CONSTRAINT, about_user(clause), 0.8)
        return None
    if verb in {"be"} and rest:
        if has_date(rest) and not MOMENT.search(rest):
            return Draft(EPISODE, about_user(clause), 0.5)
        return None
    if "only" in said.adverbs and verb in _WILL_NOT and not is_deictic(rest):
        return Draft(CONSTRAINT, about_user(clause), 0.75)
    if (
        has_date(rest)
        and not re.search(r"\b(?:today|tonight|later)\b", rest)
        and verb not in STANCE - {"get", "run", "come", "go"}
    ):
        return Draft(EPISODE, about_user(clause), 0.45)
    return None

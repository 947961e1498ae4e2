"""What the user does not do, or no longer does."""

# A pattern is easier to check in one piece.

from __future__ import annotations

import re

from langgraph_memory.extraction.drafts import Draft
from langgraph_memory.extraction.rules.english.changes import third
from langgraph_memory.extraction.rules.english.clauses import Predicate
from langgraph_memory.extraction.rules.english.exclusions import is_unwanted
from langgraph_memory.extraction.rules.english.habits import habit_key
from langgraph_memory.extraction.rules.english.possessing import read_having
from langgraph_memory.extraction.rules.english.third_person import about_user
from langgraph_memory.extraction.rules.english.topics import is_deictic, topic
from langgraph_memory.extraction.rules.english.word_classes import (
    CONSUME,
    HABIT_ONLY,
    HATE,
    LIKE,
    MOMENT,
    STANCE,
    is_past,
    one_of,
)
from langgraph_memory.extraction.rules.kinds import CONSTRAINT, FACT, PREFERENCE
from langgraph_memory.offline.words import listed
from langgraph_memory.records import MemoryType

__all__ = ["read_denied"]

_DO_NOT = frozenset(
    listed("""
    eat drink smoke consume do use own drive fly work live speak wear cook take watch play
    celebrate touch buy shop read vape gamble date travel sleep run ride swim dance stay listen
    keep go want
    """)
)
_WANTED_NOT = re.compile(r"^(?:to\s(?:see|get|hear|receive)|any)\s")


def read_denied(clause: str, said: Predicate) -> Draft | None:
    """What "I do not …" and "I no longer …" tell about the user."""
    verb, rest = said.verb, said.rest
    content = about_user(clause)
    if verb in LIKE | HATE or (verb == "care" and rest.startswith("for")):
        what = re.sub(r"^(?:for|to)\s", "", rest)
        if is_deictic(what) or re.match(r"to\s(?:say|ask|bother)", rest):
            return None
        return Draft(PREFERENCE, content, 0.6, subject=f"taste:{topic(what)}")
    if verb == "have":
        return read_having(clause, said)
    if said.stopped:
        bare = re.sub(r"\s(?:any\s?more|any\slonger)\b", "", rest, flags=re.I)
        if verb in STANCE - HABIT_ONLY or (
            is_deictic(bare)
            and not (
                verb in one_of("drink smoke drive fly cook run swim vape gamble dance") and not bare
            )
        ):
            return None
        place = verb in {"live", "work"} and re.match(r"(?:in|at|for|on|near|here|there)\b", bare)
        positive = f"The user {third(verb)} {bare}".strip()
        return Draft(
            FACT if verb not in CONSUME else CONSTRAINT,
            content,
            0.65,
            retracts=(positive,),
            subject=("home" if verb == "live" else "employer") if place else habit_key(verb, bare),
        )
    if (
        verb
        in {"smoke", "drink", "drive", "cook", "gamble", "vape", "swim", "dance", "fly", "travel"}
        and not rest
    ):
        return Draft(
            CONSTRAINT if verb in {"drink", "fly"} else FACT, content, 0.65, subject=f"habit:{verb}"
        )
    if MOMENT.search(rest) or (is_deictic(rest) and not re.match(r"anything\s\w+", rest)):
        return None
    if verb == "want":
        style = re.search(
            r"\b(?:emojis?|bullet\spoints|jargon|disclaimers|lectures?|notifications|reminders|small\stalk|apologies|exclamation\s\w+|summaries|markdown|tables)\b",
            rest,
            re.I,
        )
        if style or re.search(r"\b(?:ever|again|any\s?more|in\sfuture)\b", rest):
            return Draft(
                MemoryType.INSTRUCTION,
                content,
                0.8,
                0.8,
                subject=f"order:{topic(_WANTED_NOT.sub('', rest))}",
            )
        if is_unwanted(rest):
            return Draft(CONSTRAINT, content, 0.8, 0.7, subject=f"taste:{topic(rest)}")
        return None
    if verb in _DO_NOT and rest:
        if verb in {"use", "work", "go", "take", "read", "do"} and re.match(
            r"(?:the|this|that|for|well|properly|correctly|in\sthis)\b", rest
        ):
            return None
        strict = (
            verb in {"eat", "drink", "consume", "touch", "fly", "take", "smoke"}
            or "never" in said.adverbs
        )
        return Draft(
            CONSTRAINT
            if strict
            else PREFERENCE
            if verb in {"use", "watch", "listen", "wear"}
            else FACT,
            content,
            0.75 if strict else 0.6,
            subject=habit_key(verb, rest),
        )
    if verb == "speak" and rest:
        return Draft(MemoryType.SKILL, content, 0.6)
    if verb in STANCE or verb in HABIT_ONLY or is_past(verb) or not rest:
        return None
    # Of other verbs, what is never done, or not done with a kind of thing.
    if (
        "never" in said.adverbs
        and len(rest.split()) > 1
        and not re.search(r"\b(?:before|again|yet)$", rest)
    ):
        return Draft(CONSTRAINT, content, 0.75, 0.8, subject=habit_key(verb, rest))
    if is_unwanted(rest) and not rest.startswith("to "):
        return Draft(CONSTRAINT, content, 0.6, 0.7, subject=habit_key(verb, rest))
    return None

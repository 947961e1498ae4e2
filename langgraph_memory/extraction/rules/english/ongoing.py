"""What the user is doing: "I am …-ing"."""

# A pattern is easier to check in one piece.

from __future__ import annotations

import re

from langgraph_memory.extraction.dates import has_date
from langgraph_memory.extraction.drafts import Draft
from langgraph_memory.extraction.rules.english.being import is_stay
from langgraph_memory.extraction.rules.english.changes import base_of, third
from langgraph_memory.extraction.rules.english.clauses import Predicate
from langgraph_memory.extraction.rules.english.third_person import about_user
from langgraph_memory.extraction.rules.english.topics import is_deictic, topic
from langgraph_memory.extraction.rules.english.word_classes import (
    BESIDE_WORK,
    EVENT,
    GOAL_VERBS,
    LASTING_STATE,
    LEARN,
    MAKE,
    MOMENT,
    SHORT_WISH,
    SMALL_THING,
)
from langgraph_memory.extraction.rules.kinds import EPISODE, FACT, GOAL, PREFERENCE
from langgraph_memory.records import MemoryType

__all__ = ["read_progressive"]


def read_progressive(clause: str, said: Predicate) -> Draft | None:
    """What "I am …-ing" tells about the user."""
    verb, rest = said.verb, said.rest
    content = about_user(clause)
    if said.negated:
        if said.stopped and not is_deictic(rest) and verb in LASTING_STATE | MAKE | LEARN:
            done = re.sub(r"\s(?:any\s?more|any\slonger)\b", "", rest, flags=re.I)
            return Draft(
                FACT,
                content,
                0.6,
                subject=f"doing:{verb} {topic(rest)}",
                retracts=(f"The user {third(base_of(verb))} {done}", f"The user is {verb} {done}"),
            )
        return None
    if verb == "going" and re.match(r"(?:to)\s(?!(?-i:[A-Z])|the\b|my\b|a\b|work\b)\w+", rest):
        word = rest.split(" ")[1]
        if has_date(rest) and not MOMENT.search(rest):
            return Draft(EPISODE, content, 0.5)
        return (
            Draft(GOAL, content, 0.5, 0.7)
            if word not in SHORT_WISH and len(rest.split()) > 3
            else None
        )
    if verb == "working" and re.match(r"(?:on)\b", rest):
        what = rest[3:]
        if is_deictic(what) or SMALL_THING.match(what):
            return None
        return Draft(
            GOAL
            if re.match(r"(?:myself|my\s(?:fitness|english|patience|health|sleep))", what)
            else MemoryType.PROJECT,
            content,
            0.7,
        )
    if (
        verb in LEARN
        or (verb == "teaching" and rest.startswith("myself"))
        or (verb == "taking" and re.search(r"\b(?:class\w*|lessons?|course)\b", rest))
    ):
        if is_deictic(rest) or (verb == "studying" and rest.startswith("for")):
            return (
                Draft(GOAL, content, 0.6)
                if rest.startswith("for ") and not is_deictic(rest[4:])
                else None
            )
        if verb == "studying" and re.search(
            r"\bat\s(?-i:[A-Z])|university|college|degree|major", rest
        ):
            return Draft(FACT, content, 0.8, subject="job")
        return Draft(MemoryType.SKILL, content, 0.6)
    if (
        verb in {"cutting", "reducing", "limiting", "avoiding", "quitting", "giving"}
        and re.match(r"(?:(?:down|back)\son|out|up|my)?\s?\w+", rest)
        and (
            verb in {"reducing", "limiting", "avoiding", "quitting"}
            or re.match(r"(?:down|back|out|up)\b", rest)
        )
    ):
        what = re.sub(r"^(?:down\son|back\son|out|up|my)\s", "", rest)
        return (
            None
            if is_deictic(what)
            else Draft(PREFERENCE, content, 0.6, subject=f"habit:{topic(what)}")
        )
    if verb == "getting" and re.match(r"into\b", rest):
        return Draft(PREFERENCE, content, 0.5)
    if (
        verb in {"programming", "coding", "writing", "designing", "editing", "developing"}
        and said.auxiliary == "have been"
        and re.match(r"(?!(?:a|an|the|my|our|this)\s).*\b(?:for|since)\s", rest)
    ):
        return Draft(MemoryType.SKILL, content, 0.65)
    if (
        verb in MAKE
        and not is_deictic(rest)
        and not SMALL_THING.match(rest)
        and not (verb == "running" and re.match(r"(?:into|out|late|low|(?-i:[A-Z]))", rest))
        and not (verb in LASTING_STATE and re.search(r"\b(?:at|for)\s(?-i:[A-Z])", rest))
    ):
        if verb in {"making", "editing", "researching", "translating"} and not re.search(
            r"\b(?:film|game|app|documentary|album|book|show|podcast|website|site|tool|series|video|thesis|paper|novel|map|dataset)\b",
            rest,
            re.I,
        ):
            return None
        if verb == "running" and re.search(r"\b(?:marathon|race|10k|5k|half)\b", rest, re.I):
            return Draft(GOAL, content, 0.6)
        if verb == "running" and re.search(
            r"\b(?:test|tests|script|command|query|version)\b", rest
        ):
            return None
        return Draft(MemoryType.PROJECT, content, 0.7)
    if verb in GOAL_VERBS:
        return _aiming(content, verb, rest)
    if (
        has_date(rest)
        and (verb in EVENT or verb in LASTING_STATE)
        and not re.search(r"\b(?:today|tonight|this\s(?:morning|afternoon))\b", rest, re.I)
    ):
        return Draft(EPISODE, content, 0.5)
    if verb in {"expecting", "moving", "relocating", "retiring", "graduating"} or (
        verb == "getting"
        and re.match(r"(?:married|divorced|a\s(?:dog|cat|puppy|kitten)|promoted|laid)", rest)
    ):
        return Draft(EPISODE, content, 0.6) if rest and not is_deictic(rest) else None
    if verb in {"loving", "hating", "enjoying", "liking", "craving"}:
        return (
            None
            if is_deictic(rest)
            else Draft(PREFERENCE, content, 0.45, 0.7, subject=f"taste:{topic(rest)}")
        )
    if verb in {"seeing", "dating"}:
        return (
            Draft(FACT, content, 0.6)
            if re.match(r"(?:someone|a\s(?:therapist|girl|guy|man|woman)|(?-i:[A-Z]))", rest)
            else None
        )
    if verb in LASTING_STATE and not is_deictic(rest) and rest:
        return _state(content, verb, rest)
    return None


def _state(content: str, verb: str, rest: str) -> Draft | None:
    if verb in {"living", "staying", "renting"}:
        if verb == "staying" and is_stay(rest):
            return Draft(MemoryType.EPISODE, content, 0.5)
        return Draft(FACT, content, 0.8, subject="home")
    if verb in {"working", "teaching", "freelancing", "running", "managing", "leading"}:
        if verb == "working" and not re.match(
            r"(?:at|as|for|in|with|from|remotely|part|full|nights?)\b", rest
        ):
            return None
        if verb == "running" and re.match(r"(?:with|along|around|alone|in|for|to)\b", rest):
            return Draft(FACT, content, 0.5)
        beside = verb != "working" and BESIDE_WORK.search(rest) is not None
        subject = "employer" if re.match(r"(?:at|for)\b", rest) else None if beside else "job"
        return Draft(FACT, content, 0.9, subject=subject)
    if verb == "taking":
        medical = re.search(
            r"\b(?:mg|medication|meds|pills?|antibiotics|antidepressants|statins|insulin|supplements?|\w+(?:ine|in|ol|ide|ate|one|cin|lin))\b",
            rest,
            re.I,
        )
        return Draft(FACT, content, 0.8) if medical else None
    if verb in {"suffering", "recovering"}:
        return Draft(FACT, content, 0.85)
    if verb == "doing":
        return (
            Draft(FACT, content, 0.7)
            if re.match(
                r"(?:(?:contract|freelance|consulting|volunteer|agency|seasonal|shift|night|remote|research)\s(?:work|jobs?|gigs?|shifts)|keto|paleo|a\s(?:phd|master\w*|degree|bootcamp|keto)|my\s(?:phd|master\w*|residency|degree)|yoga|an?\s(?:internship|apprenticeship))",
                rest,
                re.I,
            )
            else None
        )
    if verb == "using" and re.match(
        r"(?:the|this|that)\s(?:wrong|same|code|command|function|following)", rest
    ):
        return None
    return Draft(PREFERENCE if verb == "using" else FACT, content, 0.7)


def _aiming(content: str, verb: str, rest: str) -> Draft | None:
    after = re.match(
        r"(?:to|on|of|about|for|at|toward|towards|up\sfor|up\sto|forward\sto|a|an|my|our)\s(.+)$",
        rest,
    )
    if not after or is_deictic(after.group(1)):
        return None
    if verb in {"looking", "thinking", "considering", "working"} and not rest.startswith(
        ("to ", "of ", "toward", "for a new job", "for a job", "for work", "about ")
    ):
        return None
    word = after.group(1).split(" ")[0]
    if (
        rest.startswith("to ")
        and (
            word
            in SHORT_WISH
            - {"learn", "eat", "cut", "drink", "read", "stop", "write", "start", "build", "run"}
        )
        and not (has_date(rest) and word in {"go", "have", "do", "see"})
    ):
        return None
    if (
        verb == "trying"
        and word in {"run", "build", "write", "read"}
        and not re.search(r"\b(?:every|marathon|book|novel|km|miles|more|less|\d+)\b", rest)
    ):
        return None
    if verb in {"planning", "plan"} and has_date(rest):
        return Draft(GOAL, content, 0.6)
    return Draft(
        GOAL,
        content,
        *((0.6, 0.8) if verb not in {"thinking", "considering", "looking"} else (0.4, 0.65)),
    )

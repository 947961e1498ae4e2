"""What the user does as a rule: "I" with a verb in the simple present."""

# A pattern is easier to check in one piece.

from __future__ import annotations

import re

from langgraph_memory.extraction.dates import has_date
from langgraph_memory.extraction.drafts import Draft
from langgraph_memory.extraction.rules.english.clauses import Predicate
from langgraph_memory.extraction.rules.english.possessing import read_having
from langgraph_memory.extraction.rules.english.third_person import about_user
from langgraph_memory.extraction.rules.english.topics import is_deictic, purpose_of, topic
from langgraph_memory.extraction.rules.english.wishes import read_wish
from langgraph_memory.extraction.rules.english.word_classes import (
    ALLERGY,
    BESIDE_WORK,
    BODY,
    EVENT,
    EXPLICIT_HABIT,
    HABIT_ONLY,
    HATE,
    LEARN,
    LIKE,
    MAKE,
    MOMENT,
    SMALL_THING,
    STANCE,
    one_of,
)
from langgraph_memory.extraction.rules.kinds import CONSTRAINT, EPISODE, FACT, PREFERENCE
from langgraph_memory.offline.words import listed
from langgraph_memory.records import MemoryType

__all__ = ["habit_key", "read_present"]

_EVENT_BASE = frozenset(
    listed("""
    fly leave travel start arrive move depart return meet graduate sit take defend marry tie go
    get turn begin land check present speak run finish
    """)
)


def habit_key(verb: str, rest: str) -> str:
    """The key of a habit, the same whether it is kept or given up."""
    base = {"stopped": "", "quit": ""}.get(verb, verb)
    base = "like" if base in LIKE or base in HATE else base
    if base == "like":
        return f"taste:{topic(rest)}"
    return f"habit:{base} {topic(rest)}".strip()


def _taste(clause: str, rest: str, importance: float = 0.6) -> Draft | None:
    if is_deictic(rest) and not re.match(r"it\swhen\b", rest):
        return None
    return Draft(PREFERENCE, about_user(clause), importance, subject=f"taste:{topic(rest)}")


def read_present(clause: str, said: Predicate) -> Draft | None:
    """What a clause in the simple present tells about the user."""
    verb, rest = said.verb, said.rest
    if re.match(
        r"(?:look\safter|take\scare\sof|handle|head(?:\sup)?)\s(?:the|all|a)\s.+\s(?:at|in|for)\s",
        f"{verb} {rest}",
        re.I,
    ):
        return Draft(FACT, about_user(clause), 0.85, subject="job")
    if verb in {"make", "earn"} and re.match(r"(?:my|a)\s(?:money|living|income|bread)\b", rest):
        return Draft(FACT, about_user(clause), 0.85, subject="job")
    if verb in LIKE | HATE:
        return _taste(clause, rest, 0.65 if verb == "prefer" else 0.6)
    if verb in {"have", "own", "keep", "raise", "got"}:
        return read_having(clause, said)
    if (
        verb in _EVENT_BASE
        and re.search(r"\d", rest)
        and has_date(rest)
        and not EXPLICIT_HABIT.search(re.sub(r"\b(?:on|by|at|before|after)\s\w+", "", clause))
        and not re.search(r"\b(?:19|20)\d\d\b(?<!202[5-9])(?<!203\d)", rest)
    ):
        return Draft(EPISODE, about_user(clause), 0.5)
    if verb in {"gravitate", "lean"} and re.match(r"(?:to|toward|towards|more)\b", rest):
        return _taste(clause, re.sub(r"^(?:more\s)?(?:to|towards?)\s", "", rest))
    if verb in {"refuse", "decline"}:
        return Draft(CONSTRAINT, about_user(clause), 0.8) if not is_deictic(rest) else None
    if verb in {"want", "need", "wish", "hope", "plan", "aim", "intend", "aspire", "dream", "try"}:
        return read_wish(clause, said)
    if verb in {"suffer", "struggle"} and re.match(r"(?:from|with)\b", rest):
        return Draft(FACT, about_user(clause), 0.85) if not is_deictic(rest[5:]) else None
    if verb == "follow" and re.search(r"\b(?:diet|halal|kosher|keto|vegan|fodmap)\b", rest, re.I):
        return Draft(CONSTRAINT, about_user(clause), 0.85, subject="diet")
    if verb in {"avoid", "skip", "limit"} and not is_deictic(rest):
        return Draft(CONSTRAINT, about_user(clause), 0.75, subject=f"habit:{topic(rest)}")
    if verb == "go" and re.match(r"by\s\w+", rest):
        return Draft(FACT, f"The user's name is {rest[3:]}", 0.95, subject="name")
    if verb == "keep" or (
        verb == "eat"
        and re.search(
            r"\b(?:kosher|halal|vegan|vegetarian|keto|gluten-free|plant-based|clean)\b", rest, re.I
        )
    ):
        return Draft(CONSTRAINT, about_user(clause), 0.85, subject="diet")
    if verb in {"react", "swell", "itch", "break", "wheeze"} and (
        ALLERGY.search(clause) or re.search(r"\b(?:to|when|after)\b", rest)
    ):
        return Draft(CONSTRAINT, about_user(clause), 0.9)
    if (
        verb == "get"
        and BODY.search(rest)
        and re.search(r"\b(?:from|when|if|after|every|whenever|easily)\b", rest)
    ):
        return Draft(CONSTRAINT if ALLERGY.search(rest) else FACT, about_user(clause), 0.85)
    if MOMENT.search(rest) or is_deictic(rest):
        return None
    if verb in {"live", "reside", "rent", "dwell", "come", "hail"}:
        if verb == "come" and not rest.startswith("from"):
            return None
        return Draft(
            FACT,
            about_user(clause),
            0.8,
            subject={"come": "origin", "hail": "origin"}.get(
                verb, "home" if re.match(r"(?:in|at|near|on|outside|by)\b", rest) else None
            ),
        )
    if verb in one_of(
        "work teach manage lead run supervise freelance report practice practise coach "
        "volunteer own"
    ):
        return _working(clause, said)
    if verb in {"speak", "know"}:
        if verb == "know" and not _is_skill(rest):
            return None
        return Draft(MemoryType.SKILL, about_user(clause), 0.6)
    if verb in {"use", "code", "program", "develop", "write", "build", "deploy"}:
        if verb == "build" and SMALL_THING.match(rest):
            return None
        return Draft(
            PREFERENCE if verb in {"use", "code", "program"} and len(rest.split()) <= 8 else FACT,
            about_user(clause),
            0.75,
            subject=purpose_of(clause, rest) if verb == "use" else None,
        )
    if verb == "do" and rest.endswith("for a living"):
        return Draft(FACT, about_user(clause), 0.9, subject="job")
    if verb == "do" and re.match(
        r"(?!(?:the|this|that|it|my|a|an|some|well|good|my)\b)\w+(?:\s(?!for|at)\w+)?\s(?:for|at)\s(?:an?\s|the\s|(?-i:[A-Z]))",
        rest,
        re.I,
    ):
        return Draft(FACT, about_user(clause), 0.8, 0.8, subject="job")
    if verb == "do" and re.match(
        r"(?:my\s\w+ing|my\s(?:taxes|budget|notes)|yoga|pilates|crossfit|karate|judo|ballet|keto|intermittent|a\slot\sof|some\s\w+ing|most\sof|all\sof|triathlons?|stand-?up|the\s(?:books|accounts|accounting|marketing|catering|payroll|design))\b",
        rest,
        re.I,
    ):
        return Draft(FACT, about_user(clause), 0.5)
    if "only" in said.adverbs and not is_deictic(rest) and verb not in STANCE - HABIT_ONLY:
        kind = (
            PREFERENCE
            if verb in {"drink", "use", "wear", "watch", "read", "buy", "listen", "play"}
            else CONSTRAINT
        )
        return Draft(kind, about_user(clause), 0.75, 0.8, subject=habit_key(verb, rest))
    if verb in HABIT_ONLY or verb in STANCE:
        habit = EXPLICIT_HABIT.search(clause)
        if (
            verb in HABIT_ONLY
            and habit
            and not said.negated
            and len(rest.split()) >= 2
            and not SMALL_THING.match(rest)
            and not re.search(r"\b(?:error|exception|message|warning|output|result)\b", rest, re.I)
        ):
            return Draft(FACT, about_user(clause), 0.5, 0.75, subject=None)
        return None
    if verb in LEARN | MAKE | EVENT:
        return None
    if not re.fullmatch(r"[a-z][a-z-]+", verb) or not rest:
        return None
    return Draft(FACT, about_user(clause), 0.5, 0.7)


def _is_skill(rest: str) -> bool:
    return bool(
        re.match(
            r"(?:(?:some|basic|a\s(?:bit|little)\sof|a\slittle|both|enough|only)\s)?(?-i:[A-Z][\w+#.]*)(?=$|[\s,]+(?:and|but|a\sbit|pretty|well|inside|very|,|\+|&|to|from|best|[A-Z]))",
            rest,
        )
    ) or rest.startswith("how to")


def _working(clause: str, said: Predicate) -> Draft | None:
    verb, rest = said.verb, said.rest
    if verb in {"run", "lead", "manage", "own", "coach", "supervise"} and (
        re.match(
            r"(?:into|out|it|this|the\s(?:command|code|script|test|tests|app|query|server)|tests?\b|npm|python|pip|\w+\.py)\b",
            rest,
            re.I,
        )
    ):
        return None
    if (
        verb == "run"
        and re.search(r"\b(?:\d|km|miles|marathons?|every|mornings?)\b", rest)
        and not re.search(r"\b(?:company|shop|business)\b", rest)
    ):
        return Draft(FACT, about_user(clause), 0.5)
    if verb == "run" and re.match(
        r"(?:with|along|around|alone|in|for|to|before|after|at|most|outside|regularly)\b", rest
    ):
        return Draft(FACT, about_user(clause), 0.5)
    if verb == "run" and re.match(r"(?-i:[A-Z])\w+", rest):
        return Draft(FACT, about_user(clause), 0.7)
    subject = "" if verb != "work" and BESIDE_WORK.search(rest) else "job"
    if verb == "work" and re.match(r"(?:on)\b", rest):
        return (
            Draft(MemoryType.PROJECT, about_user(clause), 0.7) if not is_deictic(rest[3:]) else None
        )
    if verb == "work" and re.match(
        r"(?:from|remotely|nights?|part|full|weekends?|until|out|late|shifts?|\d|mostly|best|hybrid|the\s\w+\sshift)",
        rest,
    ):
        subject = "work mode"
    elif verb == "work" and re.match(r"(?:at|for)\b", rest):
        subject = "employer"
    elif verb == "work" and not re.match(r"(?:in|as|with|near|under)\b", rest):
        return None
    elif verb == "report":
        named = re.match(r"(?:directly\s)?to\s(?-i:[A-Z])\w+(?:\s(?-i:[A-Z])\w+)?(?:\snow)?$", rest)
        subject = "name of manager" if named else ""
    elif verb == "volunteer":
        subject = ""
    return Draft(
        FACT,
        about_user(clause),
        0.9 if subject in {"job", "employer"} else 0.6,
        subject=subject or None,
    )

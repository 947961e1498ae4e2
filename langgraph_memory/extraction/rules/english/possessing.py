"""What the user has: family, animals, illnesses, things, experience, appointments."""

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
    KIN,
    PET,
    is_job,
    is_kind,
)
from langgraph_memory.offline.words import tokens
from langgraph_memory.records import MemoryType

__all__ = ["read_having"]

_ALLERGIES = re.compile(
    r"\b(?:allerg\w+|intoleran\w+|coeliac|celiac|anaphyla\w+|epipen|sensitivit\w+)\b", re.I
)
_ILLNESS = re.compile(
    r"\b(?:diabetes|asthma|epilepsy|migraines?|arthritis|adhd|autism|anxiety|depression|ptsd|ocd|insomnia|eczema|psoriasis|ibs|crohn\S*|hypertension|cancer|lupus|gout|reflux|gerd|"
    r"anemia|anaemia|tinnitus|vertigo|endometriosis|pcos|hypothyroidism|scoliosis|glaucoma|apnea|apnoea|fibromyalgia|dyslexia|ms|hiv|"
    r"(?:high|low)\s(?:blood\spressure|cholesterol|blood\ssugar|iron)|(?:bad|weak|dodgy|injured|sore|torn)\s(?:knees?|back|heart|eyesight|shoulder|hip|wrist|ankle)|(?:heart|kidney|liver|lung|thyroid|back|knee|skin|eye|blood|autoimmune|chronic|sleep|stomach|mental\shealth)\s(?:\w+\s)?(?:condition|disease|problems?|issues?|disorder|failure|pain|trouble)|"
    r"pacemaker|prosthe\w+|hearing\said|phobia|fear\sof|sweet\stooth|tattoos?|\w{4,}(?:itis|emia|osis|pathy|algia|oma))\b",
    re.I,
)
_THINGS = re.compile(
    r"\b(?:house|flat|apartment|condo|car|van|truck|bike|bicycle|motorcycle|scooter|boat|rv|tesla|garden|allotment|farm|cabin|cottage|mortgage|laptop|macbook\w*|imac|pc|desktop|iphone|android|pixel|ipad|"
    r"tablet|kindle|raspberry|nas|home\sserver|gpu|rtx|camera|drone|guitar|piano|violin|telescope|3d\sprinter|subscription|membership|visa|passport|green\scard|citizenship|licen[cs]e|"
    r"degree|phd|doctorate|master\S*|bachelor\S*|mba|diploma|certificat\w+|background\sin|scholarship|business|company|startup|shop|store|restaurant|studio|podcast|youtube\schannel|blog|newsletter|website|"
    r"side\s(?:project|hustle|business)|collection|curly\shair|thin\shair|(?:blue|brown|green|sensitive|dry|oily|fair)\s(?:eyes|skin|hair)|nut-free|airbnb|timeshare|pool|team\sof)\b",
    re.I,
)
_EXPERIENCE = re.compile(
    r"\b(?:experience|years|months)\b.*\b(?:with|in|of|as|experience|under)\b|\b(?:a\sknack|talent|basic\sknowledge|some\sknowledge)\b|\bknowledge\sof\b",
    re.I,
)
_APPOINTMENT = re.compile(
    r"\b(?:appointment|meeting|interview|exam|surgery|flight|wedding|deadline|presentation|party|reservation|date|concert|conference|recital|call|trip|vacation|holiday|checkup|check-up|test|race|hearing|operation|birthday|visit|booking|game|match|scan|class|lesson|shift|viewing|ceremony|graduation|due)\b",
    re.I,
)
_PASSING = re.compile(
    r"\b(?:question|problem|issue|error|bug|idea|doubt|feeling|request|favor|favour|list|table|function|file|folder|script|string|array|column|class|method|variable|dataset|csv|dataframe|database|query|code|"
    r"hard\stime|trouble|difficult\w*|look|no\sidea|clue|time|minute|second|plan|point|suggestion|chance|hunch|headache|cold|fever|hangover|bad\sday|fun|to)\b",
    re.I,
)
_WAYS = re.compile(
    r"\b(?:preference|habit|tendency|soft\sspot|weakness|passion|thing|aversion|dislike|love|taste|hatred|rule|policy|routine)\s(?:for|of|to|against|about|that)\b",
    re.I,
)


def read_having(clause: str, said: Predicate) -> Draft | None:
    """What a clause whose verb is "have" or "own" tells about the user."""
    rest, content = said.rest, about_user(clause)
    if is_deictic(rest) or rest.startswith("to "):
        return None
    if _ALLERGIES.search(rest) or (
        said.verb == "have" and re.search(r"\breactions?\s(?:to|from)\b", rest)
    ):
        return Draft(
            MemoryType.CONSTRAINT, content, 0.95, subject="allergy" if said.negated else None
        )
    if _ILLNESS.search(rest):
        return Draft(MemoryType.FACT, content, 0.85)
    if (
        said.verb == "have"
        and re.match(r"(?:a|an|another|my|our|the)\s", rest)
        and _APPOINTMENT.search(rest)
        and has_date(rest)
    ):
        return Draft(MemoryType.EPISODE, content, 0.5)
    family = re.search(rf"\b(?:{KIN}|{PET})\b", rest, re.I) or any(
        is_kind(one.lower(), "pet") for one in tokens(rest)[:8] if one.isascii()
    )
    if family and not re.match(r"(?:the|a\slot|no\sidea|fun|dinner|lunch)\b", rest):
        return Draft(MemoryType.FACT, content, 0.75)
    if _EXPERIENCE.search(rest) and not said.negated:
        return Draft(MemoryType.SKILL, content, 0.6)
    if _WAYS.search(rest):
        return Draft(MemoryType.PREFERENCE, content, 0.6)
    if (
        EXPLICIT_HABIT.search(clause)
        and not said.negated
        and re.search(r"\b(?:breakfast|lunch|dinner|supper|brunch|snack|dessert)\b", rest)
    ):
        return Draft(MemoryType.FACT, content, 0.5, 0.75)
    if said.verb in {"own", "keep", "raise"}:
        return Draft(MemoryType.FACT, content, 0.6) if not _PASSING.search(rest) else None
    thing = _THINGS.search(rest)
    if thing and not _PASSING.search(rest[: thing.start()]):
        return Draft(
            MemoryType.FACT,
            content,
            0.6,
            subject=f"habit:have {topic(rest)}" if said.negated else None,
        )
    work = re.match(
        r"(?:a|an)\s(?:\w+\s)?(?:job|position|role|internship|gig)\s(?:as|at|in|with)\b", rest
    )
    if work or (
        rest.startswith(("a ", "an "))
        and is_job(re.sub(r"^an?\s", "", rest))
        and re.search(r"\b(?:personal|new|private)\b", rest)
    ):
        return Draft(MemoryType.FACT, content, 0.85, subject="job" if work else None)
    return None

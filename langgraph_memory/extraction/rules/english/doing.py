"""What the user does, likes, can, must and wants: "I" with a full verb."""

from __future__ import annotations

import re

from langgraph_memory.extraction.dates import has_date
from langgraph_memory.extraction.drafts import Draft
from langgraph_memory.extraction.rules.english.clauses import Predicate
from langgraph_memory.extraction.rules.english.possessing import read_having
from langgraph_memory.extraction.rules.english.third_person import about_user
from langgraph_memory.extraction.rules.english.topics import is_deictic, topic
from langgraph_memory.extraction.rules.english.word_classes import (
    ALLERGY,
    BODY,
    CONSUME,
    EVENT,
    EXPLICIT_HABIT,
    GOAL_VERBS,
    HABIT_ONLY,
    HATE,
    KIN,
    LASTING_STATE,
    LEARN,
    LIKE,
    MAKE,
    PET,
    SHORT_WISH,
    SKILLED,
    STANCE,
    is_job,
    is_past,
)
from langgraph_memory.records import MemoryType

__all__ = ["read_doing"]

_F, _P, _C, _G, _E = (
    MemoryType.FACT,
    MemoryType.PREFERENCE,
    MemoryType.CONSTRAINT,
    MemoryType.GOAL,
    MemoryType.EPISODE,
)
_SMALL_THING = re.compile(
    r"^(?:a|an|the|some|this|that|my|up|down|it|your)\s(?:\w+\s){0,2}?(?:email|e-mail|letter|message|query|script|function|loop|regex|test|tests|unit\stests?|post|tweet|list|reply|response|comment|line|"
    r"call|request|mistake|decision|error|copy|file|report|sentence|paragraph|docker\w*|config\w*|class|method|table|cake|dinner|lunch|coffee|tea)\b", re.I
)
_MOMENT = re.compile(r"\b(?:right\snow|today|tonight|this\s(?:morning|afternoon|evening)|at\sthe\smoment|just\snow|yesterday|last\snight|a\sminute)\b", re.I)
_WILL_NOT = frozenset("eat drink fly take use work pay buy stay go wear touch consider do travel drive sit accept book watch cook sleep read spend".split())
_CAN_NOT = frozenset(
    "eat drink have take tolerate digest handle do fly sit stay wear touch afford spend pay go live drive swim travel work attend make be lift sleep run walk climb "
    "stomach consume smell hear read meet leave come start smoke ride stand bear abide get".split()
)
_DO_NOT = frozenset(
    "eat drink smoke consume do use own drive fly work live speak wear cook take watch play celebrate touch buy shop read vape gamble drink date travel sleep run ride swim dance "
    "stay listen keep go want".split()
)
_MUST = frozenset("avoid limit stay wear watch inject take wake get be leave finish work pick check eat drink keep submit deliver commute".split())
_CHANGE = frozenset(
    "moved relocated quit left joined started stopped switched migrated graduated bought sold adopted married divorced retired broke lost founded launched "
    "grew studied majored worked gave became changed went converted enrolled emigrated immigrated settled transferred resigned got hurt injured tore cut "
    "co-founded cofounded opened began trained ditched dropped swapped replaced served lived taught finished completed".split()
)
_EMPLOYER = re.compile(r"^(?:as\s.{2,40}?\s)?(?:at|for|with)\s(?P<org>.+)$", re.I)


def read_doing(clause: str, said: Predicate) -> list[Draft]:
    """What a clause with "I" and a full verb tells about the user."""
    if not said.verb or re.search(r"\bif\b", clause, re.I):
        return []
    draft = _read(clause, said)
    return [draft] if draft else []


def _read(clause: str, said: Predicate) -> Draft | None:
    verb, rest, aux = said.verb, said.rest, said.auxiliary
    if aux in {"am", "have been"}:
        return _progressive(clause, said)
    if aux == "was":
        return None
    if aux == "used to":
        if is_deictic(rest):
            return None
        return Draft(_F, about_user(clause, past=True), 0.4, 0.8, subject=_kept(verb, rest))
    if aux in {"can", "could"}:
        return _possible(clause, said)
    if aux == "must":
        return _obliged(clause, said)
    if aux in {"will", "would"}:
        return _willing(clause, said)
    if aux in {"have", "had"}:
        return _perfect(clause, said)
    if aux == "did" or aux in {"should", "may", "might", "need not", "ought"}:
        return None
    if said.negated and (said.stopped or aux == "do" or "never" in said.adverbs or said.adverbs & {"rarely", "seldom", "hardly", "barely"}):
        return _denied(clause, said)
    if is_past(verb) and not (verb in {"hated", "liked", "loved"} and False):
        return _changed(clause, said)
    return _present(clause, said)


def _kept(verb: str, rest: str) -> str:
    """The key of a habit, the same whether it is kept or given up."""
    base = {"stopped": "", "quit": ""}.get(verb, verb)
    base = "like" if base in LIKE or base in HATE else base
    if base == "like":
        return f"taste:{topic(rest)}"
    return f"habit:{base} {topic(rest)}".strip()


def _taste(clause: str, rest: str, importance: float = 0.6) -> Draft | None:
    if is_deictic(rest) and not re.match(r"it\swhen\b", rest):
        return None
    return Draft(_P, about_user(clause), importance, subject=f"taste:{topic(rest)}")


def _present(clause: str, said: Predicate) -> Draft | None:
    verb, rest = said.verb, said.rest
    if verb in LIKE | HATE:
        return _taste(clause, rest, 0.65 if verb == "prefer" else 0.6)
    if verb in {"have", "own", "keep", "raise", "got"}:
        return read_having(clause, said)
    if verb in {"refuse", "decline"}:
        return Draft(_C, about_user(clause), 0.8) if not is_deictic(rest) else None
    if verb in {"want", "need", "wish", "hope", "plan", "aim", "intend", "aspire", "dream", "try"}:
        return _wish(clause, said)
    if verb in {"suffer", "struggle"} and re.match(r"(?:from|with)\b", rest):
        return Draft(_F, about_user(clause), 0.85) if not is_deictic(rest[5:]) else None
    if verb == "follow" and re.search(r"\b(?:diet|halal|kosher|keto|vegan|fodmap)\b", rest, re.I):
        return Draft(_C, about_user(clause), 0.85, subject="diet")
    if verb in {"avoid", "skip", "limit"} and not is_deictic(rest):
        return Draft(_C, about_user(clause), 0.75, subject=f"habit:{topic(rest)}")
    if verb == "go" and re.match(r"by\s\w+", rest):
        return Draft(_F, f"The user's name is {rest[3:]}", 0.95, subject="name")
    if verb == "keep" or (verb == "eat" and re.search(r"\b(?:kosher|halal|vegan|vegetarian|keto|gluten-free|plant-based|clean)\b", rest, re.I)):
        return Draft(_C, about_user(clause), 0.85, subject="diet")
    if verb in {"react", "swell", "itch", "break", "wheeze"} and (ALLERGY.search(clause) or re.search(r"\b(?:to|when|after)\b", rest)):
        return Draft(_C, about_user(clause), 0.9)
    if verb == "get" and BODY.search(rest) and re.search(r"\b(?:from|when|if|after|every|whenever|easily)\b", rest):
        return Draft(_C if ALLERGY.search(rest) else _F, about_user(clause), 0.85)
    if _MOMENT.search(rest) or is_deictic(rest):
        return None
    if verb in {"live", "reside", "rent", "dwell", "come", "hail"}:
        if verb == "come" and not rest.startswith("from"):
            return None
        return Draft(_F, about_user(clause), 0.8, subject={"come": "origin", "hail": "origin"}.get(verb, "home" if re.match(r"(?:in|at|near|on|outside|by)\b", rest) else None))
    if verb in {"work", "teach", "manage", "lead", "run", "supervise", "freelance", "report", "practice", "practise", "coach", "volunteer", "own"}:
        return _working(clause, said)
    if verb in {"speak", "know"}:
        if verb == "know" and not _is_skill(rest):
            return None
        return Draft(MemoryType.SKILL, about_user(clause), 0.6)
    if verb in {"use", "code", "program", "develop", "write", "build", "deploy"}:
        if verb == "build" and _SMALL_THING.match(rest):
            return None
        return Draft(_P if verb in {"use", "code", "program"} and len(rest.split()) <= 8 else _F, about_user(clause), 0.75, subject=None)
    if verb in HABIT_ONLY or verb in STANCE:
        habit = EXPLICIT_HABIT.search(clause)
        if verb in HABIT_ONLY and habit and not said.negated and len(rest.split()) >= 2 and not _SMALL_THING.match(rest) and not re.search(r"\b(?:error|exception|message|warning|output|result)\b", rest, re.I):
            return Draft(_F, about_user(clause), 0.5, 0.75, subject=None)
        return None
    if verb in LEARN | MAKE | EVENT:
        return None
    if not re.fullmatch(r"[a-z][a-z-]+", verb) or not rest:
        return None
    return Draft(_F, about_user(clause), 0.5, 0.7)


def _is_skill(rest: str) -> bool:
    return bool(re.match(r"(?:(?:some|basic|a\s(?:bit|little)\sof|a\slittle|both|enough|only)\s)?(?-i:[A-Z][\w+#.]*)(?=$|[\s,]+(?:and|but|a\sbit|pretty|well|inside|very|,|\+|&|to|from|best|[A-Z]))", rest)) or rest.startswith("how to")


def _working(clause: str, said: Predicate) -> Draft | None:
    verb, rest = said.verb, said.rest
    if verb in {"run", "lead", "manage", "own", "coach", "supervise"} and (re.match(r"(?:into|out|it|this|the\s(?:command|code|script|test|tests|app|query|server)|tests?\b|npm|python|pip|\w+\.py)\b", rest, re.I)):
        return None
    if verb == "run" and re.search(r"\b(?:\d|km|miles|marathons?|every|mornings?)\b", rest) and not re.search(r"\b(?:company|shop|business)\b", rest):
        return Draft(_F, about_user(clause), 0.5)
    if verb == "run" and re.match(r"(?-i:[A-Z])\w+", rest):
        return Draft(_F, about_user(clause), 0.7)
    subject = "job"
    if verb == "work" and re.match(r"(?:on)\b", rest):
        return Draft(MemoryType.PROJECT, about_user(clause), 0.7) if not is_deictic(rest[3:]) else None
    if verb == "work" and re.match(r"(?:from|remotely|nights?|part|full|weekends?|until|out|late|shifts?|\d|mostly|best|hybrid|the\s\w+\sshift)", rest):
        subject = "work mode"
    elif verb == "work" and re.match(r"(?:at|for)\b", rest):
        subject = "employer"
    elif verb == "work" and not re.match(r"(?:in|as|with|near|under)\b", rest):
        return None
    elif verb == "volunteer":
        subject = ""
    return Draft(_F, about_user(clause), 0.9 if subject in {"job", "employer"} else 0.6, subject=subject or None)


def _progressive(clause: str, said: Predicate) -> Draft | None:
    verb, rest = said.verb, said.rest
    content = about_user(clause)
    if said.negated:
        if said.stopped and not is_deictic(rest) and verb in LASTING_STATE | MAKE | LEARN:
            return Draft(_F, content, 0.6, subject=f"doing:{verb} {topic(rest)}")
        return None
    if verb == "going" and re.match(r"(?:to)\s(?!(?-i:[A-Z])|the\b|my\b|a\b|work\b)\w+", rest):
        word = rest.split(" ")[1]
        if has_date(rest) and not _MOMENT.search(rest):
            return Draft(_E, content, 0.5)
        return Draft(_G, content, 0.5, 0.7) if word not in SHORT_WISH and len(rest.split()) > 3 else None
    if verb == "working" and re.match(r"(?:on)\b", rest):
        what = rest[3:]
        if is_deictic(what) or _SMALL_THING.match(what):
            return None
        return Draft(_G if re.match(r"(?:myself|my\s(?:fitness|english|patience|health|sleep))", what) else MemoryType.PROJECT, content, 0.7)
    if verb in LEARN or (verb == "teaching" and rest.startswith("myself")) or (verb == "taking" and re.search(r"\b(?:class\w*|lessons?|course)\b", rest)):
        if is_deictic(rest) or (verb == "studying" and rest.startswith("for")):
            return Draft(_G, content, 0.6) if rest.startswith("for ") and not is_deictic(rest[4:]) else None
        if verb == "studying" and re.search(r"\bat\s(?-i:[A-Z])|university|college|degree|major", rest):
            return Draft(_F, content, 0.8, subject="job")
        return Draft(MemoryType.SKILL, content, 0.6)
    if verb == "getting" and re.match(r"into\b", rest):
        return Draft(_P, content, 0.5)
    if verb in MAKE and not is_deictic(rest) and not _SMALL_THING.match(rest) and not (verb == "running" and re.match(r"(?:into|out|late|low|(?-i:[A-Z]))", rest)):
        if verb in {"making", "editing", "researching", "translating"} and not re.search(r"\b(?:film|game|app|documentary|album|book|show|podcast|website|site|tool|series|video|thesis|paper|novel|map|dataset)\b", rest, re.I):
            return None
        if verb == "running" and re.search(r"\b(?:marathon|race|10k|5k|half)\b", rest, re.I):
            return Draft(_G, content, 0.6)
        if verb == "running" and re.search(r"\b(?:test|tests|script|command|query|version)\b", rest):
            return None
        return Draft(MemoryType.PROJECT, content, 0.7)
    if verb in GOAL_VERBS:
        return _aiming(content, verb, rest)
    if has_date(rest) and (verb in EVENT or verb in LASTING_STATE) and not re.search(r"\b(?:today|tonight|this\s(?:morning|afternoon))\b", rest, re.I):
        return Draft(_E, content, 0.5)
    if verb in {"expecting", "moving", "relocating", "retiring", "graduating"} or (verb == "getting" and re.match(r"(?:married|divorced|a\s(?:dog|cat|puppy|kitten)|promoted|laid)", rest)):
        return Draft(_E, content, 0.6) if rest and not is_deictic(rest) else None
    if verb in {"loving", "hating", "enjoying", "liking", "craving"}:
        return None if is_deictic(rest) else Draft(_P, content, 0.45, 0.7, subject=f"taste:{topic(rest)}")
    if verb in {"seeing", "dating"}:
        return Draft(_F, content, 0.6) if re.match(r"(?:someone|a\s(?:therapist|girl|guy|man|woman)|(?-i:[A-Z]))", rest) else None
    if verb in LASTING_STATE and not is_deictic(rest) and rest:
        return _state(content, verb, rest)
    return None


def _state(content: str, verb: str, rest: str) -> Draft | None:
    if verb in {"living", "staying", "renting"}:
        return Draft(_F, content, 0.8, subject="home")
    if verb in {"working", "teaching", "freelancing", "running", "managing", "leading"}:
        if verb == "working" and not re.match(r"(?:at|as|for|in|with|from|remotely|part|full|nights?)\b", rest):
            return None
        return Draft(_F, content, 0.9, subject="employer" if re.match(r"(?:at|for)\b", rest) else "job")
    if verb == "taking":
        medical = re.search(r"\b(?:mg|medication|meds|pills?|antibiotics|antidepressants|statins|insulin|supplements?|\w+(?:ine|in|ol|ide|ate|one|cin|lin))\b", rest, re.I)
        return Draft(_F, content, 0.8) if medical else None
    if verb in {"suffering", "recovering"}:
        return Draft(_F, content, 0.85)
    if verb == "doing":
        return Draft(_F, content, 0.7) if re.match(r"(?:keto|paleo|a\s(?:phd|master\w*|degree|bootcamp|keto)|my\s(?:phd|master\w*|residency|degree)|yoga|an?\s(?:internship|apprenticeship))", rest, re.I) else None
    if verb == "using" and re.match(r"(?:the|this|that)\s(?:wrong|same|code|command|function|following)", rest):
        return None
    return Draft(_P if verb == "using" else _F, content, 0.7)


def _aiming(content: str, verb: str, rest: str) -> Draft | None:
    after = re.match(r"(?:to|on|of|about|for|at|toward|towards|up\sfor|up\sto|forward\sto|a|an|my|our)\s(.+)$", rest)
    if not after or is_deictic(after.group(1)):
        return None
    if verb in {"looking", "thinking", "considering", "working"} and not rest.startswith(("to ", "of ", "toward", "for a new job", "for a job", "for work", "about ")):
        return None
    word = after.group(1).split(" ")[0]
    if rest.startswith("to ") and (word in SHORT_WISH - {"learn", "eat", "cut", "drink", "read", "stop", "write", "start", "build", "run"}) and not (has_date(rest) and word in {"go", "have", "do", "see"}):
        return None
    if verb == "trying" and word in {"run", "build", "write", "read"} and not re.search(r"\b(?:every|marathon|book|novel|km|miles|more|less|\d+)\b", rest):
        return None
    if verb in {"planning", "plan"} and has_date(rest):
        return Draft(_G, content, 0.6)
    return Draft(_G, content, 0.6, 0.8 if verb not in {"thinking", "considering"} else 0.6)


def _wish(clause: str, said: Predicate) -> Draft | None:
    verb, rest = said.verb, said.rest
    if verb == "try" and not (EXPLICIT_HABIT.search(clause) or re.match(r"to\s(?:avoid|limit|stay|cut|eat|keep)\b", rest)):
        return None
    if said.negated:
        return None
    if rest.startswith("to "):
        words = rest[3:].split(" ")
        word = next((one for one in words if one not in {"eventually", "finally", "really", "someday", "also"}), "")
        if len(words) < 2 or is_deictic(" ".join(words[1:])) and len(words) < 4:
            return None
        if verb == "need":
            return _needed(clause, word, rest)
        if verb == "try" and re.match(r"to\s(?:avoid|limit|stay|cut|eat|keep)\b", rest):
            return Draft(_C if "avoid" in rest else _P, about_user(clause), 0.6, subject=f"habit:{topic(' '.join(words[1:]))}")
        lasting = has_date(rest) or re.search(r"\b(?:before\sI|by\sthe\stime|one\sday|someday|some\sday|eventually|marathon|this\syear)\b", rest)
        if word in SHORT_WISH - {"run", "stop", "start", "write", "read", "eat", "drink", "cook"} and not (lasting and word in {"go", "see", "have", "do", "be", "buy", "open", "watch"} | ({"get"} if not re.search(r"help|answer", rest) else set())):
            if not (word == "be" and re.search(r"\b(?:a|an|able|fluent|better|healthier|fitter)\b", rest)) and not (word in {"buy", "open", "get"} and re.search(r"\b(?:house|flat|apartment|home|business|restaurant|cafe|café|shop|fit|degree|certified|promoted|in\sshape|dog|cat)\b", rest)):
                return None
        if word in {"run", "stop", "start", "write", "read", "eat", "drink", "cook"} and not (lasting or re.search(r"\b(?:more|less|novel|book|memoir|healthier|smoking|biting|business|company|family|vegan|marathon|drinking|every)\b", rest)):
            return None
        return Draft(_G, about_user(clause), 0.6, 0.8)
    if verb == "need" and (EXPLICIT_HABIT.search(clause) or re.search(r"\b(?:accessible|wheelchair|step-free|ground\sfloor|glasses|hearing\said|insulin|inhaler|gluten-free|dairy-free|vegan|vegetarian|halal|kosher)\b", rest, re.I)):
        return Draft(_C, about_user(clause), 0.8)
    if verb == "dream" and rest.startswith("of "):
        return Draft(_G, about_user(clause), 0.6)
    return None


def _needed(clause: str, word: str, rest: str) -> Draft | None:
    recurring = EXPLICIT_HABIT.search(rest)
    if word in _MUST and (recurring or word in {"avoid", "limit"} or has_date(rest)):
        return Draft(_C, about_user(clause), 0.75)
    if word in {"lose", "gain", "learn", "pass", "save", "improve", "find"} and (re.search(r"\d", rest) or word in {"learn", "improve"}) and not is_deictic(" ".join(rest.split(" ")[2:])):
        return Draft(_G, about_user(clause), 0.6, 0.7)
    return None


def _possible(clause: str, said: Predicate) -> Draft | None:
    verb, rest = said.verb, said.rest
    if said.auxiliary == "could":
        if said.negated and re.match(r"(?:live|function|survive)$", verb) and rest.startswith("without"):
            return Draft(_P, about_user(clause), 0.6, subject=f"taste:{topic(rest[8:])}")
        return None
    if "only" in said.adverbs and verb in _CAN_NOT | {"do", "meet", "call", "talk"} and rest:
        return Draft(_C, about_user(clause), 0.75)
    if not said.negated:
        if verb in SKILLED and rest and not is_deictic(rest) and not re.search(r"\b(?:you|it|this|that|for\sme)\b", rest):
            return Draft(MemoryType.SKILL, about_user(clause), 0.6)
        return None
    if verb in {"stand", "bear", "abide", "live", "function", "survive", "resist", "stomach"}:
        what = re.sub(r"^without\s", "", rest)
        return None if is_deictic(what) else Draft(_P, about_user(clause), 0.65, subject=f"taste:{topic(what)}")
    if verb not in _CAN_NOT or is_deictic(rest) and not re.match(r"anything\s\w+", rest):
        return None
    if verb in {"get", "make", "be", "have", "run", "do", "take", "read", "hear", "go", "start", "come", "leave", "sleep", "work", "handle"}:
        food_like = verb in {"have", "do", "take", "handle"} and len(rest.split()) <= 6 and not re.search(r"\b(?:access|time|that|error|connection|money|right|a\s(?:look|meeting))\b", rest)
        if not food_like and not EXPLICIT_HABIT.search(clause) and not re.search(r"\b(?:without|because|due\sto|before|after|alone|upstairs|stairs|crowds?)\b", rest):
            return None
        if verb in {"get", "make", "be", "run", "read"} and not EXPLICIT_HABIT.search(clause):
            return None
    if _MOMENT.search(rest):
        return None
    return Draft(_C, about_user(clause), 0.85 if verb in CONSUME else 0.75, subject=f"habit:{verb} {topic(rest)}" if verb in CONSUME else None)


def _obliged(clause: str, said: Predicate) -> Draft | None:
    if said.negated or not said.rest or _MOMENT.search(said.rest):
        return None
    content = re.sub(r"^The user (?:need|have|got|ought)s? ", lambda one: one.group(), about_user(clause))
    if said.verb in {"avoid", "limit"} and not is_deictic(said.rest):
        return Draft(_C, content, 0.8)
    if EXPLICIT_HABIT.search(clause) and said.verb not in {"say", "ask", "admit"}:
        return Draft(_C, content, 0.75)
    if said.verb in {"take", "inject", "wear", "use"} and re.search(r"\b(?:insulin|medication|meds|pills?|glasses|inhaler|mask|hearing\saids?|brace|cane|crutches|wheelchair)\b", said.rest):
        return Draft(_F, content, 0.85)
    if has_date(said.rest) and said.verb in {"submit", "deliver", "finish", "hand", "file", "move", "present", "renew", "pay", "leave", "ship"}:
        return Draft(_E, content, 0.5)
    return _needed(clause, said.verb, f"to {said.verb} {said.rest}")


def _willing(clause: str, said: Predicate) -> Draft | None:
    verb, rest = said.verb, said.rest
    if said.auxiliary == "would":
        if "rather" in clause.split(" ")[2:3] or verb in {"rather", "prefer", "sooner"}:
            bare = re.sub(r"^(?:not|to)\s", "", rest)
            if not rest or is_deictic(bare) or re.match(r"(?:not\s)?(?:you|that|it)\b", rest):
                return None
            return Draft(_P, about_user(clause), 0.65)
        if verb in {"love", "like", "want"} and rest.startswith("to ") and not said.negated:
            return _wish(clause, Predicate("", "want", rest, said.adverbs, False, False))
        if "never" in said.adverbs and verb in _WILL_NOT and not is_deictic(rest):
            return Draft(_C, about_user(clause), 0.75)
        return None
    if said.negated:
        if verb in _WILL_NOT and not is_deictic(rest) and not _MOMENT.search(rest):
            return Draft(_C, about_user(clause), 0.8)
        return None
    if verb in {"be"} and rest:
        if has_date(rest) and not _MOMENT.search(rest):
            return Draft(_E, about_user(clause), 0.5)
        return None
    if "only" in said.adverbs and verb in _WILL_NOT and not is_deictic(rest):
        return Draft(_C, about_user(clause), 0.75)
    if has_date(rest) and not re.search(r"\b(?:today|tonight|later)\b", rest) and verb not in STANCE - {"get", "run", "come", "go"}:
        return Draft(_E, about_user(clause), 0.45)
    return None


def _perfect(clause: str, said: Predicate) -> Draft | None:
    verb, rest = said.verb, said.rest
    content = about_user(clause)
    if verb == "got":
        return read_having(re.sub(r"\bgot\s", "", clause, count=1), Predicate("", "have", rest, said.adverbs, said.negated, said.stopped))
    if is_deictic(rest) or said.auxiliary == "had":
        return None
    if said.negated:
        if "never" in said.adverbs and verb in {"smoked", "drunk", "eaten", "driven", "flown", "owned", "married", "worked", "used", "played"}:
            return Draft(_F, content, 0.5)
        return None
    lasting = re.search(r"\b(?:for|since|over|\d+\syears?)\b", rest)
    if verb in {"lived", "worked", "used", "played", "taught", "studied", "owned", "run", "known"} and lasting:
        kind = MemoryType.SKILL if verb in {"used", "played", "studied"} else _F
        return Draft(kind, content, 0.7, subject="home" if verb == "lived" else None)
    if verb in {"moved", "relocated", "become", "quit", "joined", "switched", "retired", "stopped", "given", "decided", "adopted", "married", "settled", "left", "gone", "started", "bought"}:
        return _change(content, verb, rest)
    return None


def _changed(clause: str, said: Predicate) -> Draft | None:
    verb, rest = said.verb, said.rest
    content = about_user(clause, past=True)
    if verb == "had":
        if re.search(rf"\b(?:surgery|operation|transplant|stroke|heart\sattack|miscarriage|cancer|c-section|bypass)\b|\b(?:a|our|my)\s(?:\w+\s)?(?:baby|{KIN})\b", rest, re.I):
            return Draft(_F, content, 0.8)
        return None
    if verb in {"hated", "loved", "liked", "enjoyed"}:
        return None
    if verb not in _CHANGE or is_deictic(rest) and verb not in {"quit"}:
        return None
    return _change(content, verb, rest)


def _change(content: str, verb: str, rest: str) -> Draft | None:
    """A change in the user's life, which says how things are since then."""
    if verb in {"moved", "relocated", "settled", "emigrated", "immigrated"}:
        if not re.search(r"\b(?:to|in|into|from|house|home|out|back|here)\b", rest) or re.match(r"(?:on|the|this|that|it)\b(?!.*\bhouse)", rest):
            return None
        return Draft(_F, content, 0.8, subject="employer" if re.match(r"to\s(?:a\s(?:new|different)\s(?:company|job|firm|team)|the\s\w+\steam)", rest) else "home")
    if verb in {"quit", "stopped", "gave", "given", "ditched", "dropped"}:
        if verb in {"gave", "given"} and not rest.startswith("up"):
            return None
        what = re.sub(r"^up\s", "", rest)
        if re.search(r"\b(?:job|work|position|company|bank|firm)\b", what) or re.match(r"(?-i:[A-Z])\w+", what):
            return Draft(_F, content, 0.8, subject="employer")
        gerund = re.match(r"(\w+ing)\b", what)
        if verb == "stopped" and not gerund:
            return None
        base = f"{_base(gerund.group(1))} {topic(what[gerund.end():])}" if gerund else topic(what)
        retracted = f"The user {_third(_base(gerund.group(1)))}{what[gerund.end():]}" if gerund else ""
        retracted = re.sub(r"\s(?:last|this|in|since|a|two|three|about|recently|back|years?)\b.*$", "", retracted)
        return Draft(_F, content, 0.65, subject=f"habit:{base}".strip(), retracts=(retracted,) if retracted else ())
    if verb in {"joined", "left", "resigned"}:
        if verb == "left" and not re.search(r"\b(?:job|company|firm|bank|team|my|(?-i:[A-Z])\w+|school|university)\b", rest):
            return None
        if verb == "left" and re.match(r"(?:my|the|a)\s(?:phone|keys?|wallet|bag|comment|message|laptop|house|office|door)", rest):
            return None
        return Draft(_F, content, 0.85, subject="employer")
    if verb in {"started", "began"}:
        if re.search(r"\b(?:job|work|position|role|working|at\s(?-i:[A-Z])|company|business|university|school|as\sa)\b", rest):
            return Draft(_F, content, 0.8, subject="job")
        return Draft(_F, content, 0.55) if re.match(r"(?:learning|studying|taking|eating|running|playing|going|using|doing|seeing|lifting)\s(?!it\b|this\b|that\b)", rest) else None
    if verb in {"switched", "migrated", "changed", "converted", "swapped", "replaced", "transferred", "decided"}:
        if verb == "decided":
            return Draft(_G, content, 0.55, 0.7) if rest.startswith("to ") and rest.split(" ")[1] not in SHORT_WISH else None
        return Draft(_F, content, 0.7) if re.search(r"\b(?:to|from|jobs?|careers?|with|for|majors?)\b", rest) else None
    if verb in {"got", "went", "became", "become", "gone"}:
        if re.match(r"(?:engaged|married|divorced|promoted|laid\soff|fired|pregnant|vegan|vegetarian|keto|sober|freelance|tenure|my\s(?:degree|license|phd|citizenship|green\scard)|diagnosed|hired|"
                    rf"a\s(?:new\s)?(?:\w+\s)?(?:job|promotion|offer|{PET})|an?\s(?:\w+\s)?(?:dog|cat|puppy|kitten)|into\s(?!an?\s(?:argument|accident)|trouble|it)\w+)", rest, re.I):  # fmt: skip
            return Draft(_F, content, 0.75)
        if verb in {"became", "become"} and (is_job(re.sub(r"^an?\s", "", rest)) or re.search(r"\b(?:father|mother|dad|mum|mom|parent|citizen|grand\w+|aunt|uncle)\b", rest)):
            return Draft(_F, content, 0.8, subject="job" if is_job(re.sub(r"^an?\s", "", rest)) else None)
        if verb == "went" and re.match(r"to\s(?:\w+\s){0,3}(?:university|college|school|uni)\b|to\s(?:MIT|Harvard|Stanford|Oxford|Cambridge)", rest):
            return Draft(_F, content, 0.7)
        return None
    if verb in {"grew"}:
        return Draft(_F, content, 0.75, subject="origin") if re.match(r"up\b.*\b(?:in|on|near|outside|speaking|with|between)\b", rest) else None
    if verb in {"broke", "hurt", "injured", "tore", "cut"}:
        return Draft(_F, content, 0.75) if re.match(r"my\s(?:\w+\s)?(?:arm|leg|ankle|wrist|knee|back|shoulder|hip|foot|toe|finger|collarbone|acl|rib|hand|elbow|neck|nose)", rest, re.I) else None
    if verb in {"bought", "sold", "adopted", "opened", "founded", "co-founded", "cofounded", "launched"}:
        big = rf"\b(?:house|flat|apartment|condo|car|bike|motorcycle|boat|{PET}|business|company|shop|store|startup|restaurant|studio|cafe|{KIN}|home|van|land|farm|cottage|app)\b"
        return Draft(_F, content, 0.7) if re.search(big, rest, re.I) or verb in {"founded", "co-founded", "cofounded", "adopted"} else None
    if verb in {"worked", "lived", "served", "taught", "studied", "majored", "trained", "graduated", "enrolled", "retired", "married", "divorced", "lost", "finished", "completed"}:
        if verb == "lost" and not re.search(rf"\b(?:job|{KIN}|{PET}|kilos?|kg|pounds|hearing|sight)\b", rest):
            return None
        if verb in {"finished", "completed"} and not re.search(r"\b(?:degree|phd|master\w*|school|university|college|marathon|bootcamp|residency|training|apprenticeship)\b", rest, re.I):
            return None
        if verb == "worked" and not re.match(r"(?:at|for|as|in)\b", rest):
            return None
        if verb == "studied" and rest.startswith("for"):
            return None
        return Draft(_F, content, 0.7)
    return None


def _base(gerund: str) -> str:
    """The verb of a gerund: "eating" → "eat", "smoking" → "smoke", "running" → "run"."""
    stem = gerund[:-3]
    if len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in "lsz":
        return stem[:-1]
    if re.search(r"[aeiou][bcdgkmpstvz]$", stem) and not re.search(r"(?:ea|oo|ee|ou|ai|oa)[bcdgkmpstvz]$", stem) and stem not in {"visit", "edit", "eat", "drink", "commit"}:
        return stem + "e"
    return stem


def _third(verb: str) -> str:
    from langgraph_memory.extraction.rules.english.third_person import inflected

    return inflected(verb)


def _denied(clause: str, said: Predicate) -> Draft | None:
    verb, rest = said.verb, said.rest
    content = about_user(clause)
    if verb in LIKE | HATE or (verb == "care" and rest.startswith("for")) or verb in {"get"} and False:
        what = re.sub(r"^(?:for|to)\s", "", rest)
        if is_deictic(what) or re.match(r"to\s(?:say|ask|bother)", rest):
            return None
        return Draft(_P, content, 0.6, subject=f"taste:{topic(what)}")
    if verb == "have":
        return read_having(clause, said)
    if said.stopped:
        bare = re.sub(r"\s(?:any\s?more|any\slonger)\b", "", rest, flags=re.I)
        if verb in STANCE - HABIT_ONLY or is_deictic(bare) and not (verb in {"drink", "smoke"} and not bare):
            return None
        place = verb in {"live", "work"}
        positive = f"The user {_third(verb)} {bare}".strip()
        return Draft(_F if verb not in CONSUME else _C, content, 0.65, retracts=(positive,), subject=("home" if verb == "live" else "employer") if place else _kept(verb, bare))
    if verb in {"smoke", "drink", "drive", "cook", "gamble", "vape", "swim", "dance", "fly", "travel"} and not rest:
        return Draft(_C if verb in {"drink", "fly"} else _F, content, 0.65, subject=f"habit:{verb}")
    if _MOMENT.search(rest) or is_deictic(rest) and not re.match(r"anything\s\w+", rest):
        return None
    if verb == "want":
        return None
    if verb in _DO_NOT and rest:
        if verb in {"use", "work", "go", "take", "read", "do"} and re.match(r"(?:the|this|that|for|well|properly|correctly|in\sthis)\b", rest):
            return None
        strict = verb in {"eat", "drink", "consume", "touch", "fly", "take", "smoke"} or "never" in said.adverbs
        return Draft(_C if strict else _P if verb in {"use", "watch", "listen", "wear"} else _F, content, 0.75 if strict else 0.6, subject=_kept(verb, rest))
    if verb == "speak" and rest:
        return Draft(MemoryType.SKILL, content, 0.6)
    return None

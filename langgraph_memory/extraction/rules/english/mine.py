"""What the user says about what is theirs: "my name is …", "our stack is …", "my son can not …"."""

# A pattern is easier to check in one piece.
# ruff: noqa: E501

from __future__ import annotations

import re

from langgraph_memory.extraction.dates import has_date
from langgraph_memory.extraction.drafts import Draft
from langgraph_memory.extraction.rules.english.third_person import about_user, pronouns_changed
from langgraph_memory.extraction.rules.english.topics import is_deictic, topic
from langgraph_memory.extraction.rules.english.word_classes import (
    KIN,
    MOMENT,
    PET,
    SURROUNDINGS,
    is_job,
)
from langgraph_memory.offline.words import listed
from langgraph_memory.records import MemoryType

__all__ = ["read_mine", "read_size"]

_F = MemoryType.FACT
_SPLIT = re.compile(
    r"^(?:my|our)\s(?P<noun>(?:[\w'’-]+(?:'s)?\s){0,5}?[\w'’-]+)\s(?P<verb>is\scalled|is|are|leaves?|departs?|arrives?|lands|opens?|takes?\splace|makes?|sells?|builds?|offers?|provides?|helps?|focuses|closes|swells?|itches|reacts?|was|were|will\sbe|has\sto\sbe|ends?|expires?|starts?|begins?|falls?\son|runs?\sout|has|have|can\snot|can|"
    r"does\snot|do\snot|will\snot|lives?|works?|loves?|likes?|hates?|uses?|runs?|writes?|deploys?|ships?|follows?|prefers?|speaks?|studies|goes|turns?|turned|plays?|live|says?|tells?|told|advised|suggested|recommended|wants|"
    r"takes?|contains?|belongs|sits|stands|serves|needs?|faces|prescribed|put|knows?|call|calls|eats?|drinks?|moved|just\sturned|passed|died|comes?|keeps?|must|should|hit|remains|depends)\b\s*(?P<rest>.*)$",
    re.I | re.S,
)
_SLOTS: tuple[tuple[re.Pattern[str], MemoryType, float, str], ...] = tuple(
    (re.compile(rf"^(?:{pattern})$", re.I), kind, importance, subject)
    for pattern, kind, importance, subject in (
        (r"(?:notes|files|documents|photos|repos|backups|tasks|to-?dos|calendar|music|invoices)", MemoryType.FACT, 0.6, ""),
        (r"(?:full\s|first\s|given\s|real\s|actual\s)?name", _F, 0.95, "name"),
        (r"(?:last|family|middle|maiden)\sname|surname", _F, 0.9, "family name"),
        (r"nickname|handle|username|preferred\sname|friends", _F, 0.8, "nickname"),
        (r"pronouns?", _F, 0.85, "pronouns"),
        (r"(?:current\s|new\s|day\s|main\s|actual\s)?(?:job|role|position|profession|occupation|career|trade|title|job\stitle|line\sof\swork|field)", _F, 0.9, "job"),
        (r"(?:current\s|new\s|former\s)?(?:employer|company|workplace|firm|office|school|university)", _F, 0.8, "employer"),
        (r"age", _F, 0.8, "age"),
        (r"(?:birthday|birth\s?date|date\sof\sbirth|bday)", _F, 0.85, "birthday"),
        (r"(?:wedding\s|work\s)?anniversary", _F, 0.7, "anniversary"),
        (r"(?:new\s|home\s|current\s|postal\s|mailing\s|shipping\s|delivery\s)?address", _F, 0.8, "address"),
        (r"(?:new\s|current\s)?(?:home|hometown|home\stown|city|home\scity|home\sbase|base|place|neighbou?rhood|country|home\scountry)", _F, 0.75, "home"),
        (r"(?:time\s?zone|tz)", _F, 0.75, "time zone"),
        (r"(?:\w+\s)?e-?mail(?:\saddress)?", _F, 0.75, "email"),
        (r"(?:\w+\s)?(?:phone|mobile|cell|telephone)\snumber", _F, 0.75, "phone"),
        (r"(?:native|first|mother|second|main|primary|preferred)\s(?:language|tongue)", _F, 0.8, "native language"),
        (r"(?:english|french|german|spanish|chinese|japanese|python|maths?|handwriting|coding|sql|eyesight|memory|hearing|spelling|grammar|javascript|italian)(?:\sskills)?", MemoryType.SKILL, 0.6, ""),
        (r"(?:shoe\s|dress\s|shirt\s|ring\s|clothing\s|t-shirt\s)?size|height|weight|blood\stype|blood\sgroup|star\ssign|zodiac\ssign|religion|nationality|hair|skin|ethnicity", _F, 0.65, "*"),
        (r"(?:\w+\s)?(?:allerg\w+|intolerance|dietary\s\w+|diet|condition|diagnosis|disability|blood\spressure|blood\ssugar|cholesterol|medication|asthma|diabetes|migraines?)", MemoryType.CONSTRAINT, 0.9, ""),
        (r"(?:all-?time\s|personal\s|absolute\s|most\s)?(?:favou?rite|fav|fave|ideal|preferred|go-to|least\sfavou?rite)(?:\s[\w-]+){0,3}|preference|(?:music\s|movie\s)?taste|cup\sof\stea|comfort\s\w+|guilty\spleasure|drink\sof\schoice|\w+\sof\schoice", MemoryType.PREFERENCE, 0.65, "*"),
        (r"(?:main\s|biggest\s|other\s)?(?:hobby|hobbies|passion|passions|interests?|pastime|sport|thing)", MemoryType.PREFERENCE, 0.65, ""),
        (r"(?:main\s|ultimate\s|long-term\s|current\s|short-term\s|big\s|biggest\s|fitness\s|career\s|savings\s|new\syear's\s)*(?:goal|aim|dream|ambition|objective|target|resolution|goals|dreams|plan|bucket\slist)", MemoryType.GOAL, 0.65, ""),
        (r"(?:\w+\s){0,2}(?:project|thesis|dissertation|side\sproject|startup|novel|start-up|app|game|podcast|blog|channel|product|website|bakery|shop|business|band|book)", MemoryType.PROJECT, 0.7, "*"),
        (r"(?:\w+\s){0,2}(?:stack|editor|ide|terminal|shell|laptop|phone|computer|pc|desktop|machine|setup|os|operating\ssystem|database|backend|frontend|codebase|car|bike|browser|keyboard|camera|framework|language|tech\sstack|infra\w*|ci|hosting|cloud|repo|server|build)", MemoryType.FACT, 0.75, "*"),
        (r"(?:\w+\s){0,2}(?:lease|contract|visa|passport|subscription|licen[cs]e|membership|rent|mortgage|deadline|due\sdate|exam|exams|final|finals|flight|train|wedding|appointment|interview|surgery|trip|vacation|holiday|holidays|launch|release|conference|presentation|graduation|semester|term|move|internship|interview|probation|warranty|insurance|due|parental\sleave|maternity\sleave|defense|defence|marathon)", MemoryType.EPISODE, 0.55, "*"),
        (r"(?:whole\s|entire\s)?(?:team|company|department|organi[sz]ation|group|squad|class|household|family|school|startup|firm|side|business)", _F, 0.7, ""),
        (r"(?:work(?:ing)?\s|office\s|opening\s)?(?:hours|schedule|routine|shift|days\soff|day\soff|weekends|commute|bedtime|lunch\sbreak|mornings|workday|weekday\s\w+)", _F, 0.55, "*"),
        (r"(?:coding\s|code\s|writing\s|naming\s)?(?:style|convention|rule|policy|requirement|requirements|limit|deal-?breaker|must-have)", MemoryType.PREFERENCE, 0.65, ""),
    )
)  # fmt: skip
_PASSING = re.compile(
    r"^(?:not\s)?(?:sick|ill|here|there|coming|visiting|crying|asleep|sleeping|waiting|late|early|back|out|away|home|busy|mad|angry|upset|happy|sad|tired|fine|ok|okay|on\sleave|"
    r"on\s(?:vacation|holiday)|over|in\stown|right|wrong|calling|broken|dead|not\sworking|down|failing|slow|crashing|stuck|running|gone|ready|done|driving\sme|great|awesome|amazing|cute|annoying|the\sbest|the\sworst)\b",
    re.I,
)
_DOCTOR = re.compile(
    r"^(?:\w+\s)?(?:doctor|gp|doc|physician|physio\w*|dietitian|nutritionist|nurse|therapist|dentist|specialist|cardiologist|allergist|psychiatrist|surgeon|dermatologist|midwife|trainer|coach|vet)$",
    re.I,
)
_ADVICE = re.compile(
    r"^(?:says?|said|told|tells|advised|suggested|recommended|wants|asked|prescribed|put|ordered)$",
    re.I,
)
_ROLE = re.compile(
    r"^(?:(?:new|line|current|direct|old)\s)?(?:boss|manager|supervisor|mentor|advisor|adviser|assistant|teacher|tutor|doctor|therapist|lawyer|accountant|coach|landlord|best\sfriend|roommate|flatmate|colleague|co-?founder|cofounder|business\spartner|cat|dog)\b",
    re.I,
)
_KIN_NOUN = re.compile(
    rf"^(?:(?:older|younger|elder|eldest|youngest|oldest|little|big|late|twin|two|three|four|middle|new|step|dear|teenage|\d+-year-old|\w+)\s)?(?:{KIN}|{PET})(?P<name>(?:,)?\s(?-i:[A-ZÀ-Þ])\w+)?$",
    re.I,
)

_NUMBER = r"(?:\d+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|(?:a|one|two)\s(?:dozen|hundred))"
_SIZE = re.compile(
    rf"(?:about\s|around\s|now\s|only\s)?{_NUMBER}\s(?:of\sus|people|members|persons|employees|engineers|developers|colleagues|players|students|kids|children|strong)\b",
    re.I,
)
_GROUP = re.compile(
    r"\b(?:team|company|department|group|squad|class|household|family|startup|firm|crew|choir|band|club|office|orchestra|lab|shop|studio|house|flat)\b",
    re.I,
)
_PERSON_NAME = re.compile(
    r"(?:(?:now|called|named|a\s\w+\s(?:called|named))\s)*(?:(?:Dr|Mrs?|Ms|Prof)\.?\s)?(?-i:[A-ZÀ-Þ])[\w'’-]+(?:\s(?-i:[A-ZÀ-Þ])[\w'’-]+)?(?=$|,|\s(?:now|over|on|in|at|from|near|and)\b)",
    re.I,
)
_AROUND = re.compile(rf"(?:^|\s){SURROUNDINGS}$", re.I)
_OF_THINGS = frozenset(
    listed("takes take contains contain belongs sits stands serves needs need faces")
)
_LASTING = _OF_THINGS | frozenset(listed("is are has have runs run uses use closes opens"))
_TROUBLE = re.compile(
    r"\b(?:problem|bug|error|issue|crash\w*|fail\w*|broken|leak\w*|stuck|slow\w*|fever|cold|headache|down|exception|warning|wrong|weird|strange|minutes?|seconds?|hours?|long|forever|too|so|me|you|your|this|that|these)\b",
    re.I,
)


_NEW = re.compile(r"^(?:new|current|next)\s|['’]s\sname$")


def _role(noun: str) -> str:
    """A role by one name: whoever has a new boss has another manager."""
    role = _NEW.sub("", _NEW.sub("", noun.lower()))
    return re.sub(r"^(?:(?:line|direct)\smanager|boss|supervisor)$", "manager", role)


def read_mine(clause: str) -> list[Draft]:
    """What a clause that begins with "my" or "our" tells about the user."""
    clause = re.sub(
        r"^(my|our)\s([\w\s-]+?),\s((?-i:[A-Z])[\w-]+),\s", r"\1 \2 \3 ", clause, flags=re.I
    )
    named = re.match(
        r"(?:my|our)\s(?P<noun>[\w\s-]+?)(?:\sis|,)?\s(?:called|named)\s(?P<name>(?-i:[A-Z0-9])[\w'’-]+(?:\s(?-i:[A-Z])\w+)?)",
        clause,
    )
    found = _SPLIT.match(clause)
    if found is None:
        return []
    noun, verb, rest = (
        found.group("noun").strip(),
        found.group("verb").lower(),
        found.group("rest").strip(),
    )
    if not rest and verb not in {"died", "ends", "expires"}:
        return []
    if _DOCTOR.match(noun) and _ADVICE.match(verb):
        return _advised(clause, verb, rest)
    owned = re.match(
        rf"(?:\w+\s)?(?P<kin>{KIN}|{PET})(?:'s|’s|')\s(?P<what>name|birthday|job|age|school|allerg\w+|favou?rite\s\w+|wedding|anniversary)$",
        noun,
        re.I,
    )
    if owned and verb in {"is", "are"}:
        return [
            Draft(
                _F,
                about_user(clause),
                0.65,
                0.85,
                subject=f"{owned.group('what').lower()} of {owned.group('kin').lower()}",
            )
        ]
    if re.match(
        r"(?:throat|skin|face|stomach|lips|tongue|eyes?|mouth|hands?|head|body|chest|airways?|gut|belly|nose|legs?|knees?|back)$",
        noun,
        re.I,
    ) and re.search(
        r"\b(?:when|if|after|from|whenever|because\sof)\s(?!this|that|the\slast)", rest
    ):
        return [Draft(MemoryType.CONSTRAINT, about_user(clause), 0.9)]
    if _KIN_NOUN.match(noun):
        return _relative(clause, noun, verb, rest)
    if verb in {"can not", "does not", "do not"} and rest.startswith(
        ("work", "start", "run", "load", "compile", "open")
    ):
        return []
    noun = re.sub(
        r"\s(?:(?:for\s)?(?:this|next|the\scoming)\s(?:year|month|season|summer|winter|spring|autumn|fall|term)|for\s20\d\d|right\snow|at\sthe\smoment|these\sdays|now|currently|here)$",
        "",
        noun,
        flags=re.I,
    )
    if verb in _OF_THINGS:
        return _belonging(clause, noun, verb, rest)
    head = re.sub(r"\s(?:with|at|for|of|in|on|about|to)\s.*$", "", noun)
    for pattern, kind, importance, subject in _SLOTS:
        if pattern.match(noun) or (kind is MemoryType.EPISODE and pattern.match(head)):
            return _slot(clause, noun, verb, rest, kind, importance, subject)
    group = _GROUP.search(noun)
    if group and verb in {"is", "are", "has", "have"} and _SIZE.match(rest):
        return [Draft(_F, about_user(clause), 0.6, subject=f"size of {group.group().lower()}")]
    if (_ROLE.match(noun) or is_job(noun)) and (
        named or (verb in {"is", "are"} and _PERSON_NAME.match(rest))
    ):
        return [Draft(_F, about_user(clause), 0.5, 0.8, subject=f"name of {_role(noun)}")]
    if (
        verb in {"is", "are", "starts", "ends", "begins"}
        and re.match(r"(?:on|in|at|due|scheduled|booked|next|this|tomorrow)\b", rest, re.I)
        and has_date(rest)
        and not MOMENT.search(rest)
    ):
        return [Draft(MemoryType.EPISODE, about_user(clause), 0.5)]
    return _belonging(clause, noun, verb, rest)


def read_size(clause: str) -> list[Draft]:
    """How many there are: "there are nine of us on the team"."""
    found = re.match(
        rf"there\s(?:are|is)\s(?:now\s|about\s|only\s)?(?P<many>{_NUMBER})\sof\sus\s(?P<where>(?:in|on|at)\s.+)$",
        clause,
        re.I,
    )
    group = _GROUP.search(found["where"]) if found else None
    if not found or not group:
        return []
    content = f"The user is one of {found['many']} {pronouns_changed(found['where'])}"
    return [Draft(_F, content, 0.6, subject=f"size of {group.group().lower()}")]


def _belonging(clause: str, noun: str, verb: str, rest: str) -> list[Draft]:
    """What something of the user's is like, where that lasts: "our kitchen has a gas hob"."""
    if (
        verb not in _LASTING
        or not _AROUND.search(noun)
        or _PASSING.match(rest)
        or _TROUBLE.search(rest)
        or is_deictic(rest)
        or MOMENT.search(rest)
    ):
        return []
    if verb in {"is", "are"} and not re.match(
        r"(?:an?|the|from|in|on|at|of|made|built|painted|older|newer|\d|(?-i:[A-Z]))\b", rest, re.I
    ):
        return []
    return [Draft(_F, about_user(clause), 0.5, 0.7)]


def _slot(
    clause: str, noun: str, verb: str, rest: str, kind: MemoryType, importance: float, subject: str
) -> list[Draft]:
    if (
        verb in {"was", "were", "says", "say", "told", "knows", "know", "depends", "call", "calls"}
        or is_deictic(rest)
        or re.match(
            r"not$|(?:still\s|not\s)?(?:working|failing|broken|slow|down|crashing|stuck|late|wrong|there|here|due\snow|that\b|to\s(?:this|that))\b",
            rest,
            re.I,
        )
    ):
        return []
    if (
        re.match(
            r"(?:as\sfollows|below|above|here|unknown|too\s|very\s(?:slow|long)|a\smess|on\sfire|great|fine|good|bad|ok|okay)\b",
            rest,
            re.I,
        )
        and kind is not MemoryType.SKILL
    ):
        return []
    rest = (
        re.sub(r",?\s(?:and\s)?not\s.+$", "", rest)
        if verb in {"is", "are"} and not rest.startswith("not ")
        else rest
    )
    content = about_user(
        re.sub(r",?\s(?:and\s)?not\s[^,]+$", "", clause)
        if verb in {"is", "are"} and " not " in clause and f"{verb} not" not in clause
        else clause
    )
    if kind is MemoryType.EPISODE:
        if not has_date(rest) and not re.search(r"\d", rest):
            return []
        if re.search(r"\b(?:today|tonight)\b", rest):
            return []
    if (
        kind in {MemoryType.PROJECT, MemoryType.FACT}
        and subject == "*"
        and has_date(rest)
        and verb in {"is", "ends", "starts", "launches"}
        and not re.search(r"called|named", rest)
    ):
        kind = MemoryType.EPISODE
    if subject == "name":
        name = re.match(r"(?:called\s)?([\w'’-]+(?:\s[A-ZÀ-Þ][\w'’.-]+){0,3})", rest)
        if (
            name is None
            or verb not in {"is", "is called"}
            or re.match(r"(?:not|pronounced|spelled|spelt|on|hard|common|often)\b", rest)
        ):
            return (
                [Draft(_F, content, 0.5, 0.7)]
                if re.match(r"(?:pronounced|spelled|spelt)\b", rest)
                else []
            )
        given = name.group(1)
        return [
            Draft(_F, f"The user's name is {given[:1].upper()}{given[1:]}", 0.95, subject="name")
        ]
    if subject == "*":
        subject = " ".join(re.sub(r"favorite", "favourite", _NEW.sub("", noun.lower())).split())
        if verb not in {"is", "are", "is called", "has to be"}:
            subject = f"{subject} {verb}"
    if (
        subject == "home"
        and re.match(r"(?:a|the|very|so|too|getting|quiet|small|big)\b", rest)
        and not re.search(r"\bin\s[A-Z]", rest)
    ):
        return []
    return [Draft(kind, content, importance, subject=subject or None)]


def _relative(clause: str, noun: str, verb: str, rest: str) -> list[Draft]:
    """Family and animals: only what lasts."""
    if (
        _PASSING.match(rest)
        or (verb in {"was", "were", "told", "says", "said", "calls", "comes"})
        or (
            re.match(r"\w+ing\b", rest)
            and verb in {"is", "are"}
            and not re.match(
                r"(?:studying|getting\smarried|expecting|turning|teething|living|working)\b", rest
            )
        )
    ):
        return []
    if (
        re.search(r"\b(?:today|tonight|right\snow|yesterday|this\smorning)\b", rest)
        or is_deictic(rest)
        or re.match(r"(?:that|it|me|to\s(?:know|ask))\b", rest)
    ):
        return []
    if verb in {"wants", "need", "needs"} and rest.startswith(("to ", "help", "me")):
        return []
    health = re.search(
        r"\b(?:allerg|intoleran|gluten|diabet|asthma|vegan|vegetarian|coeliac|celiac|can\snot)",
        clause,
        re.I,
    )
    name = re.match(r"(?:my|our)\s[\w-]+\s(?:is\s)?(?:called|named|name)|'s\sname", clause)
    return [
        Draft(
            MemoryType.CONSTRAINT if health else _F,
            about_user(clause),
            0.8 if health else 0.7,
            0.85,
            subject=f"name of {noun.lower()}" if name else None,
        )
    ]


def _advised(clause: str, verb: str, rest: str) -> list[Draft]:
    """What a doctor has told the user to do."""
    if not re.match(r"(?:me|I|us|that)\b|to\s\w+|\w+ing\b", rest) or is_deictic(rest):
        return []
    return [
        Draft(
            MemoryType.CONSTRAINT,
            about_user(clause, past=True),
            0.85,
            subject=f"advice:{topic(rest)}",
        )
    ]

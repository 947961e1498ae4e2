"""What has changed in the life of the user."""

# A pattern is easier to check in one piece.
# ruff: noqa: E501

from __future__ import annotations

import re
from dataclasses import replace

from langgraph_memory.extraction.dates import has_date
from langgraph_memory.extraction.drafts import Draft
from langgraph_memory.extraction.rules.english.clauses import Predicate
from langgraph_memory.extraction.rules.english.possessing import read_having
from langgraph_memory.extraction.rules.english.third_person import about_user
from langgraph_memory.extraction.rules.english.topics import is_deictic, purpose_of, topic
from langgraph_memory.extraction.rules.english.word_classes import (
    KIN,
    MOMENT,
    PET,
    SHORT_WISH,
    is_job,
    is_kind,
    one_of,
)
from langgraph_memory.extraction.rules.kinds import FACT, GOAL, PREFERENCE
from langgraph_memory.memories.values import Swap
from langgraph_memory.offline.lexicon import concepts
from langgraph_memory.offline.words import listed
from langgraph_memory.records import MemoryType

__all__ = ["base_of", "read_changed", "read_perfect", "third"]

_CHANGE = frozenset(
    listed("""
    moved relocated quit left joined started stopped switched migrated graduated bought sold
    adopted married divorced retired broke lost founded launched grew studied majored worked
    gave became changed went converted enrolled emigrated immigrated settled transferred
    resigned got hurt injured tore cut co-founded cofounded turned opened began trained ditched
    dropped swapped replaced upgraded downgraded served lived spent painted repainted renovated redecorated insulated tiled taught finished completed
    """)
)


# Somebody moves; without this, something is moved.
_ONESELF = re.compile(
    r"(?:(?:away|back|out|over|up|down|in|abroad|overseas|again|recently|around|just|all\sthe\sway|here|there|home|house|houses|flats?|apartments?|cities|countries|closer|further|together|on\sup)\b\s?)*(?:$|(?:to|in|into|from|with|for|because|after|last|this|two|three|a\s(?:few|couple|year|month|week))\b|(?:house|home|out|back|here|abroad)\b)",
    re.I,
)
# To "a bigger flat" people move within the same town, too.
_ELSEWHERE = re.compile(
    r"\b(?:city|town|country|countryside|village|coast|suburbs?|island|abroad|overseas|region|north|south|east|west|parents|boyfriend|girlfriend)\b",
    re.I,
)
# What people join in their free time, and no employer.
_CIRCLE = re.compile(
    r"\b(?:club|gym|choir|band|orchestra|league|church|society|association|union|class|course|group|circle|party|library)\b",
    re.I,
)
_ORGANISATION = re.compile(r"[A-Z][\w&.'’-]*(?:\s(?:[A-Z&][\w&.'’-]*|and|of))*(?<!\sand)(?<!\sof)")
_ORDINAL = re.compile(
    r"\b(?:first|second|third|next|last|previous)\s(?!year|month|week|spring|summer|autumn|fall|winter)",
    re.I,
)
_FROM_TO = re.compile(
    r"(?:(?:over|away|back)\s)?(?:to\s(?:(?!from\b)\S+\s)+?)?from\s(?P<old>.+?)(?:\s(?:over\s|back\s)?to\s.+)?$",
    re.I,
)
_OLD = re.compile(
    r"(?P<old>.+?)(?:$|[,;]|\s(?:for|with|by|and|in\sfavou?r|last|this|since|because|when|after|years?|a\s(?:few|year|month|week)|two|three)\b.*$)",
    re.I,
)


def read_perfect(clause: str, said: Predicate) -> Draft | None:
    """What "I have …" tells about the user."""
    verb, rest = said.verb, said.rest
    content = about_user(clause)
    if verb == "got":
        return read_having(
            re.sub(r"\bgot\s", "", clause, count=1),
            Predicate("", "have", rest, said.adverbs, said.negated, said.stopped),
        )
    if is_deictic(rest) or said.auxiliary == "had":
        return None
    if verb in {"liked", "loved", "hated", "enjoyed", "preferred", "disliked"} and (
        "always" in said.adverbs or "never" in said.adverbs
    ):
        return Draft(PREFERENCE, content, 0.6, subject=f"taste:{topic(rest)}")
    if said.negated:
        if "never" in said.adverbs and verb in one_of(
            "smoked drunk eaten driven flown owned married worked used played"
        ):
            return Draft(FACT, content, 0.5)
        return None
    lasting = re.search(r"\b(?:for|since|over|\d+\syears?)\b", rest)
    if (
        verb in {"lived", "worked", "used", "played", "taught", "studied", "owned", "run", "known"}
        and lasting
    ):
        kind = MemoryType.SKILL if verb in {"used", "played", "studied"} else FACT
        return Draft(kind, content, 0.7, subject="home" if verb == "lived" else None)
    if verb in one_of(
        "moved relocated become quit joined switched retired turned stopped given decided "
        "adopted married settled left gone started bought replaced swapped sold upgraded downgraded"
    ):
        return _change(clause, content, verb, rest)
    return None


def read_changed(clause: str, said: Predicate) -> Draft | None:
    """What a clause in the past tells of how things are since then."""
    verb, rest = said.verb, said.rest
    content = about_user(clause, past=True)
    if verb == "had":
        if re.search(
            rf"\b(?:surgery|operation|transplant|stroke|heart\sattack|miscarriage|cancer|c-section|bypass)\b|\b(?:a|our|my)\s(?:\w+\s)?(?:baby|{KIN})\b",
            rest,
            re.I,
        ):
            return Draft(FACT, content, 0.8)
        return None
    if verb in {"hated", "loved", "liked", "enjoyed"}:
        return None
    if verb not in _CHANGE or (is_deictic(rest) and verb not in {"quit"}):
        return None
    return _change(clause, content, verb, rest)


def _change(clause: str, content: str, verb: str, rest: str) -> Draft | None:
    """A change in the user's life, which says how things are since then."""
    if verb in {"moved", "relocated", "settled", "emigrated", "immigrated"}:
        return _moved(clause, content, verb, rest)
    if verb == "turned" and re.match(r"\d{1,2}\b(?!\s?(?:%|percent))", rest):
        return Draft(FACT, content, 0.75, subject="age")
    if verb in {"went", "gone"} and re.match(r"back\sto\s\w+", rest):
        return (
            Draft(FACT, content, 0.6, subject=f"habit:{topic(rest[8:])}")
            if re.match(
                r"back\sto\s(?:eating|drinking|using|smoking|working|school|university|college|meat|coffee|being)",
                rest,
            )
            else None
        )
    if verb in {"quit", "stopped", "gave", "given", "ditched", "dropped"}:
        if verb in {"gave", "given"} and not rest.startswith("up"):
            return None
        what = re.sub(r"^up\s", "", rest)
        if re.search(r"\b(?:job|work|position|company|bank|firm)\b", what) or re.match(
            r"(?-i:[A-Z])\w+", what
        ):
            subject = "employer" if verb == "quit" else None
            given = _given_up(_OLD.match(what)) if verb != "quit" else ()
            swap = (
                Swap(name.group(), "") if subject and (name := _ORGANISATION.search(what)) else None
            )
            return Draft(
                FACT, content, 0.8 if subject else 0.6, subject=subject, retracts=given, swap=swap
            )
        gerund = re.match(r"(\w+ing)\b", what)
        if verb == "stopped" and not gerund:
            return None
        base = (
            f"{base_of(gerund.group(1))} {topic(what[gerund.end() :])}" if gerund else topic(what)
        )
        retracted = (
            f"The user {third(base_of(gerund.group(1)))}{what[gerund.end() :]}" if gerund else ""
        )
        retracted = re.sub(
            r"\s(?:last|this|in|since|a|two|three|about|recently|back|years?)\b.*$", "", retracted
        )
        return Draft(
            FACT,
            content,
            0.65,
            subject=f"habit:{base}".strip(),
            retracts=(retracted,) if retracted else _given_up(_OLD.match(what)),
        )
    if verb == "spent":
        years = re.match(r".{1,20}\byears?\s(?:as|at|in|with|working)\b", rest)
        return Draft(FACT, content, 0.6) if years else None
    if verb in {"joined", "left", "resigned"}:
        if verb == "left" and not re.search(
            r"\b(?:job|company|firm|bank|team|my|(?-i:[A-Z])\w+|school|university)\b|^\w+ing(?:$|\s(?:after|in|for|last)\b)",
            rest,
        ):
            return None
        if verb == "left" and (
            MOMENT.search(rest)
            or re.search(r"^for\b|\b(?:early|late|behind|open|on\s(?:the|time)|at\s\d)", rest)
            or re.match(
                r"(?:my|our|the|an?|some)\s(?!(?:\w+\s){0,2}?(?:job|company|firm|bank|team|position|post|role|school|university|employer|work|agency|office|career)\b)",
                rest,
            )
        ):
            return None
        if _CIRCLE.search(rest):
            given = _given_up(_OLD.match(rest)) if verb == "left" else ()
            return Draft(FACT, content, 0.6, retracts=given)
        ended = _ORGANISATION.search(rest) if verb != "joined" else None
        swap = Swap(ended.group(), "") if ended else None
        return Draft(FACT, content, 0.85, subject="employer", swap=swap)
    if verb in {"started", "began"}:
        if re.search(
            r"\b(?:job|work|position|role|working|at\s(?-i:[A-Z])\w+|company|business|university|school|as\sa|my\sown)\b",
            rest,
        ):
            return Draft(FACT, content, 0.8, subject="job")
        return (
            Draft(FACT, content, 0.55)
            if re.match(
                r"(?:learning|studying|taking|eating|running|playing|going|using|doing|seeing|lifting)\s(?!it\b|this\b|that\b)",
                rest,
            )
            else None
        )
    if verb in one_of(
        "switched migrated changed converted swapped replaced transferred upgraded downgraded decided"
    ):
        if verb == "decided":
            return (
                Draft(GOAL, content, 0.55, 0.7)
                if rest.startswith("to ") and rest.split(" ")[1] not in SHORT_WISH
                else None
            )
        if _ORDINAL.search(rest):
            return None  # Of things of the conversation.
        swap = _swap(rest)
        if verb == "replaced" and not re.search(r"\bwith\s(?:a\s)?(?-i:[A-Z])", rest):
            known = replace(swap, known_only=True) if swap else None
            return Draft(FACT, content, 0.6, swap=known) if known else None
        if not re.search(r"\b(?:to|from|jobs?|careers?|with|for|majors?)\b", rest):
            return None
        old = _OLD if verb in {"swapped", "replaced"} else _FROM_TO
        return Draft(
            FACT,
            content,
            0.7,
            subject=_moved_for(content, rest),
            retracts=_given_up(old.match(rest)),
            swap=swap,
        )
    if verb in {"got", "went", "became", "become", "gone"}:
        if re.match(r"(?:engaged|married|divorced|promoted|laid\soff|fired|pregnant|vegan|vegetarian|keto|sober|freelance|tenure|my\s(?:degree|license|phd|citizenship|green\scard)|diagnosed|hired|"
                    rf"a\s(?:new\s)?(?:\w+\s)?(?:job|promotion|offer|{PET})|an?\s(?:\w+\s)?(?:dog|cat|puppy|kitten)|into\s(?!an?\s(?:argument|accident)|trouble|it)\w+)", rest, re.I):  # fmt: skip
            return Draft(FACT, content, 0.75)
        if verb in {"became", "become"} and (
            is_job(re.sub(r"^an?\s", "", rest))
            or re.search(
                r"\b(?:father|mother|dad|mum|mom|parent|citizen|grand\w+|aunt|uncle)\b", rest
            )
        ):
            return Draft(
                FACT, content, 0.8, subject="job" if is_job(re.sub(r"^an?\s", "", rest)) else None
            )
        if verb == "went" and re.match(
            r"to\s(?:\w+\s){0,3}(?:university|college|school|uni)\b|to\s(?:MIT|Harvard|Stanford|Oxford|Cambridge)",
            rest,
        ):
            return Draft(FACT, content, 0.7)
        return None
    if verb in one_of("painted repainted renovated redecorated insulated tiled"):
        return (
            Draft(FACT, content, 0.5, 0.75) if re.match(r"(?:the|our|my|all)\s\w+", rest) else None
        )
    if verb in {"grew"}:
        return (
            Draft(FACT, content, 0.75, subject="origin")
            if re.match(r"up\b.*\b(?:in|on|near|outside|speaking|with|between)\b", rest)
            else None
        )
    if verb in {"broke", "hurt", "injured", "tore", "cut"}:
        return (
            Draft(FACT, content, 0.75)
            if re.match(
                r"my\s(?:\w+\s)?(?:arm|leg|ankle|wrist|knee|back|shoulder|hip|foot|toe|finger|collarbone|acl|rib|hand|elbow|neck|nose)",
                rest,
                re.I,
            )
            else None
        )
    if verb in one_of("bought sold adopted opened founded co-founded cofounded launched"):
        big = rf"\b(?:house|place|flat|apartment|condo|car|bike|motorcycle|boat|{PET}|business|company|shop|store|startup|restaurant|studio|cafe|{KIN}|home|van|land|farm|cottage|app)\b"
        given = _given_up(_OLD.match(rest)) if verb == "sold" else ()
        return (
            Draft(FACT, content, 0.7, retracts=given)
            if re.search(big, rest, re.I)
            or (given and re.match(r"(?:my|our|the)\s(?-i:[A-Z])", rest))
            or verb in {"founded", "co-founded", "cofounded", "adopted"}
            else None
        )
    if verb in one_of(
        "worked lived served taught studied majored trained graduated enrolled retired "
        "married divorced lost finished completed"
    ):
        if verb == "lost" and not re.search(
            rf"\b(?:job|{KIN}|{PET}|kilos?|kg|pounds|hearing|sight)\b", rest
        ):
            return None
        if verb in {"finished", "completed"} and not re.search(
            r"\b(?:degree|phd|master\w*|school|university|college|marathon|bootcamp|residency|training|apprenticeship)\b",
            rest,
            re.I,
        ):
            return None
        if verb == "worked" and not re.match(r"(?:at|for|as|in)\b", rest):
            return None
        if verb == "studied" and rest.startswith("for"):
            return None
        return Draft(FACT, content, 0.7)
    return None


_ASIDE = re.compile(
    r"\b(?:when|while|because|as|so|since|after|before|until|and|but|for|ago|then|who|which|where)\b|[,;(]"
)


def _moved(clause: str, content: str, verb: str, rest: str) -> Draft | None:
    """A move: of the user to another home or employer, from one thing to another, or of a thing."""
    if verb == "moved" and not _ONESELF.match(rest):
        dated = re.search(r"\bfrom\s.+\sto\s", rest) and has_date(
            f"in {rest.rpartition(' to ')[2]}"
        )
        if re.match(r"(?:on|the|this|that|it)\b", rest) and not dated:
            return None
        lasting = dated or re.search(r"\b(?:to|into)\s(?-i:[A-Z])", rest)
        return Draft(FACT, content, 0.55, 0.75) if lasting else None
    if (
        not re.search(r"\b(?:to|in|into|from|house|home|out|back|here)\b", rest)
        or re.match(r"(?:on|that|it)\b", rest)
        or _ORDINAL.search(rest)
    ):
        return None
    if re.match(
        r"to\s(?:a\s(?:new|different)\s(?:company|job|firm|team)|the\s\w+\s(?:team|department))",
        rest,
    ):
        return Draft(FACT, content, 0.8, subject="employer")
    home = _is_home(clause, rest) or (verb != "moved" and re.search(r"\b(?-i:[A-Z])", rest))
    # "Where do I live?" finds it by that word only.
    stays = home and re.search(r"\b(?:to|into)\s(?-i:[A-Z])", rest) and not _ASIDE.search(rest)
    return Draft(
        FACT,
        f"{content} and lives there" if stays else content,
        0.8 if home else 0.7,
        subject="home" if home else None,
        retracts=_given_up(_FROM_TO.match(rest))[:1],
        swap=None if home else _swap(rest),
    )


def _is_home(clause: str, rest: str) -> bool:
    """Whether "moved from A to B" speaks of where the user lives, and not of tools or terms."""
    if _ELSEWHERE.search(rest):
        return True
    named = re.findall(r"\b(?:from|to|into)\s((?-i:[A-Z])[\w'-]*)", rest)
    places = [is_kind(one.lower(), "place") for one in named]
    if any(places):
        return True
    # Only few places are known by name, but most tools are; and "we" are often those at work.
    tools = any(concepts((one.lower(),)) for one in named)
    return bool(named) and not tools and clause[:2] == "I "


_SWAPPED = re.compile(
    r"(?:(?:over|away|back)\s)?(?:from\s(?P<from>[^,;]{1,40}?)\s(?:over\s)?to|(?!from\b)(?P<old>[^,;]{1,40}?)\s(?:with|for|by|in\sfavou?r\sof))\s"
    r"(?P<new>[^,;]{1,40}?(?:,\s(?-i:[A-Z])[\w-]+(?:\s(?-i:[A-Z])[\w-]+)?)?)"
    r"(?:$|[,;]|\s(?:last|this|in|since|because|as|when|after|a\s(?:few|year|month|week)|two|three|now|recently|on|at)\b.*$)",
    re.I,
)


def _moved_for(content: str, rest: str) -> str | None:
    """For what something else is used now: "to Bear for my notes"."""
    return purpose_of(content, rest) if rest.startswith("to ") else None


def _swap(rest: str) -> Swap | None:
    """What was put in the place of what: "switched from A to B", "replaced A with B"."""
    found = _SWAPPED.match(rest)
    if found is None or _moved_for("", rest):
        return None
    old = found["from"] or found["old"]
    if is_deictic(old) or is_deictic(found["new"]) or re.match(r"\w+ing\s", old):
        return None
    # "A younger teacher, Tom Arden" is called Tom Arden.
    return Swap(old, found["new"].rpartition(", ")[2])


def _given_up(old: re.Match[str] | None) -> tuple[str, ...]:
    """What is no longer true of the old thing in "from old to new", as it may be remembered."""
    thing = (
        re.sub(r"^(?:my|our|the|an?|using)\s", "", old["old"].strip(), flags=re.I) if old else ""
    )
    if not thing or is_deictic(thing) or len(thing.split()) > 5:
        return ()
    gerund = re.match(r"(\w{2,}ing)\s(?=\w)", thing)
    if gerund:
        return (f"The user {third(base_of(gerund.group(1)))} {thing[gerund.end() :]}",)
    return (f"The user uses {thing}", f"The user has {thing}")


def base_of(gerund: str) -> str:
    """The verb of a gerund: "eating" → "eat", "smoking" → "smoke", "running" → "run"."""
    stem = gerund[:-3]
    if len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in "lsz":
        return stem[:-1]
    if (
        re.search(r"[aeiou][bcdgkmpstvz]$", stem)
        and not re.search(r"(?:ea|oo|ee|ou|ai|oa)[bcdgkmpstvz]$", stem)
        and stem not in {"visit", "edit", "eat", "drink", "commit"}
    ):
        return stem + "e"
    return stem


def third(verb: str) -> str:
    """A verb as it is said of the user."""
    from langgraph_memory.extraction.rules.english.third_person import inflected

    return inflected(verb)

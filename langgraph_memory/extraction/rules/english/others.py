"""Clauses about the user with another subject: "X gives me a headache", "X is my home"."""

# A pattern is easier to check in one piece.

from __future__ import annotations

import re

from langgraph_memory.extraction.drafts import Draft
from langgraph_memory.extraction.rules.english.third_person import (
    about_user,
    inflected,
    pronouns_changed,
)
from langgraph_memory.extraction.rules.english.topics import is_deictic, topic
from langgraph_memory.extraction.rules.english.word_classes import BODY, SURROUNDINGS
from langgraph_memory.records import MemoryType

__all__ = ["read_of_another", "read_other", "subject_of", "with_antecedent"]

_P, _C, _F = MemoryType.PREFERENCE, MemoryType.CONSTRAINT, MemoryType.FACT
_EFFECT = re.compile(
    r"^(?P<what>[\w\s'’-]{2,50}?)\s(?:always\s|usually\s|really\s|often\s|just\s|literally\s|tends?\sto\s|can\s|could\s|might\s|may\s|will\s|would\s)*(?P<verb>gives?|makes?|causes?|triggers?|upsets?|wrecks?|kills?|sends?|sets?\soff|does\snot\sagree\swith|do\snot\sagree\swith|"
    r"disagrees?\swith|messes?\s(?:up|with)|irritates?|bothers?|puts?|keeps?|drives?|bores?|scares?|terrif(?:y|ies)|relax(?:es)?|calms?|stress(?:es)?|drains?|annoys?|tires?|exhausts?|overwhelms?|fascinates?|delights?|excites?|disgusts?|freaks?|creeps?|grosses|hurts?|destroys?|flares?\sup)\s(?P<whom>(?:me|my|us)\b.*|(?:hives|a\srash|reactions?)\b.*\bme\b.*)$",
    re.I,
)
_THING = re.compile(
    r"^(?P<what>[\w\s'’+#-]{2,50}?)\s(?:is|are|was|has\salways\sbeen|will\salways\sbe)\s(?:(?:just|really|totally|definitely|absolutely|always|still|by\sfar|probably|one\sof|also|usually|mostly|so|simply|all)\s)*(?P<not>not\s(?:really\s|exactly\s|quite\s)?)?(?:my|our)\s(?:(?:all-?time|absolute|personal|biggest|main|least|new|number\sone|go-to|big|one|only|greatest|true|kind\sof)\s)*"
    r"(?P<noun>favou?rites?|go-to|thing|cup\sof\stea|jam|passion|hobby|comfort\s\w+|guilty\spleasure|favou?rite\s[\w\s]+|weakness|obsession|poison|drink|preference|native\slanguage|mother\stongue|first\slanguage|main\s\w+|hometown|home\stown|home|daily\sdriver|first\schoice|priority|pet\speeve|nemesis|style|life|thing\sanymore|birthday|editor|language\sof\schoice|employer|company|boss|alma\smater|name)\b(?P<more>.*)$",
    re.I,
)
_OFF = re.compile(
    r"^(?P<what>[\w\s'’-]{2,50}?)\s(?:is|are)\s(?:(?:a\s)?(?:hard\s|strict\s|complete(?:ly)?\s|total\s|absolutely\s)?(?:no(?:-go)?|off[\s-]?limits|off\sthe\s(?:table|menu)|out\sof\sthe\squestion|forbidden|a\sdeal-?breaker|not\san\soption|must|a\smust|poison|essential|torture|heaven|hell|important|crucial|non-negotiable))(?:\s(?:for|to)\s(?:me|us))?$",
    re.I,
)
_HOME = re.compile(
    r"^(?P<what>(?-i:[A-Z])[\w\s'-]+?)\s(?:is|has\sbeen)\s(?:now\s|currently\s|where\sI\s(?:live|am\sbased)|(?:my\s)?home)\b.*$",
    re.I,
)
_NAMED = re.compile(
    r"^(?:you\s(?:can|may|could|should)\s)?(?:please\s|just\s|always\s)*(?:call|address|refer\sto)\sme\s(?:by\s|as\s|with\s)?(?P<name>(?:[\w'’.-]+\s?){1,4}?)(?:\s(?:from\snow\son|instead|please|for\sshort|in\sfuture|and\b.*|if\b.*))?(?:,?\s(?:and\s)?(?:not|no\slonger)\s[\w'’-]+)?$",
    re.I,
)
_SUFFICES = re.compile(
    r"^(?:just\s|plain\s)?(?P<name>(?-i:[A-Z])[\w-]+)\s(?:is\s(?:fine|enough|ok|okay)|will\sdo|works)(?:\s(?:for|with)\sme)?$",
    re.I,
)
# "It is London" names nobody; "it is Ann here" does.
_HERE = re.compile(
    r"^(?:it|this)\sis\s(?P<name>(?-i:[A-Z])[\w-]+(?:\s(?-i:[A-Z])\w+)?)\s(?:here|speaking|from\b)[^,]*(?:,.*)?$",
    re.I,
)
_AT_OURS = re.compile(
    rf"^(?:the|all\sthe)\s(?:\w+\s)?{SURROUNDINGS}\s(?:at|in|of|on)\s(?:my|our)\s(?:new\s|old\s)?(?:place|house|home|flat|apartment|office|company|garden|project|app|team)\s(?:is|are|has|have|runs?|uses?|was\spainted)\s"
    r"(?!(?:not|down|slow|broken|still|so|too|very|really|failing|wrong)\b)\S",
    re.I,
)
_ONLY = re.compile(
    r"^(?P<what>[\w'-]+(?:\s[\w'-]+){0,3}?)\sonly,?\s(?:for\sme|always)(?:,?\s(?:for\sme|always))?$",
    re.I,
)
_CALLED = re.compile(
    r"^(?:(?!(?:I|you|he|she|it|what|do|please|and|just|to)\b)[\w\s'’-]{2,40}?)\s(?:just\s|usually\s|always\s|all\s|mostly\s)?(?:named\sme\s(?:after\s)?|(?:calls?|knows?)\s(?:me|us)\s(?:as\s|by\s)?|says?\s(?=(?-i:[A-Z])\w+$))(?P<name>.+)$",
    re.I,
)
_BETTER = re.compile(
    r"^(?:give\sme\s(?P<what>.{2,40}?)(?P<more>\sover\s.{2,40}?)\s(?:any\s?(?:day|time)|every\stime|always)|nothing\sbeats\s(?P<what2>.{3,40}?)(?:\sfor\sme)?|(?P<what3>[\w\s]{2,40}?)\sbeats?\s(?P<more3>.{2,40}?)\s(?:any\s?(?:day|time)|every\stime|hands\sdown)(?:\sfor\sme)?|(?P<what4>[\w\s]{2,40}?)\s(?P<more4>over\s.{2,30}?)\s(?:any\s?(?:day|time)|always|every\stime))$",
    re.I,
)
_ANOTHER = re.compile(
    r"^(?:he|she|they|you|it|that|this|there|who|what|which|these|those|his|her|their)\b", re.I
)
_IS_WHO = re.compile(
    r"^(?:(?:it\sis\s)?me(?:\sagain)?,|you\sare\s(?:talking|speaking|chatting)\s(?:to|with))\s(?P<name>(?-i:[A-Z])[\w-]+(?:\s(?-i:[A-Z])\w+)?)(?:\s(?:here|speaking|from\b.*))?$",
    re.I,
)
_THE_NAME = re.compile(
    r"^the\sname(?:\sis|'s)\s(?P<name>(?-i:[A-Z])[\w-]+(?:\s(?-i:[A-Z])\w+)?)$", re.I
)


def subject_of(clause: str) -> str:
    """The subject of a clause about a thing, to stand for "it" in the next clause."""
    found = re.match(
        r"((?:[\w'’-]+\s){1,4}?)(?:is|are|was|makes?|gives?|tastes?|smells?|just|can)\b", clause
    )
    if not found or _ANOTHER.match(clause) or re.match(r"(?:I|we)\b", clause, re.I):
        return ""
    return found.group(1).strip()


def with_antecedent(clause: str, before: str) -> str:
    """A clause whose object is "it", with what "it" stands for."""
    what = subject_of(before)
    if not what or not re.match(r"(?:I|we)\b", clause, re.I):
        return clause
    words = clause.split(" ")
    for at, word in enumerate(words[2:], 2):
        if word.lower().strip(",") in {"it", "them", "that"}:
            words[at] = what[:1].lower() + what[1:]
            return " ".join(words)
    if re.search(r"\b(?:have|eat|drink)\sany$", clause):
        return f"{clause} {what[:1].lower()}{what[1:]}"
    return clause


# "Ann is vegan, so no cheese" is Ann's, and no wish of the user's own.
_OF_ANOTHER = re.compile(
    r"^(?:(?:and|also|but|oh|note\sthat|remember\sthat|by\sthe\sway),?\s)*"
    r"(?P<who>(?:my|our)\s[\w'’\s-]{2,40}?|(?-i:(?!(?:I|We|My|Our|It|This|That|There|You|What|Everything|Nothing|So|If)\b)[A-Z])[\w-]+(?:\sand\s(?-i:[A-Z])\w+)?|(?:her|his|their)\s[\w'’\s-]{2,40}?|he|she|they)"
    r"(?:\s(?:is|are|has|have)|['’]s)\s(?:\w+ly\s|also\s|a\s|an\s|very\s)*(?:[\w-]+\s)?(?:allerg\w+|intoleran\w+|vegan|vegetarian|pescatarian|c(?:o)?eliac|diabetic|pregnant|kosher|halal|asthma\w*)\b"
    r"[^,]*?(?:,?\s(?:and\s)?(?:so|hence|therefore|thus)\s|,\s(?=(?:no|nothing|never|do\snot|please|avoid|keep|without)\b))(?!.*\b(?:I|we|my|our)\b).+$",
    re.I,
)


def read_of_another(sentence: str) -> list[Draft] | None:
    """What must be heeded for somebody who is named, with its reason; None if it tells no such."""
    found = _OF_ANOTHER.match(sentence)
    if found is None:
        return None
    if re.match(r"(?:he|she|they|her|his|their)\b", found["who"], re.I):
        return []
    content = about_user(sentence[found.start("who") :].rstrip(" .!"))
    return [Draft(_C, content, 0.8, 0.85)]


def read_other(clause: str) -> list[Draft]:
    """What a clause whose subject is neither "I" nor "my …" tells about the user."""
    for pattern in (_NAMED, _SUFFICES, _CALLED, _IS_WHO, _HERE, _THE_NAME):
        named = (
            None
            if re.match(r"(?:\w+\s)?(?:do\snot|never|no\sone|nobody|stop)\b", clause, re.I)
            else pattern.match(clause)
        )
        if named and not re.match(
            r"(?:back|when|if|at|on|later|tomorrow|crazy|a\b|an\b|up\b|out\b|sir$|maybe|anything|formally|informally|not\b|for\b|the\b|by\b|too\b)",
            named.group("name"),
            re.I,
        ):
            given = named.group("name").strip()
            if pattern in (_NAMED, _SUFFICES, _CALLED):
                return [
                    Draft(
                        _F,
                        f"The user wants to be called {given}"
                        if pattern is not _CALLED
                        else f"The user is called {given}",
                        0.95,
                        subject="nickname",
                    )
                ]
            return [Draft(_F, f"The user's name is {given}", 0.95, subject="name")]
    better = _better(clause)
    if better:
        return [better]
    away = re.match(
        r"(?:please\s)?keep\s(?:me\saway\sfrom\s(?P<from>.+)|(?P<it>[\w\s]+?)\saway\sfrom\sme)$",
        clause,
        re.I,
    )
    if away:
        what = away.group("from") or away.group("it")
        return (
            []
            if is_deictic(what) and not what.startswith("anything")
            else [Draft(_C, f"The user must be kept away from {pronouns_changed(what)}", 0.85, 0.8)]
        )
    made = re.match(
        r"(?:everything|all|all\sthe\s\w+|most\sof\swhat|whatever|the\s\w+)\s(?:that\s)?(?:I|we)\s\w+\s(?:is|are|gets?)\s(?:\w+ly\s|all\s|mostly\s)?(?:written|built|done|coded|hosted|deployed|stored|tracked|run)\s(?:in|with|on|using)\s\S+",
        clause,
        re.I,
    )
    if made:
        content = re.sub(
            r"\b(?:I|we)\s(\w+)", lambda one: f"the user {inflected(one.group(1))}", clause, count=1
        )
        return [Draft(_F, content[:1].upper() + pronouns_changed(content[1:]), 0.7)]
    if _AT_OURS.match(clause):
        return [Draft(_F, about_user(clause), 0.5, 0.7)]
    only = _ONLY.match(clause)
    if only and not is_deictic(only["what"]):
        content = f"The user wants only {only['what'][:1].lower()}{only['what'][1:]}"
        return [Draft(_P, content, 0.65, 0.75, subject=f"taste:{topic(only['what'])}")]
    home = _HOME.match(clause)
    if home:
        return [Draft(_F, f"The user lives in {home.group('what')}", 0.8, subject="home")]
    if _ANOTHER.match(clause) or re.match(
        r"(?:give|show|tell|make|keep|send|get)\s(?:me|us)\b", clause, re.I
    ):
        return []
    effect = _EFFECT.match(clause)
    if (
        effect
        and not is_deictic(effect.group("what"))
        and not re.match(
            r"(?:my|the|your)\s(?:code|script|app|computer|boss|manager|teacher|friend|neighbou?r|client)",
            effect.group("what"),
            re.I,
        )
    ):
        if re.search(
            r"\b(?:laugh|smile|think|wonder|know|an?\s(?:error|warning|message|idea|hand|ride|call))\b",
            effect.group("whom"),
            re.I,
        ):
            return []
        bodily = BODY.search(effect.group("whom")) or re.search(
            r"agree|upset|irritat|wreck|trigger|flare|kill|set", effect.group("verb")
        )
        return [
            Draft(
                _C if bodily else _P,
                about_user(clause),
                0.9 if bodily else 0.55,
                0.85,
                subject=f"taste:{topic(effect.group('what'))}",
            )
        ]
    thing = _THING.match(clause)
    if thing and not is_deictic(thing.group("what")):
        noun = thing.group("noun").lower()
        if re.search(r"language|tongue", noun):
            return [
                Draft(_F, about_user(clause), 0.7, subject=noun if not thing.group("not") else None)
            ]
        if noun.startswith(("home", "birthday", "employer", "company", "boss", "alma", "name")):
            return [Draft(_F, about_user(clause), 0.7, subject=noun)]
        return [Draft(_P, about_user(clause), 0.6, subject=f"taste:{topic(thing.group('what'))}")]
    off = _OFF.match(clause)
    if off and not is_deictic(off.group("what")) and not _ANOTHER.match(clause):
        own = re.search(r"\b(?:me|us)$", clause, re.I)
        if own or re.search(r"off[\s-]|question|no-go|breaker|negotiable", clause):
            content = (
                about_user(clause)
                if own
                else f"{clause[:1].upper()}{pronouns_changed(clause[1:])} for the user"
            )
            return [
                Draft(
                    _C,
                    content,
                    0.8,
                    0.85 if own else 0.65,
                    subject=f"taste:{topic(off.group('what'))}",
                )
            ]
    return []


def _better(clause: str) -> Draft | None:
    """What beats something else for the user."""
    found = _BETTER.match(clause)
    said = {
        name.rstrip("234"): text
        for name, text in (found.groupdict() if found else {}).items()
        if text
    }
    what = said.get("what", "")
    if not what or is_deictic(what):
        return None
    what = what[:1].lower() + what[1:] if what[1:2].islower() else what
    more = said.get("more", "").strip()
    over = f" {more}" if more.startswith("over") else f" over {more}" if more else ""
    return Draft(_P, f"The user prefers {what}{over}", 0.6, 0.8, subject=f"taste:{topic(what)}")

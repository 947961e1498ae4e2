"""What the user wants to be spared: "no X", "nothing with X", "I do not want X"."""

# A pattern is easier to check in one piece.

from __future__ import annotations

import re

from langgraph_memory.extraction.drafts import Draft
from langgraph_memory.extraction.rules.english.terms import is_about_work
from langgraph_memory.extraction.rules.english.third_person import pronouns_changed
from langgraph_memory.extraction.rules.english.topics import is_deictic, topic
from langgraph_memory.extraction.rules.english.word_classes import MOMENT, is_kind
from langgraph_memory.records import MemoryType

__all__ = ["is_unwanted", "read_exclusion", "read_spared"]

_NO = re.compile(
    r"^(?:please,?\s)?(?:(?:absolutely|definitely|strictly)\s)?(?P<no>no(?:\smore)?|enough(?:\swith)?(?:\sof)?(?:\sthe)?|nothing(?=\s(?:with|containing|made)\b))\s(?P<what>[\w\s'’-]+?)"
    r"(?P<when>,?\s(?:please|ever|for\sme|from\snow\son|any\s?more|at\sall|again|in\s\w+\s\w+|(?:when|on|for|with|over|before|after)\b.*))*$",
    re.I,
)
_SPARED = re.compile(
    r"^(?:(?:absolutely|definitely|strictly|also|and)\s)*(?:please,?\s)?(?P<no>nothing|no|not)\s(?P<what>[\w\s'’-]+?)(?:,?\s(?:please|thanks))?$",
    re.I,
)
# "Nothing special" is a thing to say; "nothing works" tells how things are.
_NOTHING_SAID = re.compile(
    r"^(?:special|much|else|new|wrong|really|major|serious|important|interesting|personal|but|compared|like|left|yet|more|less|to|is|was|i|we|you|he|she|they|it|so|of|fancy|urgent|yet|serious|then|there|now|here)\b|^\w+(?<!s)s\b(?!\s(?:only|or))|^\w+s$",
    re.I,
)
_LASTS = re.compile(
    r"^(?:about\s)?\d+\s(?:minutes?|mins?|hours?)\s(?:a|per|each|every)\s(?:day|night|week|session|evening)\b.*\b(?:at\smost|max\w*|tops|or\sless)$|"
    r"^(?:at\s(?:the\s)?most|max\w*|no\smore\sthan|not\smore\sthan|up\sto)\s\d+\s(?:minutes?|mins?|hours?)\s(?:a|per|each|every)\s(?:day|night|week|session|evening)$",
    re.I,
)
_MARKED = re.compile(r"\b(?:for\sme|ever|never|from\snow\son|at\sall|again)\b", re.I)
_ONCE = re.compile(
    r"\b(?:this\stime|just\sonce|for\s(?:now|once|this\s\w+)|yet|so\sfar|today|tonight)\b", re.I
)
# "No idea", "no luck": said of the moment, and nothing to be spared.
_TALK = re.compile(
    r"^(?:problems?|worr(?:y|ies)|thanks?|idea|need|way|ways|one|rush|offen[cs]e|doubts?|luck|kidding|clues?|matter|wonder|big\sdeal|more|longer|comments?|good|bad|sorry|really|not|i|it|that|this|these|those|you|he|they|we|the|time|pressure|questions?|hurry|biggie|"
    r"errors?|output|such|responses?|joke|pun|reasons?|difference|sweat|trouble|results?|changes?|updates?|news|issues?|messages?|help|surprises?|signs?|plans?|matches|warnings?|tests?|logs?|files?|data|spoilers?|others?|repl(?:y|ies)|harm|chance|point|shame|regrets|excuses|hard\sfeelings|strings)\b",
    re.I,
)
_STYLE = re.compile(
    r"\b(?:emojis?|bullets?|bullet\spoints|jargon|apolog\w+|small\stalk|jokes?|lectures?|fluff|disclaimers|notifications|reminders|summaries|markdown|tables|exclamation\s\w+)\b",
    re.I,
)
_MASS = re.compile(
    r"(?:ese|food|meat|fish|dairy|gluten|sugar|alcohol|pork|beef|spam|caffeine|lactose|plastic|leather|fur|music)$"
)
_DOING = re.compile(
    r"to\s(?:eat|drink|fly|stay|travel|sit|ride|live|share|drive|sleep)\s(?!(?:the|this|that|here|it)\b)\w",
    re.I,
)


def is_unwanted(what: str) -> bool:
    """Whether what is not wanted is a kind of thing, or of doing, and not one of this moment."""
    if _ONCE.search(what) or MOMENT.search(what):
        return False
    if what.startswith("to "):
        return _DOING.match(what) is not None
    return _is_kind_of_thing(re.sub(r"^any(?:thing)?\s", "", what))


def _is_kind_of_thing(what: str) -> bool:
    if _TALK.match(what) or is_deictic(what) or re.match(r"(?:a|an|another|the|my)\s", what):
        return False
    noun = re.split(
        r"\s(?:with|in|on|at|or|and|for|from|that|near|far|away|without|over|under|before|after)\s",
        what,
    )[0]
    head = noun.split(" ")[-1].lower()
    plural = re.search(r"[^su\W]s$", head) is not None
    return (
        plural
        or _MASS.search(head) is not None
        or any(is_kind(head, wide) for wide in ("food", "drink", "animal"))
        or re.match(r"(?:with|containing|made)\s", what) is not None
    ) and len(what.split()) <= 8


def read_exclusion(clause: str, sentence: str) -> Draft | None:
    """What a clause without a verb rules out for good, or None.

    Args:
        clause: The clause.
        sentence: The sentence it stands in, which may say that it is for this once.
    """
    found = _NO.match(clause)
    if found is None or _TALK.match(found.group("what")) or _ONCE.search(sentence):
        return None
    what = pronouns_changed(found.group("what"))
    if re.match(r"no\smore|enough", found.group("no"), re.I):
        return Draft(
            MemoryType.INSTRUCTION,
            f"The user wants no more {what}",
            0.85,
            0.8,
            subject=f"order:{topic(what)}",
        )
    marked = _MARKED.search(clause) is not None
    if is_about_work(sentence) and not marked:
        return None
    if not _is_kind_of_thing(what) and not (marked or re.search(r"\bplease\b", sentence, re.I)):
        return None
    if len(what.split()) > 8 or re.search(r"\bfrom\sthe\b|\b(?:is|are|was|were|has|have)\b", what):
        return None
    tail = re.sub(r",?\s(?:please|for\sme|ever)\b,?", "", clause[found.end("what") :], flags=re.I)
    return Draft(
        MemoryType.INSTRUCTION if _STYLE.search(what) else MemoryType.CONSTRAINT,
        f"The user wants {found.group('no').lower()} {what}{pronouns_changed(tail)}".strip(),
        0.8,
        0.85 if marked else 0.7,
        subject=f"taste:{topic(re.sub('^(?:with|containing|made) ', '', what))}",
    )


def read_spared(clause: str) -> Draft | None:
    """What a part of a request rules out, or how long it lets something last; or None.

    Whoever calls has seen that something is asked for, and not for this once only.
    """
    if _LASTS.match(clause):
        return Draft(MemoryType.CONSTRAINT, f"The user's limit: {clause}", 0.75, 0.7)
    found = _SPARED.match(clause)
    if found is None or _ONCE.search(clause) or len(found.group("what").split()) > 8:
        return None
    what, no = found.group("what"), found.group("no").lower()
    talk = _NOTHING_SAID if no == "nothing" else _TALK
    if (
        talk.match(what)
        or talk.match(what.split(" ")[-1])
        or _needs(what)
        or (no == "not" and not re.match(r"on|in|at|near", what))
    ):
        return None
    return Draft(
        MemoryType.CONSTRAINT,
        f"The user wants {no} {pronouns_changed(what)}",
        0.8,
        0.7,
        subject=f"taste:{topic(re.sub('^(?:with|containing|made) ', '', what))}",
    )


def _needs(what: str) -> bool:
    """Whether it goes on with a verb, so that it tells something: "no rooms were free"."""
    return (
        re.search(
            r"\b(?:is|are|was|were|has|have|had|left|free|found|needed|required|necessary|available|there|here|works?)\b",
            what,
        )
        is not None
        and " that " not in f" {what} "
    )

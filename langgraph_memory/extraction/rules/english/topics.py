"""What an English statement is about, as a key: two statements on the same thing share it."""

# A pattern is easier to check in one piece.

from __future__ import annotations

import re

from langgraph_memory.offline.words import stems, tokens

__all__ = ["is_deictic", "purpose_of", "topic"]

_DETERMINER = re.compile(
    r"^(?:(?:a|an|the|any|some|all|my|our|most|all\skinds\sof|kinds\sof|every|no|much|many|of|to|that|lots\sof|anything\swith|"
    r"the\staste\sof|the\ssmell\sof|eating|drinking|having|using|being|really)\s)+",
    re.I,
)
_END = re.compile(
    r"\s*(?:[,;(]|\b(?:but|when|whenever|because|if|since|over|than|rather|instead|anymore|any\smore|any\slonger|again|now|these\sdays|lately|"
    r"at\sall|so\smuch|a\slot|very|too|with\sa\spassion|the\smost|most|best|more|though|anyway|especially|for\sme|on|in|at|for|with|as|every|before|after|while|to)\b)",
    re.I,
)
_DEICTIC = re.compile(
    r"^(?:it|that|this|these|those|them|him|her|you|your|yours|how|what|when|why|where|who|whether|if|so|one|both|everything(?=$|\s(?:you|is|about|in\sthis|here))|(?:some|no|any)thing(?=$|\s(?:you|is|like|about|went|wrong|here))|"
    r"the\s(?:\w+\s){1,2}(?:you|of\s(?:this|that|it))|the\s(?:idea|sound|tips|concept|look|first|second|third|last|latter|former|\w+\sones?\b|answer|answers|suggestion|suggestions|option|options|one|ones|way|plan|new|above|"
    r"following|result|results|code|error|output|response|draft|version|change|changes|thing|part|fact|title|image|picture|tone|feedback|question|list|format)|"
    r"(?:option|number|version|choice|answer)\s(?:\w|one|two|three|four|five|\d+)$|to\s(?:that|this|it|you)|(?:some|any)\s?(?:thing|one|of\s(?:it|that|this)))\b",
    re.I,
)


def is_deictic(phrase: str) -> bool:
    """Whether a phrase only points at something of the conversation: "that idea", "your plan"."""
    return not phrase.strip() or _DEICTIC.match(phrase.strip()) is not None


_FOR_PURPOSE = re.compile(
    r"(?:(?:back\s|over\s)?to\s)?(?!(?:Python|Bash|Java|Kotlin|Swift|Rust|Go|Ruby|Perl|Scala|R)\b)[A-Z][\w.]*(?:\s[A-Z][\w.]*)?\s(?:(?:now|instead)\s)?for\s(?:all\s)?(?:my|our)?\s?"
    r"(?P<what>(?!\w+ing\b|(?:work|everything|most|some|fun|school|business|development|projects?|code|clients?|home|hobb\w+|study|research|personal|private|customers?|friends|family)\b)[a-z]+(?:\s[a-z]+)?)(?:\s(?:now|instead|these\sdays))?$"
)
_SEVERAL = re.compile(r"\b(?:also|sometimes|both|too|either|mostly|mainly|usually)\b", re.I)


def purpose_of(clause: str, rest: str) -> str | None:
    """The subject of a clause that names for what one product is used: "Notion for my notes"."""
    found = _FOR_PURPOSE.match(rest)
    if found is None or _SEVERAL.search(clause):
        return None
    return f"tool:{topic(found['what'])}"


def topic(phrase: str) -> str:
    """The first words of a noun phrase, as stems: "the loud parties at all" → "loud parti"."""
    bare = _DETERMINER.sub("", phrase.strip())
    cut = _END.search(bare)
    if cut and cut.start() > 0:
        bare = bare[: cut.start()]
    return " ".join(stems(tokens(bare))[:4])

"""An English clause in the first person as a sentence about the user."""

# A pattern is easier to check in one piece.
# ruff: noqa: E501

from __future__ import annotations

import re

from langgraph_memory.offline.words import listed

__all__ = ["about_user", "inflected", "is_adverb", "pronouns_changed", "with_verb"]

_IRREGULAR = {
    "am": "is",
    "are": "is",
    "is": "is",
    "have": "has",
    "do": "does",
    "were": "was",
    "go": "goes",
}
_UNCHANGED = frozenset(
    listed("""
    can could will would must should may might was had did used ought is has does
    """)
)
_ADVERB = frozenset(
    listed("""
    really also just always never usually normally often sometimes mostly mainly currently now
    still only generally typically absolutely totally actually personally truly definitely
    rarely seldom hardly already recently both all secretly simply particularly especially much
    far strongly greatly long once formerly kinda sorta quite primarily frequently regularly
    occasionally constantly deeply passionately barely ever almost exclusively professionally
    finally officially basically probably honestly genuinely sincerely presently not cannot even
    happily proudly daily instead then kind sort
    """)
)
_PRONOUNS = {
    "me": "them", "my": "their", "mine": "theirs", "myself": "themselves", "our": "their", "us": "them",
    "ours": "theirs", "ourselves": "themselves", "we": "they", "i": "they", "you": "the assistant",
    "your": "the assistant's", "yourself": "itself", "yours": "the assistant's",
}  # fmt: skip


def inflected(verb: str) -> str:
    """The third person singular of a verb in the present."""
    low = verb.lower()
    if low in _IRREGULAR:
        return _IRREGULAR[low]
    if low in _UNCHANGED:
        return low
    if low.endswith(("s", "sh", "ch", "x", "z", "o")):
        return verb + "es"
    if low.endswith("y") and low[-2:-1] not in tuple("aeiou"):
        return verb[:-1] + "ies"
    return verb + "s"


def pronouns_changed(text: str) -> str:
    """First and second person turned into the third, for what follows the subject."""
    text = re.sub(r"\b(I|we) am\b|\bwe are\b", "they are", text, flags=re.I)
    text = re.sub(r"\b(?:I|we) was\b", "they were", text, flags=re.I)
    text = re.sub(
        r"\b(before|when|whenever|if|until|after|while|once|that|what|unless|as|how)\s(you)\s([a-z]{2,})\b",
        lambda one: f"{one.group(1)} {one.group(2)} {inflected(one.group(3))}",
        text,
        flags=re.I,
    )
    return re.sub(
        r"\b(?:I|we|me|my|mine|myself|our|us|ours|ourselves|you|your|yourself|yours)\b(?!\.)",
        _pronoun,
        text,
        flags=re.I,
    )


def _pronoun(found: re.Match[str]) -> str:
    word = found.group()
    # "US" is a country.
    return word if word == "US" else _PRONOUNS[word.lower()]


_LY_VERBS = frozenset(
    listed("""
    apply supply reply rely comply multiply imply ally rally bully sully tally fly italy family
    assembly july
    """)
)


def is_adverb(word: str) -> bool:
    """Whether a word is an adverb of those that stand before a verb."""
    low = word.lower()
    return low in _ADVERB or (low.endswith("ly") and len(low) > 4 and low not in _LY_VERBS)


def with_verb(predicate: str, *, past: bool = False) -> str:
    """A predicate with its verb inflected for "the user": "really like tea" → "really likes tea"."""
    words = predicate.split(" ")
    at = 0
    while at < len(words) - 1 and (
        is_adverb(words[at])
        or words[at].lower() == "of"
        or " ".join(words[at : at + 2]).lower() == "no longer"
        or " ".join(words[at - 1 : at + 1]).lower() == "no longer"
    ):
        at += 1
    if not past:
        words[at] = inflected(words[at])
    return " ".join(words)


def about_user(clause: str, *, past: bool = False) -> str:
    """A clause that begins with I, we, my or our, about the user."""
    found = re.match(r"(?:I|we)\s+(.+)$", clause, re.I | re.S)
    if found:
        verb, _, rest = with_verb(found.group(1), past=past).partition(" ")
        return f"The user {verb} {pronouns_changed(rest)}".strip()
    found = re.match(r"(?:my|our)\s+(.+)$", clause, re.I | re.S)
    if found:
        return "The user's " + pronouns_changed(found.group(1))
    changed = re.sub(r"\b(?:my|our)\b", "the user's", clause, count=1, flags=re.I)
    if changed == clause:
        changed = re.sub(r"\b(?:me|us)\b", "the user", clause, count=1, flags=re.I)
    changed = pronouns_changed(changed)
    return changed[:1].upper() + changed[1:]

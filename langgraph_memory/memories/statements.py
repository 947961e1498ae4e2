"""Whether one statement already says what another does, word for word."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["is_contained", "negations"]

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|hardly|barely|stopped|quit|"
    r"former|formerly|longer|anymore|unless|except|dislik\w*|hat(?:e|es|ed|ing)|detest\w*|"
    r"loath\w*|avoid\w*|refus\w*)\b|n['’]t\b|[不没別别勿未无無非莫]|除了|戒|讨厌|反感|避免|拒绝",
)


def is_contained(statement: str, other: str) -> bool:
    """Whether `other` holds the whole of `statement`, and says it as true.

    Letter case, spaces and punctuation do not count. "Likes coffee" is contained neither in
    "dislikes coffee" (words are whole) nor in "no longer likes coffee" (a negation more).
    """
    short, long = _plain(statement), _plain(other)
    if not short or negations(statement) != negations(other):
        return False
    return re.search(f"{_edge(short[0])}{re.escape(short)}{_edge(short[-1])}", long) is not None


def negations(statement: str) -> int:
    """How many words of a statement deny or turn against something, in English and Chinese."""
    return len(_NEGATION.findall(_folded(statement)))


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _plain(text: str) -> str:
    """Words separated by single spaces; Chinese without any."""
    words = " ".join(_WORD.findall(_folded(text)))
    return re.sub(f"(?<=[{_HAN}]) (?=[{_HAN}])", "", words)


def _edge(character: str) -> str:
    """Words of letters end at a boundary; Chinese ones anywhere."""
    return "" if re.match(f"[{_HAN}]", character) else r"\b"

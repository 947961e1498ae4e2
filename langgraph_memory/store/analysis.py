"""Text to search terms: English stems, n-grams of scripts without spaces, identifiers.

Both back ends store what `terms` returns and look up what `query_terms` returns, so the same text
is found on both, whatever the database makes of words.

A text is brought to one form first: compatibility characters (full-width letters, ligatures) as
their plain equivalents, no difference of case, Latin letters without accents. Then

- a word of letters is its English stem; other languages are stemmed alike, which is harmless as
  documents and queries agree;
- a word joined by hyphens, underscores, dots and so on (``foo_bar``, ``gpt-4``, an e-mail
  address, a date) is its parts and, as one more term, the parts written together, so that
  ``gpt4`` and ``fooBar`` meet ``gpt-4`` and ``foo_bar``;
- a run of Chinese, Japanese or Korean characters is all its pairs, and each Chinese and Korean
  character alone, so that words of one and of two characters are found without a dictionary.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import lru_cache

import snowballstemmer

from langgraph_memory.store.stop_words import (
    CHINESE_FUNCTION_CHARACTERS,
    CHINESE_QUESTION_WORDS,
    ENGLISH_STOP_WORDS,
)

__all__ = ["MAX_TERM_LENGTH", "query_terms", "terms"]

MAX_TERM_LENGTH = 64
"""Characters of a term; what is longer is cut, so that an index row stays small."""

SINGLE_CHARACTER_WEIGHT = 0.3
"""Weight of one character of a longer Chinese run in a query; its pairs weigh 1."""

# Written together without spaces, one character often a word: Chinese and Korean.
_SYLLABIC = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af\uac00-\ud7a3"
# Written together without spaces, one character never a word: Japanese kana, Thai, Lao, Tibetan,
# Burmese and Khmer.
_PHONETIC = "\u3041-\u3096\u30a1-\u30fe\u0e01-\u0e4e\u0e81-\u0edf\u0f00-\u109f\u1780-\u17d3"
# Vowel signs of India's scripts are marks and not letters for `re`, but belong to the word.
_INDIC = "\u0900-\u0963\u0966-\u0dff"
_LETTER = f"(?:[^\\W_{_SYLLABIC}{_PHONETIC}{_INDIC}])"
_TOKEN = re.compile(
    f"(?P<run>[{_SYLLABIC}{_PHONETIC}]+)|(?P<indic>[{_INDIC}]+)|"
    f"(?P<word>{_LETTER}+(?:(?:[-_./@:,'’]|::|->){_LETTER}+)*(?:\\+\\+|#)?)"
)
_SEPARATOR = re.compile(r"[-_./@:,'’>]+")
_BETWEEN_DIGITS = re.compile(r"(?<=\d)[-_./@:]+(?=\d)")
_ACCENTED = re.compile("[\u00c0-\u024f\u1e00-\u1eff]+")
# Accents left over, Hebrew points and Arabic vowel signs: a search ignores them.
_MARKS = dict.fromkeys([*range(0x300, 0x370), *range(0x591, 0x5C8), *range(0x64B, 0x660), 0x670])
_PHONETIC_CHARACTER = re.compile(f"[{_PHONETIC}]")
_CHINESE_QUESTION_WORD = re.compile(
    "|".join(sorted(map(re.escape, CHINESE_QUESTION_WORDS), key=len, reverse=True))
)
_stem = snowballstemmer.stemmer("english").stemWord


def terms(text: str) -> dict[str, int]:
    """Terms of a text that is to be found, with how often each occurs.

    Args:
        text: Any text, also with NUL or lone surrogates, which separate words.

    Returns:
        Terms of 1 to `MAX_TERM_LENGTH` characters without NUL and surrogates. The same for the
        same text, always. Empty where the text has neither letters nor digits.
    """
    found: Counter[str] = Counter()
    for match in _TOKEN.finditer(_normalised(text)):
        token = match.group()
        if match.lastgroup == "run":
            found.update(_grams(token))
        else:
            found.update(_word_terms(token))
    return dict(found)


def query_terms(text: str) -> dict[str, float]:
    """Terms to look for, each with its weight in the score.

    Words that only make the sentence a question or hold it together ("what", "did", "the",
    "什么", "多少") are left out, unless there is nothing else.

    Args:
        text: What a user asks.

    Returns:
        Weights above 0; empty if the text has nothing that could be looked for.
    """
    normalised = _normalised(text)
    return _weighted(normalised, choosy=True) or _weighted(normalised, choosy=False)


def _weighted(normalised: str, *, choosy: bool) -> dict[str, float]:
    """Terms of a query; `choosy` leaves out the words that say nothing."""
    weights: dict[str, float] = {}

    def add(term: str, weight: float) -> None:
        weights[term] = max(weights.get(term, 0.0), weight)

    for match in _TOKEN.finditer(normalised):
        token = match.group()
        if match.lastgroup == "word":
            if not (choosy and token.replace("’", "'") in ENGLISH_STOP_WORDS):
                for term in _word_terms(token):
                    add(term, 1.0)
            continue
        pieces = _CHINESE_QUESTION_WORD.split(token) if choosy else [token]
        for piece in pieces:
            for term in _grams(piece):
                if choosy and CHINESE_FUNCTION_CHARACTERS.issuperset(term):
                    continue
                alone = len(term) == len(piece)
                w = 1.0 if alone or len(term) > 1 else SINGLE_CHARACTER_WEIGHT
                if choosy and len(term) == 2 and not CHINESE_FUNCTION_CHARACTERS.isdisjoint(term):
                    w *= FUNCTION_PAIR_WEIGHT
                if w:
                    add(term, w)
    return weights


FUNCTION_PAIR_WEIGHT = 1.0


def _grams(run: str) -> list[str]:
    """All pairs of a run of characters, and each that can be a word alone."""
    if len(run) == 1:
        return [run]
    singles = [character for character in run if _PHONETIC_CHARACTER.match(character) is None]
    return singles + [run[at : at + 2] for at in range(len(run) - 1)]


@lru_cache(maxsize=65_536)
def _word_terms(token: str) -> tuple[str, ...]:
    """A word's stem; of a joined word the stems of its parts and all of it in one."""
    token = token.replace("’", "'").removesuffix("'s")
    parts = [part for part in _SEPARATOR.split(token) if part]
    if len(parts) == 1:
        return (_stemmed(token),)
    if "'" in token and token in ENGLISH_STOP_WORDS:
        return (token,)
    # Digits written together would be another number: 1.5 is not 15. 1,000 is 1000, though.
    whole = _SEPARATOR.sub("", _BETWEEN_DIGITS.sub("\0", token)).replace("\0", ".")
    return (*map(_stemmed, parts), whole[:MAX_TERM_LENGTH])


def _stemmed(word: str) -> str:
    stem = _stem(word) if word.isascii() and word.isalpha() else word
    return str(stem)[:MAX_TERM_LENGTH]


def _normalised(text: str) -> str:
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKC", text).casefold().translate(_MARKS)
    return _ACCENTED.sub(lambda found: _without_accents(found.group()), text)


@lru_cache(maxsize=4_096)
def _without_accents(letters: str) -> str:
    return unicodedata.normalize("NFD", letters).translate(_MARKS)

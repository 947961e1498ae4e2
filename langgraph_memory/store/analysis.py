"""Text to search terms: English stems, pairs of characters where no spaces are, identifiers.

Both back ends store what `terms` returns and look up what `query_terms` returns, so the same text
is found on both, whatever the database makes of words.

A text is brought to one form first: compatibility characters (full-width letters, ligatures) as
their plain equivalents, no difference of case, Latin letters without accents. Then

- a word of letters is its English stem, irregular forms too (went, go); words of other languages
  are treated alike, which is harmless, as documents and queries agree;
- a word joined by hyphens, underscores, dots and so on (``foo_bar``, ``gpt-4``, an e-mail
  address, a date) is its parts and, as one more term, the parts written together, so that
  ``gpt4`` and ``fooBar`` meet ``gpt-4`` and ``foo_bar``;
- a run of Chinese, Japanese or Korean characters is all its pairs, and each Chinese and Korean
  character alone, so that words of one and of two characters are found without a dictionary; a
  number before it makes one more pair (``6月``, written 六月 too).
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

import snowballstemmer

from langgraph_memory.store.irregular_forms import IRREGULAR_FORMS
from langgraph_memory.store.stop_words import (
    CHINESE_FUNCTION_CHARACTERS,
    CHINESE_QUESTION_WORDS,
    ENGLISH_STOP_WORDS,
)

__all__ = ["MAX_TERM_LENGTH", "query_terms", "terms"]

MAX_TERM_LENGTH = 64
"""Characters of a term; what is longer is cut, so that an index row stays small."""

FUNCTION_PAIR_WEIGHT = 0.5
"""Weight in a query of a pair that only straddles a word and a particle, such as 看了."""

# Written without spaces, one character often a word: Chinese and Korean.
_SYLLABIC = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af\uac00-\ud7a3"
# Written without spaces, one character never a word: Japanese kana, Thai, Lao, Tibetan, Burmese
# and Khmer.
_PHONETIC = "\u3041-\u3096\u30a1-\u30fe\u0e01-\u0e4e\u0e81-\u0edf\u0f00-\u109f\u1780-\u17d3"
# Vowel signs of India's scripts are marks and no letters for `re`, but belong to the word.
_INDIC = "\u0900-\u0963\u0966-\u0dff"
_LETTERS = f"[^\\W_{_SYLLABIC}{_PHONETIC}{_INDIC}]+"
_TOKEN = re.compile(
    f"(?P<run>[{_SYLLABIC}{_PHONETIC}]+)|(?P<indic>[{_INDIC}]+)|"
    f"(?P<word>{_LETTERS}(?:(?:[-_./@:,'’]|::|->){_LETTERS})*(?:\\+\\+|#)?)"
)
_ASCII_WORD = re.compile(r"[a-z0-9]+(?:(?:[-_./@:,']|::|->)[a-z0-9]+)*(?:\+\+|#)?")
_SEPARATORS = re.compile(r"[-_./@:,'’>]+")
_BETWEEN_DIGITS = re.compile(r"(?<=\d)[-_./@:]+(?=\d)")
_ACCENTED = re.compile("[\u00c0-\u024f\u1e00-\u1eff]+")
# Accents left over, Hebrew points and Arabic vowel signs, which a search ignores.
_MARKS = dict.fromkeys([*range(0x300, 0x370), *range(0x591, 0x5C8), *range(0x64B, 0x660), 0x670])
_NUMERALS = "零一二三四五六七八九"
_CHINESE_DATE = re.compile(
    "(?<![零〇一二三四五六七八九十百千万])(?:[一二三]?十[一-九]?|[一-九])(?=[月日号])".replace(
        "一-九", _NUMERALS[1:]
    )
)
_PHONETIC_CHARACTER = re.compile(f"[{_PHONETIC}]")
_QUESTION_WORD = re.compile(
    "|".join(sorted(map(re.escape, CHINESE_QUESTION_WORDS), key=len, reverse=True))
)


class _Stemmers(threading.local):
    """A stemmer for each thread: it keeps the word it works on in itself."""

    def __init__(self) -> None:
        self.stem = snowballstemmer.stemmer("english").stemWord


_stemmers = _Stemmers()


def terms(text: str) -> dict[str, int]:
    """Terms of a text that is to be found, with how often each occurs.

    Args:
        text: Any text, also with NUL or lone surrogates, which separate words.

    Returns:
        Terms of 1 to `MAX_TERM_LENGTH` characters without NUL and surrogates, always the same for
        the same text. Empty where the text has neither letters nor digits.
    """
    found: list[str] = []
    normalised = _normalised(text)
    if normalised.isascii():  # The same as below, in half the time.
        for token in _ASCII_WORD.findall(normalised):
            found += _word_terms(token)
    else:
        for run, token in _tokens(normalised):
            found += _pairs(token) if run else _word_terms(token)
    return dict(Counter(found))


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
    return _telling(normalised) or dict.fromkeys(terms(text), 1.0)


def _telling(normalised: str) -> dict[str, float]:
    """The terms of a query that say what is looked for."""
    weights: dict[str, float] = {}
    for run, token in _tokens(normalised):
        if run:
            stored = set(_pairs(token))  # What a text with this run has; a lone kana is not.
            for piece in _QUESTION_WORD.split(token):
                weights.update((pair, _pair_weight(pair)) for pair in stored & {*_pairs(piece)})
        elif token.replace("’", "'") not in ENGLISH_STOP_WORDS:
            weights.update(dict.fromkeys(_word_terms(token), 1.0))
    return {term: weight for term, weight in weights.items() if weight > 0}


def _pair_weight(pair: str) -> float:
    particles = len(CHINESE_FUNCTION_CHARACTERS.intersection(pair))
    if particles == len(set(pair)):
        return 0.0
    return FUNCTION_PAIR_WEIGHT if particles else 1.0


def _tokens(normalised: str) -> Iterator[tuple[bool, str]]:
    """Words, and runs of characters without spaces (True), in order."""
    number, end = "", -1
    for match in _TOKEN.finditer(normalised):
        token, kind = match.group(), match.lastgroup
        if kind == "run" and number and match.start() == end:
            yield False, number + token[0]
        yield kind == "run", token
        last = _SEPARATORS.split(token)[-1] if kind == "word" else ""
        number, end = (_plain_number(last) if last.isdecimal() else ""), match.end()


def _pairs(run: str) -> list[str]:
    """All pairs of neighbours in a run, and each character that can be a word alone."""
    if len(run) < 2:
        return [run] if run else []
    pairs = [first + second for first, second in pairwise(run)]
    return [*_PHONETIC_CHARACTER.sub("", run), *pairs]


@lru_cache(maxsize=65_536)
def _word_terms(token: str) -> tuple[str, ...]:
    """A word's stem; of a joined word the stems of its parts and all of it in one."""
    token = token.replace("’", "'").removesuffix("'s")
    if token in ENGLISH_STOP_WORDS:
        return (token,)
    parts = _SEPARATORS.split(token)
    if len(parts) == 1:
        return (_stemmed(token),)
    # Digits written together would be another number: 1.5 is not 15. But 1,000 is 1000.
    whole = _SEPARATORS.sub("", _BETWEEN_DIGITS.sub("\0", token)).replace("\0", ".")
    return (*map(_stemmed, parts), whole[:MAX_TERM_LENGTH])


@lru_cache(maxsize=65_536)
def _stemmed(word: str) -> str:
    if word.isascii() and word.isalpha():
        word = str(_stemmers.stem(IRREGULAR_FORMS.get(word, word)[:MAX_TERM_LENGTH]))
    elif word.isdecimal():
        word = _plain_number(word)
    return word[:MAX_TERM_LENGTH]


def _plain_number(digits: str) -> str:
    """Hours, days and months without the zero in front: 05 is 5. Longer ones may be codes."""
    return digits[1:] if len(digits) == 2 and digits[0] == "0" else digits


def _normalised(text: str) -> str:
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKC", text).casefold().translate(_MARKS)
    text = _CHINESE_DATE.sub(lambda found: _date_number(found.group()), text)
    return _ACCENTED.sub(lambda found: _without_accents(found.group()), text)


def _date_number(numerals: str) -> str:
    """The day or month that Chinese numerals up to 39 name."""
    tens, ten, ones = numerals.rpartition("十")
    return str(10 * (_NUMERALS.find(tens) if tens else len(ten)) + _NUMERALS.find(ones or "零"))


@lru_cache(maxsize=4_096)
def _without_accents(letters: str) -> str:
    return unicodedata.normalize("NFD", letters).translate(_MARKS)

"""How many tokens a text costs, judged from its shape alone.

Byte-pair tokenizers of the current generation (o200k and its relatives) first split a text into
pieces by a fixed pattern: a word with the one space or sign before it, digits in groups of three,
a run of signs, a run of blanks. Only then are pieces looked up in a vocabulary. The split needs no
vocabulary, so it is done here exactly as a tokenizer does it; what a piece costs is a mean by
kind and length, in thousandths of a token:

* an ordinary word after a space is one token up to about a dozen letters;
* the same word behind a quote, bracket or underscore has fewer entries in a vocabulary and soon
  costs two, and so do capitals and the parts of a camelCase name;
* digits cost one token per group, signs one per group of up to three, indentation one;
* other scripts are charged per letter, by script;
* long runs of letters and digits that form no words (base64, keys, hashes) cost a token for about
  every one and a half characters.

The constants are slightly above the measured means: a budget that is checked later with an exact
tokenizer should hold.
"""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["estimate_tokens"]

_UNIT = 1000
"""Costs are integers in thousandths of a token, so that sums do not depend on their order."""

_MARGIN = 1.03
"""Part by which every estimate is raised above the mean."""

_WORD_CAP = 48
"""Longest stretch of letters taken as one piece; bounds what the piece cache can hold."""

_OPAQUE_MIN = 20
"""Shortest run of letters and digits that may be an encoded blob."""

_NOTHING = "\ue000"
"""Private-use character that stands for a run already charged."""

_LATIN = "\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff"

# Thousandths of a token: for starting a run of the script, and for each character of it.
_SCRIPTS: tuple[tuple[str, int, int], ...] = (
    ("\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff", 220, 730),  # Han
    ("\u3041-\u309f\u30a0-\u30ff\u31f0-\u31ff", 200, 600),  # Kana
    ("\uac00-\ud7a3\u1100-\u11ff\u3130-\u318f", 330, 615),  # Hangul
    ("\u0370-\u03ff\u1f00-\u1fff", 300, 370),  # Greek
    ("\u0400-\u052f", 450, 258),  # Cyrillic
    ("\u0530-\u058f\u10a0-\u10ff", 400, 450),  # Armenian, Georgian
    ("\u0590-\u05ff", 350, 340),  # Hebrew
    ("\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff\ufb50-\ufdff\ufe70-\ufefc", 350, 290),  # Arabic
    ("\u0900-\u097f", 350, 280),  # Devanagari
    ("\u0980-\u0dff", 350, 300),  # the other scripts of India
    ("\u0e00-\u0e7f", 100, 400),  # Thai
    ("\u0e80-\u0fff\u1000-\u109f\u1780-\u17ff", 200, 700),  # Lao, Tibetan, Burmese, Khmer
)


def _pattern(latin: str, scripts: str) -> re.Pattern[str]:
    upper = "A-Z"
    lower = "a-z" + latin
    letters = f"A-Za-z{latin}{scripts}{_NOTHING}"
    lead = r"[^A-Za-z0-9\r\n]?" if not latin else r"[\t !-/:-@\[-`{-~]?"
    runs = "".join(rf"|{lead}[{cls}]{{1,{_WORD_CAP}}}" for cls, _, _ in _SCRIPTS) if latin else ""
    return re.compile(
        rf"[A-Za-z0-9+/]{{{_OPAQUE_MIN},}}={{0,2}}"
        rf"|{lead}(?:[{upper}]{{0,{_WORD_CAP}}}[{lower}]{{1,{_WORD_CAP}}}|[{upper}]{{1,{_WORD_CAP}}})"
        r"(?:'(?:[sStTmMdD]|ll|re|ve))?"
        rf"{runs}"
        r"|[0-9]{1,3}"
        rf"| ?[^\s0-9{letters}]{{1,256}}[\r\n/]{{0,256}}"
        r"|\s{0,512}[\r\n]{1,512}|\s{1,512}(?!\S)|\s{1,512}|.",
        re.DOTALL,
    )


_ASCII = _pattern("", "")
_UNICODE = _pattern(_LATIN, "".join(cls for cls, _, _ in _SCRIPTS))
_HAN_CLASS, _HAN_START, _HAN_EACH = _SCRIPTS[0]
_HAN = re.compile(f"[{_HAN_CLASS}]+")
_WORD = re.compile(rf"([^A-Za-z{_LATIN}]?)([A-Z]*)([a-z{_LATIN}]*)((?:'\w+)?)")
_RUNS = tuple((re.compile(f"[{cls}]"), start, each) for cls, start, each in _SCRIPTS)
_HEX = re.compile("[0-9a-f]+|[0-9A-F]+")
_SUBWORDS = re.compile(r"[A-Z]*[a-z]+|[A-Z]+|[0-9]{1,3}|[+/=]+")


def estimate_tokens(text: str) -> int:
    """Return the estimated number of tokens of ``text``; at least 1 unless it is empty."""
    if not text:
        return 0
    if text.isascii():
        cost = sum(map(_piece_cost, _ASCII.findall(text)))
    else:
        # Chinese has no spaces, so hardly a run occurs twice: charge them all at once.
        han = _HAN.findall(text)
        cost = _HAN_START * len(han) + _HAN_EACH * sum(map(len, han))
        cost += 2 * _UNIT * text.count(_NOTHING)
        cost += sum(map(_piece_cost, _UNICODE.findall(_HAN.sub(_NOTHING, text))))
    return -(-int(cost * _MARGIN) // _UNIT)


@lru_cache(maxsize=1 << 15)
def _piece_cost(piece: str) -> int:
    if piece == _NOTHING:
        return 0
    word = piece[1:] if piece[0] == " " else piece
    if word.isascii() and word.isalpha() and word.islower() and len(word) < _OPAQUE_MIN:
        return _word_cost(piece[: len(piece) - len(word)], 0, word)
    if len(piece) >= _OPAQUE_MIN and piece[0].isalnum() and piece.isascii():
        return _opaque_cost(piece)
    if piece.isspace():
        return _UNIT * (1 + len(piece) // 80)
    if piece.isascii() and piece.isdigit():
        return _UNIT
    match = _WORD.fullmatch(piece)
    if match and (match[2] or match[3]):
        return _word_cost(match[1], len(match[2]), match[3])
    for script, start, each in _RUNS:
        if script.match(piece[-1]):
            return max(_UNIT, start + each * len(piece.lstrip(" ")))
    return _sign_cost(piece)


def _word_cost(lead: str, capitals: int, lower: str) -> int:
    length = capitals + len(lower)
    signed = lead not in ("", " ") and length > 1
    if not lower:
        cost = 1000 if length < 2 else 1040 + 130 * (length - 2)
        if length > 2 and lead != " ":
            cost += 250 if signed else 350
    elif capitals > 1:
        cost = 1300 + 150 * (length - 1) + (300 if signed else 0)
    elif capitals:
        cost = 1000 + 35 * max(0, length - 3) + (0 if lead == " " else 60)
        cost += 620 if signed else 0
    elif lead == " ":
        cost = 1000 + 9 * max(0, length - 3) + 250 * max(0, length - 13)
    else:
        cost = 1000 + 45 * max(0, length - 3) + 330 * max(0, length - 10)
        if signed:
            cost += 50 if length < 3 else 280 if length < 7 else 720
    return cost if lower.isascii() else cost + sum(map(_accent_cost, lower))


def _accent_cost(letter: str) -> int:
    """Charge a marked letter for the words around it as well.

    It shows the language, and the vocabulary covers some thinly: its plain words cost more too.
    """
    if letter.isascii():
        return 0
    if letter in "äöüßåøæ":
        return 2000
    return 1700 if "Ā" <= letter <= "ɏ" else 750


def _opaque_cost(piece: str) -> int:
    if piece.isalpha() and len(set(piece)) <= 4:
        return _UNIT * (1 + len(piece) * 2 // 5)
    parts = _SUBWORDS.findall(piece)
    if len(piece) < 2.9 * len(parts):
        return len(piece) * (580 if _HEX.fullmatch(piece) else 690)
    return sum(map(_part_cost, parts))


def _part_cost(part: str) -> int:
    if not part.isalpha():
        return _UNIT
    if len(part) > _WORD_CAP:
        return len(part) * 400
    lower = part.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    return _word_cost("", len(part) - len(lower), lower)


def _sign_cost(piece: str) -> int:
    length = len(piece)
    if length > 3 and piece[-1] < "\uffff" and len(set(piece.strip())) == 1:
        return _UNIT * (1 + length // (32 if piece.isascii() else 8))
    if piece.isascii():
        if length <= 3:
            return 1010
        return 1250 + 450 * (length - 4)
    return sum(_symbol_cost(char) for char in piece)


def _symbol_cost(char: str) -> int:
    code = ord(char)
    if code < 0x80:
        return 500
    if code < 0x100 or 0x2010 <= code <= 0x203A or 0x3000 <= code <= 0x303F or code >= 0xFF00:
        if code <= 0xFFFF:
            return 950
        return 1700
    return 1500

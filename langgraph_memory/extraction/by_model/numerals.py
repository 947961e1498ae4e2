"""Numbers in a text, written in digits or in words, each by what it amounts to."""

# A pattern is easier to check in one piece.

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from langgraph_memory.offline.words import listed

__all__ = ["Numeral", "numerals"]

_ONES = listed(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
_TENS = listed("twenty thirty forty fifty sixty seventy eighty ninety")
_WORDS = {word: value for value, word in enumerate(_ONES)} | {
    word: 10 * value for value, word in enumerate(_TENS, 2)
}
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_LOOSE_WORDS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7,
    "eighth": 8, "ninth": 9, "tenth": 10, "once": 1, "twice": 2, "double": 2, "couple": 2,
    "both": 2, "pair": 2, "twins": 2, "triplets": 3, "decade": 10, "dozen": 12, "half": 30,
    "quarter": 15, "twenties": 20, "thirties": 30, "forties": 40, "fifties": 50, "sixties": 60,
    "seventies": 70, "eighties": 80, "nineties": 90,
    "俩": 2, "两": 2, "双": 2, "对": 2, "仨": 3, "半": 30, "刻": 15,
}  # fmt: skip
_HAN_DIGITS = {one: at for at, one in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_HAN_UNITS = {"十": 10, "百": 100, "千": 1_000, "万": 10_000, "亿": 100_000_000}
_AFTER = {"k": 1_000, "w": 10_000, "m": 1_000_000, "grand": 1_000, "bn": 1_000_000_000}

# Words of a number at most: Python does not write numbers of any length.
_LONGEST = 24

_DIGITS = re.compile(
    r"(?P<digits>\d{1,3}(?:[ '’]\d{3})+(?!\d)|\d+(?:[.,]\d+)*)"
    r"(?:\s?(?P<scale>hundred|thousand|million|billion|grand|bn|[千百万亿])|(?P<letter>[kwmKWM])\b)?"
)
_ENGLISH = re.compile(
    rf"\b(?:{'|'.join([*_ONES, *_TENS, *_SCALES])})"
    rf"(?:(?:[\s-]+(?:and\s)?)(?:{'|'.join([*_ONES, *_TENS, *_SCALES])})){{0,{_LONGEST}}}\b",
    re.IGNORECASE,
)
_HAN = re.compile(f"[零〇一二两三四五六七八九十百千万亿]{{1,{_LONGEST}}}")
_LOOSE = re.compile(
    rf"\b(?:{'|'.join(word for word in _LOOSE_WORDS if word.isascii())})\b|"
    f"[{''.join(word for word in _LOOSE_WORDS if not word.isascii())}]",
    re.IGNORECASE,
)
# What a Chinese numeral counts; without it, it may be part of a word that counts nothing.
_COUNTED = re.compile("[个只条位名岁年月日号天周点分元块美欧镑个度斤公里米厘口次杯本张人家间套%％]")


@dataclass(frozen=True, slots=True)
class Numeral:
    """One number in a text.

    Attributes:
        values: What it may amount to, as plain text; several where the writing is ambiguous.
        parts: Numbers that it is made of, which repeat a part of it: the 5 of "5 thousand".
        certain: Whether it must be a number: in digits, or in words that count something.
    """

    values: frozenset[str]
    parts: frozenset[str] = frozenset()
    certain: bool = True


def numerals(text: str) -> Iterator[Numeral]:
    """The numbers of a text; those of its digits first."""
    text = unicodedata.normalize("NFKC", text)
    for found in _DIGITS.finditer(text):
        bare = _readings(found["digits"])
        pieces = re.split("[ '’]", found["digits"])
        grouped = frozenset(map(_plain, pieces)) if len(pieces) > 1 else frozenset()
        scale = _SCALES.get(found["scale"] or "") or _HAN_UNITS.get(found["scale"] or "")
        scale = scale or _AFTER.get((found["scale"] or "").lower())
        if scale:
            yield Numeral(frozenset(_scaled(one, scale) for one in bare), bare | grouped)
        elif found["letter"]:  # A thousand, a million, or metres.
            scale = _AFTER[found["letter"].lower()]
            yield Numeral(bare | {_scaled(one, scale) for one in bare})
        else:
            yield Numeral(bare, grouped)
    rest = _DIGITS.sub(" ", text)
    for found in _ENGLISH.finditer(rest):
        words = re.split(r"[\s-]+", found.group().lower())
        parts = frozenset(str(_WORDS[word]) for word in words if word in _WORDS)
        yield Numeral(frozenset({str(_english(words))}), parts)
    for found in _HAN.finditer(rest):
        value = str(_han(found.group()))
        yield Numeral(frozenset({value}), certain=_COUNTED.match(rest, found.end()) is not None)
    for found in _LOOSE.finditer(rest):
        yield Numeral(frozenset({str(_LOOSE_WORDS[found.group().lower()])}), certain=False)


def _readings(digits: str) -> frozenset[str]:
    """What digits with separators mean where commas and points may be either."""
    digits = re.sub("[ '’]", "", digits)
    parts = re.split("[.,]", digits)
    if len(parts) == 1:
        return frozenset({_plain(digits)})
    readings = {digits}
    if all(len(part) == 3 for part in parts[1:]):
        readings.add(_plain("".join(parts)))
    if len(parts) == 2 or all(len(part) == 3 for part in parts[1:-1]):
        readings.add(_plain("".join(parts[:-1]) + "." + parts[-1]))
    return frozenset(readings)


def _plain(digits: str) -> str:
    try:
        return format(Decimal(digits).normalize(), "f")
    except InvalidOperation:
        return digits


def _scaled(digits: str, scale: int) -> str:
    try:
        return format((Decimal(digits) * scale).normalize(), "f")
    except InvalidOperation:
        return digits


def _english(words: list[str]) -> int:
    total = current = 0
    for word in words:
        scale = _SCALES.get(word)
        if scale == 100:
            current = (current or 1) * scale
        elif scale:
            total += (current or 1) * scale
            current = 0
        else:
            current += _WORDS.get(word, 0)
    return total + current


def _han(run: str) -> int:
    """What a run of Chinese numerals means: 两千五 is 2500, 二〇二六 is 2026."""
    if not any(one in _HAN_UNITS for one in run):
        return int("".join(str(_HAN_DIGITS[one]) for one in run))
    total = section = digit = 0
    last = 1
    for one in run:
        if one in _HAN_DIGITS:
            digit = _HAN_DIGITS[one]
            last = 10 if one in "零〇" else last
            continue
        last = _HAN_UNITS[one]
        if last >= 10_000:
            total = (total + section + digit or 1) * last
            section = 0
        else:
            section += (digit or 1) * last
        digit = 0
    return total + section + (digit * last // 10 if last >= 100 else digit)

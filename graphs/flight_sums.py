"""Sums of money in a text, in figures or in words, English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_NUMBERS = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen
"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_WORDS = {word: number for number, word in enumerate(re.findall(r"\w+", _NUMBERS))} | {
    word: number * 10 for number, word in enumerate(re.findall(r"\w+", _TENS), 2)
}
_SCALES = {"hundred": 100, "thousand": 1_000, "grand": 1_000}
_WORD = "|".join((*_WORDS, *_SCALES))
_HAN = {letter: number for number, letter in enumerate("零一二三四五六七八九")} | {"两": 2}
_HAN_SCALES = {"十": 10, "百": 100, "千": 1_000, "万": 10_000}
_LEAST, _MOST = 50, 99_999
"""What is less or more is no price of a ticket, in CNY."""
_LONGEST = 9
"""Figures of more digits are no sum; they can be of any length."""

_OTHER_UNITS = (
    r"%|percent|min|hours?|h\b|days?|nights?|weeks?|months?|years?|km\b|m\b|kg|grams?|miles?|people|"
    r"persons?|passengers?|times|words|pages|books|degrees|points|seats?|points|o['’]clock|[ap]\.?m\b|"
    r"月|号|日|点|分|小时|天|年|个|公里|米|斤|人|岁|次|字|页|度|班|张|位|种|本|楼|层|平"
)
_SUM = re.compile(
    r"(?<![A-Za-z\d:：./-])(?<!第)(?<!\d,)(?P<currency>[¥￥$€]|(?:rmb|cny)\b)?\s?"
    rf"(?:(?P<figures>\d+(?:,\d{{3}})*(?:\.\d+)?)\s?(?P<times>k(?![A-Za-z])|千|万)?(?P<rest>(?<=[千万])[\d一二三四五六七八九])?"
    rf"|(?P<words>\b(?:an?\s)?(?:{_WORD})(?:(?:\s|-|\sand\s)(?:{_WORD}))*\b)"
    r"|(?P<han>[一二两三四五六七八九][零一二两三四五六七八九十百千万]*|[百千](?=[元块])))"
    rf"(?![\d:：]|[.,]\d|-\d|\s?-?(?:{_OTHER_UNITS}))"
    r"(?P<unit>\s?(?:yuan|rmb|cny|euros?|dollars?|bucks?|quid|元|块钱?|人民币))?",
    re.I,
)
# "600 to 900" ends at 900, as does "from 600 to 900"; "not 600 but 900" says 900.
_FIGURES = r"[¥￥]?\d[\d,]{0,8}(?:元|块)?"
_RANGE = re.compile(
    rf"(?:\bbetween\s{_FIGURES}\s?and|(?:\bfrom\s|从)?(?<![\dA-Za-z:.-]){_FIGURES}\s?"
    rf"(?:-|–|—|~|～|\bto\b|至|到|(?:涨|升|提高?|放宽|调|加|改)[到为成至]))\s?(?={_FIGURES}(?![\d:-]))"
)
_NOT_THAT = re.compile(
    rf"\bnot\s{_FIGURES},?\s?(?:but\s)(?=\D{{0,12}}\d)|\b(?:instead of|rather than)\s{_FIGURES}|"
    rf"不是{_FIGURES}[，,]?\s?(?:而?是)"
)


@dataclass(frozen=True)
class Sum:
    """A sum that could be the price of a ticket.

    Attributes:
        amount: In CNY, or without a unit.
        start: Where it begins in the text.
        end: Where it ends, with its unit.
        is_money: Whether a unit or sign says so.
    """

    amount: int
    start: int
    end: int
    is_money: bool


def upper_ends(text: str) -> str:
    """A text with the upper end in place of a range, and the new value of a correction."""
    return _NOT_THAT.sub("", _RANGE.sub("", text))


def sums_in(text: str) -> Iterator[Sum]:
    """The sums of a text that could be prices of a ticket."""
    for found in _SUM.finditer(text):
        if found["figures"]:
            if sum(map(str.isdigit, found["figures"])) > _LONGEST:
                continue
            amount = _in_figures(found["figures"], found["times"], found["rest"])
        elif found["words"]:
            amount = _in_words(found["words"])
        else:
            amount = _in_han(found["han"])
        if _LEAST <= amount <= _MOST:
            is_money = bool(found["currency"] or found["unit"])
            yield Sum(amount, found.start(), found.end(), is_money)


def _in_figures(figures: str, times: str | None, rest: str | None) -> int:
    scale = {"k": 1_000, **_HAN_SCALES}[times.lower()] if times else 1
    value = float(figures.replace(",", "")) * scale
    return int(value) + (_digit(rest) * scale // 10 if rest else 0)


def _in_words(words: str) -> int:
    total = current = 0
    for word in re.findall(r"[a-z]+", words.lower()):
        if word in _SCALES:
            scaled = (current or 1) * _SCALES[word]
            total, current = (total, scaled) if word == "hundred" else (total + scaled, 0)
        elif (number := _WORDS.get(word)) is not None:
            # "nine fifty" is said for nine hundred and fifty, and "twenty five" is not.
            hundreds = number >= 10 and 0 < current < 20
            current = current * 100 + number if hundreds else current + number
    return total + current


def _in_han(han: str) -> int:
    total = digit = 0
    last = 1
    for letter in han:
        if letter in _HAN_SCALES:
            total += (digit or 1) * _HAN_SCALES[letter]
            digit, last = 0, _HAN_SCALES[letter]
        else:
            digit = _HAN[letter]
            last = 1 if letter == "零" else last
    # What follows a thousand at once, as it is spoken, are hundreds.
    return total + (digit * last // 10 if last > 1 else digit)


def _digit(text: str) -> int:
    return int(text) if text.isdigit() else _HAN[text]

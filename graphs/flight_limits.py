"""What a text says about the price of a ticket and about flights through the night."""

# A pattern is easier to check in one piece.
# ruff: noqa: E501

from __future__ import annotations

import re
from typing import Any

_AMOUNT = r"(?:[¥￥$€]|rmb|cny)?\s?(?P<n>\d[\d,]*(?:\.\d+)?\s?[k千万]?|[一二两三四五六七八九十百千]+|(?:an?|one|two|three|four|five|six|seven|eight|nine)\s(?:hundred|thousand))(?![\d:：-]|月|号|日|点|\s?(?:%|percent|min|hours?|h\b|days?|weeks?|months?|years?|k?m\b|kg|people|persons?|times|words|pages|degrees|分|小时|天|个|公里|斤|人|岁|次|字|页|度))"
_CAPPED = (
    re.compile(
        r"(?:\b(?:budget|limit|under|below|less than|cheaper than|at most|up to|max(?:imum)?|within|cap|ceiling|spend|make (?:that|it)|raise (?:that|it) to)\b|(?:\b(?:no|not|nothing|never|cannot)\b|n['’]t\b)[^\d.!?;]{0,20}?\b(?:more than|over|above|exceed|beyond))[^\d.!?;]{0,24}?"
        + _AMOUNT,
        re.I,
    ),
    re.compile(
        _AMOUNT
        + r"\s?(?:yuan|rmb|cny|euros?|dollars?|bucks)?\s?(?:or less|or under|or below|(?:is|as) (?:the|my) (?:limit|ceiling|cap)|max\b|maximum|at (?:the )?most|tops)",
        re.I,
    ),
    re.compile(
        r"(?:预算|不超过|别超过|不要超过|超过|低于|不高于|最多|最高|至多|控制在|上限|限额|顶多|价格|花)[^\d一二两三四五六七八九十百千。！？；]{0,8}?"
        + _AMOUNT
    ),
    re.compile(_AMOUNT + r"\s?(?:块钱?|元|人民币)?\s?(?:以内|以下|之内|之下|封顶)"),
)
_ON_OTHER_THINGS = re.compile(
    r"\b(?:budget|limit|cap|spend\w*|[\d,]+)\s+(?:for|on)\s+(?:(?:an?|the|my|our|this|that|new|each|every|all)\s+)*(?!tickets?\b|flights?\b|fl(?:y|ying)\b|trips?\b|fares?\b|seats?\b|travel|journey|way\b|it\b|one\b|them\b)[a-z]+|"
    r"(?:买|换)(?!机票|票|张)[\u4e00-\u9fff]{1,4}的?预算|(?:电脑|手机|房租|装修|家具|礼物|吃饭|衣服)[^，。；]{0,4}预算",
    re.I,
)
_ONES = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_IN_WORDS = re.compile(rf"(an?|{'|'.join(_ONES)})\s(hundred|thousand)")
_LEAST = 50  # What is less is no price of a ticket.
_NIGHT = re.compile(
    r"red[\s-]?eyes?|overnight|(?:through|at|by|during) (?:the )?night|night flights?|middle of the night|after midnight|红眼|夜间航班|夜航|夜里|半夜|深夜|凌晨|通宵",
    re.I,
)
_WELCOME = re.compile(
    r"\b(?:do(?:n['’]?t| not) mind|no problem|fine|okay|ok|all right|alright|acceptable|after all)\b|不介意|没关系|没问题|无所谓|可以|也行|能接受",
    re.I,
)
_UNWELCOME = re.compile(
    r"\b(?:no|not|never|nothing|without|avoid\w*|hates?|dislikes?|can['’]?t|cannot|won['’]?t|don['’]?t|doesn['’]?t|refuse\w*|except|skip|exclude\w*|rather not|other than)\b|不|别|无|没|讨厌|避免|避开|拒绝|除了|勿",
    re.I,
)
_SENTENCES = re.compile(r"[!?;。！？；\n]|\.\s")
_CLAUSES = re.compile(r"[.!?;。！？；\n]|,|，|\b(?:and|but)\b|而且|但")


def limits_in(text: str) -> dict[str, Any]:
    """The highest price and whether night flights are taken, as far as a text says."""
    found: dict[str, Any] = {}
    prices = [
        price
        for sentence in _SENTENCES.split(text)
        if not _ON_OTHER_THINGS.search(sentence)
        for pattern in _CAPPED
        for match in pattern.finditer(sentence)
        if (price := _price(match["n"])) >= _LEAST
    ]
    if prices:
        found["max_price"] = min(prices)
    for clause in _CLAUSES.split(text):
        if clause and _NIGHT.search(clause):
            if _WELCOME.search(clause):
                found["red_eye"] = True
            elif _UNWELCOME.search(clause):
                found["red_eye"] = False
    return found


def _price(written: str) -> int:
    text = written.replace(",", "").lower()
    if found := _IN_WORDS.match(text):
        ones = {"a": 1, "an": 1}.get(found[1]) or _ONES.index(found[1]) + 1
        return ones * {"hundred": 100, "thousand": 1_000}[found[2]]
    text = text.replace(" ", "")
    times = {"k": 1_000, "千": 1_000, "万": 10_000}.get(text[-1], 1)
    if text[0].isdigit():
        return int(float(text.rstrip("k千万")) * times)
    total, digit, last = 0, 0, 10
    for letter in text:
        unit = {"十": 10, "百": 100, "千": 1_000}.get(letter)
        if unit is None:
            digit = "零一二三四五六七八九".find(letter) if letter != "两" else 2
        else:
            total += (digit or 1) * unit
            digit, last = 0, unit
    return total + digit * last // 10  # What follows a thousand, as it is spoken, are hundreds.

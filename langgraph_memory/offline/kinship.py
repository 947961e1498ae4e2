"""Who the names of a conversation stand for: "my sister Ann" makes Ann the sister from then on."""

from __future__ import annotations

import re
from collections.abc import Iterable

from langgraph_memory.offline.words import HAN, has_han

__all__ = ["RELATIVE", "RELATIVE_HAN", "introduced", "standing_for"]

RELATIVE = (
    r"(?:(?:mother|father|sister|brother|son|daughter)-in-law|in-laws?|mother|mum|mom|father|dad|"
    r"brother|sister|son|daughter|wife|husband|girlfriend|boyfriend|partner|fiancee?|"
    r"grand\w+|gran|granny|nan|aunt|auntie|uncle|cousin|nephew|niece|twin|kids?|child|children|toddler|"
    r"baby|boy|girl|parents|friend|buddy|mate|bestie|colleague|coworker|co-worker|teammate|roommate|flatmate|"
    r"housemate|neighbou?r|boss|manager|landlord|landlady|client|ex|dog|cat|puppy|kitten)"
)
RELATIVE_HAN = (
    "(?:岳父|岳母|公公|婆婆|丈母娘|儿媳|女婿|侄子|侄女|外甥女|外甥|女儿|闺女|儿子|孩子|宝宝|老婆|老公|妻子|丈夫|太太|爱人|"
    "媳妇|男朋友|女朋友|男友|女友|爷爷|奶奶|外公|外婆|姥姥|姥爷|叔叔|舅舅|姨妈|姑姑|阿姨|表[哥弟姐妹]|堂[哥弟姐妹]|"
    "哥哥|弟弟|姐姐|妹妹|父亲|母亲|爸爸|妈妈|爸妈|父母|哥|姐|弟|妹|爸|妈|闺蜜|朋友|同事|老板|上司|领导|室友|舍友|邻居|同学|导师|客户|"
    "房东|叔|舅|姨|姑|侄)"
)
_NAME = r"(?-i:[A-ZÀ-Þ][\w’'-]+)"
_WITH_NAME = re.compile(
    rf"\b(?:my|our|the\suser's)\s(?:\w+\s)?({RELATIVE})(?:,|'s\sname\sis|\s(?:is\s)?(?:called|named)|\sis)?"
    rf"\s({_NAME})",
    re.IGNORECASE,
)
_NAME_FIRST = re.compile(
    rf"({_NAME})(?:,|\sis|'s)\s(?:my|our)\s(?:\w+\s)?({RELATIVE})\b", re.IGNORECASE
)
_WITH_HAN_NAME = re.compile(
    rf"({RELATIVE_HAN})(?:(?:叫|名叫|是)?([小老阿大][{HAN}]|([{HAN}])\3)|(?:叫|名叫)([{HAN}]{{2,3}}?)(?=[，,。、；！\s]|今年|$))"
)


def introduced(texts: Iterable[str]) -> dict[str, str]:
    """Names of relatives, friends and animals, each with the word for what they are."""
    found: dict[str, str] = {}
    for text in texts:
        for relative, name in _WITH_NAME.findall(text):
            found[name.removesuffix("'s").removesuffix("’s")] = relative.lower()
        for name, relative in _NAME_FIRST.findall(text):
            found[name] = relative.lower()
        if has_han(text):
            for match in _WITH_HAN_NAME.finditer(text):
                found[match.group(2) or match.group(4)] = match.group(1)
    return found


def standing_for(text: str, known: dict[str, str]) -> str:
    """What the names in a text stand for, and the names of those it only calls relatives."""
    words: list[str] = []
    for name, relative in known.items():
        named = name in text
        if has_han(text) and not named and f"我{relative}" in text:
            words.append(name)
        elif named and relative not in text.lower():
            words.append(relative)
        elif not named and re.search(rf"\bmy\s{re.escape(relative)}\b", text, re.IGNORECASE):
            words.append(name)
    return " ".join(dict.fromkeys(words))

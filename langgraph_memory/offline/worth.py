"""How much a sentence is worth remembering: exact values, wishes, decisions, then the rest."""

from __future__ import annotations

import re
from functools import lru_cache

from langgraph_memory.offline.kinship import RELATIVE, RELATIVE_HAN
from langgraph_memory.offline.lexicon import is_kind_of, word_meanings
from langgraph_memory.offline.statement import Statement, corrects, read_statement
from langgraph_memory.offline.words import HAN, has_han, listed

__all__ = ["is_replaced", "worth_of"]

_SMALL_TALK = re.compile(
    r"^\W*(?:(?:hi|hello|hey|good \w+)(?:\s\w+){0,2}|thanks?(?:\syou)?|thank\syou.*|"
    r"ok(?:ay)?|great|nice|cool|sure|good|bye|perfect|got\sit|"
    r"(?:all|sounds|fair)\s\w+|noted.*|understood|你好|您好|谢谢.*|好的?|嗯|行|再见|明白|收到|已记[下录].*|记住了|没问题|欢迎)\W*$",
    re.IGNORECASE,
)
_WISH = re.compile(
    r"\b(?:never|always|must|please|allerg\w*|intoleran\w*|hives|can't|cannot|don't|won't|do\snot|avoid|"
    r"prefer\w*|hate|loathe|love|favou?rite|at\smost|maximum|no\smore\sthan|no\s\w+s\b|only|call\sme|from\snow\son|"
    r"instead\sof|leave\s\w+\sout|instructions?)\b|"
    r"不要|不能|不吃|不坐|不喝|不许|不超过|(?<!特)别(?!的|人|处)|过敏|以内|总是|必须|一定要|从不|从来不|喜欢|讨厌|偏好|偏爱|"
    r"以后|要求|最多|只要|只能|最长|最晚|不回|请",
    re.IGNORECASE,
)
_DECIDED = re.compile(
    r"\b(?:decid\w+|decision|agreed|settled\son|chose|chosen|going\swith|deadline|due|budget|limit|ceiling|plan\w*|"
    r"book(?:ed|ing)|reserv\w+|appointment|release|launch|password|code|reference|in\scharge|responsible|"
    r"looks\safter|signed\sup|training\sfor|supplier|client|owner|address)\b|决定|选了|选定|定在|定于|定了|敲定|截止|预算|计划|打算|"
    r"预订|预约|上线|发布|密码|编号|单号|负责|客户|供应商|进货|地址|目标|方案|准备|采用|报名",
    re.IGNORECASE,
)
_SELF = re.compile(
    r"\b(?:i'm\s(?:an?\b|[A-Z])|i\sam\s(?:an?\b|[A-Z])|my\s(?:\w+\s)?(?:name|job|address|number|birthday|title|doctor|editor|boss)\b|"
    r"my\s\w+\s(?:is|are)|i\s(?:live|work|use|need|want|have|own|take|speak|study|write|teach|run|drive|moved|was\sborn)|"
    r"we\s(?:live|use|need|have|run)|our\s(?:team|company|project|clinic|trip|app|family))\b|"
    r"我叫|我是|我姓|我在|我住|我们?用|我有|我养|我的(?!天)|我们的|叫(?:我)?[^，。]{1,6}",
    re.IGNORECASE,
)
_OF_THE_MOMENT = re.compile(
    r"\b(?:today|tonight|this\s(?:morning|afternoon|evening)|last\snight|yesterday|again|just\snow|lol|haha|anyway|"
    r"a\sbit|kind\sof|sort\sof|pretty|as\susual|so-so|weather|traffic|hasn't\sit|isn't\sit)\b|"
    r"今天|昨天|昨晚|早上|刚刚?(?!好)|又|有点|哈哈|挺|还是那么|天气|堵|真(?:是|的)?[不烦好热冷]|感觉",
    re.IGNORECASE,
)
_KIN = re.compile(
    rf"\b(?:my|our)\s(?:\w+\s)?{RELATIVE}\b|我(?:们)?(?:家)?{RELATIVE_HAN}", re.IGNORECASE
)
_KEYS = frozenset({"#code", "#email", "#phone", "#ip", "#url", "#money"})
_WHEN = frozenset({"#date", "#time"})
_REPLACEABLE = frozenset({*_KEYS, *_WHEN, "#age", "#number", "#place", "#duration"})
_NUMERAL = re.compile("[零一二两三四五六七八九十百千万半点月日号周\\d]+")
_GRAMMAR = frozenset(
    listed("""
    the and for was are our its that this with has have will now but not because from actually
    correction make sorry update
    """)
)


def worth_of(role: str, sentence: str) -> float:
    """What a sentence is worth in a summary; 0 for greetings, over 2 for what must stay."""
    if role == "system" or _SMALL_TALK.match(sentence):
        return 0.0
    statement = read_statement(sentence)
    exact = 0.8 * min(2, len(statement.kinds & _KEYS))
    # A day with an hour is an appointment.
    exact += 0.3 * bool(statement.kinds & _WHEN) + 0.7 * (statement.kinds >= _WHEN)
    exact += 0.6 * bool(statement.names or "#name" in statement.kinds)
    exact += 0.2 * bool(statement.kinds & {"#number", "#age"})
    if role != "user":
        exact -= 0.6 * bool(_OF_THE_MOMENT.search(sentence))
        return max(0.0, 0.5 * exact) if statement.kinds & (_KEYS | _WHEN) else 0.0
    telling = (
        1.6 * bool(_WISH.search(sentence))
        + 1.2 * bool(_DECIDED.search(sentence))
        + 1.0 * bool(_SELF.search(sentence))
        + 0.8 * bool(_KIN.search(sentence))
        + 0.8 * _concerns_health(statement)
        + 1.2 * corrects(sentence)
    )
    momentary = 1.2 * bool(_OF_THE_MOMENT.search(sentence) and not corrects(sentence))
    return max(0.1, 0.8 + exact + telling - momentary)


def _concerns_health(statement: Statement) -> bool:
    health = _health()
    return any(
        said in health or any(is_kind_of(said, one) for one in health)
        for said in statement.meanings
    )


@lru_cache(maxsize=1)
def _health() -> frozenset[int]:
    words = ("illness", "medicine", "allergy", "injury", "surgery", "pregnant")
    return frozenset(meaning for word in words for meaning in word_meanings(word))


def is_replaced(old: str, new: str) -> bool:
    """Whether a correction gives a new value for all that an older sentence says."""
    if not corrects(new):
        return False
    first, second = read_statement(old), read_statement(new)
    exact = first.kinds & second.kinds & _REPLACEABLE
    if not exact or first.about_kin != second.about_kin or first.names - second.names:
        return False
    if len(first.kinds & (_KEYS | _WHEN)) > len(exact & (_KEYS | _WHEN)):
        return False
    theirs, ours = _content(first), _content(second)
    shared = {one for one in theirs if _said(one, ours, second)}
    limit = 8 if has_han(old) else 3
    return bool(shared) and len(theirs - shared) <= limit


def _content(statement: Statement) -> set[str]:
    if has_han(statement.sentence):
        parts = re.findall(f"[{HAN}]+", _NUMERAL.sub(" ", statement.text))
        return {part[i : i + 2] for part in parts for i in range(len(part) - 1)}
    return {
        one for one in statement.stems if one.isalpha() and len(one) > 2 and one not in _GRAMMAR
    }


def _said(word: str, words: set[str], statement: Statement) -> bool:
    return word in words or (len(word) > 4 and any(word[:5] == one[:5] for one in words))

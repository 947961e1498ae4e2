"""Values that say nothing, in the many ways in which models and people write that."""

from __future__ import annotations

import re
from typing import Any

__all__ = ["says_nothing"]

# fmt: off
_WORDS = frozenset(
    {
        "null", "none", "nil", "n/a", "n.a", "undefined", "unspecified", "unknown",
        "undetermined", "unmentioned", "unclear", "unavailable", "missing", "empty",
        "blank", "tbd",
        "无", "暂无", "没有", "未知", "不明", "不详",
        "不清楚", "不知道", "不确定", "不适用", "空", "待定", "待确认",
    }
)
# fmt: on
_KNOWN = (
    "mention(?:ed)?|specif(?:y|ied)|state[d]?|provide[d]?|give[n]?|say|said|know[n]?|disclose[d]?|"
    "indicate[d]?|available|applicable|clear|set|share[d]?|discuss(?:ed)?|determine[d]?"
)
_SENTENCE = re.compile(
    rf"(?:(?:the\s)?user\s|it\s|this\s)?(?:(?:is|was|were|has|have|did|does)(?:\s|(?=n['’]t)))?"
    rf"(?:not|never|n['’]t)\s(?:(?:yet|been|explicitly)\s)*(?:{_KNOWN})"
    r"(?:\s(?:yet|by\sthe\suser|in\sthe\s\w+|so\sfar|any\w*))*|"
    r"no\s(?:info(?:rmation)?|value|data|answer|mention)(?:\s(?:given|provided|available))?|"
    r"(?:用户)?(?:暂|尚|还|并|从)?(?:未|没有?|无)(?:明确|曾|具体)?"
    r"(?:提及|提到|说明|说|提供|指定|给出|表明|透露|告知|设置|设定|填写|记录|相关信息|信息|数据)过?",
    re.IGNORECASE,
)
_AROUND = " \t\r\n.,;:!?-–—_*…()[]<>\"'。，；：！？、（）【】「」“”"


def says_nothing(value: Any) -> bool:
    """Whether a value tells nothing: null, nothing but blanks, "not mentioned", an empty list.

    False and 0 are values; a list of nothing but such entries is none.
    """
    if value is None:
        return True
    if isinstance(value, str):
        text = " ".join(value.split()).strip(_AROUND)
        # "Na" and "Nan" are names; what stands for a missing value is written in capitals.
        plain = text.casefold()
        return text in ("", "NA", "NaN") or plain in _WORDS or _SENTENCE.fullmatch(text) is not None
    if isinstance(value, dict):
        return all(says_nothing(member) for member in value.values())
    if isinstance(value, list | tuple | set | frozenset):
        return all(says_nothing(member) for member in value)
    return False

"""What the user wants to be spared, in Chinese: 不要…, 别有…, 不能带…."""

# A pattern is easier to check in one piece.

from __future__ import annotations

import re

from langgraph_memory.extraction.drafts import Draft
from langgraph_memory.extraction.rules.chinese.clauses import about_user
from langgraph_memory.extraction.rules.chinese.tastes import topic_han
from langgraph_memory.offline.lexicon import concepts, han_words, is_kind_of, word_meanings
from langgraph_memory.records import MemoryType

__all__ = ["read_exclusion"]

# 酒店不要…: a thing may stand before what is not wanted of it.
_WITHOUT = re.compile(
    r"^(?:(?:请|麻烦|千万|绝对|一定|坚决)+|(?P<of>(?!以后|今后|下次|每次|这|那|你|您|我|他|她|它)[\u4e00-\u9fff]{1,4}?(?:里面?|上)?)(?:千万|绝对|一定|最好)*)?"
    r"(?:(?P<has>(?:不要|别|不能|不可以|不许)(?:有|带(?!来|走|上)|含|放(?![弃心下])|加(?![班油快])|配(?!合)|出现))|(?P<want>不要|不想要|不接受))(?P<what>\S{1,14})$"
)
_TALK = re.compile(
    r"(?:紧|急|慌|怕|命|脸|钱(?!包)|了|再|给|跟|和|把|被|让|太?客气|担心|误会|问题|意思|说|忘|管|走|动|停|哭|笑|闹|生气|难过|放弃|勉强|着急|这|那|你|您|我|他|她|它|一个人|什么|总|老|乱|随便|轻易)"
)
_DEGREE = re.compile(r"^(?:离|比)?\S{0,6}太\S+$|^(?:超过|高于|低于|早于|晚于)\S+$")
_THING = re.compile(
    r"的$|^太\S+的\S{1,3}$|(?:航班|班次|飞机|火车|酒店|旅馆|青旅|民宿|房间?|座|位|车|餐厅|店|菜|肉|鱼|奶|酒|烟|糖|油|葱|姜|蒜|花生|坚果|辣|甜|冰|皮|色|款|味|片|书|游戏|广告|推销|表情|套话|电话|通知|短信|宠物|猫|狗|购物|自费|转机|早班|晚班|夜班|中介|合租)$"
)


def read_exclusion(clause: str) -> Draft | None:
    """What a clause rules out for good, or None; whoever calls has seen that it is not for once."""
    found = _WITHOUT.match(clause)
    if found is None:
        return None
    what, of = found.group("what"), found.group("of") or ""
    if _TALK.match(what) or re.search(r"(?:[那这]个|的话|了|吗)$", what):
        return None
    if not (found.group("has") or _is_thing(what) or (of and _DEGREE.match(what))):
        return None
    if not found.group("has") and _is_doing(what):
        return None
    return Draft(
        MemoryType.CONSTRAINT,
        f"用户的要求：{about_user(clause).removeprefix('用户')}",
        0.8,
        0.7,
        subject=f"taste:{topic_han(what)}",
    )


def _is_thing(what: str) -> bool:
    """Whether a phrase ends in a word for a thing that one can take or leave."""
    if _THING.search(what):
        return True
    last = next(reversed(han_words(what)), "")
    wide = [
        one
        for word in ("food", "drink", "animal", "vehicle", "hotel", "flight")
        for one in word_meanings(word)
    ]
    return any(
        one in wide or any(is_kind_of(one, two) for two in wide) for one in concepts((last,))
    )


def _is_doing(what: str) -> bool:
    """Whether a phrase begins with a verb: 订…, 给…, 用…."""
    return re.match(r"[订推选排发写用做打改删写说讲叫加放买卖开关问答看听]", what) is not None

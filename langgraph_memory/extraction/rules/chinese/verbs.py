"""What Chinese clauses about "I" tell, by their verbs."""

# A pattern is easier to check in one piece.

from __future__ import annotations

import re

from langgraph_memory.extraction.drafts import Draft
from langgraph_memory.extraction.rules.chinese.being import read_health, read_identity, read_mine
from langgraph_memory.extraction.rules.chinese.changing import read_changed
from langgraph_memory.extraction.rules.chinese.doing import (
    read_habit,
    read_happening,
    read_making,
    read_skilled,
    read_using,
    read_wanting,
)
from langgraph_memory.extraction.rules.chinese.living import read_family, read_living, read_working
from langgraph_memory.extraction.rules.chinese.tastes import (
    read_disliking,
    read_liking,
    read_refusing,
)

__all__ = ["read_verb"]

_ADV = (
    r"(?:现在|目前|后来|以后|将来|未来|有朝一日|早晚|平时|平常|一般|通常|最近|一直|都|也|还|就|只|很|特别|非常|超级?|真的?|最|更|比较|挺|太|蛮|尤其|从小|从来|向来|其实|实在|主要|基本上?|已经|刚|刚刚|曾经|以前|之前|经常|常年|偶尔|常|"
    r"每天|每周\S?|每晚|早就|又|可|是|再也|绝对|完全|更加|格外|越来越|有点儿?|稍微|天生|自己|本来|原来|个人|这人|这个人|周末|工作日|晚上|早上|中午|下午|如今|近期|近来|这几年|去年|今年|明年|上个?月|上周|下个?月|下周\S?|\d{4}年|[春夏秋冬](?:天|季)|(?:\d{1,2}|[一二三四五六七八九十]{1,2})月(?:份|初|底)?|年[初底末中]|月[初底中]|前阵子|前不久|前段时间|不久前|上(?:个)?(?:学期|季度)|(?:\d+|[一二三四五六七八九十两几半])(?:年|个月|周|天)(?:前|以前|之前)|[今去前]年|正|正在|在|当时|前年|昨天|今天|明天|后天|所以|因此|因为|另外|对了|打小|生来|多年来|这阵子|一律|一定|务必|始终|总是|老是|全家|大概|差不多|最多|至少)*"
)
_I = rf"^我们?{_ADV}"


def read_verb(text: str) -> list[Draft]:
    """What a clause that begins with 我 tells about the user."""
    if re.match(
        r"^我们?(?:的|家)?(?:邻居|朋友|同事|老板|同学|室友|舍友|领导|客户|闺蜜|导师|房东|上司|学生|老师|网友|同桌|哥们|前任)",
        text,
    ):
        return []  # Somebody else, and nobody of the family.
    if re.search(r"第[一二三四两]个|(?:这|那)个方案", text) or re.match(rf"{_I}想了", text):
        return []
    if re.search(r"(?:那个|这个|那款|这款|那种|那家|那条|第[一二三四]个|前者|后者)$", text):
        return []  # It points at something of the conversation.
    if re.match(rf"{_I}(?:打算|计划|准备(?!了)|想(?!吐)|希望|争取|渴望|立志|决心|决定|力争)", text):
        planned = read_wanting(text)
        return [planned] if planned and planned.content else []
    for reader in (
        read_mine,
        read_identity,
        read_health,
        read_changed,
        read_living,
        read_working,
        read_family,
        read_disliking,
        read_liking,
        read_refusing,
        read_using,
        read_skilled,
        read_making,
        read_wanting,
        read_happening,
        read_habit,
    ):
        found = reader(text)
        if found is not None:
            return [found] if found.content else []
    return []

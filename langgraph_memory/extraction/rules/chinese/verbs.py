"""What Chinese clauses about "I" tell, by their verbs."""

# A pattern is easier to check in one piece.

from __future__ import annotations

import re

from langgraph_memory.extraction.drafts import Draft
from langgraph_memory.extraction.rules.chinese.being import read_health, read_identity, read_mine
from langgraph_memory.extraction.rules.chinese.belonging import read_belonging
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
from langgraph_memory.extraction.rules.chinese.words import I_THEN

__all__ = ["read_verb"]


def read_verb(text: str) -> list[Draft]:
    """What a clause that begins with 我 tells about the user."""
    belonging = read_belonging(text)
    if belonging:
        return [belonging]
    if re.match(
        r"^我们?(?:的|家)?(?:邻居|朋友|同事|老板|同学|室友|舍友|领导|客户|闺蜜|导师|房东|上司|学生|老师|网友|同桌|哥们|前任)",
        text,
    ):
        return []  # Somebody else, and nobody of the family.
    if re.search(r"第[一二三四两]个|(?:这|那)个方案", text) or re.match(rf"{I_THEN}想了", text):
        return []
    if re.search(r"(?:那个|这个|那款|这款|那种|那家|那条|第[一二三四]个|前者|后者)$", text):
        return []  # It points at something of the conversation.
    if re.match(
        rf"{I_THEN}(?:打算|计划|准备(?!了)|想(?!吐)|希望|争取|渴望|立志|决心|决定|力争)", text
    ):
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

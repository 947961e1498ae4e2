"""What matter of the user's life a statement is on, whatever rule has read it: health, pay."""

from __future__ import annotations

import re

from langgraph_memory.offline.kinship import RELATIVE, RELATIVE_HAN

__all__ = ["is_of_matter", "is_on_health"]

_HEALTH = re.compile(
    r"\b(?:blood\s(?:type|group|pressure|sugar|thinners?)|cholesterol|eyesight|hearing\s(?:is|aids?)|"
    r"wheelchair|crutches|inhaler|pacemaker|prosthe\w+|epipen|insulin|medications?|medicines?|pills|"
    r"antidepressants|antihistamines|antibiotics|diabet\w+|asthma\w*|epilep\w+|migraines?|pregnant|"
    r"(?:wears?|needs?)\s(?:\w+\s)?(?:glasses|contact\slenses)|"
    r"(?:broke|fractured|sprained|tore|injured|dislocated)\s(?:(?:their|a|the|left|right)\s){1,2}"
    r"(?:leg|arm|foot|ankle|knee|hip|wrist|hand|shoulder|rib|collarbone|toe|finger|neck|back|nose)|"
    r"(?:takes?|taking|on)\s\w{3,}(?:formin|statin|pril|sartan|olol|prazole|cillin|profen|oxetine|"
    r"thyroxine|traline|triptan|farin|lukast|caine|mycin|cycline|zepam|zolam))\b|"
    r"血型|型血|血压|血糖|血脂|胰岛素|助听器|轮椅|哮喘|糖尿病|癫痫|怀孕",
    re.IGNORECASE,
)


def is_on_health(statement: str) -> bool:
    """Whether a statement names a state of the body, or what is taken or worn for it."""
    return _HEALTH.search(statement) is not None


_OWN = re.compile(
    rf"The\suser\b(?!['’]s\s(?:[\w-]+\s)?{RELATIVE}\b)|用户(?!的?{RELATIVE_HAN})", re.IGNORECASE
)
# What is asked to be forgotten by the name of the matter, and what statements are on it.
_MATTERS: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (re.compile(named, re.IGNORECASE), re.compile(said, re.IGNORECASE))
    for named, said in (
        (
            r"(?:my|their|the\suser['’]s)\s(?:health|medical\s\w+|illness(?:es)?|conditions?)(?:\s\w+)?|(?:用户)?的?(?:所有的?)?(?:健康|身体|病|病史|病情)(?:状况|情况|信息|问题)?的?",
            r"\b(?:allerg\w+|intoleran\w+|c(?:o)?eliac|migraine\w*|diagnosed|depress\w+|anxiety|surgery|disease|disorder|syndrome)\b|过敏|不耐受|[\u4e00-\u9fff][病炎症](?!院)|确诊|手术",
        ),
        (
            r"(?:my|their|the\suser['’]s)\s(?:salary|pay|income|wages?|earnings)|how\smuch\s(?:I|they|the\suser)\s(?:earn|make)s?|(?:用户)?的?(?:工资|薪水|收入|月薪|年薪|薪资)|用户(?:挣|赚)多少钱?",
            r"\b(?:earns?|salary|income|wages?|paid|makes)\b(?=\D*\d)|(?:工资|薪水|收入|月薪|年薪|薪资|[挣赚])\D*[\d一二三四五六七八九十两]",
        ),
    )
)


def is_of_matter(statement: str, topic: str) -> bool:
    """Whether a statement of the user's own is on the matter that a topic names as a whole."""
    for at, (named, said) in enumerate(_MATTERS):
        if named.fullmatch(topic.strip(" .。")) and _OWN.match(statement):
            return said.search(statement) is not None or (at == 0 and is_on_health(statement))
    return False

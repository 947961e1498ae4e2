"""What a statement says of somebody's health, whatever rule has read it."""

from __future__ import annotations

import re

__all__ = ["is_on_health"]

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

"""What a statement says that the user uses, has, eats or lives in, whatever its words."""

# A pattern is easier to check in one piece.
# ruff: noqa: E501

from __future__ import annotations

import re

from langgraph_memory.memories.statements import negations, plain
from langgraph_memory.offline.kinship import RELATIVE, RELATIVE_HAN

__all__ = ["is_same_use"]

# A change to a thing is a use of it. Of what belongs to a user ("the user's editor is …"), no
# relatives, who use things themselves.
_CHANGED = r"(?:moved|relocated|switched|migrated|changed|converted|transferred|swapped|went)(?:\s(?!to\b)[^\s]+){0,6}?(?=\s(?:to|for)\b)"
_USE = re.compile(
    rf"^the\suser(?:['’]s\s(?:(?!{RELATIVE}\b)\w+\s){{1,4}}?(?P<its>is\swritten|is|are|runs|uses)|"
    r"(?:\s(?:is|has\sbeen|now|also|still|mostly|mainly|only|usually|always|\w+ly))*\s"
    r"(?P<verb>us(?:es|ing)|drinks?|eats?|drives?|rides?|plays?|wears?|takes?|reads?|runs?|works?|codes?|writes?|develops|programs|studies|learns|"
    rf"lives?|living|banks?|shops?|has|owns|got|{_CHANGED}))"
    r"(?:\s(?:with|on|in|at|to|for|as|by|using|called|a|an|the|their|his|her|its|some))*\s(?P<thing>.+)$"
)
_CHANGED_HAN = (
    r"(?:从\S{1,12}?|把\S{1,12}?)?(?:搬家?|换|改|转|切换|迁移?)(?:成|到|用|去|为|喝|吃|学)"
)
_USE_HAN = re.compile(
    rf"^用户(?:的(?!{RELATIVE_HAN})[\u4e00-\u9fff]{{1,5}}?(?P<its>用的?是|是用?|用|跑在|换成|改成|在)|"
    r"(?:现在|目前|平时|一直|主要|一般|最近|每天|都|也|还|经常|喜欢|爱|习惯|在|正在)*"
    rf"(?P<verb>使用|用着|用的?是|用|喝|吃|抽|开的?是?|骑|玩|弹|拉|学|练|看|读|写|穿|住在?|有|养|{_CHANGED_HAN}))"
    r"(?:了|着|一?[辆台部个把只])*\s?(?P<thing>.+)$"
)
_ANY = frozenset(["use", "用"])
_OWNING = frozenset(["have", "有"])


def is_same_use(statement: str, other: str) -> bool:
    """Whether `other` says that the user has to do with the very thing that `statement` names.

    "The user uses Jira" is meant by "The user is using Jira at work", "The user's tracker is Jira"
    and "The user switched from Trello to Jira"; any other verb only by itself.
    """
    (verb, thing), (same, there) = _used(statement), _used(other)
    if not thing or negations(other) or not there.startswith(thing):
        return False
    following = there[len(thing) :][:1]
    whole = not (thing[-1].isascii() and following.isascii() and following.isalnum())
    return whole and (verb == same or (verb in _ANY and same not in _OWNING))


def _used(text: str) -> tuple[str, str]:
    """The verb, in one form, and the thing; nothing where a statement is not of that kind."""
    words = plain(text)
    found = _USE.match(words) or _USE_HAN.match(words)
    return (_verb(found["verb"] or found["its"]), found["thing"]) if found else ("", "")


def _verb(said: str) -> str:
    if said[0].isascii():
        first = said.split(" ", maxsplit=1)[0]
        if first in {"has", "owns", "got"}:
            return "have"
        known = first in {"is", "are", "using", "uses", "went"} or first.endswith("ed")
        return "use" if known else first.rstrip("s")
    bare = said.rstrip("的是了在") or "用"
    return "用" if re.search("[用换改转切迁搬跑]", bare) else bare

"""A value in the place of another: which memory has the old one, and what it says with the new."""

# A pattern is easier to check in one piece.

from __future__ import annotations

import re
from dataclasses import dataclass

from langgraph_memory.memories.statements import is_one_of_several, negations, shared_words
from langgraph_memory.offline.kinship import RELATIVE, RELATIVE_HAN

__all__ = ["Swap", "has_value", "is_of_limit", "with_value"]


@dataclass(frozen=True, slots=True)
class Swap:
    """What the user put in the place of something, where memories tell what of.

    "Dr. Hale has taken over from Dr. Okafor" says that the dentist is another one where Dr. Okafor
    is remembered as the dentist.

    Attributes:
        old: The value that no longer holds; empty where only `of` is named.
        new: The one that does now; empty where that is not said.
        of: What it is the value of, as far as the user says.
        known_only: Whether it says nothing where no memory has the old value.
    """

    old: str
    new: str
    of: str = ""
    known_only: bool = False


_HAN = "\u3400-\u9fff"
_ARTICLE = re.compile(r"^(?:(?:my|our|the|an?|this|that|to|at|old)\s)+", re.IGNORECASE)
_WORD = re.compile(rf"[{_HAN}]|[^\W_{_HAN}]+")
# What stands before the value of something of the user's, or of what the user does.
_BEFORE = re.compile(
    rf"^The\suser(?:['’]s\s(?:[\w-]+\s){{1,5}}(?:is|are)|(?!['’])(?!.*\b{RELATIVE}\b)(?:\s[\w'’-]+){{1,7}})"
    r"(?:\s(?:called|named|an?|the|now))*\s$|"
    rf"^用户(?:的[^，、是]{{1,8}}(?:是|叫|为)|的(?!.*{RELATIVE_HAN})[^，、是]{{1,8}}(?:在|用|换成)|(?!的)(?!.*{RELATIVE_HAN})[^，、]{{1,10}})$",
    re.IGNORECASE,
)
_STATED = re.compile(r"(?:\bis|\bare|\bcalled|是|叫)\s*$")
_AMOUNT = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|midnight|half|quarter|once|twice|"
    r"\w+days?|weekends?|mornings?|evenings?)\b|[一二两三四五六七八九十]|周[末日天]|[上下中]午|[早晚]上",
    re.IGNORECASE,
)
_LIMIT = re.compile(r"budget|limit|max|cap\b|ceiling|预算|上限|限额|额度|底线", re.IGNORECASE)
# A day that was worked out stands beside the words for it.
_DATED = re.compile(r"\(\d{4}-\d\d-\d\d\)")
_NO_MORE = re.compile(
    r"\b(?:no|not|never)\s(?:\w+\s){0,2}?(?:more|over|above|exceed\w*|later|longer|higher)\b|不(?:能|得|可以|要|许|想)?(?:超过|高于|多于|晚于|大于)",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"\s(?:for|to|as|every|each|per|when)\b|[,;，。]", re.IGNORECASE)


def is_of_limit(swap: Swap) -> bool:
    """Whether a swap may be one of limits and orders: where it says so, or is of own amounts."""
    amounts = _AMOUNT.search(swap.old) and _AMOUNT.search(swap.new)
    return _LIMIT.search(swap.of) is not None or (bool(amounts) and not swap.known_only)


def has_value(statement: str, swap: Swap) -> int:
    """Whether a statement has the old value of a swap as its own, and how plainly: 0 if not."""
    if negations(_NO_MORE.sub(" ", statement)) or (
        swap.of and not shared_words(swap.of, statement)
    ):
        return 0
    if not swap.old:
        if re.match(
            rf"(?:The\suser['’]s\s|用户[的家]?){re.escape(swap.of)}(?:\s(?:is|are)\b|是|为|：)",
            statement,
        ):
            return 2
        return 1 if swap.of and _AMOUNT.search(statement) else 0
    found = _place(statement, swap.old)
    if found is None:
        return 0
    head = statement[: found.start()]
    if not swap.of and not _BEFORE.match(head):
        return 0
    return 2 if _STATED.search(head) else 1


def with_value(statement: str, swap: Swap) -> str | None:
    """A statement with the new value of a swap in the place of the old one."""
    found = _place(statement, swap.old) if swap.old and swap.new else None
    if found is None or _DATED.search(statement):
        return None
    head, tail = statement[: found.start()], statement[found.end() :]
    new = swap.new
    if re.search(r"\b(?:an?|the)\s$", head, re.IGNORECASE):
        new = re.sub(r"^(?:an?|the|my|our)\s", "", new)
        head = re.sub(r"\ban?\s$", "an " if new[:1].lower() in "aeiou" else "a ", head)
        head = re.sub(r"\ban?\s$", "", head) if new[:1].isupper() and not tail.strip(".") else head
    # "Dr. Okafor on Mill Lane" is where Dr. Hale need not be; "on weekdays" goes for any time.
    if not (
        _AMOUNT.search(found.group()) or _GOES_ON.match(tail) or is_one_of_several(statement)
    ) and not re.search(rf"[{_HAN}]", statement):
        tail = "."
    for size in range(len(tail), 0, -1):  # "$65 a week" needs no second "a week".
        said = tail[:size].strip().casefold()
        before = new.casefold().removesuffix(said)
        whole = re.search(rf"(?:[\s{_HAN}])$", before) and not tail[size : size + 1].isalnum()
        if said and before != new.casefold() and (whole or re.match(rf"[{_HAN}]", said)):
            tail = tail[size:]
            break
    return f"{head}{new}{tail}"


def _place(statement: str, value: str) -> re.Match[str] | None:
    """Where a statement has a value, whatever stands between its words."""
    words = _WORD.findall(_ARTICLE.sub("", value.strip()))
    if not words:
        return None
    pattern = r"[\W_]*".join(
        re.escape(word) + (r"s?" if word.isascii() and word.isalpha() and len(word) > 2 else "")
        for word in words
    )
    edges = [
        "" if re.match(f"[{_HAN}]", one) else edge
        for one, edge in ((words[0], r"(?<![^\W_])"), (words[-1], r"(?![^\W_])"))
    ]
    if re.match(r"\d", words[0]):
        pattern = rf"[$€£¥]?{pattern}"
        edges[0] = r"(?<![\d.,$€£¥])(?<!\d)"
    if re.match(r"\d", words[-1][-1]):
        edges[1] = r"(?![\d]|[.,:]\d)"
    return re.search(rf"{edges[0]}{pattern}{edges[1]}", statement, re.IGNORECASE)

"""What the stand-in model understands: the statements of the script, wherever they stand.

It is as good as a model can be on these sentences and the same for every library, so that what
differs is what a library asks it, shows it, and makes of its answers. It knows the forms of the
sentences and no script: who said what when it only has from the text it is sent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from langgraph_memory.evals.longterm.talk import LIMITS
from langgraph_memory.evals.topics import CHINESE, ENGLISH

__all__ = ["Change", "Statement", "changes", "holds", "statements"]


@dataclass(frozen=True)
class Statement:
    """Something the user said that is worth remembering.

    Attributes:
        about: What it is about, which has one value at a time.
        value: The value.
        content: A sentence that can be understood alone, in the third person.
        is_limit: Whether it must not be violated.
    """

    about: str
    value: str
    content: str
    is_limit: bool = False


@dataclass(frozen=True)
class Change:
    """What is to be done with a statement.

    Attributes:
        content: What to remember.
        replaces: Id of the known memory that this one takes the place of; None for a new one.
        is_limit: Whether it must not be violated.
    """

    content: str
    replaces: str | None = None
    is_limit: bool = False


@dataclass(frozen=True)
class _Subject:
    about: str
    said: str
    values: tuple[str, ...]
    forms: tuple[re.Pattern[str], ...]
    is_limit: bool = False

    def is_in(self, text: str) -> bool:
        """Whether a memory is about it: it has a value of it and words of its statement."""
        words = _words(self.said.replace("{new}", " ")) | _words(self.about)
        return any(holds(text, value) for value in self.values) and bool(words & _words(text))


def statements(text: str) -> list[Statement]:
    """What a text of the user states, in the order in which it stands there."""
    found = [
        (match.start(), _statement(each, match["new"]))
        for each in _subjects()
        for form in each.forms
        for match in form.finditer(text)
    ]
    found.sort(key=lambda each: each[0])
    return [statement for _, statement in found]


def changes(said: Sequence[Statement], known: Mapping[str, str]) -> list[Change]:
    """What to do so that the newest statement about each thing is remembered, and no other.

    Args:
        said: What the user stated, oldest first.
        known: The memories the model was shown, by their ids.
    """
    newest = {statement.about: statement for statement in said}
    subjects = {each.about: each for each in _subjects()}
    made: list[Change] = []
    for about, statement in newest.items():
        same = [key for key, text in known.items() if subjects[about].is_in(text)]
        if any(holds(known[key], statement.value) for key in same):
            continue
        made.append(Change(statement.content, same[0] if same else None, statement.is_limit))
    return made


def holds(text: str, value: str) -> bool:
    """Whether a value stands in a text as words of their own; Chinese has no spaces round them."""
    if not value.isascii():
        return value in text
    return re.search(rf"(?<![\w.:,]){re.escape(value)}(?!\w)", text) is not None


@cache
def _subjects() -> tuple[_Subject, ...]:
    return tuple(_every_subject())


def _every_subject() -> Iterator[_Subject]:
    for topic in (*ENGLISH.topics, *CHINESE.topics):
        forms = (topic.said, topic.changed, topic.implied)
        yield _Subject(topic.question, topic.said, topic.values, _patterns(forms, topic.values))
    for limits in LIMITS.values():
        for limit in limits:
            patterns = _patterns((limit.said,), limit.values)
            yield _Subject(limit.question, limit.said, limit.values, patterns, is_limit=True)


def _patterns(forms: Sequence[str], values: Sequence[str]) -> tuple[re.Pattern[str], ...]:
    either = "|".join(map(re.escape, sorted(values, key=len, reverse=True)))
    made = []
    for form in forms:
        pattern = re.escape(form).replace(r"\{new\}", f"(?P<new>{either})")
        made.append(re.compile(pattern.replace(r"\{old\}", f"(?P<old>{either})")))
    return tuple(made)


def _statement(subject: _Subject, value: str) -> Statement:
    return Statement(subject.about, value, _reported(subject, value), subject.is_limit)


def _reported(subject: _Subject, value: str) -> str:
    """The statement about the user in the third person."""
    sentence = subject.said.replace("{new}", value)
    if not subject.said.isascii():
        return sentence.replace("我们", "用户他们").replace("我", "用户")
    for pattern, replacement in _THIRD_PERSON:
        sentence = pattern.sub(replacement, sentence)
    return sentence[0].upper() + sentence[1:]


_THIRD_PERSON = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"\bI am\b", "the user is"),
        (r"\bI (do|go)\b", r"the user \1es"),
        (r"\bI (fl|stud)y\b", r"the user \1ies"),
        (r"\bI (\w+)", r"the user \1s"),
        (r"\b[Mm]y\b", "the user's"),
        (r"\bme\b", "the user"),
        (r"\b[Ww]e\b", "the user and the family"),
    )
)


@cache
def _words(text: str) -> frozenset[str]:
    """Words that say something, and pairs of Chinese characters."""
    words = re.findall(r"[a-z]{3,}", text.lower())
    pairs = re.findall(r"(?=([\u4e00-\u9fff]{2}))", text)
    return frozenset([*words, *pairs]) - _COMMON


_COMMON = frozenset(
    ("the", "and", "for", "not", "with", "what", "which", "who", "how", "when", "does", "user")
)

"""Two users' conversations of a hundred turns each: what they say, ask, and correct.

A user states facts, preferences and limits in four threads, corrects some of them in the next
two, and asks about all of them in the last four. Threads alternate between English and Chinese.
Every question is asked in a later thread than the one that told its answer, so that only memory
can bring it, and no value of one user is ever said by the other.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import zip_longest
from typing import Literal

from langgraph_memory.evals.longterm.talk import LIMITS, TALK, Limit
from langgraph_memory.evals.topics import CHINESE, ENGLISH, Topic

__all__ = ["USERS", "Turn", "script"]

USERS = ("ada", "ben")
Kind = Literal["statement", "correction", "question", "talk"]

_LANGUAGES = {"en": ENGLISH, "zh": CHINESE}
_PER_THREAD = 10
_TOPICS, _CORRECTED = 9, 4
"""Of each language: topics that are stated beside the limits, and how many are corrected."""
_BEGINNING = datetime(2026, 2, 2, 8, tzinfo=UTC)


@dataclass(frozen=True)
class Turn:
    """What a user says once.

    Attributes:
        user: Who.
        thread: In which thread.
        moment: When.
        kind: What it is.
        text: The message.
        current: For a question, the value that answers it.
        superseded: For a question, the value that answered it before; None if nothing changed.
        foreign: Values of the other users, which must never reach this one.
        limits: Values of the limits that the user stated in earlier threads, which always hold.
    """

    user: str
    thread: str
    moment: datetime
    kind: Kind
    text: str
    current: str = ""
    superseded: str | None = None
    foreign: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Told:
    """A topic or a limit of one user."""

    topic: Topic | Limit
    first: str
    then: str | None

    @property
    def values(self) -> tuple[str, ...]:
        return (self.first,) if self.then is None else (self.first, self.then)


_Everyone = dict[str, dict[str, list[_Told]]]
"""What is told, by user and language."""


def script(languages: Sequence[str] = ("en", "zh"), seed: int = 11) -> tuple[Turn, ...]:
    """The turns of both users in the order in which they are said, by turns.

    Args:
        languages: Of the threads; fifty turns of each user in each.
        seed: Of what is said and in which order.
    """
    chance = random.Random(seed)
    told: _Everyone = {user: {} for user in USERS}
    for name in languages:
        for topic in chance.sample(_LANGUAGES[name].topics, _TOPICS):
            _share(topic, topic.values, name, told, chance, changing=True)
        for limit in LIMITS[name]:
            _share(limit, limit.values, name, told, chance, changing=False)
    turns = [list(_turns(user, told, chance)) for user in USERS]
    return tuple(turn for pair in zip_longest(*turns) for turn in pair if turn is not None)


def _share(
    topic: Topic | Limit,
    values: Sequence[str],
    language: str,
    told: _Everyone,
    chance: random.Random,
    *,
    changing: bool,
) -> None:
    """Give each user values of their own."""
    mixed = chance.sample(values, len(values))
    for number, user in enumerate(USERS):
        mine = told[user].setdefault(language, [])
        changes = changing and len(mine) < _CORRECTED
        first, then = mixed[2 * number : 2 * number + 2]
        mine.append(_Told(topic, first, then if changes else None))


def _turns(user: str, told: _Everyone, chance: random.Random) -> Iterator[Turn]:
    foreign = tuple(
        value
        for other, languages in told.items()
        if other != user
        for each in languages.values()
        for one in each
        for value in one.values
    )
    everything = [one for each in told[user].values() for one in each]
    limits = {_stated(one): one.first for one in everything if isinstance(one.topic, Limit)}
    held: tuple[str, ...] = ()
    for number, thread in enumerate(_threads(told[user], chance)):
        start = _BEGINNING + timedelta(days=3 * number)
        for place, (kind, text, current, superseded) in enumerate(thread):
            moment = start + timedelta(minutes=2 * place)
            yield Turn(
                user, f"{user}-{number}", moment, kind, text, current, superseded, foreign, held
            )
        held += tuple(limits[text] for _, text, _, _ in thread if text in limits)


_Line = tuple[Kind, str, str, str | None]


def _threads(mine: dict[str, list[_Told]], chance: random.Random) -> Iterator[list[_Line]]:
    stated = {name: _dealt(_statements(each), 2, chance) for name, each in mine.items()}
    corrected = {name: _dealt(_corrections(each, chance), 1, chance) for name, each in mine.items()}
    early = {
        name: _dealt(_questions(each, changed=False), 1, chance) for name, each in mine.items()
    }
    every = {
        name: [*_questions(each, changed=True), *_questions(each, changed=False)]
        for name, each in mine.items()
    }
    late = {name: _dealt(each, 2, chance) for name, each in every.items()}
    for part in (0, 1):
        for name in mine:
            yield _filled(stated[name][part], name, chance)
    for name in mine:
        yield _filled([*corrected[name][0], *early[name][0][:3]], name, chance)
    for part in (0, 1):
        for name in mine:
            yield _filled(late[name][part], name, chance)


def _statements(told: Sequence[_Told]) -> list[_Line]:
    return [("statement", _stated(one), "", None) for one in told]


def _stated(one: _Told) -> str:
    return one.topic.said.format(new=one.first)


def _corrections(told: Sequence[_Told], chance: random.Random) -> list[_Line]:
    lines: list[_Line] = []
    for one in told:
        if one.then is not None and isinstance(one.topic, Topic):
            form = chance.choice((one.topic.changed, one.topic.implied))
            lines.append(("correction", form.format(old=one.first, new=one.then), "", None))
    return lines


def _questions(told: Sequence[_Told], *, changed: bool) -> list[_Line]:
    return [
        ("question", one.topic.question, one.then or one.first, one.first if one.then else None)
        for one in told
        if (one.then is not None) is changed
    ]


def _dealt(lines: list[_Line], hands: int, chance: random.Random) -> list[list[_Line]]:
    mixed = chance.sample(lines, len(lines))
    return [mixed[number::hands] for number in range(hands)]


def _filled(lines: list[_Line], language: str, chance: random.Random) -> list[_Line]:
    """A thread: the lines and as much talk as there is room for, mixed."""
    talk: list[_Line] = [
        ("talk", text, "", None) for text in chance.sample(TALK[language], _PER_THREAD - len(lines))
    ]
    return chance.sample([*lines, *talk], _PER_THREAD)

"""Conversations in which every fact is replaced later: does the current one come first?

Each topic is stated, later something with the same words is said about something else or before
it, and the topic is stated anew in one of four manners. What is asked is the question of the
topic; its evidence is the new statement, and the old one is superseded.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

from langgraph_memory.evals.retrieval.conversations import Conversation, DataSet, Question, Turn
from langgraph_memory.evals.topics import CHINESE, ENGLISH, Language, Topic

__all__ = ["REPLACED", "replaced"]

MANNERS = ("same words", "change told", "change implied", "other words")
"""How a new value is stated: as the old one was and marked as new; as a change of the topic; as a
change of the old value; in other words, as if nothing had been said before."""

_BEGINNING = datetime(2025, 1, 6, 9, tzinfo=UTC)
_LANGUAGES = {f"replaced-{language.name}": language for language in (ENGLISH, CHINESE)}

REPLACED: tuple[str, ...] = tuple(_LANGUAGES)
"""Names of the sets."""


def replaced(name: str, limit: int | None = None, seed: int = 7) -> DataSet:
    """One of the sets `REPLACED`, the same for the same seed.

    Args:
        name: Its name.
        limit: How many of its conversations, one for each manner that a topic can be stated in;
            all if None.
        seed: Of the order and of the values.
    """
    language = _LANGUAGES[name]
    count = len(MANNERS) if limit is None else min(limit, len(MANNERS))
    made = [
        _conversation(language, number, random.Random(seed + number)) for number in range(count)
    ]
    return DataSet(name, tuple(made))


def _conversation(language: Language, number: int, chance: random.Random) -> Conversation:
    said: list[tuple[str, str]] = []
    anew: list[tuple[str, str]] = []
    questions: list[tuple[str, str, str]] = []
    for place, topic in enumerate(language.topics):
        manner = MANNERS[(place + number) % len(MANNERS)]
        old, new = chance.sample(topic.values, 2)
        said.append((f"old {place}", topic.said.format(new=old)))
        anew.append((f"new {place}", _anew(topic, manner, old, new, language.again, chance)))
        # On either side of the new statement, so that what is newest is not always right.
        (anew if chance.random() < 0.5 else said).append((f"beside {place}", topic.beside))
        questions.append((topic.question, manner, str(place)))
    chance.shuffle(said)
    chance.shuffle(anew)
    turns = dict(_turns([*said, *anew], language.replies, chance))
    asked = _BEGINNING + timedelta(days=len(turns))
    return Conversation(
        f"{language.name} {number + 1}",
        turns,
        tuple(
            Question(text, manner, frozenset({f"new {place}"}), asked, frozenset({f"old {place}"}))
            for text, manner, place in questions
        ),
    )


def _anew(
    topic: Topic,
    manner: str,
    old: str,
    new: str,
    again: Sequence[str],
    chance: random.Random,
) -> str:
    if manner == "change told":
        return topic.changed.format(old=old, new=new)
    if manner == "change implied":
        return topic.implied.format(old=old, new=new)
    if manner == "other words":
        return topic.otherwise.format(new=new)
    return chance.choice(again).format(text=topic.said.format(new=new))


def _turns(
    said: Sequence[tuple[str, str]], replies: Sequence[str], chance: random.Random
) -> Iterator[tuple[str, Turn]]:
    """One session a day: what the user says, and the reply."""
    for day, (name, text) in enumerate(said):
        moment = _BEGINNING + timedelta(days=day)
        yield name, Turn(f"user: {text}", "user", moment, f"day {day}", 0)
        reply = f"assistant: {chance.choice(replies)}"
        later = moment + timedelta(minutes=1)
        yield f"reply {day}", Turn(reply, "assistant", later, f"day {day}", 1)

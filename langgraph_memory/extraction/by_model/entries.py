"""From the entries of a model's answer to proposals and task notes, or to why they are dropped."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from typing import Any, TypeVar

from langgraph_memory import clock
from langgraph_memory.extraction.by_model.figures import figures_were_said, names_a_time
from langgraph_memory.extraction.by_model.form import CONFIRMATIONS
from langgraph_memory.extraction.by_model.shown import Said, Shown
from langgraph_memory.extraction.by_model.wording import shares_words
from langgraph_memory.extraction.drafts import IMPORTANCE
from langgraph_memory.extraction.proposals import Action, Dropped, DropReason, Proposal
from langgraph_memory.extraction.rules.keywords import keywords
from langgraph_memory.extraction.secrets import holds_secret
from langgraph_memory.offline.words import clean, has_han, sentences
from langgraph_memory.records import Confirmation, MemoryType
from langgraph_memory.tasks import TaskNote, TaskStatus

__all__ = ["EntryReader"]

LEAST_IMPORTANCE = 0.3
"""What is less important is not remembered."""

_LONGEST_CONTENT = 1_000
_LONGEST_TITLE = 200
_MOST_KEYWORDS = 8
_LONGEST_KEYWORD = 40
_BLANKS = re.compile(r"\s+")
_SECRET_TOKEN = re.compile(r"(?=\S*\d)[^\s,，。;；\"'“”]{4,}")
_AROUND = ".:!?()[]"

Choice = TypeVar("Choice", bound=StrEnum)


class EntryDroppedError(Exception):
    """An entry is not proposed; it does not leave this module."""

    def __init__(self, reason: DropReason) -> None:
        super().__init__(reason.value)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class _Sources:
    """The messages an entry cites.

    Attributes:
        said: The user's.
        cited: All that were shown.
    """

    said: tuple[Said, ...]
    cited: tuple[Said, ...]

    @property
    def text(self) -> str:
        return "\n".join(one.text for one in self.said)

    @property
    def questions(self) -> str:
        return "\n".join(one.question for one in self.said if one.question)

    def ids(self, *, with_questions: bool) -> tuple[str, ...]:
        """Ids of the user's messages, each after the question before it if that counts."""
        found: list[str] = []
        for one in self.said:
            asked = one.asked
            if asked is not None and (asked in self.cited or (with_questions and one.question)):
                found.append(asked.message_id)
            found.append(one.message_id)
        return tuple(dict.fromkeys(found))


@dataclass
class EntryReader:
    """Reads the entries of one answer.

    Attributes:
        shown: What the model was shown.
        said_at: When it was said.
        dropped: What was dropped so far.
    """

    shown: Shown
    said_at: datetime
    dropped: list[Dropped] = field(default_factory=list)
    _message_id: str = ""

    def proposals(self, entries: Sequence[Any]) -> Iterator[Proposal]:
        """The proposals among some entries, each once."""
        seen: set[tuple[Action, str]] = set()
        for entry in entries:
            self._message_id = ""
            try:
                found = self._proposal(_object(entry))
            except EntryDroppedError as error:
                self._drop(error.reason)
                continue
            key = (found.action, found.content.casefold())
            unimportant = found.action is Action.ADD and found.importance < LEAST_IMPORTANCE
            if key not in seen and not unimportant:
                seen.add(key)
                yield found

    def notes(self, entries: Sequence[Any]) -> Iterator[TaskNote]:
        """The notes on tasks among some entries."""
        for entry in entries:
            self._message_id = ""
            try:
                yield self._note(_object(entry))
            except EntryDroppedError as error:
                self._drop(error.reason)

    def _drop(self, reason: DropReason) -> None:
        self.dropped.append(Dropped(self._message_id, reason))

    def _proposal(self, entry: Mapping[str, Any]) -> Proposal:
        action = _choice(Action, entry.get("action"), Action.ADD)
        sources = self._sources(entry)
        replaced = self._known(entry.get("replaces"))
        forgets = action is Action.FORGET
        if forgets and not replaced and _names(entry.get("replaces")):
            raise EntryDroppedError(DropReason.UNKNOWN_ID)
        before = "\n".join(self.shown.known[alias].content for alias in replaced)
        content = _line(entry.get("content"), _LONGEST_CONTENT)
        if forgets and not content and replaced:
            content = self.shown.known[replaced[0]].content
        if not content:
            raise EntryDroppedError(DropReason.EMPTY)
        kind = _choice(MemoryType, entry.get("type"), MemoryType.FACT if forgets else None)
        confirmation = _choice(Confirmation, entry.get("confirmation"), Confirmation.STATED)
        if confirmation not in CONFIRMATIONS:
            raise EntryDroppedError(DropReason.UNREADABLE)
        if _gives_away(content, sources.text):
            raise EntryDroppedError(DropReason.SECRET)
        asked = self._supported(content, sources, before, words_too=forgets)
        if confirmation is Confirmation.CONFIRMED and not sources.questions:
            confirmation = Confirmation.STATED
        asked = asked or confirmation is Confirmation.CONFIRMED
        since, until = self._validity(entry, f"{sources.text}\n{sources.questions}")
        return Proposal(
            content=content,
            type=kind,
            importance=_share(entry.get("importance"), IMPORTANCE.get(kind, 0.5)),
            confidence=_share(entry.get("confidence"), 0.9),
            confirmation=confirmation,
            action=action,
            replaces=tuple(self.shown.known[alias].id for alias in replaced),
            keywords=self._keywords(entry, content, f"{sources.text}\n{sources.questions}"),
            source_message_ids=sources.ids(with_questions=asked),
            speaker=sources.said[0].speaker,
            language="zh" if has_han(content) else "en",
            valid_from=since,
            valid_to=until,
        )

    def _note(self, entry: Mapping[str, Any]) -> TaskNote:
        sources = self._sources(entry)
        alias = _alias(_line(entry.get("task"), _LONGEST_TITLE))
        task = self.shown.tasks.get(alias)
        if alias and task is None:
            raise EntryDroppedError(DropReason.UNKNOWN_ID)
        title = _line(entry.get("title"), _LONGEST_TITLE) or (task.title if task else "")
        if not title:
            raise EntryDroppedError(DropReason.EMPTY)
        status = entry.get("status")
        description = _line(entry.get("description"), _LONGEST_CONTENT)
        progress = _lines(entry.get("progress"))
        following = entry.get("next_steps")
        steps = None if following is None else _lines(following)
        written = "\n".join([title, description, *progress, *(steps or ())])
        if any(_gives_away(line, sources.text) for line in written.splitlines()):
            raise EntryDroppedError(DropReason.SECRET)
        heard = "\n".join(one.text for one in self.shown.said.values())
        if task is not None:
            heard = "\n".join([heard, task.title, task.description, *task.next_steps])
        if not shares_words(written, heard) or not self._figures(written, heard):
            raise EntryDroppedError(DropReason.NOT_SAID)
        return TaskNote(
            title=title,
            id=task.id if task else None,
            status=_choice(TaskStatus, status, TaskStatus.IN_PROGRESS) if status else None,
            description=description,
            progress=progress,
            next_steps=steps,
            source_message_ids=sources.ids(with_questions=False),
        )

    def _sources(self, entry: Mapping[str, Any]) -> _Sources:
        """The user's messages that an entry cites.

        An assistant's message counts only together with the answer that follows it.
        """
        named = [self.shown.said.get(_alias(name)) for name in _names(entry.get("sources"))]
        cited = tuple(dict.fromkeys(one for one in named if one is not None))
        users = tuple(one for one in cited if one.who == "user")
        self._message_id = (users or cited)[0].message_id if cited else ""
        if users:
            if None in named:
                self._drop(DropReason.UNKNOWN_ID)
            return _Sources(users, cited)
        if any(one.who == "other" for one in cited):
            raise EntryDroppedError(DropReason.OTHER_SPEAKER)
        raise EntryDroppedError(DropReason.UNKNOWN_ID if None in named else DropReason.NOT_SAID)

    def _known(self, value: Any) -> tuple[str, ...]:
        """The known memories that are named; that others are is reported."""
        named = dict.fromkeys(_alias(name) for name in _names(value))
        known = tuple(name for name in named if name in self.shown.known)
        if len(known) < len(named):
            self._drop(DropReason.UNKNOWN_ID)
        return known

    def _supported(self, content: str, sources: _Sources, before: str, *, words_too: bool) -> bool:
        """Whether a statement needs the questions beside the answers to have been said.

        Raises:
            EntryDroppedError: It was not said in either.
        """
        for asked in (False, True):
            said = f"{sources.text}\n{sources.questions}" if asked else sources.text
            words = f"{said}\n{before}" if words_too else said
            if shares_words(content, words) and self._figures(content, f"{said}\n{before}"):
                return asked
        raise EntryDroppedError(DropReason.NOT_SAID)

    def _figures(self, content: str, said: str) -> bool:
        return figures_were_said(content, said, self.said_at.date())

    def _keywords(self, entry: Mapping[str, Any], content: str, said: str) -> tuple[str, ...]:
        given = entry.get("keywords")
        words = [one for one in given if isinstance(one, str)] if isinstance(given, list) else []
        shortened = [_BLANKS.sub(" ", clean(word)).strip().lower() for word in words]
        kept = [
            word
            for word in shortened
            if 0 < len(word) <= _LONGEST_KEYWORD
            and not _gives_away(word, said)
            and self._figures(word, f"{content}\n{said}")
        ]
        return tuple(dict.fromkeys(kept))[:_MOST_KEYWORDS] or keywords(content)

    def _validity(
        self, entry: Mapping[str, Any], said: str
    ) -> tuple[datetime | None, datetime | None]:
        """The time an entry gives; none where no time was spoken of.

        A date that nobody can read is no reason to lose the memory: it then has none.
        """
        if not names_a_time(said) and not any(one.isdecimal() for one in said):
            return None, None
        since = _moment(entry.get("valid_from"), ends=False)
        until = _moment(entry.get("valid_to"), ends=True)
        return (None if since and until and since > until else since), until


def _object(entry: Any) -> Mapping[str, Any]:
    if not isinstance(entry, dict):
        raise EntryDroppedError(DropReason.UNREADABLE)
    return entry


def _line(value: Any, longest: int) -> str:
    """A text on one line; empty if there is none."""
    if value is not None and not isinstance(value, str):
        raise EntryDroppedError(DropReason.UNREADABLE)
    text = _BLANKS.sub(" ", clean(value or "").replace("\0", " ")).strip()
    if len(text) > longest:
        raise EntryDroppedError(DropReason.UNREADABLE)
    return text


def _lines(value: Any) -> tuple[str, ...]:
    lines = (_line(one, _LONGEST_CONTENT) for one in _names(value))
    return tuple(line for line in lines if line)


def _names(value: Any) -> list[str]:
    """A list of texts; one text is a list of one."""
    values = [] if value is None else [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not all(isinstance(one, str) for one in values):
        raise EntryDroppedError(DropReason.UNREADABLE)
    return [one for one in values if one.strip()]


def _alias(name: str) -> str:
    return name.strip(" []()").lower()


def _choice(choices: type[Choice], value: Any, default: Choice | None) -> Choice:
    if value is None and default is not None:
        return default
    try:
        return choices(value.strip().lower() if isinstance(value, str) else value)
    except ValueError:
        raise EntryDroppedError(DropReason.UNREADABLE) from None


def _share(value: Any, default: float) -> float:
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise EntryDroppedError(DropReason.UNREADABLE)
    try:
        number = float(value)
    except (ValueError, OverflowError):
        number = math.nan
    if not 0 <= number <= 1:
        raise EntryDroppedError(DropReason.UNREADABLE)
    return number


def _gives_away(content: str, said: str) -> bool:
    """Whether a statement holds a secret, or a token of a sentence that holds one."""
    if holds_secret(content):
        return True
    return any(
        token.strip(_AROUND) in content
        for sentence in sentences(said)
        if holds_secret(sentence)
        for token in _SECRET_TOKEN.findall(sentence)
    )


def _moment(value: Any, *, ends: bool) -> datetime | None:
    """A day or moment as one in UTC; the end of the day if a time ends with it."""
    if not isinstance(value, str):
        return None
    try:
        if len(value.strip()) == len("2000-01-01"):
            day = date.fromisoformat(value.strip()) + timedelta(days=int(ends))
            return datetime.combine(day, time(), tzinfo=UTC)
        moment = datetime.fromisoformat(value.strip())
        return clock.to_utc(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        return None

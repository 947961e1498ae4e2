"""From the entries of a model's answer to proposals and task notes, or to why they are dropped."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from langgraph_memory.extraction.by_model.fields import (
    Entry,
    EntryDroppedError,
    alias_in,
    choice,
    line,
    lines,
    moment,
    names,
    object_in,
    share,
)
from langgraph_memory.extraction.by_model.figures import figures_were_said, names_a_time
from langgraph_memory.extraction.by_model.form import CONFIRMATIONS
from langgraph_memory.extraction.by_model.shown import Said, Shown
from langgraph_memory.extraction.by_model.wording import shares_words
from langgraph_memory.extraction.drafts import IMPORTANCE
from langgraph_memory.extraction.proposals import Action, Dropped, DropReason, Proposal
from langgraph_memory.extraction.rules.keywords import keywords
from langgraph_memory.memories.secrets import holds_secret
from langgraph_memory.offline.words import clean, has_han, sentences
from langgraph_memory.records import Confirmation, MemoryType
from langgraph_memory.tasks import TaskNote, TaskStatus

__all__ = ["EntryReader"]

LEAST_IMPORTANCE = 0.3
"""What is less important is not remembered."""

_LONGEST_TITLE = 200
_MOST_KEYWORDS = 8
_LONGEST_KEYWORD = 40
_SECRET_TOKEN = re.compile(r"(?=\S*\d)[^\s,，。;；\"'“”]{4,}")
_AROUND = ".:!?()[]"

Read = TypeVar("Read")


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
        seen: set[str] = set()
        action = None
        for found in self._read(entries, self._proposal):
            if found.action is not action:  # What was withdrawn can be stated anew.
                seen, action = set(), found.action
            key = found.content.casefold()
            if found.action is Action.ADD and found.importance < LEAST_IMPORTANCE:
                message = found.source_message_ids[-1] if found.source_message_ids else ""
                self.dropped.append(Dropped(message, DropReason.UNIMPORTANT))
            elif key not in seen:
                seen.add(key)
                yield found

    def notes(self, entries: Sequence[Any]) -> Iterator[TaskNote]:
        """The notes on tasks among some entries."""
        return self._read(entries, self._note)

    def _read(self, entries: Sequence[Any], read: Callable[[Entry], Read]) -> Iterator[Read]:
        for entry in entries:
            self._message_id, before = "", len(self.dropped)
            try:
                found = read(object_in(entry))
            except EntryDroppedError as error:
                del self.dropped[before:]  # One reason an entry is enough.
                self._drop(error.reason)
            else:
                yield found

    def _drop(self, reason: DropReason) -> None:
        self.dropped.append(Dropped(self._message_id, reason))

    def _proposal(self, entry: Entry) -> Proposal:
        action = choice(Action, entry.get("action"), Action.ADD)
        sources = self._sources(entry)
        replaced = self._known(entry.get("replaces"))
        forgets = action is Action.FORGET
        if forgets and not replaced and names(entry.get("replaces")):
            raise EntryDroppedError(DropReason.UNKNOWN_ID)
        before = "\n".join(self.shown.known[alias].content for alias in replaced)
        content = line(entry.get("content"))
        if forgets and not content and replaced:
            content = self.shown.known[replaced[0]].content
        if not content:
            raise EntryDroppedError(DropReason.EMPTY)
        kind = choice(MemoryType, entry.get("type"), MemoryType.FACT if forgets else None)
        confirmation = choice(Confirmation, entry.get("confirmation"), Confirmation.STATED)
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
            importance=share(entry.get("importance"), IMPORTANCE.get(kind, 0.5)),
            confidence=share(entry.get("confidence"), 0.9),
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

    def _note(self, entry: Entry) -> TaskNote:
        sources = self._sources(entry)
        alias = alias_in(line(entry.get("task"), _LONGEST_TITLE))
        task = self.shown.tasks.get(alias)
        if alias and task is None:
            raise EntryDroppedError(DropReason.UNKNOWN_ID)
        title = line(entry.get("title"), _LONGEST_TITLE) or (task.title if task else "")
        if not title:
            raise EntryDroppedError(DropReason.EMPTY)
        status = entry.get("status")
        description = line(entry.get("description"))
        progress = lines(entry.get("progress"))
        following = entry.get("next_steps")
        steps = None if following is None else lines(following)
        written = "\n".join([title, description, *progress, *(steps or ())])
        if any(_gives_away(part, sources.text) for part in written.splitlines()):
            raise EntryDroppedError(DropReason.SECRET)
        heard = "\n".join(one.text for one in self.shown.said.values())
        if task is not None:
            heard = "\n".join([heard, task.title, task.description, *task.next_steps])
        if not shares_words(written, heard) or not self._figures(written, heard):
            raise EntryDroppedError(DropReason.NOT_SAID)
        return TaskNote(
            title=title,
            id=task.id if task else None,
            status=choice(TaskStatus, status, TaskStatus.IN_PROGRESS) if status else None,
            description=description,
            progress=progress,
            next_steps=steps,
            source_message_ids=sources.ids(with_questions=False),
        )

    def _sources(self, entry: Entry) -> _Sources:
        """The user's messages that an entry cites.

        An assistant's message counts only together with the answer that follows it.
        """
        named = [self.shown.said.get(alias_in(name)) for name in names(entry.get("sources"))]
        if not named:
            raise EntryDroppedError(DropReason.UNREADABLE)
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
        named = dict.fromkeys(alias_in(name) for name in names(value))
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

    def _keywords(self, entry: Entry, content: str, said: str) -> tuple[str, ...]:
        given = entry.get("keywords")
        words = [one for one in given if isinstance(one, str)] if isinstance(given, list) else []
        shortened = [" ".join(clean(word).lower().split()) for word in words]
        kept = [
            word
            for word in shortened
            if 0 < len(word) <= _LONGEST_KEYWORD
            and not _gives_away(word, said)
            and self._figures(word, f"{content}\n{said}")
        ]
        return tuple(dict.fromkeys(kept))[:_MOST_KEYWORDS] or keywords(content)

    def _validity(self, entry: Entry, said: str) -> tuple[datetime | None, datetime | None]:
        """The time an entry gives; none where no time was spoken of."""
        if not names_a_time(said) and not any(one.isdecimal() for one in said):
            return None, None
        since = moment(entry.get("valid_from"), ends=False)
        until = moment(entry.get("valid_to"), ends=True)
        return (None if since and until and since > until else since), until


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

"""Keeping a user's profile up to date while turns are read."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from operator import itemgetter
from typing import Any

from langchain_core.messages import BaseMessage

from langgraph_memory.calls import Call, Steps
from langgraph_memory.errors import InvalidStateError
from langgraph_memory.identity import Identity
from langgraph_memory.messages import key_of, role_of
from langgraph_memory.profile import (
    ExtractedProfile,
    ProfileExtractor,
    ProfileUpdate,
    UserProfile,
    due,
    merged_profile,
)
from langgraph_memory.service.notes import Noted, noted, turns_told
from langgraph_memory.service.turns import Turn
from langgraph_memory.service.unwritten import Unwritten
from langgraph_memory.store import Change, MemoryStore

__all__ = ["TURNS_SHOWN", "ProfileKeeper", "Profiled"]

TURNS_SHOWN = 20
"""Turns that a model is shown at a time; of more that wait the oldest are left out."""

Question = tuple[Identity, tuple[str, ...]]
"""Whose profile, and the turns."""
TurnsOf = Callable[[Identity, Noted], tuple[list[Turn], datetime]]


@dataclass(frozen=True, slots=True)
class Profiled:
    """What came of looking after a profile.

    Attributes:
        turns_since: Turns read since it was last looked after.
        unlooked: Notes of them, see `Account`.
        changes: To be committed.
        changed: Names of the fields that are changed.
        refused: How many proposed values were not accepted.
        calls: Calls of a model.
        question: What was asked, for `ProfileKeeper.written`.
    """

    turns_since: int
    unlooked: Mapping[str, Any] = field(default_factory=dict)
    changes: tuple[Change, ...] = ()
    changed: tuple[str, ...] = ()
    refused: int = 0
    calls: int = 0
    question: Question | None = None


class ProfileKeeper:
    """Looks after the profile every few turns, and whenever a message promises something for it.

    A look takes in the turns of all threads at which nobody has looked.

    Args:
        store: Where profiles are.
        extractor: Asks a model what belongs in the profile.
        every: After how many turns it is looked after at the latest.
        turns_of: Reads turns that are noted; without it, those that came with their notes alone.
    """

    def __init__(
        self,
        store: MemoryStore,
        extractor: ProfileExtractor,
        every: int,
        turns_of: TurnsOf = lambda who, noted: (turns_told(noted), noted.at),
    ) -> None:
        self._store = store
        self._extractor = extractor
        self._every = every
        self._turns_of = turns_of
        self._unwritten: Unwritten[Question, ExtractedProfile] = Unwritten()

    def steps(
        self,
        who: Identity,
        thread: str,
        new: Sequence[Turn],
        worth: Sequence[Turn],
        waiting: Profiled,
        said_at: datetime,
        speaker: str | None = None,
    ) -> Steps[Profiled]:
        """Look after the profile, if it is time.

        Args:
            who: Whose profile.
            thread: The thread's id.
            new: Its turns that were read just now.
            worth: Those of them that may say something.
            waiting: What is to be looked at, the new turns included.
            said_at: When the newest message was written.
            speaker: The user's name, where several people speak.
        """
        said = [message for turn in worth for message in turn.in_context]
        if not said or not due(waiting.turns_since, said, every=self._every):
            return waiting
        marks = {turn.mark for turn in new}
        notes = {
            key: note
            for key, note in waiting.unlooked.items()
            if json.loads(key)[0] != thread or json.loads(key)[1] not in marks
        }
        earlier = yield Call(partial(self._earlier, who, notes))
        profile = UserProfile(self._store, who.profile, self._extractor.schema)
        read = yield from profile.reading()
        question = (who, tuple(waiting.unlooked))
        found = self._unwritten.get(question)
        threads = [*earlier, (thread, new)]
        if found is None:
            messages = _messages([turn for _, turns in threads for turn in turns])
            found = yield from self._extractor.steps(
                read.profile, messages, said_at=said_at, speaker=speaker
            )
            self._unwritten.keep(question, found)
        merged = merged_profile(
            self._extractor.schema,
            read.stored,
            found.update,
            when=said_at,
            thread_id=_thread_of(found.update, threads),
        )
        change = profile.change(read, merged)
        return Profiled(
            turns_since=0,
            changes=() if change is None else (change,),
            changed=tuple(each.field for each in merged.changed),
            refused=len(found.refused) + len(merged.refused),
            calls=1,
            question=question,
        )

    def written(self, profiled: Profiled) -> None:
        """What came of it is stored."""
        if profiled.question is not None:
            self._unwritten.written(profiled.question)

    def _earlier(self, who: Identity, notes: Mapping[str, Any]) -> list[tuple[str, Sequence[Turn]]]:
        """Turns of notes with their threads, as far as they are still there, in their order."""
        found: list[tuple[datetime, str, Turn]] = []
        for each in noted(notes):
            try:
                turns, _ = self._turns_of(who, each)
            except InvalidStateError:  # Another process has the thread.
                continue
            for turn in turns:
                if turn.mark in each.since:
                    speaker = notes[json.dumps([each.thread, turn.mark])]["of"]
                    found.append((each.since[turn.mark], each.thread, _of(speaker, turn)))
        return [(thread, [turn]) for _, thread, turn in sorted(found, key=itemgetter(0))]


def _of(speaker: str | None, turn: Turn) -> Turn:
    """A turn without what others have said in it, to stand among turns of other threads."""
    mine = [
        message.model_copy(update={"name": None}) if role_of(message) == "user" else message
        for message in turn.messages
        if role_of(message) != "user" or speaker is None or message.name in (speaker, None)
    ]
    return replace(turn, messages=tuple(mine))


def _messages(turns: Sequence[Turn]) -> list[BaseMessage]:
    messages: list[BaseMessage] = []
    for turn in turns:
        asked = turn.asked
        if asked is not None and (not messages or key_of(messages[-1]) != key_of(asked)):
            messages.append(asked)
        messages += turn.messages
    return messages


def _thread_of(update: ProfileUpdate, threads: Sequence[tuple[str, Sequence[Turn]]]) -> str | None:
    """The thread that an update is from; None if it is from several."""
    sources = {each for ids in update.sources.values() for each in ids}
    of = {
        thread
        for thread, turns in threads
        if any(key_of(message) in sources for turn in turns for message in turn.messages)
    }
    return of.pop() if len(of) == 1 else None

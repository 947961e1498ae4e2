"""Keeping a user's profile up to date while turns are read."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from langchain_core.messages import BaseMessage

from langgraph_memory.calls import Steps
from langgraph_memory.identity import Identity
from langgraph_memory.profile import (
    ExtractedProfile,
    ProfileExtractor,
    UserProfile,
    due,
    merged_profile,
)
from langgraph_memory.service.turns import Turn
from langgraph_memory.store import Change, MemoryStore

__all__ = ["ProfileKeeper", "Profiled"]

TURNS_AT_ONCE = 20
UNWRITTEN = 64

Question = tuple[Identity, str, tuple[str, ...]]
"""Whose profile, in which thread, and the marks of the turns."""


@dataclass(frozen=True, slots=True)
class Profiled:
    """What came of looking after a profile.

    Attributes:
        turns_since: Turns read since it was last looked after.
        changes: To be committed.
        changed: Names of the fields that are changed.
        refused: How many proposed values were not accepted.
        calls: Calls of a model.
        question: What was asked, for `ProfileKeeper.written`.
    """

    turns_since: int
    changes: tuple[Change, ...] = ()
    changed: tuple[str, ...] = ()
    refused: int = 0
    calls: int = 0
    question: Question | None = None


class ProfileKeeper:
    """Looks after the profile every few turns, and whenever a message promises something for it.

    Args:
        store: Where profiles are.
        extractor: Asks a model what belongs in the profile.
        every: After how many turns it is looked after at the latest.
    """

    def __init__(self, store: MemoryStore, extractor: ProfileExtractor, every: int) -> None:
        self._store = store
        self._extractor = extractor
        self._every = every
        # What a model said and could not be written is not asked for again.
        self._unwritten: OrderedDict[Question, ExtractedProfile] = OrderedDict()
        self._lock = threading.Lock()

    def steps(
        self,
        who: Identity,
        thread: str,
        turns: Sequence[Turn],
        new: Sequence[Turn],
        since: int,
        said_at: datetime,
        speaker: str | None = None,
    ) -> Steps[Profiled]:
        """Look after the profile, if it is time.

        Args:
            who: Whose profile.
            thread: The thread's id.
            turns: The thread's, up to the newest of the new ones.
            new: Those read just now.
            since: Turns read before them since the profile was last looked after.
            said_at: When the newest message was written.
            speaker: The user's name, where several people speak.
        """
        since += len(new)
        said = [message for turn in new for message in turn.in_context]
        if not said or not due(since, said, every=self._every):
            return Profiled(since)
        profile = UserProfile(self._store, who.profile, self._extractor.schema)
        read = yield from profile.reading()
        looked_at = turns[-min(since, TURNS_AT_ONCE) :]
        question = (who, thread, tuple(turn.mark for turn in looked_at))
        with self._lock:
            found = self._unwritten.get(question)
        if found is None:
            messages = _messages(looked_at)
            found = yield from self._extractor.steps(
                read.profile, messages, said_at=said_at, speaker=speaker
            )
            with self._lock:
                self._unwritten[question] = found
                while len(self._unwritten) > UNWRITTEN:
                    self._unwritten.popitem(last=False)
        merged = merged_profile(
            self._extractor.schema, read.stored, found.update, when=said_at, thread_id=thread
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
            with self._lock:
                self._unwritten.pop(profiled.question, None)


def _messages(turns: Sequence[Turn]) -> list[BaseMessage]:
    first = [turns[0].asked] if turns and turns[0].asked is not None else []
    return [*first, *(message for turn in turns for message in turn.messages)]

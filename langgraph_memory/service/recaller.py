"""Recalling for a turn: what always holds, and what bears on the question."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import BaseModel

from langgraph_memory import clock
from langgraph_memory.calls import Call, Steps
from langgraph_memory.errors import InvalidInputError
from langgraph_memory.identity import Identity
from langgraph_memory.memories.reading import record_in
from langgraph_memory.profile import UserProfile, lines
from langgraph_memory.recall import (
    Question,
    Recall,
    Recalled,
    RecallReport,
    recalled_block,
    standing_block,
)
from langgraph_memory.records import MemoryRecord, MemoryType, Status, is_record
from langgraph_memory.service.recollection import Recollection
from langgraph_memory.service.turns import Asked
from langgraph_memory.settings import LongTermMemorySettings
from langgraph_memory.store import MemoryHit, MemoryStore
from langgraph_memory.store.operations import Mode
from langgraph_memory.tasks import FoundTask, Tasks, task_block

__all__ = ["Recaller"]

logger = logging.getLogger("langgraph_memory.service")

Namespace = tuple[str, ...]
Place = tuple[Namespace, str]
T = TypeVar("T")

STANDING = {
    "status": Status.ACTIVE.value,
    "type": {"$in": [MemoryType.CONSTRAINT.value, MemoryType.INSTRUCTION.value]},
}
MOST_STANDING = 1_000
FAINT = 0.05
"""Memories that share no more than a syllable or a common word with a question are worth no place
in a prompt, and being shown would count as a use."""


class Recaller:
    """Recalls for the newest message of a thread. It only reads.

    What always holds is read by filter and comes first; nothing that goes wrong afterwards takes it
    away. Where the embedder fails, memories and tasks are found by their words.

    Args:
        store: Where memories are.
        settings: Of the agent.
        profile: The application's model of a user's profile, if it has one.
    """

    def __init__(
        self,
        store: MemoryStore,
        settings: LongTermMemorySettings,
        profile: type[BaseModel] | None = None,
    ) -> None:
        self._store = store
        self._settings = settings
        self._profile = profile
        self._recall = Recall(
            store,
            budget=settings.memory_tokens,
            limit=settings.load_max_items,
            min_similarity=_least_similarity(store, settings),
            faint=FAINT,
        )

    def steps(
        self,
        who: Identity,
        asked: Asked,
        so_far: Callable[[Recollection], object] = lambda _: None,
    ) -> Steps[Recollection]:
        """What is known that bears on what a user asks.

        Args:
            who: Whose memories.
            asked: The newest user message of a thread.
            so_far: Is given what there is as soon as it is there, for those who cannot wait for
                the rest: what always holds, then that with what was found.

        Raises:
            Exception: Whatever the store raises when it is asked for what always holds.
        """
        found, shown = yield from self._always(who, asked)
        so_far(found)
        question = Question(asked.text, clock.now(), asked.before)
        # Who asks for all that is known of him does not ask for what all users share.
        places = (who.memories,) if question.everything else who.places

        def search(mode: Mode) -> Steps[RecallReport]:
            return self._recall.steps(question, places, without=shown, mode=mode)

        failed, report = yield from _by_meaning_or_words("recalled", search, found.failed)
        found = replace(found, failed=failed)
        if report is not None:
            found = replace(
                found,
                recalled=recalled_block(report.memories),
                why=(*found.why, *map(_reasons, report.memories)),
            )
        so_far(found)

        def returned(mode: Mode) -> Steps[list[FoundTask]]:
            return Tasks(self._store, who.tasks).returned(asked.text, mode=mode)

        failed, tasks = yield from _by_meaning_or_words("tasks", returned, found.failed)
        block = task_block([each.task for each in tasks or ()], tokens=self._settings.task_tokens)
        reasons = (_reason("tasks", (who.tasks, key)) for key in block.included)
        return replace(found, failed=failed, tasks=block.text, why=(*found.why, *reasons))

    def _always(self, who: Identity, asked: Asked) -> Steps[tuple[Recollection, list[Place]]]:
        """What always holds, as long as it does, and where it is."""
        now = clock.now()
        records: dict[Place, MemoryRecord] = {}
        failed: list[str] = []
        for place in who.places:
            hits: list[MemoryHit] = yield self._standing(place)
            for hit in hits:
                record = record_in(hit)
                if record is not None:
                    if record.valid_to is None or record.valid_to > now:
                        records[hit.namespace, hit.key] = record
                elif is_record(hit.value):  # One that others have written, and wrongly.
                    failed.append(f"standing: {InvalidInputError.__name__}")
        profile: list[tuple[str, str]] = []
        try:
            profile = yield from self._profile_lines(who)
        except Exception as error:
            failed.append(_failure("profile", error))
        block = standing_block(
            list(records.values()), tokens=self._settings.profile_tokens, profile=profile
        )
        shown = [place for place, record in records.items() if record.id in block.included]
        why = tuple(_reason("standing", place) for place in shown)
        return Recollection(asked.key, block.text, why=why, failed=tuple(failed)), shown

    def _profile_lines(self, who: Identity) -> Steps[list[tuple[str, str]]]:
        if self._profile is None:
            return []
        read = yield from UserProfile(self._store, who.profile, self._profile).reading()
        return lines(read.profile, tokens=self._settings.profile_tokens)

    def _standing(self, place: Namespace) -> Call:
        given: dict[str, Any] = {"filter": STANDING, "limit": MOST_STANDING, "refresh_ttl": False}
        return Call.of(self._store.find, self._store.afind, place, "", **given)


MEANING = "meaning"


def _by_meaning_or_words(
    part: str, search: Callable[[Mode], Steps[T]], failed: tuple[str, ...]
) -> Steps[tuple[tuple[str, ...], T | None]]:
    """What a search finds, by words alone if it fails or another did; None if that fails, too.

    Args:
        part: What is searched for.
        search: Makes the search.
        failed: What has failed so far.

    Returns:
        What has failed by now, and what was found.
    """
    if not any(each.startswith(MEANING) for each in failed):
        try:
            return failed, (yield from search("hybrid"))
        except Exception as error:
            failed = (*failed, _failure(MEANING, error))
    try:
        return failed, (yield from search("keyword"))
    except Exception as error:
        return (*failed, _failure(part, error)), None


def _failure(part: str, error: Exception) -> str:
    kind = type(error).__name__
    logger.warning("Recalled without all that is known (%s): %s: %s", part, kind, error)
    return f"{part}: {kind}"


def _reason(block: str, place: Place) -> dict[str, Any]:
    return {"block": block, "namespace": [*place[0]], "key": place[1]}


def _reasons(memory: Recalled) -> dict[str, Any]:
    """Why a memory is there, as JSON."""
    reasons = memory.explain()
    return {"block": "recalled", **reasons, "namespace": list(reasons["namespace"])}


def _least_similarity(store: MemoryStore, settings: LongTermMemorySettings) -> float:
    """What the settings say, or else the embedder, if it knows its own scale."""
    if settings.min_similarity is not None:
        return settings.min_similarity
    embedder = (store.index_config or {}).get("embed")
    return float(getattr(embedder, "min_similarity", 0.0))

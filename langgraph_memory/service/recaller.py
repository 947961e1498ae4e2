"""Recalling for a turn: what always holds, and what bears on the question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import BaseMessage
from pydantic import BaseModel

from langgraph_memory import clock
from langgraph_memory.calls import Call, Steps
from langgraph_memory.identity import Identity
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
from langgraph_memory.service.recollection import NOTHING, Recollection
from langgraph_memory.service.turns import newest_question
from langgraph_memory.settings import LongTermMemorySettings
from langgraph_memory.store import MemoryHit, MemoryStore
from langgraph_memory.tasks import Tasks, task_block
from langgraph_memory.tokens import DEFAULT_COUNTER

__all__ = ["Recaller"]

Namespace = tuple[str, ...]

STANDING = {
    "status": Status.ACTIVE.value,
    "type": {"$in": [MemoryType.CONSTRAINT.value, MemoryType.INSTRUCTION.value]},
}
MOST_STANDING = 1_000


class Recaller:
    """Recalls for the newest message of a thread. It only reads.

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
        )

    def steps(self, who: Identity, messages: Sequence[BaseMessage]) -> Steps[Recollection]:
        """What is known that bears on a thread's newest user message."""
        asked = newest_question(messages)
        if asked is None:
            return NOTHING
        records: dict[tuple[Namespace, str], MemoryRecord] = {}
        for place in who.places:
            hits: list[MemoryHit] = yield self._standing(place)
            records |= {
                (hit.namespace, hit.key): MemoryRecord.from_value(hit.value)
                for hit in hits
                if is_record(hit.value)
            }
        profile = yield from self._profile_lines(who)
        standing = standing_block(
            list(records.values()), tokens=self._settings.profile_tokens, profile=profile
        )
        shown = [place for place, record in records.items() if record.id in standing.included]
        question = Question(asked.text, clock.now(), asked.before)
        report: RecallReport = yield from self._recall.steps(question, who.places, without=shown)
        recalled = recalled_block(report.memories)
        returned = yield from Tasks(self._store, who.tasks).returned(asked.text)
        tasks = task_block([each.task for each in returned], tokens=self._settings.task_tokens)
        return Recollection(
            question=asked.key,
            standing=standing.text,
            recalled=recalled,
            tasks=tasks.text,
            why=(
                *({"block": "standing", "namespace": [*ns], "key": key} for ns, key in shown),
                *(_reasons(each) for each in report.memories),
                *(
                    {"block": "tasks", "namespace": [*who.tasks], "key": key}
                    for key in tasks.included
                ),
            ),
            tokens=sum(map(DEFAULT_COUNTER.count_text, (standing.text, recalled, tasks.text))),
        )

    def _profile_lines(self, who: Identity) -> Steps[list[tuple[str, str]]]:
        if self._profile is None:
            return []
        read = yield from UserProfile(self._store, who.profile, self._profile).reading()
        return lines(read.profile, tokens=self._settings.profile_tokens)

    def _standing(self, place: Namespace) -> Call:
        given: dict[str, Any] = {"filter": STANDING, "limit": MOST_STANDING, "refresh_ttl": False}
        return Call.of(self._store.find, self._store.afind, place, "", **given)


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

"""Reading what is new in a thread for memories, and writing what comes of it in one transaction."""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from functools import partial

from langchain_core.messages import BaseMessage
from langgraph.store.base import GetOp

from langgraph_memory import clock
from langgraph_memory.calls import Call, Steps
from langgraph_memory.errors import VersionConflictError
from langgraph_memory.events import Listener
from langgraph_memory.extraction import (
    DropReason,
    Extraction,
    ExtractionRequest,
    Extractor,
    RulesExtractor,
    text_digest,
)
from langgraph_memory.identity import Identity
from langgraph_memory.memories import Edited, Memories, Outcome
from langgraph_memory.messages import text_of
from langgraph_memory.records import MemoryRecord
from langgraph_memory.service.batch import Batch, batch_of
from langgraph_memory.service.learned import Learned, tell
from langgraph_memory.service.ledger import ACCOUNT, Account, Cursor, cursor_key, ledger_of
from langgraph_memory.service.turns import Turn, turns_of, unread
from langgraph_memory.service.writing import edits_of, extraction_in, extraction_value
from langgraph_memory.settings import LongTermMemorySettings
from langgraph_memory.store import Change, MemoryStore

__all__ = ["Learner"]

KNOWN = 20
"""Memories that an extractor is shown, so that its prompt is bounded however many there are."""
LONGEST_QUERY = 2_000
PROPOSAL_MINUTES = 30 * 24 * 60.0
"""How long what was proposed is kept, so that reading it again costs no second call."""
ATTEMPTS = 10
UNWRITTEN = 64


class Learner:
    """Reads threads for memories.

    Args:
        store: Where memories are.
        settings: Of the agent.
        extractor: Proposes what to remember.
        listener: Is told what happens.
    """

    def __init__(
        self,
        store: MemoryStore,
        settings: LongTermMemorySettings,
        extractor: Extractor,
        listener: Listener | None = None,
    ) -> None:
        self._store = store
        self._settings = settings
        self._extractor = extractor
        self._listener = listener
        # What a model said and could not be written is not asked for again.
        self._unwritten: OrderedDict[str, Extraction] = OrderedDict()

    def steps(
        self, who: Identity, thread: str, messages: Sequence[BaseMessage], said_at: datetime
    ) -> Steps[Learned]:
        """Read the turns of a thread that nobody has read.

        Args:
            who: Whose memories.
            thread: The thread's id.
            messages: All of it.
            said_at: When the newest message was written.
        """
        learned = Learned()
        turns = turns_of(messages)
        while (yield from self._round(who, thread, turns, said_at, learned)):
            pass
        return learned

    def _round(
        self,
        who: Identity,
        thread: str,
        turns: Sequence[Turn],
        said_at: datetime,
        learned: Learned,
    ) -> Steps[bool]:
        """Read as many turns as go together; whether there are more."""
        for attempt in range(ATTEMPTS):
            account, cursor = yield from self._ledger(who, thread)
            new = unread(turns, cursor.read)
            batch = batch_of(new, account, self._settings.daily_quota, clock.now().date())
            if not batch.keys:
                if batch.waits:
                    learned.waits_until = _tomorrow()
                return False
            extraction, key = yield from self._extraction(who, thread, batch, said_at)
            edits = list(edits_of(extraction, thread, self._extractor.name))
            edited = yield from self._memories(who).plan(edits)
            changes = [
                *edited.changes,
                self._account(account, batch, edited).change(who),
                cursor.after(_in_order(turns, batch)).change(who),
                *self._kept(who, key, extraction),
            ]
            try:
                yield Call(
                    partial(self._store.commit, changes), partial(self._store.acommit, changes)
                )
            except VersionConflictError:
                if attempt == ATTEMPTS - 1:
                    raise
                continue
            self._unwritten.pop(key, None)
            learned.add(batch, extraction, edited)
            tell(self._listener, who, thread, batch, extraction, edited)
            return len(batch.keys) < len(new)
        raise AssertionError("the last attempt returns or raises")

    # -- what is known

    def _memories(self, who: Identity) -> Memories:
        return Memories(
            self._store,
            who.memories,
            max_items=self._settings.max_items,
            duplicate_similarity=self._settings.duplicate_similarity,
        )

    def _ledger(self, who: Identity, thread: str) -> Steps[tuple[Account, Cursor]]:
        place = ledger_of(who)
        ops = [GetOp(place, ACCOUNT), GetOp(place, cursor_key(thread))]
        account, cursor = yield Call(
            partial(self._store.batch, ops), partial(self._store.abatch, ops)
        )
        return Account.of(account), Cursor.of(thread, cursor)

    # -- what is proposed

    def _extraction(
        self, who: Identity, thread: str, batch: Batch, said_at: datetime
    ) -> Steps[tuple[Extraction, str]]:
        """What is proposed for a batch, asked for once; and the key it is kept under."""
        if not batch.worth:
            return Extraction(), ""
        name = [thread, self._extractor.name, *(turn.key for turn in batch.worth)]
        key = "proposal:" + hashlib.sha256(json.dumps(name).encode()).hexdigest()[:32]
        if key in self._unwritten:
            return self._unwritten[key], key
        place = ledger_of(who)
        kept = yield Call(
            partial(self._store.get, place, key), partial(self._store.aget, place, key)
        )
        if kept is not None:
            return replace(extraction_in(kept.value["extraction"]), calls=0), key
        request = yield from self._request(who, batch, said_at)
        extraction = yield from self._extractor.steps(request)
        if any(each.reason is DropReason.UNREADABLE for each in extraction.dropped) and not (
            extraction.proposals
        ):
            # A model that answers nonsense must not cost the user what was plainly stated.
            stated = yield from RulesExtractor().steps(request)
            extraction = replace(extraction, proposals=stated.proposals)
        self._unwritten[key] = extraction
        while len(self._unwritten) > UNWRITTEN:
            self._unwritten.popitem(last=False)
        return extraction, key

    def _request(self, who: Identity, batch: Batch, said_at: datetime) -> Steps[ExtractionRequest]:
        messages: list[BaseMessage] = []
        for turn in batch.worth:
            messages += [
                message
                for message in turn.in_context
                if not messages or message is not messages[-1]
            ]
        said = "\n".join(text_of(turn.messages[0])[:LONGEST_QUERY] for turn in batch.worth)
        known: list[MemoryRecord] = []
        if self._settings.extraction_model is not None or not isinstance(
            self._extractor, RulesExtractor
        ):
            found = yield from self._memories(who).finding(said[-LONGEST_QUERY:], KNOWN)
            known = [each.record for each in found]
        names = {message.name for message in messages if message.type == "human" and message.name}
        speaker = who.user if who.user in names else None
        return ExtractionRequest(messages, said_at, known=known, speaker=speaker)

    # -- what is written

    def _account(self, account: Account, batch: Batch, edited: Edited) -> Account:
        stored = sum(each.outcome is not Outcome.DUPLICATE for each in edited.saved)
        return account.after(
            clock.now().date(),
            stored=stored,
            skipped=[reason.value for _, reason in batch.skipped],
            digests=[text_digest(turn.messages) for turn in batch.worth],
            turns_since_profile=account.turns_since_profile,
        )

    def _kept(self, who: Identity, key: str, extraction: Extraction) -> list[Change]:
        if not extraction.calls:
            return []  # To ask again costs nothing.
        value = {"extractor": self._extractor.name, "extraction": extraction_value(extraction)}
        return [Change(ledger_of(who), key, value, index=False, ttl=PROPOSAL_MINUTES)]


def _in_order(turns: Sequence[Turn], batch: Batch) -> list[str]:
    keys = set(batch.keys)
    return [turn.key for turn in turns if turn.key in keys]


def _tomorrow() -> datetime:
    """When the day's quota begins anew."""
    return datetime.combine(clock.now().date() + timedelta(days=1), time(), UTC)

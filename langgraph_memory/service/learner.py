"""Reading what is new in a thread for memories, and writing what comes of it in one transaction."""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta

from langchain_core.messages import BaseMessage
from langgraph.store.base import GetOp

from langgraph_memory import clock
from langgraph_memory.calls import Call, Steps
from langgraph_memory.events import Listener
from langgraph_memory.extraction import (
    Dropped,
    DropReason,
    Extraction,
    ExtractionRequest,
    Extractor,
    RulesExtractor,
    text_digest,
)
from langgraph_memory.identity import Identity
from langgraph_memory.memories import Outcome
from langgraph_memory.messages import text_of
from langgraph_memory.records import MemoryRecord
from langgraph_memory.service.batch import Batch, batch_of
from langgraph_memory.service.learned import Learned, Written, tell
from langgraph_memory.service.ledger import ACCOUNT, Account, Cursor, cursor_key
from langgraph_memory.service.profiling import Profiled, ProfileKeeper
from langgraph_memory.service.turns import Turn, speaker_of, turns_of, unread
from langgraph_memory.service.user_memories import memories_of
from langgraph_memory.service.writing import edits_of, extraction_in, extraction_value
from langgraph_memory.settings import LongTermMemorySettings
from langgraph_memory.store import Change, MemoryStore, committed
from langgraph_memory.tasks import Task, Tasks

__all__ = ["Learner"]

KNOWN = 20
"""Memories that an extractor is shown, so that its prompt is bounded however many there are."""
KNOWN_TASKS = 5
LONGEST_QUERY = 2_000
PROPOSAL_MINUTES = 30 * 24 * 60.0
"""How long what was proposed is kept, so that reading it again costs no second call."""
UNWRITTEN = 64
REFUSALS = (400, 413, 422)
"""What a provider answers to a request that it would answer in the same way for ever."""


@dataclass(frozen=True, slots=True)
class _Round:
    """What was written at once, the key of what was proposed for it, and whether there is more."""

    written: Written
    key: str
    more: bool


class Learner:
    """Reads threads for memories.

    Args:
        store: Where memories are.
        settings: Of the agent.
        extractor: Proposes what to remember.
        profile: Keeps profiles, if the application has a model of one.
        listener: Is told what happens.
    """

    def __init__(
        self,
        store: MemoryStore,
        settings: LongTermMemorySettings,
        extractor: Extractor,
        profile: ProfileKeeper | None = None,
        listener: Listener | None = None,
    ) -> None:
        self._store = store
        self._settings = settings
        self._extractor = extractor
        self._profile = profile
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
        said_at = min(said_at, clock.now())  # Checkpoints have a clock of their own.
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

        def decide() -> Steps[tuple[Sequence[Change], _Round | None]]:
            account, cursor = yield from self._ledger(who, thread)
            new = unread(turns, cursor.read, cursor.ignored)
            batch = batch_of(new, account, self._settings.daily_quota, clock.now().date())
            if not batch.keys:
                if batch.waits:
                    learned.waits_until = _tomorrow()
                return [], None
            extraction, key = yield from self._extraction(who, thread, batch, said_at)
            edits = list(edits_of(extraction, thread, self._extractor.name, said_at))
            edited = yield from memories_of(who, self._store, self._settings).plan(edits)
            tasks = yield from Tasks(self._store, who.tasks).changes(
                extraction.tasks, when=said_at, thread_id=thread
            )
            profiled = yield from self._profiled(who, thread, turns, batch, account, said_at)
            written = Written(batch, extraction, edited, tasks, profiled)
            changes = [
                *edited.changes,
                *tasks.changes,
                *profiled.changes,
                self._account(account, written).change(who),
                cursor.after(_in_order(turns, batch)).change(who),
                *self._kept(who, key, extraction),
            ]
            return changes, _Round(written, key, more=len(batch.keys) < len(new))

        done = yield from committed(self._store, decide)
        if done is None:
            return False
        self._unwritten.pop(done.key, None)
        learned.add(done.written)
        tell(self._listener, who, thread, done.written)
        return done.more

    def _profiled(
        self,
        who: Identity,
        thread: str,
        turns: Sequence[Turn],
        batch: Batch,
        account: Account,
        said_at: datetime,
    ) -> Steps[Profiled]:
        since = account.turns_since_profile
        if self._profile is None or not batch.worth:
            return Profiled(since + len(batch.keys) if self._profile else 0)
        until = turns.index(batch.worth[-1]) + 1
        return (
            yield from self._profile.steps(
                who, thread, turns[:until], batch.worth, since + len(batch.skipped), said_at
            )
        )

    # -- what is known

    def _ledger(self, who: Identity, thread: str) -> Steps[tuple[Account, Cursor]]:
        place = who.ledger
        ops = [GetOp(place, ACCOUNT), GetOp(place, cursor_key(thread))]
        account, cursor = yield Call.of(self._store.batch, self._store.abatch, ops)
        return Account.of(account), Cursor.of(thread, cursor)

    # -- what is proposed

    def _extraction(
        self, who: Identity, thread: str, batch: Batch, said_at: datetime
    ) -> Steps[tuple[Extraction, str]]:
        """What is proposed for a batch, asked for once; and the key it is kept under."""
        if not batch.worth:
            return Extraction(), ""
        name = [thread, self._extractor.name, *(turn.mark for turn in batch.worth)]
        key = "proposal:" + hashlib.sha256(json.dumps(name).encode()).hexdigest()[:32]
        if key in self._unwritten:
            return self._unwritten[key], key
        kept = yield Call.of(self._store.get, self._store.aget, who.ledger, key)
        if kept is not None:
            return replace(extraction_in(kept.value["extraction"]), calls=0), key
        request = yield from self._request(who, batch, said_at)
        extraction = yield from self._extracted(request)
        self._unwritten[key] = extraction
        while len(self._unwritten) > UNWRITTEN:
            self._unwritten.popitem(last=False)
        return extraction, key

    def _extracted(self, request: ExtractionRequest) -> Steps[Extraction]:
        """What the extractor proposes; where it is of no use, what the rules do.

        A model that answers nonsense, or a provider that does not want to read the text, must not
        cost the user what was plainly stated.
        """
        try:
            extraction = yield from self._extractor.steps(request)
        except Exception as error:
            if getattr(error, "status_code", None) not in REFUSALS:
                raise  # To be tried again later.
            extraction = Extraction(dropped=(Dropped("", DropReason.REFUSED),), calls=1)
        useless = {DropReason.UNREADABLE, DropReason.REFUSED}
        if extraction.proposals or not any(each.reason in useless for each in extraction.dropped):
            return extraction
        stated = yield from RulesExtractor().steps(request)
        return replace(extraction, proposals=stated.proposals)

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
        tasks: list[Task] = []
        if not isinstance(self._extractor, RulesExtractor):  # The rules look at nothing else.
            found = yield from memories_of(who, self._store, self._settings).finding(
                said[-LONGEST_QUERY:], KNOWN
            )
            known = [each.record for each in found]
            open_tasks = yield from Tasks(self._store, who.tasks).finding(
                said[-LONGEST_QUERY:], KNOWN_TASKS
            )
            tasks = [each.task for each in open_tasks]
        return ExtractionRequest(messages, said_at, known, tasks, speaker_of(who, messages))

    # -- what is written

    def _account(self, account: Account, written: Written) -> Account:
        saved = written.edited.saved
        return account.after(
            clock.now().date(),
            stored=sum(each.outcome is not Outcome.DUPLICATE for each in saved),
            skipped=[reason.value for _, reason in written.batch.skipped],
            digests=[text_digest(turn.in_context) for turn in written.batch.worth],
            changed=bool(written.edited.retired) or any(each.replaced for each in saved),
            turns_since_profile=written.profiled.turns_since,
        )

    def _kept(self, who: Identity, key: str, extraction: Extraction) -> list[Change]:
        if not extraction.calls:
            return []  # To ask again costs nothing.
        value = {"extractor": self._extractor.name, "extraction": extraction_value(extraction)}
        return [Change(who.ledger, key, value, index=False, ttl=PROPOSAL_MINUTES)]


def _in_order(turns: Sequence[Turn], batch: Batch) -> list[str]:
    keys = set(batch.keys)
    return [turn.mark for turn in turns if turn.key in keys]


def _tomorrow() -> datetime:
    """When the day's quota begins anew."""
    return datetime.combine(clock.now().date() + timedelta(days=1), time(), UTC)

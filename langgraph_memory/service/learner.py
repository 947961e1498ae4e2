"""Reading what is new in a thread for memories, and writing what comes of it in one transaction."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, time, timedelta
from itertools import takewhile
from typing import Any

from langchain_core.messages import BaseMessage
from langgraph.store.base import GetOp

from langgraph_memory import clock
from langgraph_memory.calls import Call, Steps
from langgraph_memory.events import Event, Listener, announce
from langgraph_memory.extraction import (
    Dropped,
    DropReason,
    Extraction,
    ExtractionRequest,
    Extractor,
    RulesExtractor,
    SkipReason,
    asked_to_forget,
    text_digest,
)
from langgraph_memory.identity import Identity
from langgraph_memory.memories import Memories, Outcome
from langgraph_memory.messages import text_of
from langgraph_memory.records import MemoryRecord, Status
from langgraph_memory.service.batch import TURNS_AT_ONCE, Batch, batch_of
from langgraph_memory.service.faults import is_passing, is_refusal
from langgraph_memory.service.learned import Learned, Written, tell
from langgraph_memory.service.ledger import ACCOUNT, Account, Cursor, cursor_key
from langgraph_memory.service.notes import note_of
from langgraph_memory.service.profiling import TURNS_SHOWN, Profiled, ProfileKeeper
from langgraph_memory.service.turns import Turn, speaker_of
from langgraph_memory.service.unwritten import Unwritten
from langgraph_memory.service.writing import (
    edits_of,
    extraction_in,
    extraction_value,
    kept_in,
)
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
TRIES = 5
"""How often turns are tried again before the one that fails is passed over."""

_USELESS = frozenset({DropReason.UNREADABLE, DropReason.REFUSED})
_FORMLESS = frozenset({DropReason.EMPTY, DropReason.UNKNOWN_ID})

logger = logging.getLogger("langgraph_memory.service")


@dataclass
class _Reading:
    """A thread that is being read.

    Attributes:
        who: Whose memories.
        thread: The thread's id.
        turns: Of it, as far as they are its owner's.
        asked: When those were said that are to be read, by their marks.
        told: Marks of turns that came with their notes, as the thread cannot be read.
        gives_up: Whether it has failed often enough to go on without what fails.
        learned: What came of it so far.
        at_once: Turns that may be read together.
        next: The turn that is to be read next.
    """

    who: Identity
    thread: str
    turns: Sequence[Turn]
    asked: Mapping[str, datetime]
    told: Collection[str]
    gives_up: bool
    learned: Learned = field(default_factory=Learned)
    at_once: int = TURNS_AT_ONCE
    next: Turn | None = None

    def time_of(self, turn: Turn) -> datetime:
        """When a turn was said, in UTC."""
        return clock.to_utc(min(self.asked[turn.mark], clock.now()))

    def speaker(self, cursor: Cursor) -> str | None:
        """The name that the user has where several people speak, also in turns of other batches."""
        said = [message for turn in self.turns for message in turn.messages]
        return self.who.user if cursor.named else speaker_of(self.who, said)

    def unread(self, cursor: Cursor) -> list[Turn]:
        """The turns that are to be read."""
        wanted = self.asked.keys() - {*cursor.read, *cursor.unheard}
        return [turn for turn in self.turns if turn.mark in wanted]

    def notes(self, turns: Sequence[Turn], speaker: str | None) -> dict[str, Any]:
        """Turns as notes, to be read again with others; `of` is the speaker."""
        found: dict[str, Any] = {}
        for turn in turns:
            note = note_of(self.thread, [turn], [turn.mark], readable=turn.mark not in self.told)
            since = clock.utc_text(self.time_of(turn))
            found |= {key: value | {"since": since, "of": speaker} for key, value in note.items()}
        return found

    def together(self, new: Sequence[Turn]) -> list[Turn]:
        """The first of the unread turns, those of one day alone: "tomorrow" is said in them."""
        days = {turn.key: self.time_of(turn).date() for turn in new[: self.at_once]}
        return list(takewhile(lambda turn: days.get(turn.key) == days[new[0].key], new))


@dataclass(frozen=True, slots=True)
class _Found:
    """What was proposed for a batch.

    Attributes:
        extraction: The proposals.
        key: The key that they are kept under; none where nothing was asked.
        known: Ids of memories that the extractor was shown, the nearest first.
    """

    extraction: Extraction
    key: str = ""
    known: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Round:
    """What was written at once.

    Attributes:
        written: What of; None if there was nothing to read.
        key: Of what was proposed for it.
        more: Whether there is more to read.
        waiting: Turns that must wait, of which nobody was told.
    """

    written: Written | None = None
    key: str = ""
    more: bool = False
    waiting: tuple[Turn, ...] = ()


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
        self._unwritten: Unwritten[tuple[Identity, str], _Found] = Unwritten()

    def memories(self, who: Identity) -> Memories:
        """A user's memories, bounded and compared as the settings say."""
        return Memories(
            self._store,
            who.memories,
            max_items=self._settings.max_items,
            duplicate_similarity=self._settings.duplicate_similarity,
        )

    def steps(
        self,
        who: Identity,
        thread: str,
        turns: Sequence[Turn],
        asked: Mapping[str, datetime],
        attempt: int = 0,
        told: Collection[str] = (),
    ) -> Steps[Learned]:
        """Read turns of a thread that nobody has read. Several threads may do so at once.

        A turn that cannot be read is passed over after several attempts, so that it does not stand
        before all that is said later: one at each attempt, as it may be that nothing can be read.
        What fails for reasons that pass, such as a provider that is overloaded, never is.

        Args:
            who: Whose memories.
            thread: The thread's id.
            turns: Of the thread, oldest first; those that are not `asked` have been read before.
            asked: When the turns that are to be read were said, by their marks.
            attempt: How often this has failed before, for reasons that do not pass.
            told: Marks of turns that came with their notes, as the thread cannot be read.
        """
        reading = _Reading(who, thread, turns, asked, told, gives_up=attempt >= TRIES)
        while True:
            try:
                if not (yield from self._round(reading)):
                    return reading.learned
            except Exception as error:
                failed = reading.next
                gives_up = reading.gives_up and not reading.learned.passed_over
                if failed is None or not gives_up or is_passing(error):
                    raise
                if reading.at_once > 1:
                    reading.at_once = 1  # One by one, to find the one that fails.
                else:
                    yield from self._pass_over(reading, failed, error)
                    reading.at_once = TURNS_AT_ONCE

    def _round(self, reading: _Reading) -> Steps[bool]:
        """Read as many turns as go together; whether there are more."""
        who, thread, learned = reading.who, reading.thread, reading.learned
        reading.next = None

        def decide() -> Steps[tuple[Sequence[Change], _Round]]:
            account, cursor = yield from self._ledger(who, thread)
            new = reading.unread(cursor)
            if not new:
                return [], _Round()
            reading.next = new[0]
            together = reading.together(new)
            known = yield from self._known(who, account, together)
            batch = batch_of(
                together, account, self._settings.daily_quota, clock.now().date(), known
            )
            wait = new[len(batch.keys) :] if batch.waits else []
            account, marks = account.with_waiting(thread, [turn.mark for turn in wait])
            waiting = tuple(turn for turn in wait if turn.mark in marks)
            if not batch.keys:
                learned.waits_until = _tomorrow()
                return [account.change(who)] if waiting else [], _Round(waiting=waiting)
            said_at = max(map(reading.time_of, batch.worth or together))
            speaker = reading.speaker(cursor)
            found = yield from self._extraction(who, thread, batch, said_at, speaker)
            extraction = found.extraction
            edits = list(edits_of(extraction, thread, self._extractor.name, said_at))
            edited = yield from self.memories(who).plan(edits)
            tasks = yield from Tasks(self._store, who.tasks).changes(
                extraction.tasks, when=said_at, thread_id=thread
            )
            profiled = yield from self._profiled(reading, batch, account, said_at, speaker)
            written = Written(batch, extraction, edited, tasks, profiled)
            moved = cursor.after(
                _in_order(reading.turns, batch),
                _unheard(batch),
                asked=reading.asked,
                named=speaker is not None,
            )
            changes = [
                *edited.changes,
                *tasks.changes,
                *profiled.changes,
                self._account(account, written, found.known).change(who),
                moved.change(who),
                *self._kept(who, found),
            ]
            return changes, _Round(written, found.key, len(batch.keys) < len(new), waiting)

        done = yield from committed(self._store, decide)
        for turn in done.waiting:
            self._tell("extraction_waits", reading, turn, "quota")
        if done.written is None:
            return False
        self._unwritten.written((who, done.key))
        if self._profile is not None:
            self._profile.written(done.written.profiled)
        learned.add(done.written)
        tell(self._listener, who, thread, done.written)
        return done.more

    def _pass_over(self, reading: _Reading, turn: Turn, error: Exception) -> Steps[None]:
        """Have a turn taken for read that cannot be."""
        who, thread = reading.who, reading.thread

        def decide() -> Steps[tuple[Sequence[Change], bool]]:
            account, cursor = yield from self._ledger(who, thread)
            if turn not in reading.unread(cursor):
                return [], False  # Somebody else could read it.
            counted = account.counting("passed_over")
            moved = cursor.after([turn.mark], asked=reading.asked)
            return [counted.change(who), moved.change(who)], True

        if (yield from committed(self._store, decide)):
            reading.learned.passed_over += 1
            logger.warning(
                "The turn %r of the thread %r cannot be read for memories and is passed over: %s",
                turn.key,
                thread,
                type(error).__name__,
            )
            self._tell("extraction_passed_over", reading, turn, type(error).__name__)

    def _tell(self, name: str, reading: _Reading, turn: Turn, reason: str) -> None:
        who, ids = reading.who, (turn.key,)
        announce(self._listener, Event(name, reason, who.agent, who.user, reading.thread, ids))

    def _profiled(
        self,
        reading: _Reading,
        batch: Batch,
        account: Account,
        said_at: datetime,
        speaker: str | None,
    ) -> Steps[Profiled]:
        if self._profile is None:
            return Profiled(account.turns_since_profile, account.unlooked)
        marks = {*_in_order(reading.turns, batch)} - {*_unheard(batch)}
        new = [turn for turn in reading.turns if turn.mark in marks]
        notes = [*account.unlooked.items(), *reading.notes(new, speaker).items()]
        profiled = Profiled(account.turns_since_profile + len(new), dict(notes[-TURNS_SHOWN:]))
        if not batch.worth:
            return profiled
        try:
            return (
                yield from self._profile.steps(
                    reading.who, reading.thread, new, batch.worth, profiled, said_at, speaker
                )
            )
        except Exception as error:
            # It looks at turns before these, too: what fails there must cost no memory of these.
            if is_refusal(error) or (reading.gives_up and not is_passing(error)):
                return Profiled(turns_since=0, refused=1, calls=1)
            raise

    # -- what is known

    def _ledger(self, who: Identity, thread: str) -> Steps[tuple[Account, Cursor]]:
        place = who.ledger
        ops = [GetOp(place, ACCOUNT), GetOp(place, cursor_key(thread))]
        account, cursor = yield Call.of(self._store.batch, self._store.abatch, ops)
        return Account.of(account), Cursor.of(thread, cursor)

    def _known(
        self, who: Identity, account: Account, turns: Sequence[Turn]
    ) -> Steps[frozenset[str]]:
        """Digests of turns that were said before and are remembered as they were then."""
        digests = {text_digest(turn.in_context) for turn in turns} & account.digests.keys()
        ids = {memory_id for digest in digests for memory_id in account.digests[digest]}
        ops = [GetOp(who.memories, memory_id, refresh_ttl=False) for memory_id in sorted(ids)]
        found = (yield Call.of(self._store.batch, self._store.abatch, ops)) if ops else []
        active = {
            item.key for item in found if item and item.value.get("status") == Status.ACTIVE.value
        }
        return frozenset(each for each in digests if active.issuperset(account.digests[each]))

    # -- what is proposed

    def _extraction(
        self, who: Identity, thread: str, batch: Batch, said_at: datetime, speaker: str | None
    ) -> Steps[_Found]:
        """What is proposed for a batch, asked for once."""
        if not batch.worth:
            return _Found(Extraction())
        name = [thread, self._extractor.name, *(turn.mark for turn in batch.worth)]
        key = "proposal:" + hashlib.sha256(json.dumps(name).encode()).hexdigest()[:32]
        unwritten = self._unwritten.get((who, key))
        if unwritten is not None:
            return unwritten
        kept = yield Call.of(self._store.get, self._store.aget, who.ledger, key)
        if kept is not None:
            return _Found(replace(extraction_in(kept.value["extraction"]), calls=0), key)
        request = yield from self._request(who, batch, said_at, speaker)
        extraction = yield from self._extracted(request)
        found = _Found(extraction, key, tuple(record.id for record in request.known))
        self._unwritten.keep((who, key), found)
        return found

    def _extracted(self, request: ExtractionRequest) -> Steps[Extraction]:
        """What the extractor proposes; where it is of no use, what the rules do.

        A model that answers nonsense, or a provider that does not want to read the text, must not
        cost the user what was plainly stated.
        """
        try:
            extraction = yield from self._extractor.steps(request)
        except Exception as error:
            if not is_refusal(error):
                raise  # To be tried again later.
            extraction = Extraction(dropped=(Dropped("", DropReason.REFUSED),), calls=1)
        if isinstance(self._extractor, RulesExtractor):
            return extraction
        reasons = {each.reason for each in extraction.dropped}
        useless = reasons & _USELESS or _is_malformed(extraction)
        if useless and not extraction.proposals:
            stated = yield from RulesExtractor().steps(request)
            extraction = replace(extraction, proposals=stated.proposals)
        asked = asked_to_forget(request.messages, speaker=request.speaker)
        dropped = dict.fromkeys([*extraction.dropped, *asked])
        return replace(extraction, dropped=tuple(dropped))

    def _request(
        self, who: Identity, batch: Batch, said_at: datetime, speaker: str | None
    ) -> Steps[ExtractionRequest]:
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
            found = yield from self.memories(who).finding(said[-LONGEST_QUERY:], KNOWN)
            known = [each.record for each in found]
            open_tasks = yield from Tasks(self._store, who.tasks).finding(
                said[-LONGEST_QUERY:], KNOWN_TASKS
            )
            tasks = [each.task for each in open_tasks]
        return ExtractionRequest(messages, said_at, known, tasks, speaker)

    # -- what is written

    def _account(self, account: Account, written: Written, known: Sequence[str]) -> Account:
        batch, edited = written.batch, written.edited
        return account.after(
            clock.now().date(),
            stored=sum(each.outcome in {Outcome.ADDED, Outcome.UPDATED} for each in edited.saved),
            skipped=[reason.value for _, reason in batch.skipped],
            digests=kept_in(batch.worth, written.extraction, edited, known),
            changed=bool(written.profiled.changed),
            turns_since_profile=written.profiled.turns_since,
            unlooked=written.profiled.unlooked,
        )

    def _kept(self, who: Identity, found: _Found) -> list[Change]:
        if not found.extraction.calls:
            return []  # To ask again costs nothing.
        extraction = extraction_value(found.extraction)
        value = {"extractor": self._extractor.name, "extraction": extraction}
        return [Change(who.ledger, found.key, value, index=False, ttl=PROPOSAL_MINUTES)]


def _is_malformed(extraction: Extraction) -> bool:
    """Whether there were entries and none was of use, for their form and not for what they say."""
    reasons = {each.reason for each in extraction.dropped}
    return bool(reasons) and reasons <= _FORMLESS and not extraction.tasks


def _in_order(turns: Sequence[Turn], batch: Batch) -> list[str]:
    keys = set(batch.keys)
    return [turn.mark for turn in turns if turn.key in keys]


def _unheard(batch: Batch) -> list[str]:
    return [turn.mark for turn, reason in batch.skipped if reason is SkipReason.DISABLED]


def _tomorrow() -> datetime:
    """When the day's quota begins anew."""
    return datetime.combine(clock.now().date() + timedelta(days=1), time(), UTC)

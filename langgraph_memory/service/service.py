"""What middleware, nodes and commands ask of long-term memory, for one agent and all its users."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, TypeVar

from langchain_core.messages import BaseMessage
from langgraph.checkpoint.base import BaseCheckpointSaver
from langsmith import tracing_context

from langgraph_memory import clock
from langgraph_memory.calls import Call, Steps, drive
from langgraph_memory.errors import InvalidStateError, VersionConflictError
from langgraph_memory.events import Event, Listener, announce
from langgraph_memory.extraction import Extractor, RulesExtractor, SkipReason
from langgraph_memory.identity import Identity
from langgraph_memory.jobs import Job, JobQueue, Worker
from langgraph_memory.memories import Memories
from langgraph_memory.profile import ProfileExtractor
from langgraph_memory.service.daemon_threads import DaemonThreads
from langgraph_memory.service.faults import is_passing
from langgraph_memory.service.learner import Learner
from langgraph_memory.service.ledger import ACCOUNT, Account, Cursor, cursor_key
from langgraph_memory.service.notes import Noted, note_of, noted, turns_told
from langgraph_memory.service.owners import Owners, ThreadPlace
from langgraph_memory.service.profiling import ProfileKeeper
from langgraph_memory.service.recaller import Recaller
from langgraph_memory.service.recollection import NOTHING, Recollection
from langgraph_memory.service.transcripts import Transcripts
from langgraph_memory.service.turns import Asked, Turn, newest_question, turns_of
from langgraph_memory.service.why import Reason, reasons_for, shown_to
from langgraph_memory.settings import LongTermMemorySettings
from langgraph_memory.store import Change, MemoryStore, committed
from langgraph_memory.summarization.state import read

__all__ = ["MemoryService"]

logger = logging.getLogger("langgraph_memory.service")

REMEMBERED = 1_000
"""Recollections kept in this process, for the later model calls of a turn."""
REPLY_TIME = timedelta(minutes=2)
"""How long a turn without a reply is taken for one whose reply is still being made."""

ABANDONED = timedelta(days=1)
"""How long after it was due a job is left to those who read as its turns' agent does."""

CLOSING = 10.0
"""Seconds that closing waits for what runs."""
PATIENCE = 100

T = TypeVar("T")
Place = tuple[Identity, str | None, str]


class _Recalling:
    """A recollection in the making.

    Attributes:
        so_far: What there is of it already.
        whole: All of it.
    """

    so_far: Recollection = NOTHING
    whole: Future[Recollection]

    def keep(self, recollection: Recollection) -> None:
        """There is more of it."""
        self.so_far = recollection

    def settle(self) -> Recollection:
        """What there is now, for the rest of the turn, too, so that its requests are alike."""
        if self.so_far is not NOTHING:
            self.whole = Future()
            self.whole.set_result(self.so_far)
        return self.so_far


class MemoryService:
    """Recalls before the model call and remembers after the reply, without the user's waiting.

    Args:
        store: Where memories, jobs and cursors are.
        settings: Of the agent.
        transcripts: Where threads can be read in the background; without it, the newest messages
            go with the job.
        extractor: Proposes what to remember; the rules by default.
        profile: Asks a model what belongs in users' profiles; without one there are none.
        listener: Is told what happens.
        debounce: Seconds to wait after a turn for the next, so that several are read together.
    """

    def __init__(
        self,
        store: MemoryStore,
        settings: LongTermMemorySettings,
        *,
        transcripts: Transcripts | None = None,
        extractor: Extractor | None = None,
        profile: ProfileExtractor | None = None,
        listener: Listener | None = None,
        debounce: float = 5.0,
    ) -> None:
        self.store = store
        self.settings = settings
        self.listener = listener
        self._transcripts = transcripts
        # `Settings.of` has filled in the agent's name.
        self._agent = settings.namespace or "default"
        self.owners = Owners(store)
        self._recaller = Recaller(store, settings, profile.schema if profile else None)
        keeper = None
        if profile is not None:
            keeper = ProfileKeeper(store, profile, settings.profile_every, self._turns)
        extractor = extractor or RulesExtractor()
        self._learner = Learner(store, settings, extractor, keeper, listener)
        # Agents of one namespace need not read alike.
        self._reader = [extractor.name, *([profile.schema.__qualname__] if profile else [])]
        queue = JobQueue(
            store,
            f"extraction/{self._agent}",
            debounce=debounce,
            longest_wait=max(60.0, debounce),
        )
        self._worker = Worker(queue, self._work, passing=is_passing, takes=self._takes)
        self._threads = DaemonThreads("langgraph-memory")
        self._closed = False
        self._recalled: OrderedDict[Place, _Recalling] = OrderedDict()
        self._lock = threading.Lock()

    def can_read(self, saver: BaseCheckpointSaver[Any]) -> Steps[bool]:
        """Whether a checkpointer's threads can be read in the background.

        That is so where they are beside the jobs, as any process may come to do a job.
        """
        if not (yield from self._reads_beside()):
            return False
        return (yield from self.owners.database(saver)) == self.store.database

    def _reads_beside(self) -> Steps[bool]:
        """Whether this process can read the threads that are in the store's database."""
        if self._transcripts is None or self.store.database is None:
            return False
        database = yield from self.owners.database(self._transcripts.checkpointer)
        return database == self.store.database

    # -- before the model call

    def begin(
        self,
        who: Identity,
        thread: str | None,
        messages: Sequence[BaseMessage],
        begun: Sequence[str] | None = None,
        *,
        readable: bool = True,
    ) -> None:
        """A run begins: recall in the background, and note durably which turns there will be.

        The note is there before the model is called, so a crash at any later point loses nothing.

        Args:
            who: Whose memories.
            thread: The thread's id; None if there is no checkpointer.
            messages: The thread so far, with the user's newest message.
            begun: Marks of the turns that the run has brought; None for the newest one.
            readable: Whether the thread's checkpoints can be read in the background.
        """
        note = note_of(thread, turns_of(messages), begun, readable=readable)
        self._ahead(who, thread, messages, note)

    def recollect(
        self, who: Identity, thread: str | None, messages: Sequence[BaseMessage]
    ) -> Recollection:
        """The memories for a thread's newest user message, the same at every call of its turn.

        What cannot be recalled in time is reported and left out: a reply without memories is better
        than none.
        """
        recalling = self._ahead(who, thread, messages)
        if recalling is None:
            return NOTHING
        try:
            return recalling.whole.result(self.settings.load_timeout)
        except Exception as error:
            return self._failed(who, thread, error, recalling)

    async def arecollect(
        self, who: Identity, thread: str | None, messages: Sequence[BaseMessage]
    ) -> Recollection:
        """`recollect` without blocking the event loop."""
        recalling = self._ahead(who, thread, messages)
        if recalling is None:
            return NOTHING
        try:
            waiting = asyncio.shield(asyncio.wrap_future(recalling.whole))
            return await asyncio.wait_for(waiting, self.settings.load_timeout)
        except Exception as error:
            return self._failed(who, thread, error, recalling)

    def _ahead(
        self,
        who: Identity,
        thread: str | None,
        messages: Sequence[BaseMessage],
        note: Mapping[str, Any] | None = None,
    ) -> _Recalling | None:
        """The recollection that was begun for a question, or is begun now."""
        asked = newest_question(messages)
        if asked is None:
            return None
        place = (who, thread, asked.key)
        with self._lock:
            recalling = self._recalled.get(place)
            if self._closed:
                return recalling
            if recalling is None or note is not None:
                recalling = _Recalling()
                work = partial(self._prepare, who, thread, asked, note, recalling.keep)
                recalling.whole = self._threads.submit(work)
                self._recalled[place] = recalling
                while len(self._recalled) > REMEMBERED:
                    self._recalled.popitem(last=False)
            return recalling

    def _prepare(
        self,
        who: Identity,
        thread: str | None,
        asked: Asked,
        note: Mapping[str, Any] | None,
        so_far: Callable[[Recollection], None],
    ) -> Recollection:
        # Beside it, as a write may hang where one can read.
        noting = self._threads.submit(partial(self._request, who, note)) if note else None
        try:
            recollection = NOTHING
            if self.settings.auto_load:
                recollection = drive(self._recaller.steps(who, asked, so_far))
        finally:
            # Nobody waits longer for it than for a recall: see `recollect`.
            error = noting.exception() if noting is not None else None
            if error is not None:  # `end` notes it again.
                logger.error("A turn could not be noted before its reply.", exc_info=error)
        if self.settings.auto_load:
            self._tell_recalled(who, thread, recollection)
        return recollection

    def _tell_recalled(self, who: Identity, thread: str | None, recollection: Recollection) -> None:
        for failed in recollection.failed:
            self._tell("recall_failed", who, thread, reason=failed)
        self._tell(
            "recalled",
            who,
            thread,
            ids=tuple(each["key"] for each in recollection.why),
            counts={"tokens": recollection.tokens},
        )

    def _failed(
        self, who: Identity, thread: str | None, error: Exception, recalling: _Recalling
    ) -> Recollection:
        """What could be recalled in spite of an error, which may be that time is up."""
        reason = type(error).__name__
        logger.warning("Not all could be recalled for this turn: %s: %s", reason, error)
        self._tell("recall_failed", who, thread, reason=reason)
        return recalling.settle()

    def timely(self, steps: Steps[T]) -> Steps[T]:
        """Steps that a reply waits for, no longer than for a recall.

        Raises:
            TimeoutError: If they take longer; they go on all the same.
        """
        begun: Future[T] = self._threads.submit(partial(drive, steps))
        limit = self.settings.load_timeout

        async def waiting() -> T:
            return await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(begun)), limit)

        result: T = yield Call(partial(begun.result, limit), waiting)
        return result

    def without_memory(self, thread: str, error: Exception) -> None:
        """It could not be read whose thread it is; the run goes on as if there were no memory."""
        reason = type(error).__name__
        logger.warning("This run has no memory, as the store fails: %s: %s", reason, error)
        announce(self.listener, Event("recall_failed", reason, self._agent, "", thread))

    # -- after the reply

    def end(
        self,
        who: Identity,
        thread: str | None,
        messages: Sequence[BaseMessage],
        done: Sequence[str] | None = None,
        why: Sequence[Mapping[str, Any]] = (),
        *,
        readable: bool = True,
        doubted: Collection[str] = (),
    ) -> None:
        """A reply was given: count the uses of what was recalled, and have its turns read.

        Both happen in the background.

        Args:
            who: Whose memories.
            thread: The thread's id; None if there is no checkpointer.
            messages: The thread, with the reply.
            done: Marks of the turns that the run has brought; None for the newest one.
            why: What was recalled for it, see `Recollection.why`.
            readable: Whether the thread's checkpoints can be read in the background.
            doubted: Marks of turns that are only read if they were noted when they were begun.
        """
        note = note_of(thread, turns_of(messages), done, readable=readable)
        used = _used(who, why)

        def after() -> None:
            try:
                for namespace, keys in used.items():
                    self.store.touch(namespace, keys)
                self._request(who, self._undoubted(who, note, doubted))
            except Exception:  # `begin` has noted the turn, so it is read all the same.
                logger.exception("What follows a reply failed.")

        if not self._closed:
            self._threads.submit(after)

    def leave(self, who: Identity, thread: str | None, turn: Turn, reason: SkipReason) -> None:
        """Have a turn counted that a run has brought and nobody is to read.

        Args:
            who: Whose memories.
            thread: The thread's id; None if there is no checkpointer.
            turn: The turn.
            reason: Why.
        """

        def count() -> None:
            self._account_becomes(who, lambda account: account.counting(reason.value))
            self._tell("extraction_skipped", who, thread, reason=reason.value, ids=(turn.key,))

        if self.settings.auto_extract and not self._closed:
            self._threads.submit(count)

    # -- in the background

    def _undoubted(
        self, who: Identity, note: Mapping[str, Any], doubted: Collection[str]
    ) -> Mapping[str, Any]:
        """A note without turns that a thread may only pretend to have begun."""
        names = [name for name in note if json.loads(name)[1] in doubted]
        if not names:
            return note
        jobs = self._worker.queue.waiting(only=self._subject(who))
        begun = {name for job in jobs for name in job.payload}
        return {name: told for name, told in note.items() if name not in names or name in begun}

    def _request(self, who: Identity, note: Mapping[str, Any]) -> None:
        if note and self.settings.auto_extract:
            self._worker.queue.request(self._subject(who), note)
            self._worker.start()

    def _subject(self, who: Identity) -> str:
        return json.dumps([who.agent, who.user, *self._reader])

    def _takes(self, job: Job) -> bool:
        """Whether a job's turns are read here: as their agent does, or as nobody else came."""
        _, _, *reader = json.loads(job.subject)
        return reader == self._reader or job.due + ABANDONED <= clock.now()

    def _work(self, job: Job) -> float | None:
        """Read what is new in the threads of a job."""
        agent, user, *_ = json.loads(job.subject)
        who = Identity(agent, user)
        ready: list[datetime] = []
        failures: list[Exception] = []
        for thread in sorted(noted(job.payload), key=lambda each: each.at):
            try:
                turns, at = self._turns(who, thread)
                complete, later = _complete(thread, turns, at)
                # The conversation and what is known go to the extractor, and not into a trace.
                with tracing_context(enabled=self.settings.trace_content and None):
                    learned = drive(
                        self._learner.steps(
                            who,
                            thread.thread,
                            complete,
                            thread.since,
                            attempt=job.faults,
                            told=thread.messages,
                        )
                    )
                ready += [each for each in (later, learned.waits_until) if each is not None]
            except Exception as error:
                failures.append(error)
                self._tell("extraction_failed", who, thread.thread, reason=type(error).__name__)
        if failures:
            raise min(failures, key=is_passing)
        if not ready:
            return None
        return max(1.0, (min(ready) - clock.now()).total_seconds())

    def _turns(self, who: Identity, noted: Noted) -> tuple[list[Turn], datetime]:
        """The turns of a thread that are to be read, with those that were before them."""
        known = set(
            Cursor.of(noted.thread, self.store.get(who.ledger, cursor_key(noted.thread))).read
        )
        turns = [
            turn for turn in turns_told(noted) if turn.mark in noted.since or turn.mark in known
        ]
        at = noted.at
        wanted = [mark for mark in noted.since if mark not in noted.messages]
        if wanted:
            its_own = self._is_of(who, noted.thread)
            if self._transcripts is None or not (its_own or drive(self._reads_beside())):
                raise InvalidStateError(
                    f"The thread {noted.thread!r} is to be read for memories, and this process has "
                    "no checkpointer to read it from. Open the memory with the one that it was "
                    "written by."
                )
            if its_own:  # Or it was deleted, and its id is another's by now.
                begun = min(noted.since[mark] for mark in wanted)
                there, at = self._transcripts.turns(noted.thread, wanted, known, begun=begun)
                at = max(at, noted.at) if turns else at
                marks = {turn.mark for turn in there}
                turns = [*(turn for turn in turns if turn.mark not in marks), *there]
        # In the order in which they were said, whatever branch they are on.
        first = datetime.min.replace(tzinfo=UTC)
        return sorted(turns, key=lambda turn: noted.since.get(turn.mark, first)), at

    def _is_of(self, who: Identity, thread: str) -> bool:
        """Whether a thread of the own checkpointer is a user's, as far as it is kept."""
        if self._transcripts is None:
            return False
        place = drive(self.owners.place(thread, self._transcripts.checkpointer))
        owner = drive(self.owners.reading(place))
        return owner is not None and owner.user == who.user

    # -- what a user may see and decide

    def why(self, who: Identity, recollection: Recollection | Mapping[str, Any]) -> list[Reason]:
        """Why the model was shown what it was shown, down to the messages it comes from.

        Args:
            who: Whose memories; what is another's is left out.
            recollection: Or what the thread keeps of it under `memory_recall`.
        """
        given = recollection
        kept = given.why if isinstance(given, Recollection) else read(given, "why")
        return reasons_for(self.store, self._said, who, kept)

    def _said(self, who: Identity, thread: str) -> list[BaseMessage]:
        """What was said in a thread, if it is still the user's."""
        if self._transcripts is None or not self._is_of(who, thread):
            return []
        return self._transcripts.messages(thread)

    def memories(self, who: Identity) -> Memories:
        """A user's memories, by the agent's settings."""
        return self._learner.memories(who)

    def account(self, who: Identity) -> Account:
        """What is known of a user's extraction: the switch, the quota, the skips."""
        return Account.of(self.store.get(who.ledger, ACCOUNT))

    def let_extract(self, who: Identity, enabled: bool) -> None:
        """Whether a user's conversations may be read for memories.

        What was said while they may not, and what nobody has read until they may not, is never
        read.
        """
        if enabled:
            self._pass_over(who)

        def switched(account: Account) -> Account:
            unlooked = account.unlooked if enabled else {}
            return replace(account, enabled=enabled, unlooked=unlooked)

        try:
            self._account_becomes(who, switched)
        except VersionConflictError as error:
            raise VersionConflictError(
                f"The switch of {who.user!r} is changed by others all the time; it is as it was. "
                "Try again."
            ) from error

    def forget_thread(self, place: ThreadPlace) -> None:
        """A thread is gone: forget whose it was, and the words that wait to be read."""
        owner = drive(self.owners.reading(place))
        self.owners.forget(place)
        if owner is None or owner.user is None:
            return

        def of_it(key: str) -> bool:
            return bool(json.loads(key)[0] == place.thread)

        def without(account: Account) -> Account:
            left = {key: note for key, note in account.unlooked.items() if not of_it(key)}
            return replace(account, unlooked=left)

        who = Identity(self._agent, owner.user)
        for job in self._jobs_of(who):
            self._worker.queue.withdraw(job, of_it)
        if self.account(who).unlooked:
            self._account_becomes(who, without)

    def _account_becomes(self, who: Identity, change: Callable[[Account], Account]) -> None:
        def decide() -> Steps[tuple[Sequence[Change], None]]:
            account = yield Call(partial(self.account, who))
            return [change(account).change(who)], None

        drive(committed(self.store, decide))

    def _pass_over(self, who: Identity) -> None:
        """Have what was said until now passed over, as long as the switch is off."""
        if self.account(who).enabled:
            return

        for _ in range(PATIENCE):
            for job in self._jobs_of(who):  # Of all readers: nobody is asked to read anything.
                self._worker.flush(only=job.subject, patience=1.0)
            if all(job.lease is None for job in self._jobs_of(who)):
                return
            time.sleep(0.1)  # Another process is at it.

    def _jobs_of(self, who: Identity) -> list[Job]:
        jobs = self._worker.queue.waiting()
        return [job for job in jobs if json.loads(job.subject)[:2] == [who.agent, who.user]]

    # -- life

    @property
    def _reads(self) -> bool:
        """Whether turns are read here; those that wait may be another agent's."""
        return self.settings.enabled and self.settings.auto_extract

    def start(self) -> None:
        """Begin with the jobs that another process left."""
        if self._reads:
            self._worker.start()

    def flush(self) -> int:
        """Do now what waits in the background, in this thread; how many jobs were done."""
        self._threads.wait(self.settings.load_timeout)
        return self._worker.flush() if self._reads else 0

    def close(self) -> None:
        """Stop after what runs now; what waits is left for the next process."""
        self._closed = True
        self._threads.wait(CLOSING)
        self._worker.close(CLOSING)

    def _tell(self, name: str, who: Identity, thread: str | None, **given: Any) -> None:
        event = Event(name, agent=who.agent, user=who.user, thread=thread or "", **given)
        announce(self.listener, event)


def _used(who: Identity, why: Sequence[Mapping[str, Any]]) -> dict[tuple[str, ...], list[str]]:
    """Keys of what was recalled, by namespace; of those namespaces alone that are the user's.

    What a thread keeps may have been written by others.
    """
    used: dict[tuple[str, ...], list[str]] = {}
    for shown in shown_to(who, why):
        if shown.block == "recalled":
            used.setdefault(shown.namespace, []).append(shown.key)
    return used


def _complete(noted: Noted, turns: list[Turn], at: datetime) -> tuple[list[Turn], datetime | None]:
    """The turns without one whose reply is still being made, and when to look again.

    So it is with turns that are not in the thread yet, as LangGraph saves beside the run.
    """
    if at + REPLY_TIME <= clock.now():
        return turns, None
    if turns and turns[-1].is_open:
        return turns[:-1], at + REPLY_TIME
    absent = noted.since.keys() - {turn.mark for turn in turns}
    return turns, noted.at + REPLY_TIME if absent else None

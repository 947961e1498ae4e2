"""A queue of work by subject, kept in the long-term store, shared by threads and processes.

There is one job per subject (a user): asking again while it waits makes it one job, and while it
runs has it run once more. Every change is a compare-and-set on the job's item, so no two workers
have the same job, and a worker that dies loses its lease, not the job. What is done is deleted, so
a look at the queue reads what waits and nothing else.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from langgraph.store.base import Item

from langgraph_memory import clock
from langgraph_memory.errors import InvalidInputError, VersionConflictError
from langgraph_memory.identity import encode_label
from langgraph_memory.store import Change, MemoryStore

__all__ = ["Job", "JobQueue"]

ATTEMPTS = 50
"""How often a change is tried that others get in the way of."""
SLOWEST_RETRY = timedelta(hours=6)
SKEW = timedelta(hours=1)
"""How far apart the clocks of workers may be; a lease for longer is from a clock that was wrong."""


@dataclass(frozen=True, slots=True)
class Job:
    """One subject's work.

    Attributes:
        subject: Whose.
        due: When to do it.
        first_asked: When it was first asked for since it was last done.
        payload: What the requests said, see `JobQueue.request`.
        asked: How often it was asked for since it was last done.
        attempts: How often it failed since it was last done.
        faults: How many of these failures were its own, see `JobQueue.fail`.
        error: What the last failure said.
        lease: Who has it, None if nobody.
        leased_until: Until when they have it.
        version: Of the job's item, for compare-and-set; None if there is none.
    """

    subject: str
    due: datetime
    first_asked: datetime
    payload: Mapping[str, Any] = field(default_factory=dict)
    asked: int = 0
    attempts: int = 0
    faults: int = 0
    error: str | None = None
    lease: str | None = None
    leased_until: datetime | None = None
    version: datetime | None = None

    def to_value(self) -> dict[str, Any]:
        """As an item's value."""
        return {
            "subject": self.subject,
            "due": clock.utc_text(self.due),
            "first_asked": clock.utc_text(self.first_asked),
            "payload": dict(self.payload),
            "asked": self.asked,
            "attempts": self.attempts,
            "faults": self.faults,
            "error": self.error,
            "lease": self.lease,
            "leased_until": self.leased_until and clock.utc_text(self.leased_until),
        }

    @classmethod
    def from_item(cls, item: Item) -> Job:
        """The job that an item holds."""
        value = item.value
        until = value["leased_until"]
        return cls(
            subject=value["subject"],
            due=datetime.fromisoformat(value["due"]),
            first_asked=datetime.fromisoformat(value["first_asked"]),
            payload=value["payload"],
            asked=value.get("asked", 0),
            attempts=value["attempts"],
            faults=value.get("faults", 0),
            error=value["error"],
            lease=value["lease"],
            leased_until=until and datetime.fromisoformat(until),
            version=item.updated_at,
        )


class JobQueue:
    """Jobs of one kind in a store. All methods block; they are short.

    Args:
        store: Where the jobs are.
        kind: Name of the queue.
        debounce: Seconds to wait for more requests of the same subject.
        longest_wait: Seconds after which a job is due however many requests still come.
        lease: Seconds that a worker has for a job before others may take it, if it does not renew
            its lease.
        retry: Seconds to the first repetition of a failed job; doubled each time, six hours at
            most.
    """

    def __init__(
        self,
        store: MemoryStore,
        kind: str,
        *,
        debounce: float = 5.0,
        longest_wait: float = 60.0,
        lease: float = 120.0,
        retry: float = 10.0,
    ) -> None:
        if debounce < 0 or longest_wait < debounce or lease <= 0 or retry < 0:
            raise InvalidInputError(
                "A queue needs 0 <= debounce <= longest_wait, lease > 0 and retry >= 0 (seconds), "
                f"got debounce={debounce}, longest_wait={longest_wait}, lease={lease}, "
                f"retry={retry}."
            )
        self._store = store
        self._namespace = ("jobs", encode_label(kind))
        self._debounce = timedelta(seconds=debounce)
        self._longest_wait = timedelta(seconds=longest_wait)
        self.lease = timedelta(seconds=lease)
        self._retry = timedelta(seconds=retry)

    def request(self, subject: str, payload: Mapping[str, Any] | None = None) -> Job:
        """Ask for a subject's work, soon.

        Args:
            subject: Whose work.
            payload: What the worker is told, by key. It is merged with what earlier requests said:
                of two values for a key the later one counts, by their `at` (text whose order is
                that of time) if both have one, as requests may overtake each other. Their `since`
                stays the earliest.
        """
        for _ in range(ATTEMPTS):
            now = clock.now()
            [job] = self.waiting(subject) or [Job(subject, now, now)]
            due = min(now + self._debounce, job.first_asked + self._longest_wait)
            job = replace(
                job, due=due, payload=_merged(job.payload, payload or {}), asked=job.asked + 1
            )
            if job.lease is not None:  # It runs: once more when it is done.
                job = replace(job, first_asked=now)
            if (saved := self._put(job)) is not None:
                return saved
        raise self._contended(subject)

    def ready(self, *, all_of_them: bool = False, only: str | None = None) -> list[Job]:
        """Jobs that are due and that nobody has, those due longest first.

        Args:
            all_of_them: Those that are not due yet, too.
            only: The only subject whose job is wanted; None for any.
        """
        now = clock.now()
        return [
            job
            for job in self.waiting(only)
            if (all_of_them or job.due <= now)
            and (job.leased_until is None or not now < job.leased_until <= now + self.lease + SKEW)
        ]

    def take(self, job: Job) -> Job | None:
        """Have a job for as long as the lease is; None if it is not any more as it was read."""
        until = clock.now() + self.lease
        return self._put(replace(job, lease=uuid.uuid4().hex, leased_until=until))

    def claim(self) -> Job | None:
        """Take the job that is due longest, or none."""
        for _ in range(ATTEMPTS):
            ready = self.ready()
            for job in ready:
                if (taken := self.take(job)) is not None:
                    return taken
            if not ready:
                return None  # And not because others changed them at the same moment.
        return None

    def renew(self, job: Job) -> bool:
        """Have a claimed job for another lease from now on; whether it was still this worker's."""
        return self._becomes(
            job, lambda there: replace(there, leased_until=clock.now() + self.lease)
        )

    def finish(self, job: Job) -> None:
        """A claimed job is done. If it was asked for again meanwhile, it waits once more."""

        def done(there: Job) -> Job | None:
            if there.asked == job.asked:
                return None
            # What is as it was is done; a None says nothing, so that may have been asked anew.
            left = {
                key: value
                for key, value in there.payload.items()
                if value is None or value != job.payload.get(key)
            }
            return replace(
                there,
                payload=left,
                asked=there.asked - job.asked,
                lease=None,
                leased_until=None,
                attempts=0,
                faults=0,
                error=None,
            )

        self._becomes(job, done)

    def fail(self, job: Job, error: str, *, fault: bool = False) -> None:
        """A claimed job failed: it waits for a while, longer each time, and is tried again.

        Args:
            job: The job.
            error: What the failure says.
            fault: Whether it lies in the job, and not in what could not be had at the moment.
        """

        def later(there: Job) -> Job:
            pause = min(self._retry * 2 ** min(there.attempts, 20), SLOWEST_RETRY)
            return replace(
                there,
                attempts=there.attempts + 1,
                faults=there.faults + fault,
                error=error,
                due=clock.now() + pause,
            )

        self._release(job, later)

    def postpone(self, job: Job, seconds: float) -> None:
        """A claimed job is not ready: it waits so long, or until it is asked for again."""
        due = clock.now() + timedelta(seconds=seconds)
        self._release(job, lambda there: replace(there, attempts=0, faults=0, error=None, due=due))

    def withdraw(self, job: Job, gone: Callable[[str], bool]) -> None:
        """Take back a part of what a job was told; one that runs may have read it already.

        Args:
            job: As `waiting` gives it.
            gone: Whether the part under a key of the payload is taken back.
        """

        def without(there: Job) -> Job:
            left = {key: value for key, value in there.payload.items() if not gone(key)}
            return replace(there, payload=left)

        self._becomes(job, without)

    def _release(self, job: Job, later: Callable[[Job], Job]) -> None:
        def released(there: Job) -> Job:
            then = later(there)
            # What is asked for meanwhile is merged anew, as if it were first asked for then.
            then = replace(then, lease=None, leased_until=None, first_asked=then.due)
            if there.asked == job.asked:
                return then
            return replace(then, due=min(then.due, there.due))  # As soon as that says.

        self._becomes(job, released)

    def waiting(self, only: str | None = None) -> list[Job]:
        """Jobs that are not done, running ones included, by the time they are due.

        Args:
            only: The only subject whose job is wanted; None for any.
        """
        if only is not None:
            item = self._store.get(self._namespace, only, refresh_ttl=False)
            return [] if item is None else [Job.from_item(item)]
        items = self._store.scan(self._namespace)
        jobs = [Job.from_item(item) for item in items if item.namespace == self._namespace]
        return sorted(jobs, key=lambda job: (job.due, job.subject))

    def _becomes(self, job: Job, change: Callable[[Job], Job | None]) -> bool:
        """Write what a claimed job becomes, None if it is over; whether it was still claimed."""
        for _ in range(ATTEMPTS):
            held = [each for each in self.waiting(job.subject) if each.lease == job.lease]
            if not held:
                return False
            changed = change(held[0])
            if self._remove(held[0]) if changed is None else self._put(changed) is not None:
                return True
        raise self._contended(job.subject)

    def _put(self, job: Job) -> Job | None:
        """Write a job if nobody has changed it; None if somebody has."""
        try:
            version = self._store.put_if_version(
                self._namespace,
                job.subject,
                job.to_value(),
                version=job.version,
                index=False,
                ttl=None,
            )
        except VersionConflictError:
            return None
        return replace(job, version=version)

    def _remove(self, job: Job) -> bool:
        """Delete a job if nobody has changed it; whether it was so."""
        try:
            self._store.commit([Change(self._namespace, job.subject, None, job.version)])
        except VersionConflictError:
            return False
        return True

    def _contended(self, subject: str) -> VersionConflictError:
        return VersionConflictError(
            f"The job of {subject!r} is changed by others all the time; it is still there. Try "
            "again."
        )


def _merged(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(old)
    for key, value in new.items():
        known = merged.get(key)
        if isinstance(value, Mapping) and isinstance(known, Mapping):
            later = max(known, value, key=lambda each: (str(each.get("at", "")), each is value))
            begun = [str(each["since"]) for each in (known, value) if "since" in each]
            merged[key] = {**later, **({"since": min(begun)} if begun else {})}
        else:
            merged[key] = value
    return merged

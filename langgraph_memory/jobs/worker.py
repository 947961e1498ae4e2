"""Threads that do the jobs of a queue."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Collection
from concurrent.futures import FIRST_COMPLETED, Future, wait
from datetime import timedelta

from langgraph_memory import clock
from langgraph_memory.errors import StoreClosedError
from langgraph_memory.jobs.queue import Job, JobQueue

__all__ = ["Worker"]

logger = logging.getLogger("langgraph_memory.jobs")

NAME = "langgraph-memory-jobs"
REST = 10.0
"""How many times as long as a look at the queue took there is none, however many jobs wait."""


class _Run:
    """A job that is being done in a thread of its own.

    Attributes:
        job: The job, as it was taken.
        begun: When.
        renewed: When it was begun or its lease renewed.
        ended: Whether it succeeded, once it has ended or was given up.
        thread: Where it is done.
    """

    def __init__(self, job: Job) -> None:
        self.job = job
        self.begun = self.renewed = clock.now()
        self.ended: Future[bool] = Future()
        self.thread = threading.current_thread()


class Worker:
    """Does the jobs of several subjects at a time in daemon threads.

    They do not keep the process alive. What is not done when the process ends is done by the next
    worker on the same store. A job that hangs stands in the way of nobody else's for longer than
    `longest`; then its subject may be worked for again, too.

    Args:
        queue: Whose jobs.
        work: Does one job, and returns None if it is done, or the seconds after which there is
            more to do. What it raises is a failure, and the job is tried again later. It is called
            from several threads.
        threads: How many jobs are done at a time.
        interval: Seconds between looks at the queue.
        longest: Seconds after which a job that has not ended is taken for a failure. Whatever it
            still does is not waited for.
        passing: Whether what the work raised lies in something else than the job.
        takes: Which of the queue's jobs are done here; the others are left to other workers.
    """

    def __init__(
        self,
        queue: JobQueue,
        work: Callable[[Job], float | None],
        *,
        threads: int = 4,
        interval: float = 1.0,
        longest: float = 900.0,
        passing: Callable[[Exception], bool] = lambda error: True,
        takes: Callable[[Job], bool] = lambda job: True,
    ) -> None:
        self.queue = queue
        self._work = work
        self._size = threads
        self._interval = interval
        self._longest = timedelta(seconds=longest)
        self._passing = passing
        self._takes = takes
        self._wake = threading.Event()
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._keeper: threading.Thread | None = None
        self._runs: list[_Run] = []

    def start(self) -> None:
        """Begin, if not begun."""
        with self._lock:
            # In a process that was forked off there are no threads.
            begun = self._keeper is not None and self._keeper.is_alive()
            if not begun and not self._stopped.is_set():
                self._keeper = threading.Thread(target=self._keep_on, name=NAME, daemon=True)
                self._keeper.start()

    def flush(self, only: str | None = None, *, patience: float = 60.0) -> int:
        """Do all that waits now, due or not; how many jobs succeeded.

        What this worker is doing already is waited for. A job that fails or is not ready is left
        for later, and is not tried a second time.

        Args:
            only: Of this subject, also if it is left to others; None for all that are not.
            patience: Seconds to wait for the next job to end. If none does, they all hang: they
                are left to themselves, and so is what still waits.
        """
        done = 0
        left: set[str] = set()
        while True:
            waiting = self.queue.ready(all_of_them=True, only=only)
            ready = deque(
                job
                for job in waiting
                if job.subject not in left and (only is not None or self._takes(job))
            )
            others = {run for run in self._running() if only in (None, run.job.subject)}
            if not ready and not others:
                return done
            mine: set[_Run] = set()
            while ready or mine or others:
                while ready and len(mine) < self._size:
                    if (run := self._begin(ready.popleft())) is not None:
                        mine.add(run)
                ended = self._ended(mine | others, patience)
                if not ended and (mine or others):
                    return done
                done += sum(run.ended.result() for run in ended & mine)
                left |= {run.job.subject for run in ended if not run.ended.result()}
                mine -= ended
                others -= ended

    def close(self, timeout: float = 10.0) -> None:
        """Stop after the jobs that run now; what waits is left for the next worker.

        Args:
            timeout: Seconds to wait for those jobs.
        """
        self._stopped.set()
        self._wake.set()
        end = time.monotonic() + timeout
        if self._keeper is not None and self._keeper is not threading.current_thread():
            self._keeper.join(timeout)
        with self._lock:
            threads = [run.thread for run in self._runs]
        for thread in threads:
            if thread is not threading.current_thread():
                thread.join(max(0.0, end - time.monotonic()))

    # -- one job

    def _begin(self, job: Job) -> _Run | None:
        """Do a job in a thread of its own, if it can still be had."""
        taken = self.queue.take(job)
        if taken is None:
            return None
        run = _Run(taken)
        run.thread = threading.Thread(target=self._do, args=(run,), name=NAME, daemon=True)
        with self._lock:
            self._runs = [each for each in self._runs if each.thread.is_alive()]
            run.thread.start()
            self._runs.append(run)
        return run

    def _do(self, run: _Run) -> None:
        succeeded = False
        try:
            succeeded = self._succeeds(run.job)
        except StoreClosedError:
            self._stopped.set()
        except Exception:  # The database, for a moment; a lease that was not given back ends.
            if not self._stopped.is_set():
                logger.exception("The end of a job cannot be noted; it is done again.")
        finally:
            self._end(run, succeeded)

    def _succeeds(self, job: Job) -> bool:
        try:
            seconds = self._work(job)
        except Exception as error:
            logger.exception("Background work for %r failed; it is tried again.", job.subject)
            told = f"{type(error).__name__}: {error}"
            self.queue.fail(job, told, fault=not self._passing(error))
            return False
        if seconds is not None:
            self.queue.postpone(job, seconds)
            return False
        self.queue.finish(job)
        return True

    def _end(self, run: _Run, succeeded: bool) -> None:
        with self._lock:
            if not run.ended.done():  # It may have been given up.
                run.ended.set_result(succeeded)
        self._wake.set()

    # -- all of them

    def _keep_on(self) -> None:
        """Begin with what is due, as long as there are threads for it."""
        ready: deque[Job] = deque()
        mine: list[_Run] = []
        next_look = time.monotonic()
        while not self._stopped.is_set():
            try:
                self._keep_leases()
                if not ready and time.monotonic() >= next_look:
                    began = time.monotonic()
                    ready.extend(filter(self._takes, self.queue.ready()))
                    now = time.monotonic()
                    next_look = now + max(self._interval, REST * (now - began))
                mine = [run for run in mine if not run.ended.done()]
                while ready and len(mine) < self._size and not self._stopped.is_set():
                    if (run := self._begin(ready.popleft())) is not None:
                        mine.append(run)
            except StoreClosedError:
                self._stopped.set()
            except Exception:  # The database, for a moment.
                if not self._stopped.is_set():
                    logger.exception("The queue cannot be used; trying again.")
            self._wake.wait(self._interval)
            self._wake.clear()

    def _running(self) -> list[_Run]:
        with self._lock:
            return [
                run
                for run in self._runs
                if not run.ended.done()
                and run.thread.is_alive()
                and run.thread is not threading.current_thread()
            ]

    def _ended(self, runs: Collection[_Run], patience: float) -> set[_Run]:
        """Those that have ended, waiting for the first one; none if none does in time."""
        end = time.monotonic() + patience
        futures = {run.ended: run for run in runs}
        while futures:
            self._keep_leases()
            left = end - time.monotonic()
            ended, _ = wait(futures, min(max(0.0, left), 1.0), return_when=FIRST_COMPLETED)
            if ended or left <= 0:
                return {futures[each] for each in ended}
        return set()

    def _keep_leases(self) -> None:
        """Renew the leases of jobs that run, and give up those that run for too long."""
        now = clock.now()
        for run in self._running():
            if now - run.begun > self._longest:
                self._end(run, succeeded=False)
                logger.warning("Background work for %r hangs; it is tried again.", run.job.subject)
                self.queue.fail(run.job, f"TimeoutError: no end after {now - run.begun}")
            elif now - run.renewed > self.queue.lease / 3:
                run.renewed = now
                self.queue.renew(run.job)

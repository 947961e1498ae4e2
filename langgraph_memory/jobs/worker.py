"""A thread that does the jobs of a queue."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from langgraph_memory.errors import StoreClosedError
from langgraph_memory.jobs.queue import Job, JobQueue

__all__ = ["Worker"]

logger = logging.getLogger("langgraph_memory.jobs")


class Worker:
    """Does jobs one after the other in a daemon thread, which does not keep the process alive.

    What is not done when the process ends is done by the next worker on the same store.

    Args:
        queue: Whose jobs.
        work: Does one job, and returns None if it is done, or the seconds after which there is
            more to do. What it raises is a failure, and the job is tried again later.
        interval: Seconds between looks at the queue, if nothing is announced.
    """

    def __init__(
        self, queue: JobQueue, work: Callable[[Job], float | None], *, interval: float = 1.0
    ) -> None:
        self.queue = queue
        self._work = work
        self._interval = interval
        self._wake = threading.Event()
        self._stopped = threading.Event()
        self._starting = threading.Lock()
        self._one_at_a_time = threading.Lock()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin, if not begun."""
        with self._starting:
            if self._thread is None and not self._stopped.is_set():
                self._thread = threading.Thread(
                    target=self._run, name="langgraph-memory-jobs", daemon=True
                )
                self._thread.start()

    def flush(self, only: str | None = None) -> int:
        """Do all that waits now, due or not, in this thread; how many jobs succeeded.

        A job that fails or is not ready is left for later, and is not tried a second time.

        Args:
            only: Of this subject; None for all.
        """
        done = 0
        left: set[str] = set()
        with self._one_at_a_time:  # What the thread has just begun is waited for.
            while (job := self.queue.claim(all_of_them=True, without=left, only=only)) is not None:
                if self._do(job):
                    done += 1
                else:
                    left.add(job.subject)
        return done

    def close(self, timeout: float = 10.0) -> None:
        """Stop after the job that runs now; what waits is left for the next worker.

        Args:
            timeout: Seconds to wait for that job.
        """
        self._stopped.set()
        self._wake.set()
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(timeout)

    def _run(self) -> None:
        while not self._stopped.is_set():
            if not self._next():
                self._wake.wait(self._interval)
                self._wake.clear()

    def _next(self) -> bool:
        """Do a job that is due; whether there was one."""
        with self._one_at_a_time:
            try:
                job = self.queue.claim()
                if job is not None:
                    self._do(job)
            except StoreClosedError:
                self._stopped.set()
                return False
            except Exception:  # The database, for a moment; a lease that was not given back ends.
                if not self._stopped.is_set():
                    logger.exception("The queue cannot be used; trying again.")
                return False
            return job is not None

    def _do(self, job: Job) -> bool:
        try:
            seconds = self._work(job)
        except Exception as error:
            logger.exception("Background work for %r failed; it is tried again.", job.subject)
            self.queue.fail(job, f"{type(error).__name__}: {error}")
            return False
        if seconds is not None:
            self.queue.postpone(job, seconds)
            return False
        self.queue.finish(job)
        return True

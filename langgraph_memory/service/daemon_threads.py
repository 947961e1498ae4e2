"""Work beside the caller in threads that never keep the process alive."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

__all__ = ["DaemonThreads"]

T = TypeVar("T")


class DaemonThreads:
    """A thread for each piece of work, so that one that hangs delays no other.

    A `ThreadPoolExecutor` would be waited for when the interpreter ends.

    Args:
        name: What its threads are called.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._running: set[threading.Thread] = set()
        self._lock = threading.Lock()

    def submit(self, work: Callable[[], T]) -> Future[T]:
        """Begin with some work."""
        future: Future[T] = Future()

        def run() -> None:
            try:
                future.set_result(work())
            except BaseException as error:
                future.set_exception(error)

        thread = threading.Thread(target=run, name=self._name, daemon=True)
        with self._lock:
            self._running = {each for each in self._running if each.is_alive()}
            thread.start()
            self._running.add(thread)
        return future

    def wait(self, timeout: float) -> None:
        """Wait for all that runs now, so many seconds at most."""
        with self._lock:
            running = self._running - {threading.current_thread()}
        end = time.monotonic() + timeout
        for thread in running:
            thread.join(max(0.0, end - time.monotonic()))

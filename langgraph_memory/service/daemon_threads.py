"""Work beside the caller in threads that never keep the process alive."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
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
        self._running: set[Future[object]] = set()
        self._lock = threading.Lock()

    def submit(self, work: Callable[[], T]) -> Future[T]:
        """Begin with some work."""
        future: Future[T] = Future()

        def run() -> None:
            try:
                future.set_result(work())
            except BaseException as error:
                future.set_exception(error)
            finally:
                with self._lock:
                    self._running.discard(future)

        with self._lock:
            self._running.add(future)  # type: ignore[arg-type]
        threading.Thread(target=run, name=self._name, daemon=True).start()
        return future

    def wait(self, timeout: float) -> None:
        """Wait for all that runs now, so many seconds at most."""
        with self._lock:
            running = list(self._running)
        wait(running, timeout)

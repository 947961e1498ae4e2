"""Deleting expired items from time to time, without being asked."""

from __future__ import annotations

import logging
import threading
import weakref
from typing import TYPE_CHECKING

from langgraph.store.base import TTLConfig

from langgraph_memory.errors import StoreClosedError
from langgraph_memory.store.drafts import minutes

if TYPE_CHECKING:
    from langgraph_memory.store.base import MemoryStore

__all__ = ["Sweeper"]

logger = logging.getLogger("langgraph_memory.store")

DEFAULT_MINUTES = 5.0
FIRST_SECONDS = 1.0


class Sweeper:
    """A daemon thread that sweeps a store; it keeps neither the store nor the process alive.

    Args:
        store: What to sweep.
        ttl: Its time-to-live configuration; `sweep_interval_minutes` may be a fraction.
    """

    def __init__(self, store: MemoryStore, ttl: TTLConfig | None) -> None:
        given = minutes((ttl or {}).get("sweep_interval_minutes"), "ttl['sweep_interval_minutes']")
        minutes((ttl or {}).get("default_ttl"), "ttl['default_ttl']")
        self._configured = bool(ttl)
        self._seconds = 60.0 * (given or DEFAULT_MINUTES)
        self._store = weakref.ref(store)
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()

    def start_if_configured(self) -> None:
        """Begin where the store has a time-to-live configuration."""
        if self._configured:
            self.start()

    def start(self) -> None:
        """Begin, if not begun; called when something that expires is put."""
        if not self._is_running() and not self._stopped.is_set():
            with self._starting:
                if not self._is_running():
                    self._thread = threading.Thread(
                        target=_sweep_from_time_to_time,
                        args=(self._store, self._stopped, self._seconds),
                        name="langgraph-memory-sweep",
                        daemon=True,
                    )
                    self._thread.start()

    def _is_running(self) -> bool:
        """A forked process has the object, but not the thread."""
        return self._thread is not None and self._thread.is_alive()

    def stop(self) -> None:
        """End, and wait until a sweep that runs has ended."""
        self._stopped.set()
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()


def _sweep_from_time_to_time(
    reference: weakref.ref[MemoryStore], stopped: threading.Event, seconds: float
) -> None:
    pause = min(seconds, FIRST_SECONDS)  # A process that does not live long sweeps, too.
    while not stopped.wait(pause):
        pause = min(seconds, threading.TIMEOUT_MAX)
        store = reference()
        if store is None:
            return
        try:
            store.sweep_ttl()
        except StoreClosedError:
            return  # It was closed while this thread woke up.
        except Exception:
            # The next sweep tries again; what is expired is hidden from readers meanwhile.
            if not stopped.is_set():
                logger.exception(
                    "Sweeping expired items failed; they stay hidden until it succeeds."
                )
        del store

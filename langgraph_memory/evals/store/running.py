"""Stores that are open and hold a corpus."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from langgraph_memory.errors import InvalidInputError
from langgraph_memory.evals.store.corpus import Corpus, Question
from langgraph_memory.evals.store.progress import say
from langgraph_memory.evals.stores import Databases, Mode, Place, Session, StoreContender

__all__ = ["Running", "fill", "resident_megabytes"]


class Running:
    """One store that holds a corpus.

    Attributes:
        contender: Which store.
        session: It, open.
        load_seconds: What filling it took.
        load_megabytes: By how much this process grew meanwhile; None if that cannot be told.
    """

    def __init__(self, contender: StoreContender, corpus: Corpus, place: Place) -> None:
        self.contender = contender
        self.corpus = corpus
        self._place = place
        self._index = {"dims": corpus.dims, "embed": corpus.embedder, "fields": ["text"]}
        self._opened: AbstractContextManager[Session] | None = None
        self.session = self._open()
        before, start = resident_megabytes(), time.perf_counter()
        self.session.load(list(corpus.documents()))
        if place.dsn is not None:
            _settle(place.dsn)
        self.load_seconds = time.perf_counter() - start
        after = resident_megabytes()
        self.load_megabytes = None if before is None or after is None else after - before

    @property
    def lasting(self) -> bool:
        """Whether it can be closed and opened again without losing anything."""
        return self.contender.backend != "memory"

    def _open(self) -> Session:
        self._opened = self.contender.open(self._place, self._index)
        return self._opened.__enter__()

    def reopen(self) -> None:
        """Close it and open it again, so that nothing is left of what it held in memory.

        Raises:
            InvalidInputError: It has lost its items.
        """
        if not self.lasting:
            return
        self.close()
        self.session = self._open()
        if not self.session.get(self.corpus.namespace(0), "m0"):
            raise InvalidInputError(
                f"{self.contender.name!r} has lost its items when it was closed and opened again. "
                "Name a store that keeps everything in memory module:attribute@memory."
            )

    def close(self) -> None:
        """Close it."""
        opened, self._opened = self._opened, None
        if opened is not None:
            opened.__exit__(None, None, None)

    def search(self, question: Question, mode: Mode) -> list[str]:
        """Ask it."""
        namespace = self.corpus.namespace(question.space)
        return self.session.search(namespace, question.text, mode=mode, topic=question.topic)


@contextmanager
def fill(
    contenders: Sequence[StoreContender], corpus: Corpus, databases: Databases | None
) -> Iterator[list[Running]]:
    """Open the stores and fill them; they are closed and what they wrote is gone at the end."""
    with ExitStack() as stack:
        running: list[Running] = []
        for contender in contenders:
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="langgraph-memory-evals-")))
            dsn = None
            if contender.backend == "postgres":
                assert databases is not None
                dsn = databases.create()
                stack.callback(databases.drop, dsn)
            store = Running(contender, corpus, Place(folder, dsn))
            stack.callback(store.close)
            running.append(store)
            say(f"  {contender.name}: filled in {store.load_seconds:.0f} s")
        for store in running:
            store.reopen()
        # What the stores hold is not looked through by the garbage collector at every turn: one
        # store's million lists would be paid for in all others' times.
        gc.collect()
        gc.freeze()
        stack.callback(gc.unfreeze)
        yield running


def _settle(dsn: str) -> None:
    """What autovacuum does in time."""
    import psycopg

    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")


def resident_megabytes() -> float | None:
    """Memory of this process, None where psutil is not installed."""
    try:
        import psutil
    except ImportError:
        return None
    gc.collect()
    info: Any = psutil.Process().memory_info()
    return float(info.rss) / 1e6

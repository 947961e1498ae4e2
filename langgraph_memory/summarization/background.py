"""Summaries that are made beside the conversation, in this process.

What is lost with the process is only work: the caller's state still says what is to be summarized,
and asks again.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from langgraph_memory.errors import InvalidStateError, SummarizationError
from langgraph_memory.summarization.summarizer import Summary

REMEMBERED = 256


@dataclass
class Job:
    """A summary on its way."""

    summary: Summary | None = None
    error: SummarizationError | None = None
    finished: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True)
class Waiting:
    """What is being summarized beside the conversation, as it is kept in a state.

    Attributes:
        evicted: Keys of the messages that the summary is to see.
        before: The running summary's state before they were taken out of view.
    """

    evicted: tuple[str, ...]
    before: Mapping[str, Any]

    @classmethod
    def from_json(cls, value: Any) -> Waiting | None:
        """Read what `to_json` wrote; None where nothing is waited for.

        Raises:
            InvalidStateError: It is something else.
        """
        if value is None:
            return None
        if not isinstance(value, Mapping) or not {"evicted", "before"} <= set(value):
            raise InvalidStateError(
                f"'waiting' in the state of Summarize is {value!r:.80}. Hand back the `state` of "
                "the last view as it was, or None to start again."
            )
        return cls(tuple(value["evicted"]), dict(value["before"]))

    def to_json(self) -> dict[str, Any]:
        """The same as plain JSON."""
        return {"evicted": list(self.evicted), "before": dict(self.before)}

    @property
    def key(self) -> str:
        """Names the summary by what it is made of."""
        made_of = json.dumps(self.to_json(), sort_keys=True)
        return hashlib.sha256(made_of.encode("utf-8", "surrogatepass")).hexdigest()


class BackgroundSummaries:
    """Runs summarizers in daemon threads and keeps their results until they are asked for."""

    def __init__(self) -> None:
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._lock = threading.Lock()

    def start(self, key: str, make: Callable[[], Summary]) -> Job:
        """Start making a summary, unless it is already on its way.

        Args:
            key: Names the summary by what it is made of.
            make: Makes it; may block.
        """
        with self._lock:
            job = self._jobs.get(key)
            if job is not None:
                return job
            job = self._jobs[key] = Job()
            while len(self._jobs) > REMEMBERED:
                self._jobs.popitem(last=False)
        threading.Thread(
            target=_run, args=(job, make), name="langgraph-memory-summary", daemon=True
        ).start()
        return job

    def take(self, key: str) -> Job | None:
        """The job of a key; a finished one is handed out once."""
        with self._lock:
            job = self._jobs.get(key)
            if job is not None and job.finished.is_set():
                del self._jobs[key]
            return job

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until what was started is finished; False if `timeout` seconds were not enough."""
        with self._lock:
            jobs = list(self._jobs.values())
        return all(job.finished.wait(timeout) for job in jobs)


def _run(job: Job, make: Callable[[], Summary]) -> None:
    try:
        job.summary = make()
    except SummarizationError as error:
        job.error = error
    except Exception as error:
        job.error = SummarizationError(f"The summarizer raised {type(error).__name__}: {error}")
    finally:
        job.finished.set()

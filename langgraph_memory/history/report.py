"""What a history strategy took from a thread, or would take."""

from __future__ import annotations

from dataclasses import dataclass

from langgraph_memory.context.report import Report
from langgraph_memory.history.strategy import HistoryChange
from langgraph_memory.tokens import DEFAULT_COUNTER, TokenCounter

__all__ = ["HistoryReport", "refusal", "report_of"]


@dataclass(frozen=True, eq=False)
class HistoryReport(Report):
    """What became of every message of a thread. It draws itself in Jupyter.

    Beside what a `Report` has (`kept`, `dropped` and their `reasons`, `tokens_before`,
    `tokens_after`):

    Attributes:
        thread: Id of the thread.
        dry_run: It was only asked what would go.
        applied: The thread was changed.
        archive_entry: Id of the entry in the archive that has what went; None where there is none.
        refused: Why the thread was left as it is; empty where it was not refused.
    """

    thread: str = ""
    dry_run: bool = False
    applied: bool = False
    archive_entry: str | None = None
    refused: str = ""

    @property
    def removed(self) -> list[str]:
        """Ids of the messages that go, a replaced summary included."""
        return self.dropped

    def __str__(self) -> str:
        return f"thread {self.thread!r} · {super().__str__()}"

    def __repr__(self) -> str:
        return f"<HistoryReport {self.strategy} of {self.thread!r}: {self._state()}>"

    def _heading(self) -> str:
        return f"thread {self.thread!r} · {self.strategy}"

    def _state(self) -> str:
        count = len(self.removed)
        if self.refused:
            return f"left as it is: {self.refused}"
        if self.applied:
            return f"{count} messages removed"
        if not count:
            return "nothing to remove"
        return f"{count} messages would be removed"

    def _remarks(self) -> list[str]:
        remarks = [self._state()]
        if self.archive_entry:
            remarks.append(f"archived as {self.archive_entry}")
        elif self.applied:
            remarks.append("not archived: only earlier checkpoints still have what went")
        return [*remarks, *super()._remarks()]


def report_of(
    change: HistoryChange,
    thread: str,
    *,
    dry_run: bool = False,
    applied: bool = False,
    archive_entry: str | None = None,
    counter: TokenCounter = DEFAULT_COUNTER,
) -> HistoryReport:
    """The report of a change."""
    return HistoryReport(
        strategy=change.strategy,
        source=change.source,
        pieces=change.pieces,
        why=change.why,
        count=counter.count_request,
        summarized=change.summarized,
        summary=change.summary,
        notes=change.notes,
        model_calls=change.model_calls,
        thread=thread,
        dry_run=dry_run,
        applied=applied,
        archive_entry=archive_entry,
    )


def refusal(strategy: str, thread: str, why: str, *, dry_run: bool = False) -> HistoryReport:
    """The report of a thread that was left as it is."""
    return HistoryReport(
        strategy=strategy,
        source=[],
        pieces=[],
        why=str,
        count=lambda _: 0,
        thread=thread,
        dry_run=dry_run,
        refused=why,
    )

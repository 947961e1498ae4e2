"""What a strategy did to a thread, for a person and for a program.

Nothing is worked out before it is asked for: a report costs a model call no time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from langchain_core.messages import BaseMessage, SystemMessage

from langgraph_memory.drawn import escaped, table
from langgraph_memory.messages import Piece, key_of, made_kind, role_of, text_of

COLOURS = {
    "kept": "#2e7d32",
    "replaced": "#f9a825",
    "summarized": "#1565c0",
    "dropped": "#c62828",
}
MARKS = {"kept": "█", "replaced": "▒", "summarized": "▪", "dropped": "·"}
BAR_WIDTH = 60
MOST_CELLS = 300
LONGEST_SUMMARY = 4_000


@dataclass(frozen=True, eq=False)
class Report:
    """What became of every message of a thread in one view.

    Attributes:
        strategy: Name of the strategy.
        source: The thread's messages.
        pieces: What is sent, with the position in `source` that each message is from.
        why: Reason for leaving out the message at a position.
        summarized: Keys of the messages that the running summary has seen.
        summary: The running summary that the view shows.
        budget: Tokens that the view was to keep to, where there was a limit.
        over_budget: What must be kept is alone more than the budget.
        degraded_because: Why a fallback was needed; empty where none was.
        notes: What else happened.
        model_calls: Model calls that were made for this view.
        count: Counts the tokens of a request.
        system: System prompt that stood outside the messages.
    """

    strategy: str
    source: Sequence[BaseMessage]
    pieces: Sequence[Piece]
    why: Callable[[int], str]
    count: Callable[[Sequence[BaseMessage]], int]
    summarized: Iterable[str] = ()
    summary: str | None = None
    budget: int | None = None
    over_budget: bool = False
    degraded_because: str = ""
    notes: tuple[str, ...] = ()
    model_calls: int = 0
    system: str | SystemMessage | None = None

    @cached_property
    def fates(self) -> list[str]:
        """`kept`, `replaced`, `summarized` or `dropped`, for each message of the thread."""
        covered = set(self.summarized)
        fates = [
            "summarized" if covered and key_of(message) in covered else "dropped"
            for message in self.source
        ]
        for piece in self.pieces:
            if piece.origin >= 0:
                fates[piece.origin] = "replaced" if piece.changes else "kept"
        for index, message in enumerate(self.source):
            # What was joined into the one system message is still sent.
            if fates[index] == "dropped" and role_of(message) == "system":
                fates[index] = "replaced" if self._in_system(message) else "dropped"
        return fates

    @cached_property
    def kept(self) -> list[str]:
        """Ids of the messages that are sent as they are."""
        return self._ids("kept")

    @cached_property
    def replaced(self) -> list[str]:
        """Ids of the messages that are sent in another form."""
        return self._ids("replaced")

    @cached_property
    def dropped(self) -> list[str]:
        """Ids of the messages that are not sent, those that a summary stands for included."""
        return [
            label(message, index)
            for index, message in enumerate(self.source)
            if self.fates[index] in ("dropped", "summarized")
        ]

    @cached_property
    def summarized_ids(self) -> list[str]:
        """Ids of those dropped messages that the running summary has seen."""
        return self._ids("summarized")

    @cached_property
    def added(self) -> list[BaseMessage]:
        """Messages in the view that nobody said: summaries, synthetic results, bridges."""
        return [p.message for p in self.pieces if p.origin < 0 and made_kind(p.message)]

    @cached_property
    def reasons(self) -> dict[str, str]:
        """Why each dropped or replaced message is so, by id."""
        reasons = {}
        changes = {piece.origin: piece.changes for piece in self.pieces}
        sent = set(changes)
        for index, message in enumerate(self.source):
            fate = self.fates[index]
            if fate == "kept":
                continue
            if fate == "replaced":
                reason = "; ".join(changes.get(index, ())) or "joined with the system message"
            elif fate == "summarized":
                reason = f"{self.why(index)}; a summary stands for it"
            else:
                reason = self.why(index) if index not in sent else ""
            reasons[label(message, index)] = reason
        return reasons

    @cached_property
    def tokens_before(self) -> int:
        """Tokens of a request with the whole thread in it."""
        lead = [] if self.system is None else [_system(self.system)]
        return self.count([*lead, *self.source])

    @cached_property
    def tokens_after(self) -> int:
        """Tokens of the request as it is sent, tool schemas included."""
        return self.count([piece.message for piece in self.pieces])

    def __str__(self) -> str:
        counts = {fate: self.fates.count(fate) for fate in COLOURS}
        lines = [
            f"{self.strategy}: {len(self.source)} messages, {self.tokens_before:,} tokens"
            f" -> {len(self.pieces)} messages, {self.tokens_after:,} tokens"
            + (f" of {self.budget:,}" if self.budget is not None else ""),
            f"[{self._bar()}] "
            + ", ".join(f"{count} {fate}" for fate, count in counts.items() if count),
        ]
        lines.extend(
            f"  {fate} {_span(first, last)}: {reason}" for fate, first, last, reason in self._runs()
        )
        if self.model_calls:
            lines.append(f"  model calls: {self.model_calls}")
        lines.extend(f"  note: {note}" for note in self._remarks())
        return "\n".join(lines)

    def __repr__(self) -> str:
        return (
            f"<Report {self.strategy}: {len(self.kept)} kept, {len(self.replaced)} replaced, "
            f"{len(self.dropped)} dropped>"
        )

    def _repr_html_(self) -> str:
        """How the report draws itself in Jupyter: the thread as a bar, one cell a message."""
        cells = self._cells()
        total = sum(cost for *_, cost in cells) or 1
        drawn = "".join(
            f'<span title="{escaped(self._title(first, last, cost))}" '
            f'style="display:inline-block;height:18px;width:{100 * cost / total:.3f}%;'
            f'background:{COLOURS[fate]};box-shadow:inset -1px 0 #fff"></span>'
            for fate, first, last, cost in cells
        )
        legend = " ".join(
            f'<span style="color:{colour}">■</span> {self.fates.count(fate)} {fate}'
            for fate, colour in COLOURS.items()
            if fate in self.fates
        )
        share = "" if self.budget is None else f" of {self.budget:,}"
        remarks = "".join(f"<div>⚠ {escaped(note)}</div>" for note in self._remarks())
        why = table(
            (fate, _span(first, last), reason) for fate, first, last, reason in self._runs()
        )
        summary = (
            ""
            if self.summary is None
            else "<details><summary>running summary</summary><pre>"
            f"{escaped(self.summary, LONGEST_SUMMARY)}</pre></details>"
        )
        return (
            f'<div style="font-family:sans-serif;font-size:13px"><b>{escaped(self._heading())}'
            f"</b> {self.tokens_before:,} → <b>{self.tokens_after:,}</b>{share} tokens, "
            f"{self.model_calls} model calls"
            f'<div style="white-space:nowrap;overflow:hidden;margin:4px 0">{drawn}</div>{legend}'
            f"{remarks}<details><summary>what and why</summary>{why}</details>{summary}</div>"
        )

    def _heading(self) -> str:
        return self.strategy

    def _cells(self) -> list[tuple[str, int, int, int]]:
        """The bar's cells as (fate, first, last, tokens), each for as many messages as needed."""
        empty = self.count([])
        costs = [max(1, self.count([message]) - empty) for message in self.source]
        size = max(1, -(-len(costs) // MOST_CELLS))
        return [
            (
                _most(self.fates[first : first + size]),
                first,
                min(first + size, len(costs)) - 1,
                sum(costs[first : first + size]),
            )
            for first in range(0, len(costs), size)
        ]

    def _title(self, first: int, last: int, cost: int) -> str:
        if first != last:
            part = self.fates[first : last + 1]
            counts = ", ".join(f"{part.count(fate)} {fate}" for fate in COLOURS if fate in part)
            return f"{_span(first, last)}, {cost:,} tokens: {counts}"
        message = self.source[first]
        reason = self.reasons.get(label(message, first), "")
        return f"{role_of(message)}, {cost:,} tokens: {text_of(message)[:80]} {reason}"

    def _remarks(self) -> list[str]:
        remarks = list(self.notes)
        if self.degraded_because:
            remarks.append(f"degraded: {self.degraded_because}")
        if self.over_budget:
            remarks.append(
                f"over budget: what must be kept takes {self.tokens_after:,} tokens, "
                f"{self.tokens_after - (self.budget or 0):,} more than {self.budget:,}"
            )
        remarks.extend(f"added: {text_of(message)[:70]!r}" for message in self.added)
        return remarks

    def _runs(self) -> list[tuple[str, int, int, str]]:
        """Neighbours that share a fate and a reason, as (fate, first, last, reason)."""
        runs: list[tuple[str, int, int, str]] = []
        for index, message in enumerate(self.source):
            fate = self.fates[index]
            if fate == "kept":
                continue
            reason = self.reasons[label(message, index)]
            if runs and (runs[-1][0], runs[-1][2], runs[-1][3]) == (fate, index - 1, reason):
                runs[-1] = (fate, runs[-1][1], index, reason)
            else:
                runs.append((fate, index, index, reason))
        return runs

    def _bar(self) -> str:
        if not self.fates:
            return ""
        size = max(1, -(-len(self.fates) // BAR_WIDTH))
        parts = [self.fates[i : i + size] for i in range(0, len(self.fates), size)]
        return "".join(MARKS[_most(part)] for part in parts)

    def _ids(self, fate: str) -> list[str]:
        return [
            label(message, index)
            for index, message in enumerate(self.source)
            if self.fates[index] == fate
        ]

    def _in_system(self, message: BaseMessage) -> bool:
        text = text_of(message)
        return any(
            role_of(piece.message) == "system" and text in text_of(piece.message)
            for piece in self.pieces[:1]
        )


def label(message: BaseMessage, index: int) -> str:
    """The id of a message, or its position where it has none."""
    return message.id or f"#{index}"


def _most(fates: Sequence[str]) -> str:
    """What became of most of some messages."""
    return max(COLOURS, key=fates.count)


def _span(first: int, last: int) -> str:
    """Messages as a person counts them: from 1."""
    if first == last:
        return f"message {first + 1}"
    return f"messages {first + 1} to {last + 1}"


def _system(system: str | SystemMessage) -> SystemMessage:
    return system if isinstance(system, SystemMessage) else SystemMessage(content=system)

"""What a run finds out, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from langgraph_memory.evals.store.laps import Spread
from langgraph_memory.evals.stores import Backend

__all__ = ["Loaded", "Measure", "Results", "Scale", "recall", "reference_of"]


@dataclass(frozen=True, slots=True)
class Scale:
    """How many items a measure was taken on.

    Attributes:
        spaces: Namespaces.
        each: Items in each.
    """

    spaces: int
    each: int

    @property
    def items(self) -> int:
        """Items in all."""
        return self.spaces * self.each

    def __str__(self) -> str:
        if self.spaces == 1:
            return f"one namespace of {self.each:,} items"
        return f"{self.items:,} items, {self.spaces:,} namespaces of {self.each:,}"


@dataclass(frozen=True, slots=True)
class Measure:
    """One operation of one store on one scale.

    Attributes:
        scale: On what.
        store: Name of the store.
        backend: What it is compared within.
        operation: ``warm``, ``random``, ``first`` or ``filtered`` search; ``get``, ``list``;
            ``put``, ``put again``, ``batch``, ``batch again``.
        mode: Kind of search; None for other operations.
        p50: Milliseconds, the median of a round.
        p95: Milliseconds, 95th percentile of a round.
        calls: How many were measured.
        recall: Share of the nearest by exact search that was returned; vector search only.
        returned: Results per search.
    """

    scale: Scale
    store: str
    backend: Backend
    operation: str
    mode: str | None
    p50: Spread
    p95: Spread
    calls: int
    recall: float | None = None
    returned: float | None = None


@dataclass(frozen=True, slots=True)
class Loaded:
    """What holding a corpus takes.

    Attributes:
        seconds: To fill the store, with building its indexes.
        megabytes: By which this process grew: of a store in memory since it was empty, of others
            by the first searches after it was opened; None where that was not measured.
    """

    scale: Scale
    store: str
    seconds: float
    megabytes: float | None = None


@dataclass
class Results:
    """All that a run found out; `left_out` says why a store is not in it."""

    measures: list[Measure] = field(default_factory=list)
    loads: list[Loaded] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Plain values, with each measure's ratio to its reference."""
        measures = []
        for each in self.measures:
            reference = reference_of(each, self.measures)
            ratio = each.p50.median / reference.p50.median if reference else None
            beside = {"reference": reference.store if reference else None, "ratio": ratio}
            measures.append(asdict(each) | beside)
        return {
            "milliseconds": measures,
            "loads": [asdict(each) for each in self.loads],
            "left_out": self.left_out,
        }


_REFERENCES: dict[Backend, Sequence[str]] = {
    "postgres": ("PostgresStore",),
    "sqlite": ("SqliteStore", "InMemoryStore"),
    "memory": ("SqliteStore", "InMemoryStore"),
}


def reference_of(measure: Measure, measures: Sequence[Measure]) -> Measure | None:
    """The same operation of LangGraph's store of the same kind, which searches by vectors only."""
    for name in _REFERENCES[measure.backend]:
        for each in measures:
            if (each.store, each.scale, each.operation) == (
                name,
                measure.scale,
                measure.operation,
            ):
                return each
    return None


def recall(found: Sequence[str], nearest: Sequence[str]) -> float:
    """The share of the nearest items that were found."""
    return len(set(found) & set(nearest)) / len(nearest) if nearest else 1.0

"""The tables of a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from langgraph_memory.evals.store.measures import Loaded, Measure, Results, Scale, reference_of
from langgraph_memory.evals.table import show

__all__ = ["LEGEND", "print_results"]

LEGEND = """\
All times are milliseconds without embedding, on this machine: read the ratios. A value is the
median over the repeats, each repeat the 50th (p50) or 95th (p95) percentile of its calls; min is
the best repeat. All stores take turns, hold the same items and vectors and answer the same
questions, limit 10. x ref: p50 beside that of LangGraph's store of the same kind (marked *), which
searches by vectors only: PostgresStore on Postgres, elsewhere SqliteStore or else InMemoryStore.
warm: in a few namespaces that were searched before. random: the store was opened anew and no
namespace is searched twice. recall: share of the ten nearest by exact search (numpy) that was
returned, vector search only. returned: results per search, of ten.
first: the first search after the store was opened; memory: how much this process grew by it, for
stores in memory since they were empty (a database server's memory is not in it).
with a filter: warm, a tenth of a namespace's items fits. batch: 100 puts into one namespace;
again: the same keys with other texts. Stores with an HNSW index are filled before it is built.
An embedded Postgres server does not wait for the disk (fsync is off), whatever the store."""

_SEARCHES = ("warm", "random")
_READS = ("get", "list")
_WRITES = ("put", "put again", "batch", "batch again")


def print_results(results: Results, out: TextIO | None = None) -> None:
    """Print one table for each scale and kind of operation."""
    for scale in dict.fromkeys(each.scale for each in results.measures):
        measures = [each for each in results.measures if each.scale == scale]
        title = str(scale)
        _search_table(f"search: {title}", measures, out)
        _first_table(f"first search: {title}", scale, measures, results.loads, out)
        _filter_table(f"search with a filter: {title}", measures, out)
        _item_table(f"read: {title}", measures, _READS, out)
        _item_table(f"write: {title}", measures, _WRITES, out)
    _load_table(results.loads, out)
    print(f"\n{LEGEND}", file=out)
    for name, reason in results.left_out.items():
        print(f"{name} left out: {reason}", file=out)


def _search_table(title: str, measures: Sequence[Measure], out: TextIO | None) -> None:
    present = [name for name in _SEARCHES if any(each.operation == name for each in measures)]
    if not present:
        return
    headings = ["store", "search"]
    for name in present:
        headings += [f"{name} p50", "min", "p95", "x ref"]
    headings += ["recall", "returned"]
    rows = []
    for store, mode in dict.fromkeys((m.store, m.mode) for m in measures if m.operation == "warm"):
        mine = {
            each.operation: each for each in measures if (each.store, each.mode) == (store, mode)
        }
        cells = [_marked(mine["warm"], measures), mode or ""]
        for name in present:
            each = mine[name]
            cells += [_time(each.p50.median), _time(each.p50.least), _time(each.p95.median)]
            cells.append(_ratio(each, measures))
        rows.append([*cells, *_quality([mine[name] for name in present])])
    show(title, headings, rows, out)


def _first_table(
    title: str,
    scale: Scale,
    measures: Sequence[Measure],
    loads: Sequence[Loaded],
    out: TextIO | None,
) -> None:
    memory = {each.store: each.megabytes for each in loads if each.scale == scale}
    rows = []
    for each in measures:
        if each.operation == "first":
            grown = memory.get(each.store)
            shown = "–" if grown is None else f"{grown:,.0f} MB"
            rows.append([each.store, each.mode or "", _time(each.p50.median), shown])
    if rows:
        show(title, ["store", "search", "first", "memory"], rows, out)


def _filter_table(title: str, measures: Sequence[Measure], out: TextIO | None) -> None:
    rows = [
        [
            _marked(each, measures),
            each.mode or "",
            _time(each.p50.median),
            _time(each.p50.least),
            _time(each.p95.median),
            _ratio(each, measures),
            *_quality([each]),
        ]
        for each in measures
        if each.operation == "filtered"
    ]
    if rows:
        headings = ["store", "search", "p50", "min", "p95", "x ref", "recall", "returned"]
        show(title, headings, rows, out)


def _item_table(
    title: str, measures: Sequence[Measure], operations: Sequence[str], out: TextIO | None
) -> None:
    wanted = [each for each in measures if each.operation in operations]
    if not wanted:
        return
    headings = ["store"]
    for operation in operations:
        headings += [operation, "min", "x ref"]
    rows = []
    for store in dict.fromkeys(each.store for each in wanted):
        mine = {each.operation: each for each in wanted if each.store == store}
        cells = [_marked(mine[operations[0]], measures)]
        for operation in operations:
            each = mine[operation]
            cells += [_time(each.p50.median), _time(each.p50.least), _ratio(each, measures)]
        rows.append(cells)
    show(title, headings, rows, out)


def _load_table(loads: Sequence[Loaded], out: TextIO | None) -> None:
    scales = list(dict.fromkeys(each.scale for each in loads))
    rows = []
    for store in dict.fromkeys(each.store for each in loads):
        took = {each.scale: each.seconds for each in loads if each.store == store}
        rows.append(
            [store, *(f"{took[scale]:,.1f} s" if scale in took else "–" for scale in scales)]
        )
    if rows:
        headings = ["store", *(f"{scale.spaces:,} x {scale.each:,}" for scale in scales)]
        show("filling a store, its indexes included", headings, rows, out)


def _marked(measure: Measure, measures: Sequence[Measure]) -> str:
    reference = reference_of(measure, measures)
    is_it = reference is not None and reference.store == measure.store
    return f"{measure.store} *" if is_it else measure.store


def _ratio(measure: Measure, measures: Sequence[Measure]) -> str:
    reference = reference_of(measure, measures)
    if reference is None or not reference.p50.median:
        return "–"
    return f"{measure.p50.median / reference.p50.median:.2f}"


def _quality(measures: Sequence[Measure]) -> list[str]:
    """Recall and results over all searches of some measures."""
    calls = sum(each.calls for each in measures)
    recalls = [each.recall * each.calls for each in measures if each.recall is not None]
    returned = sum((each.returned or 0.0) * each.calls for each in measures)
    return [f"{sum(recalls) / calls:.3f}" if recalls else "–", f"{returned / calls:.1f}"]


def _time(milliseconds: float) -> str:
    if milliseconds >= 100:
        return f"{milliseconds:,.0f}"
    if milliseconds >= 10:
        return f"{milliseconds:.1f}"
    return f"{milliseconds:.2f}" if milliseconds >= 0.1 else f"{milliseconds:.3f}"

"""Doing requests in order, in one transaction, and turning rows into items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, cast

from langgraph.store.base import Item

from langgraph_memory.store.drafts import NamespacePage, Request
from langgraph_memory.store.escape import load, unescape
from langgraph_memory.store.filters import MATCH_ALL
from langgraph_memory.store.hits import MemoryHit, SearchReport
from langgraph_memory.store.namespaces import labels_of, listed
from langgraph_memory.store.operations import (
    ANY_VERSION,
    Get,
    Listing,
    Ranked,
    Reads,
    Row,
    Write,
    moment,
)
from langgraph_memory.store.ranked import Score, rank
from langgraph_memory.store.transaction import Transaction
from langgraph_memory.store.versions import check_newest

__all__ = ["execute", "item_of"]


def execute(tx: Transaction, requests: Sequence[Request], now: int) -> tuple[list[Any], list[int]]:
    """Do requests in order; neighbours of the same kind go to the database together.

    Returns:
        The result of each request, and the ids of items whose time to live is to be renewed.
    """
    results: list[Any] = []
    renewed: list[int] = []
    written = sorted({request.path for request in requests if isinstance(request, Write)})
    if written:
        tx.reserve(written)
        _check_newest(tx, requests, now)
    for kind, group in groupby(requests, key=type):
        if kind is Write:
            results += tx.write(cast(list[Write], list(group)), now)
        elif kind is Get:
            gets = cast(list[Get], list(group))
            rows = tx.get(gets, now)
            results += [item_of(row) if row else None for row in rows]
            renewed += [
                row.item
                for get, row in zip(gets, rows, strict=True)
                if row and get.refresh and row.ttl is not None
            ]
        else:
            for request in group:
                if isinstance(request, NamespacePage):
                    results.append(_namespaces(tx, request, now))
                else:
                    results.append(_search(tx, cast(Listing | Ranked, request), now, renewed))
    return results, renewed


def _check_newest(tx: Transaction, requests: Sequence[Request], now: int) -> None:
    newest: dict[str, int | None] = {}
    for request in requests:
        if isinstance(request, Write) and request.newest != ANY_VERSION:
            if request.path not in newest:
                found = tx.listing(Listing(request.path, MATCH_ALL, 1, 0, refresh=False), now)
                newest[request.path] = found[0].updated_at if found else None
            check_newest(request, newest[request.path])


def _namespaces(tx: Transaction, page: NamespacePage, now: int) -> list[tuple[str, ...]]:
    paths = tx.namespaces(page.low, page.high, now)
    return listed(paths, page.conditions, page.max_depth, page.limit, page.offset)


def _search(
    tx: Transaction, search: Listing | Ranked, now: int, renewed: list[int]
) -> list[MemoryHit] | SearchReport:
    rows: list[Row] = []
    scores: Mapping[int, Score] = {}
    reads = Reads(0, 0, 0, 0)
    if search.limit and isinstance(search, Listing):
        rows = tx.listing(search, now)
    elif search.limit:
        candidates = tx.candidates(cast(Ranked, search), now)
        reads = candidates.reads
        page = rank(candidates, cast(Ranked, search))
        scores = page.scores
        rows = page.of(tx.rows(list(scores), now))
    if search.refresh:
        renewed += [row.item for row in rows if row.ttl is not None]
    hits = [_hit(row, scores.get(row.item)) for row in rows]
    return SearchReport(hits, reads) if search.report else hits


def item_of(row: Row) -> Item:
    """The item that a row holds."""
    return Item(
        value=load(row.value),
        key=unescape(row.key),
        namespace=labels_of(row.path),
        created_at=moment(row.created_at),
        updated_at=moment(row.updated_at),
    )


def _hit(row: Row, score: Score | None) -> MemoryHit:
    return MemoryHit(
        labels_of(row.path),
        unescape(row.key),
        load(row.value),
        moment(row.created_at),
        moment(row.updated_at),
        score.score if score else None,
        similarity=score.similarity if score else None,
        keyword=score.keyword if score else None,
    )

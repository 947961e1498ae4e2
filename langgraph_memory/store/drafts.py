"""LangGraph's operations, checked, on their way to requests that need no embedder any more."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from langgraph.store.base import GetOp, ListNamespacesOp, MatchCondition, PutOp, SearchOp

from langgraph_memory.errors import InvalidInputError
from langgraph_memory.shown import shown
from langgraph_memory.store.analysis import query_terms, terms
from langgraph_memory.store.embedding import Vectors, texts_of
from langgraph_memory.store.escape import dump, escape
from langgraph_memory.store.filters import parse
from langgraph_memory.store.namespaces import MAX_BYTES, bytes_of, matching_range, path_of
from langgraph_memory.store.operations import (
    ANY_VERSION,
    Expected,
    Get,
    Listing,
    Mode,
    Ranked,
    Write,
)
from langgraph_memory.store.ranking import Weights

__all__ = [
    "Draft",
    "NamespacePage",
    "Request",
    "get",
    "key_of",
    "minutes",
    "namespaces",
    "put",
    "search",
]

MAX_MINUTES = 1e10
MAX_ROWS = 2**62
_DEFAULT_WEIGHTS = Weights()


@dataclass(frozen=True, slots=True)
class NamespacePage:
    """Namespaces that meet all conditions, one page."""

    low: str
    high: str | None
    conditions: Sequence[MatchCondition]
    max_depth: int | None
    limit: int
    offset: int


Request = Get | Write | Listing | Ranked | NamespacePage


@dataclass(frozen=True, slots=True)
class Draft:
    """A request that waits for vectors.

    Attributes:
        finish: Makes the request from the vectors of documents and of queries.
        documents: Texts to embed for storing.
        query: Text to embed for searching.
    """

    finish: Callable[[Vectors, Vectors], Request]
    documents: Sequence[str] = ()
    query: str | None = None


def key_of(key: object) -> str:
    """A key as stored.

    Raises:
        InvalidInputError: If it is too long for an index.
    """
    escaped = escape(str(key))
    size = bytes_of(escaped)
    if size > MAX_BYTES:
        raise InvalidInputError(
            f"A key may have at most {MAX_BYTES:,} bytes, written as UTF-8, got {size:,}: "
            f"{shown(str(key)[:40])}… Use a digest of it, and keep the text in the value."
        )
    return escaped


def get(op: GetOp) -> Draft:
    """Read one item."""
    request = Get(path_of(tuple(op.namespace)), key_of(op.key), op.refresh_ttl)
    return Draft(lambda stored, searched: request)


def put(
    op: PutOp,
    default_fields: Sequence[str],
    *,
    expected: Expected = ANY_VERSION,
    newest: Expected = ANY_VERSION,
) -> Draft:
    """Put an item, or delete it where the value is None.

    Raises:
        InvalidInputError: If the value is no JSON object, or `index` or `ttl` cannot be used.
    """
    path, key = path_of(tuple(op.namespace)), key_of(op.key)
    if op.value is None:
        deletion = Write(path, key, None, expected=expected, newest=newest)
        return Draft(lambda stored, searched: deletion)
    if not isinstance(op.value, Mapping):
        raise InvalidInputError(
            f"A store keeps JSON objects: the value of key {op.key!r} must be a dict, got "
            f"{type(op.value).__name__}."
        )
    value = dict(op.value)
    text = dump(value)
    ttl = minutes(op.ttl)
    fields = _fields(op.index)
    texts = texts_of(value, fields, default_fields)

    def finish(stored: Vectors, searched: Vectors) -> Write:
        counted: Counter[str] = Counter()
        for part in texts:
            counted.update(terms(part))
        return Write(
            path,
            key,
            text,
            None if fields is None else json.dumps(fields),
            ttl,
            counted,
            [stored[part] for part in texts if part in stored],
            expected,
            newest,
            bool(texts),
        )

    return Draft(finish, texts)


def search(
    op: SearchOp,
    *,
    has_embedder: bool,
    mode: Mode = "hybrid",
    weights: Weights | None = None,
    report: bool = False,
) -> Draft:
    """Search or list items.

    Raises:
        InvalidInputError: If `limit`, `offset`, `filter` or `mode` cannot be used.
    """
    _page(op.limit, op.offset)
    if mode not in get_args(Mode):
        raise InvalidInputError(f"mode must be one of {', '.join(get_args(Mode))}, got {mode!r}.")
    if weights is not None and not isinstance(weights, Weights):
        raise InvalidInputError(
            f"weights must be langgraph_memory.store.Weights(…), got {type(weights).__name__}."
        )
    if op.query is not None and not isinstance(op.query, str):
        raise InvalidInputError(f"query must be a text, got {type(op.query).__name__}.")
    if mode == "vector" and not has_embedder:
        raise InvalidInputError(
            "mode='vector' needs an embedder: open the store with index={'dims': …, 'embed': …}, "
            "or search with mode='keyword'."
        )
    path, condition = path_of(tuple(op.namespace_prefix)), parse(op.filter)
    limit, offset = min(op.limit, MAX_ROWS), min(op.offset, MAX_ROWS)
    query = (op.query or "").strip()
    if not query:
        listing = Listing(path, condition, limit, offset, op.refresh_ttl, report)
        return Draft(lambda stored, searched: listing)
    by_vector = has_embedder and mode != "keyword"

    def finish(stored: Vectors, searched: Vectors) -> Ranked:
        return Ranked(
            path,
            condition,
            limit,
            offset,
            op.refresh_ttl,
            report,
            mode if has_embedder else "keyword",
            query_terms(query) if mode != "vector" else {},
            searched[query] if by_vector else None,
            weights or _DEFAULT_WEIGHTS,
        )

    return Draft(finish, query=query if by_vector else None)


def namespaces(op: ListNamespacesOp) -> Draft:
    """List namespaces.

    Raises:
        InvalidInputError: If a number is negative or a condition is neither prefix nor suffix.
    """
    _page(op.limit, op.offset)
    if op.max_depth is not None and op.max_depth < 1:
        raise InvalidInputError(f"max_depth must be at least 1 or None, got {op.max_depth}.")
    conditions = tuple(op.match_conditions or ())
    for condition in conditions:
        if condition.match_type not in ("prefix", "suffix"):
            raise InvalidInputError(
                f"A namespace is matched by 'prefix' or 'suffix', got {condition.match_type!r}."
            )
    low, high = matching_range(conditions)
    page = NamespacePage(low, high, conditions, op.max_depth, op.limit, op.offset)
    return Draft(lambda stored, searched: page)


def _page(limit: int, offset: int) -> None:
    for name, number in (("limit", limit), ("offset", offset)):
        if not isinstance(number, int) or isinstance(number, bool) or number < 0:
            raise InvalidInputError(f"{name} must be 0 or a positive whole number, got {number!r}.")


def minutes(ttl: float | None, name: str = "ttl") -> float | None:
    """A time to live as a number of minutes.

    Raises:
        InvalidInputError: If it is none.
    """
    if ttl is None:
        return None
    if not isinstance(ttl, int | float) or isinstance(ttl, bool) or not 0 < ttl <= MAX_MINUTES:
        raise InvalidInputError(
            f"{name} must be a number of minutes above 0, fractions allowed, or None for no end, "
            f"got {ttl!r}."
        )
    return float(ttl)


def _fields(index: Any) -> list[str] | None:
    """The paths that a put names; an empty list for none at all, None for the store's own."""
    if index is None:
        return None
    if index is False:
        return []
    if not isinstance(index, list | tuple) or not all(
        isinstance(path, str) and path for path in index
    ):
        raise InvalidInputError(
            f"index must be None, False or a list of paths such as ['text'], got {index!r}."
        )
    return list(index)

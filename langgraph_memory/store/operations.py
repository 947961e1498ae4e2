"""What a store is asked, checked and ready to be done in a transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from langgraph_memory.store.filters import Condition
from langgraph_memory.store.ranking import Weights

__all__ = ["Expected", "Get", "Listing", "Mode", "Ranked", "Reads", "Row", "Write"]

Mode = Literal["vector", "keyword", "hybrid"]
Vector = NDArray[np.float32]

ANY_VERSION: Literal["any"] = "any"

Expected = int | Literal["any"] | None
"""Microseconds of the version that must be there, None for no item at all."""


@dataclass(frozen=True, slots=True)
class Get:
    """One item by its key; `refresh` renews its time to live."""

    path: str
    key: str
    refresh: bool


@dataclass(frozen=True, slots=True)
class Write:
    """One item put, or deleted where `value` is None.

    Attributes:
        path: Of the namespace.
        key: Escaped key.
        value: JSON text.
        indexing: The `index` argument of the put as JSON text, None for the store's fields.
        ttl: Minutes to live, None for ever.
        terms: What it puts into the keyword index, with counts.
        vectors: One per text embedded, of length 1.
        expected: Microseconds of the version that must be there, None for no item at all.
        newest: The same of the newest item at or below the path, before anything is written.
        is_indexed: Whether there is any text that a search should find.
        length: Of the text, in terms.
    """

    path: str
    key: str
    value: str | None
    indexing: str | None = None
    ttl: float | None = None
    terms: Mapping[str, int] = field(default_factory=dict)
    vectors: Sequence[Vector] = ()
    expected: Expected = ANY_VERSION
    newest: Expected = ANY_VERSION
    is_indexed: bool = False
    length: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "length", sum(self.terms.values()))


@dataclass(frozen=True, slots=True)
class Listing:
    """Items below a path, newest first, without a query."""

    path: str
    condition: Condition
    limit: int
    offset: int
    refresh: bool
    report: bool = False


@dataclass(frozen=True, slots=True)
class Ranked:
    """Items below a path by their relevance to a query.

    Attributes:
        terms: Query terms with weights; empty where only vectors count.
        vector: The query's vector, of length 1; None where only keywords count.
        depth: How many candidates each side proposes.
    """

    path: str
    condition: Condition
    limit: int
    offset: int
    refresh: bool
    report: bool
    mode: Mode
    terms: Mapping[str, float]
    vector: Vector | None
    weights: Weights

    @property
    def depth(self) -> int:
        """How many candidates each side proposes."""
        return min(max(100, 4 * (self.limit + self.offset)), 2**31 - 1)


@dataclass(frozen=True, slots=True)
class Row:
    """An item as stored.

    Attributes:
        item: Its id in the database.
        created_at: Microseconds since 1970, UTC.
        updated_at: The same; its version.
        ttl: Minutes to live, None for ever.
    """

    item: int
    path: str
    key: str
    value: str
    created_at: int
    updated_at: int
    ttl: float | None


@dataclass(frozen=True, slots=True)
class Reads:
    """What a search read, for those who watch the cost of a growing store.

    Attributes:
        namespaces: Namespaces at or below the prefix.
        items: Items in them.
        postings: Entries of the keyword index for the query's terms.
        vectors: Vectors compared.
    """

    namespaces: int
    items: int
    postings: int
    vectors: int


@dataclass(frozen=True, slots=True)
class Candidates:
    """The union of the best by similarity and the best by keywords; arrays run in parallel.

    Attributes:
        items: Ids.
        updated: Microseconds of the last write.
        similarity: Cosine of the best vector of each, nan without one.
        keyword: BM25 score, 0 where no term occurs.
        length: Length in terms.
        documents: How many items of the matched namespaces are in the keyword index.
        total_length: Their length in terms, together.
        frequency: In how many of them each query term occurs.
        reads: What it cost.
    """

    items: NDArray[np.int64]
    updated: NDArray[np.int64]
    similarity: NDArray[np.float64]
    keyword: NDArray[np.float64]
    length: NDArray[np.float64]
    documents: int
    total_length: int
    frequency: Mapping[str, int]
    reads: Reads


@dataclass(frozen=True, slots=True)
class IndexIdentity:
    """Who made a database's index: the embedder's name, its dimensions, the fields it read."""

    embedder: str | None
    dims: int | None
    fields: tuple[str, ...]

    def __str__(self) -> str:
        where = f"on fields {list(self.fields)}"
        if self.embedder is None:
            return f"no embedder (keywords only) {where}"
        return f"embedder {self.embedder!r} with {self.dims} dimensions {where}"


def microseconds(moment: datetime) -> int:
    """An aware time as whole microseconds since 1970."""
    delta = moment - _EPOCH
    return (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds


def moment(microseconds: int) -> datetime:
    """The time of `microseconds`, in UTC."""
    return _EPOCH + timedelta(microseconds=microseconds)


_EPOCH = datetime.fromisoformat("1970-01-01T00:00:00+00:00")

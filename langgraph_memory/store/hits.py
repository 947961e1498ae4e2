"""What a store gives back: found items with the parts of their score, and its statistics."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from langgraph.store.base import SearchItem

from langgraph_memory.store.operations import Reads

__all__ = ["MemoryHit", "SearchReport", "StoreStats"]


class MemoryHit(SearchItem):
    """An item that a query found.

    Attributes:
        score: Relevance from 0 to 1, comparable within one result.
        similarity: Cosine between the query and the item's nearest text, None without a vector.
        keyword: BM25 score, not normalised, None where no word of the query occurs.
    """

    __slots__ = ("keyword", "similarity")

    def __init__(
        self,
        namespace: tuple[str, ...],
        key: str,
        value: dict[str, Any],
        created_at: datetime,
        updated_at: datetime,
        score: float | None = None,
        *,
        similarity: float | None = None,
        keyword: float | None = None,
    ) -> None:
        super().__init__(namespace, key, value, created_at, updated_at, score)
        self.similarity = similarity
        self.keyword = keyword


@dataclass(frozen=True, slots=True)
class SearchReport:
    """A search with what it cost, see `MemoryStore.explain`.

    Attributes:
        hits: What the search returns.
        reads: What was read for it.
    """

    hits: list[MemoryHit]
    reads: Reads


@dataclass(frozen=True, slots=True)
class StoreStats:
    """How large a store is and who indexed it.

    Attributes:
        namespaces: Namespaces that hold an item.
        items: Items, expired ones that wait for a sweep included.
        vectors: Vectors; an item has one per text indexed.
        postings: Entries of the keyword index, one per item and distinct term.
        expired: Items that wait for a sweep.
        bytes: Size of the database or of its tables on disk.
        embedder: Name of the embedder, None where only keywords are indexed.
        dims: Dimensions of its vectors.
        fields: Fields indexed in values that are no records.
    """

    namespaces: int
    items: int
    vectors: int
    postings: int
    expired: int
    bytes: int
    embedder: str | None
    dims: int | None
    fields: tuple[str, ...]

"""What a database has to offer, and nothing more: one transaction's reads and writes.

A back end implements this class and `MemoryStore`'s three hooks. Everything is blocking; all texts
are escaped already, times are microseconds, namespaces are paths.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from langgraph_memory.store.hits import StoreStats
from langgraph_memory.store.operations import (
    Candidates,
    Get,
    IndexIdentity,
    Listing,
    Ranked,
    Row,
    Write,
)

__all__ = ["Transaction"]


class Transaction(ABC):
    """One transaction on the database. Expired items do not exist for any of its methods."""

    def reserve(self, paths: Sequence[str]) -> None:  # noqa: B027 - most need not know
        """Told before anything else to which namespaces a batch will write, each once, sorted.

        A database that locks single rows takes the locks here, in the same order for everyone, as
        a batch that writes in several turns would lock in an order of its own.
        """

    # -- items

    @abstractmethod
    def get(self, gets: Sequence[Get], now: int) -> list[Row | None]:
        """The items asked for, in the order asked."""

    @abstractmethod
    def write(self, writes: Sequence[Write], now: int) -> list[int]:
        """Put and delete in order, with vectors, postings and the namespaces' statistics.

        An item's place in the index is replaced as a whole. Vectors belong to the current
        generation of the index.

        Returns:
            `updated_at` of each write, strictly increasing within a namespace.

        Raises:
            VersionConflictError: If a write's `expected` version is not the one there.
        """

    @abstractmethod
    def touch(self, path: str, keys: Sequence[str], now: int) -> int:
        """Count a use of records, in one statement: `access_count`, `last_accessed_at`, `heat`.

        Nothing else changes, neither `updated_at` nor items that are no records.

        Returns:
            How many records were there.
        """

    @abstractmethod
    def renew(self, items: Sequence[int], now: int) -> None:
        """Start the time to live of items anew, where they have one and are not expired."""

    @abstractmethod
    def sweep(self, now: int, limit: int) -> int:
        """Delete up to `limit` expired items with all that belongs to them; how many it were."""

    # -- searching

    @abstractmethod
    def listing(self, search: Listing, now: int) -> list[Row]:
        """Items that meet the condition: `updated_at` descending, then path, then key."""

    @abstractmethod
    def candidates(self, search: Ranked, now: int) -> Candidates:
        """The `search.depth` best items by similarity and as many by keywords, united.

        Only items that meet the condition are candidates. Both scores are exact for all of them.
        A side that was not asked (no vector, no terms) proposes nothing.
        """

    @abstractmethod
    def rows(self, items: Sequence[int], now: int) -> list[Row]:
        """Items by their ids, in any order; the missing are left out."""

    @abstractmethod
    def page(self, path: str, after: tuple[str, str] | None, limit: int, now: int) -> list[Row]:
        """Items at or below a path, ordered by path and key, from behind (path, key)."""

    @abstractmethod
    def namespaces(self, low: str, high: str | None, now: int) -> list[str]:
        """Paths in a range of namespaces that hold an item."""

    # -- the index

    @abstractmethod
    def generation(self) -> int | None:
        """The number of the current index; None before there is any."""

    @abstractmethod
    def identity(self) -> IndexIdentity | None:
        """Who made the current index."""

    @abstractmethod
    def adopt(self, identity: IndexIdentity) -> int:
        """Make this the identity of the current index of a database without items."""

    @abstractmethod
    def has_items(self) -> bool:
        """Whether anything is stored."""

    @abstractmethod
    def begin_generation(self, identity: IndexIdentity) -> tuple[int, int]:
        """Begin to build an index beside the current one, or go on with one begun.

        One begun by another identity is thrown away.

        Returns:
            Its generation, and how many items it still lacks.
        """

    @abstractmethod
    def building(self) -> int | None:
        """The number of the generation that is being built, None if there is none."""

    @abstractmethod
    def unbuilt(self, generation: int, after: int, limit: int) -> list[tuple[Row, str | None]]:
        """Items that a generation lacks, by ascending id from behind `after`, with `indexing`."""

    @abstractmethod
    def build(self, generation: int, writes: Sequence[tuple[Row, Write]]) -> int:
        """Index items in a generation that is being built; their values stay as they are.

        An item that changed since its row was read is left for later.

        Returns:
            How many were indexed.
        """

    @abstractmethod
    def finish_generation(self, generation: int) -> bool:
        """Make a generation the current one, if it lacks no item; whether it is."""

    @abstractmethod
    def discard_generations(self, limit: int) -> int:
        """Delete up to `limit` vectors of generations that are no longer current."""

    @abstractmethod
    def stats(self, now: int) -> StoreStats:
        """Size and identity of the store."""

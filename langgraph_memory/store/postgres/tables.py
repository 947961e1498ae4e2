"""The tables' names, with the schema that they live in."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

from langgraph_memory.errors import InvalidInputError

__all__ = ["Tables"]

MAX_BYTES = 63  # Postgres cuts longer names without a word.


@dataclass(frozen=True)
class Tables:
    """Names as they are written into SQL text; a `%` in one is doubled, as psycopg wants it.

    The schema is named in every statement and never set for a session: behind a pooler that
    lends a server connection per transaction, there is no session.

    Args:
        schema: Name of the schema, any text that Postgres takes as one.

    Raises:
        InvalidInputError: If the name is empty, too long or has a NUL.
    """

    schema: str

    def __post_init__(self) -> None:
        name = self.schema
        try:
            size = len(name.encode())
        except UnicodeEncodeError:
            size = 0
        if not 0 < size <= MAX_BYTES or "\0" in name:
            raise InvalidInputError(
                f"schema must be a name of 1 to {MAX_BYTES} bytes without NUL, got {name!r}."
            )

    @cached_property
    def quoted(self) -> str:
        """The schema as an SQL identifier, for a statement without parameters."""
        return '"{}"'.format(self.schema.replace('"', '""'))

    def _named(self, table: str) -> str:
        return f"{self.quoted}.{table}".replace("%", "%%")

    @cached_property
    def namespaces(self) -> str:
        """One row per namespace."""
        return self._named("memory_namespaces")

    @cached_property
    def high_water(self) -> str:
        """The latest stamp of removed namespaces."""
        return self._named("memory_high_water")

    @cached_property
    def used(self) -> str:
        """The function that counts a use of a record."""
        return self._named("memory_used")

    @cached_property
    def items(self) -> str:
        """One row per item."""
        return self._named("memory_items")

    @cached_property
    def item_ids(self) -> str:
        """The sequence that items' ids come from, as the text of a `regclass`."""
        return f'{self.quoted}."memory_items_item_seq"'

    @cached_property
    def postings(self) -> str:
        """The keyword index."""
        return self._named("memory_postings")

    @cached_property
    def embeddings(self) -> str:
        """Vectors in full precision."""
        return self._named("memory_embeddings")

    @cached_property
    def sketches(self) -> str:
        """Vectors in half precision."""
        return self._named("memory_sketches")

    @cached_property
    def generations(self) -> str:
        """Who made the index."""
        return self._named("memory_generations")

    @cached_property
    def migrations(self) -> str:
        """What was done to these tables."""
        return self._named("memory_migrations")

    def lock(self, purpose: str) -> int:
        """The key of an advisory lock of these tables for one purpose."""
        digest = hashlib.sha256(f"langgraph-memory {purpose} {self.schema}".encode()).digest()
        return int.from_bytes(digest[:8], signed=True)

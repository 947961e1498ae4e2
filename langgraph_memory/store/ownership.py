"""Whose index a database has, and what another one may still do with it."""

from __future__ import annotations

from collections.abc import Sequence

from langgraph_memory.errors import EmbedderMismatchError
from langgraph_memory.store.drafts import Request
from langgraph_memory.store.operations import IndexIdentity, Write
from langgraph_memory.store.transaction import Transaction

__all__ = ["recognise", "refuse_foreign", "refuse_unindexed"]


def recognise(
    tx: Transaction, mine: IndexIdentity, is_configured: bool
) -> tuple[int, IndexIdentity | None]:
    """The generation of the index that a store may use, and whose it is if not its own.

    A database without items becomes the store's. A store opened without an index configuration
    may read, delete and find by keyword whoever made the index.

    Args:
        tx: A transaction that may write if the database has no identity yet.
        mine: The store's identity.
        is_configured: Whether the store was given an index configuration.

    Raises:
        EmbedderMismatchError: If the database was indexed by another embedder, in other
            dimensions or on other fields.
    """
    there = tx.identity()
    if there is None or (there != mine and is_configured and not tx.has_items()):
        return tx.adopt(mine), None
    if there != mine and is_configured:
        raise EmbedderMismatchError(
            f"This database was indexed by {there}, and is opened with {mine}. Open it as "
            "it was indexed, or index it anew as it is opened, with reindex() of this "
            "store or with: langgraph-memory reindex --db FILE --embedder NAME"
        )
    generation = tx.generation()
    assert generation is not None
    return generation, None if there == mine else there


def refuse_unindexed(foreign: IndexIdentity | None, requests: Sequence[Request]) -> None:
    """Refuse a put without the embedder: no search by meaning would ever find the item.

    Raises:
        EmbedderMismatchError: If the index is an embedder's and a request would be indexed.
    """
    if any(isinstance(request, Write) and request.is_indexed for request in requests):
        refuse_foreign(foreign)


def refuse_foreign(foreign: IndexIdentity | None) -> None:
    """Refuse to put what search is to find into a database that is another embedder's.

    Raises:
        EmbedderMismatchError: If the index is an embedder's.
    """
    if foreign is not None and foreign.embedder is not None:
        raise EmbedderMismatchError(
            f"This database is indexed by {foreign}, and was opened without an "
            "embedder. Open it with index={'dims': …, 'embed': …} (the commands: --embedder NAME) "
            "to put items that search finds, or put with index=False. Nothing was written."
        )

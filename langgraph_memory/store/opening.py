"""Opening the store that a URL names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from langgraph.store.base import TTLConfig

from langgraph_memory.errors import InvalidInputError
from langgraph_memory.store.base import MemoryStore

__all__ = ["open_store"]

_CONNINFO = re.compile(r"\s*(host|hostaddr|port|dbname|user|password|service)\s*=")


def open_store(
    url: str, *, index: Mapping[str, Any] | None = None, ttl: TTLConfig | None = None
) -> MemoryStore:
    """The store at a URL, by its scheme.

    Args:
        url: ``postgresql://…``, ``postgres://…`` or libpq's ``host=… dbname=…``;
            ``sqlite:///memory.db``, ``:memory:`` or a plain path for an SQLite file.
        index: LangGraph's index configuration.
        ttl: LangGraph's time-to-live configuration.

    Raises:
        InvalidInputError: If the scheme is none of these.
        MissingExtraError: If the driver is not installed.
    """
    scheme, separator, rest = url.partition("://")
    if scheme in ("postgresql", "postgres") if separator else _CONNINFO.match(url):
        from langgraph_memory.store.postgres import PostgresMemoryStore

        return PostgresMemoryStore(url, index=index, ttl=ttl)
    if separator and scheme != "sqlite":
        raise InvalidInputError(
            f"There is no store for URLs that begin with {scheme!r}. Use postgresql://…, "
            "sqlite:///file.db or the path of a file."
        )
    from langgraph_memory.store.sqlite import SQLiteMemoryStore

    # sqlite:///relative and sqlite:////absolute, as is usual for database URLs.
    path = rest.removeprefix("/") if separator else url
    return SQLiteMemoryStore(path or ":memory:", index=index, ttl=ttl)

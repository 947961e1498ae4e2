"""Opening the store that a URL names."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any, Literal

from langgraph.store.base import TTLConfig

from langgraph_memory.errors import InvalidInputError
from langgraph_memory.store.base import MemoryStore

__all__ = ["location_of", "open_store"]

_CONNINFO = re.compile(r"\s*(host|hostaddr|port|dbname|user|password|service)\s*=")
_HALF_A_URL = re.compile(r"(?i)(sqlite|postgres(ql)?):(?!//)")


def open_store(
    url: str | os.PathLike[str],
    *,
    index: Mapping[str, Any] | None = None,
    ttl: TTLConfig | None = None,
    schema: str | None = None,
) -> MemoryStore:
    """The store at a URL, by its scheme.

    Args:
        url: ``postgresql://…``, ``postgres://…`` or libpq's ``host=… dbname=…``;
            ``sqlite:///memory.db``, ``:memory:`` or the path of an SQLite file.
        index: LangGraph's index configuration.
        ttl: LangGraph's time-to-live configuration.
        schema: Of the tables on Postgres, where it is not the usual one.

    Raises:
        InvalidInputError: If the scheme is none of these, or a schema is named for SQLite.
        MissingExtraError: If the driver is not installed.
    """
    kind, target = location_of(url)
    if kind == "postgres":
        from langgraph_memory.store.postgres import PostgresMemoryStore

        if schema:
            return PostgresMemoryStore(target, schema=schema, index=index, ttl=ttl)
        return PostgresMemoryStore(target, index=index, ttl=ttl)
    if schema:
        raise InvalidInputError(f"An SQLite file has no schemas, got schema={schema!r}.")
    from langgraph_memory.store.sqlite import SQLiteMemoryStore

    return SQLiteMemoryStore(target, index=index, ttl=ttl)


def location_of(url: str | os.PathLike[str]) -> tuple[Literal["sqlite", "postgres"], str]:
    """Which database a URL names, and the path or connection string of it.

    Args:
        url: See `open_store`.

    Raises:
        InvalidInputError: If the scheme is none of those.
    """
    url = os.fspath(url)
    scheme, separator, rest = url.partition("://")
    scheme = scheme.lower()
    url = f"{scheme}{separator}{rest}" if separator else url
    if scheme in ("postgresql", "postgres") if separator else _CONNINFO.match(url):
        return "postgres", url
    if not url.strip() or _HALF_A_URL.match(url) or (separator and scheme != "sqlite"):
        raise InvalidInputError(
            f"There is no store at {url!r}. Use postgresql://user@host/database, "
            "sqlite:///file.db, the path of a file, or :memory:."
        )
    # sqlite:///relative and sqlite:////absolute, as is usual for database URLs.
    path = rest.removeprefix("/") if separator else os.path.expanduser(url)
    return "sqlite", path or ":memory:"

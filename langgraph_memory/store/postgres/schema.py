"""Bringing the tables up to date, by however many processes at once."""

from __future__ import annotations

from langgraph_memory.errors import InvalidStateError
from langgraph_memory.store import migrations
from langgraph_memory.store.migrations import Migration
from langgraph_memory.store.postgres.connections import Connections, Session
from langgraph_memory.store.postgres.tables import Tables

__all__ = ["migrate"]

# One for the whole database, whatever the schema: the extension is made for all of it. The number
# means nothing but has to stay.
LOCK = 0x6C676D656D6F7279


def migrate(connections: Connections, tables: Tables, all_of_them: list[Migration]) -> None:
    """Apply the migrations that a database lacks, in one transaction and under a lock.

    Raises:
        InvalidStateError: If pgvector is not on the server or may not be created, or if a newer
            version of this package has changed the tables.
    """
    with connections.reading() as session:
        # Most of the time there is nothing to do, and nobody has to wait to learn it.
        if _exists(session, tables) and not migrations.missing(
            all_of_them, _applied(session, tables)
        ):
            return
    with connections.transaction(f"BEGIN; SELECT pg_advisory_xact_lock({LOCK})") as (session, _):
        if not _exists(session, tables):
            _create_schema(session, tables)
        session.run(
            "SELECT set_config('search_path', %(path)s, true)", {"path": _path(session, tables)}
        )
        for migration in migrations.missing(all_of_them, _applied(session, tables)):
            session.script(migration.sql)
            session.run(
                f"INSERT INTO {tables.migrations} (number, name) VALUES (%(number)s, %(name)s)",
                {"number": migration.number, "name": migration.name},
            )


def _exists(session: Session, tables: Tables) -> bool:
    [[found]] = session.rows(
        "SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = %(schema)s "
        "AND tablename = 'memory_migrations')",
        {"schema": tables.schema},
    )
    return bool(found)


def _applied(session: Session, tables: Tables) -> int:
    [[number]] = session.rows(f"SELECT coalesce(max(number), 0) FROM {tables.migrations}")
    return int(number)


def _path(session: Session, tables: Tables) -> str:
    """Where the migrations' names are looked up: ours first, then where the extension may be."""
    [[path]] = session.rows("SELECT current_setting('search_path')")
    return f"{tables.quoted}, {path}" if path else tables.quoted


def _create_schema(session: Session, tables: Tables) -> None:
    import psycopg

    [[has_vector]] = session.rows(
        "SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_extension WHERE extname = 'vector')"
    )
    [[has_schema]] = session.rows(
        "SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = %(schema)s)",
        {"schema": tables.schema},
    )
    try:
        # Asked first: a user who may not create either can still use what is there.
        if not has_vector:
            session.script("CREATE EXTENSION vector")
        if not has_schema:
            session.script(f"CREATE SCHEMA {tables.quoted}")
    except (psycopg.errors.FeatureNotSupported, psycopg.errors.UndefinedFile) as error:
        raise InvalidStateError(
            f"This Postgres server does not have the extension pgvector ({error}). Install it "
            "there, e.g. from the package postgresql-17-pgvector, or use a server that has it."
        ) from error
    except psycopg.errors.InsufficientPrivilege as error:
        raise InvalidStateError(
            f"This database user may not set up the store ({error}). Have an administrator run: "
            f"CREATE EXTENSION IF NOT EXISTS vector; CREATE SCHEMA IF NOT EXISTS {tables.quoted} "
            "AUTHORIZATION …; with the name of this user."
        ) from error
    session.script(
        f"CREATE TABLE {tables.quoted}.memory_migrations ("
        "number integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL "
        "DEFAULT now())"
    )

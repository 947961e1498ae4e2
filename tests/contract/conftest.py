"""Fixtures of the stores' contract: every test that asks for a store runs on every line of STORES.

`open_store` and `store` run on all of them, `open_ours` and `ours` on those of this package, and
`open_lasting` on those that can be opened a second time; each through its blocking and through its
awaitable methods. `open_once` and `open_ours_once` open a store for all tests of a module, which
must only read from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, cast

import pytest
from contract.stores import FACES, LASTING, OURS, STORES, Clock, Driver, Face, Opener, Place
from postgres_server import Databases

WIDTHS = {"open_lasting": LASTING, "open_ours": OURS, "open_ours_once": OURS}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Choose the lines of the table that a test runs on by the narrowest fixture it asks for."""
    openers: dict[str, Literal["function", "module"]] = {
        "opener": "function",
        "opener_of_module": "module",
    }
    for opener, scope in openers.items():
        if opener in metafunc.fixturenames:
            asked = [WIDTHS[name] for name in metafunc.fixturenames if name in WIDTHS]
            names = min(asked, key=len, default=list(STORES))
            pairs = [(name, face) for name in names for face in FACES]
            ids = [f"{name}:{face}" for name, face in pairs]
            metafunc.parametrize(opener, pairs, indirect=True, ids=ids, scope=scope)


def case_of(item: pytest.Function) -> tuple[str, str]:
    """The store that a test runs on, and the test's name with the id of its other parameters."""
    params = item.callspec.params
    name, face = cast("tuple[str, str]", params.get("opener") or params["opener_of_module"])
    rest = [part for part in item.callspec.id.split("-") if part != f"{name}:{face}"]
    test = item.originalname
    return name, f"{test}[{'-'.join(rest)}]" if rest else test


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what a store is known to do otherwise, strictly."""
    for item in items:
        if not isinstance(item, pytest.Function) or not hasattr(item, "callspec"):
            continue
        if not {"opener", "opener_of_module"} & set(item.callspec.params):
            continue
        store, case = case_of(item)
        differences = STORES[store].differences
        reason = differences.get(case) or differences.get(item.originalname)
        if reason:
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))


class Reused:
    """A database that is emptied for each test; much quicker than a new one for each.

    Args:
        dsn: Of a database as a store has set it up.
    """

    def __init__(self, dsn: str) -> None:
        import psycopg

        self.dsn = dsn
        self.connection = psycopg.connect(dsn, autocommit=True)
        self.run("CREATE SCHEMA pristine")
        for table in self.tables():
            self.run(f"CREATE TABLE pristine.{table} AS TABLE langgraph_memory.{table}")

    def run(self, statements: str) -> None:
        self.connection.execute(statements.encode())

    def tables(self) -> list[str]:
        found = self.connection.execute(
            "SELECT quote_ident(tablename) FROM pg_tables "
            "WHERE schemaname = 'langgraph_memory' AND tablename <> 'memory_migrations'"
        )
        return [str(table) for (table,) in found.fetchall()]

    def emptied(self) -> str:
        """Its connection string, after everything is as it was when it was new."""
        statements = [
            f"DELETE FROM langgraph_memory.{table}; INSERT INTO langgraph_memory.{table} "
            f"OVERRIDING SYSTEM VALUE TABLE pristine.{table}"
            for table in self.tables()
        ]
        self.run("; ".join(statements))
        return self.dsn


def opening(
    param: tuple[str, Face], folder: Path, database: Callable[[], Reused]
) -> Iterator[Opener]:
    """An opener at an empty place, which is left closed."""
    kind, face = param
    given: list[str] = []

    def once() -> str:
        if not given:
            given.append(database().emptied())
        return given[0]

    opener = Opener(STORES[kind], face, Place(folder, once))
    yield opener
    opener.finish()


@pytest.fixture(scope="session")
def postgres_of_the_contract(postgres_databases: Databases) -> Iterator[Reused]:
    """One database for all tests."""
    with postgres_databases.fresh() as dsn:
        reused = Reused(dsn)
        yield reused
        reused.connection.close()


@pytest.fixture(scope="module")
def postgres_of_the_module(postgres_database_of_module: str) -> Iterator[Reused]:
    """One for the tests of a module that only read."""
    reused = Reused(postgres_database_of_module)
    yield reused
    reused.connection.close()


@pytest.fixture
def opener(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opener]:
    yield from opening(
        request.param,
        tmp_path,
        lambda: cast("Reused", request.getfixturevalue("postgres_of_the_contract")),
    )


@pytest.fixture(scope="module")
def opener_of_module(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Opener]:
    yield from opening(
        request.param,
        tmp_path_factory.mktemp("store"),
        lambda: cast("Reused", request.getfixturevalue("postgres_of_the_module")),
    )


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def open_store(opener: Opener) -> Opener:
    return opener


@pytest.fixture
def store(open_store: Opener) -> Driver:
    return open_store()


@pytest.fixture
def open_ours(opener: Opener) -> Opener:
    return opener


@pytest.fixture
def ours(open_ours: Opener, clock: Clock) -> Driver:
    """A store of this package whose clock is the test's."""
    return open_ours(clock=clock)


@pytest.fixture
def open_lasting(opener: Opener) -> Opener:
    return opener


@pytest.fixture(scope="module")
def open_once(opener_of_module: Opener) -> Opener:
    return opener_of_module


@pytest.fixture(scope="module")
def open_ours_once(opener_of_module: Opener) -> Opener:
    return opener_of_module

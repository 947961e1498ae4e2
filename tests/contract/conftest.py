"""Fixtures of the stores' contract: every test that asks for a store runs on every line of STORES.

`open_store` and `store` run on all of them, `open_ours` and `ours` on those of this package, and
`open_lasting` on those that can be opened a second time; each through its blocking and through its
awaitable methods.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from contract.stores import FACES, LASTING, OURS, STORES, Clock, Driver, Opener, Place


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Choose the lines of the table that a test runs on by the widest fixture it asks for."""
    if "opener" not in metafunc.fixturenames:
        return
    names = list(STORES)
    if "open_lasting" in metafunc.fixturenames:
        names = LASTING
    elif "open_ours" in metafunc.fixturenames:
        names = OURS
    pairs = [(name, face) for name in names for face in FACES]
    metafunc.parametrize(
        "opener", pairs, indirect=True, ids=[f"{name}:{face}" for name, face in pairs]
    )


def case_of(item: pytest.Function) -> tuple[str, str]:
    """The store that a test runs on, and the test's name with the id of its other parameters."""
    name, face = cast("tuple[str, str]", item.callspec.params["opener"])
    rest = [part for part in item.callspec.id.split("-") if part != f"{name}:{face}"]
    test = item.originalname
    return name, f"{test}[{'-'.join(rest)}]" if rest else test


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what a store is known to do otherwise, strictly."""
    for item in items:
        if not isinstance(item, pytest.Function) or not hasattr(item, "callspec"):
            continue
        if "opener" not in item.callspec.params:
            continue
        store, case = case_of(item)
        differences = STORES[store].differences
        reason = differences.get(case) or differences.get(item.originalname)
        if reason:
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))


@pytest.fixture
def opener(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opener]:
    name, face = request.param
    place = Place(tmp_path, lambda: str(request.getfixturevalue("postgres_database")))
    opener = Opener(STORES[name], face, place)
    yield opener
    opener.finish()


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

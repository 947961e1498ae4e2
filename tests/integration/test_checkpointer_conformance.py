"""LangGraph's own suite for checkpointers, on those that this package opens and combines."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from needed import needed
from postgres_server import Databases

from langgraph_memory.checkpoints import TieredSaver, async_sqlite_saver, open_checkpointer

conformance = needed("langgraph.checkpoint.conformance", "dev")

BASE = {"put": 17, "put_writes": 10, "get_tuple": 10, "list": 16, "delete_thread": 5}
"""How many tests of each capability there are in 0.0.2: fewer mean that some did not run."""

EXTENDED = {"delete_for_runs": 7, "copy_thread": 8, "prune": 8}

Saver = BaseCheckpointSaver[Any]


async def passes(make: Any, expected: dict[str, int]) -> None:
    """All tests of the capabilities pass, and there are as many as are known."""
    left_out = {*BASE, *EXTENDED} - expected.keys()
    registered = conformance.checkpointer_test(name="ours", skip_capabilities=left_out)(make)
    report = await conformance.validate(registered)
    failures = [failure for result in report.results.values() for failure in result.failures]
    assert not failures
    passed = {name: result.tests_passed for name, result in report.results.items() if result.passed}
    assert passed == expected


@pytest.fixture
def sqlite(tmp_path: Path) -> Callable[[], AbstractContextManager[Saver]]:
    """Opens another new file at each call."""
    numbers = itertools.count()
    return lambda: open_checkpointer(tmp_path / f"threads{next(numbers)}.db")


@pytest.fixture
def postgres(
    postgres_databases: Databases,
) -> Callable[[], AbstractContextManager[Saver]]:
    """Opens another new database at each call."""

    @contextmanager
    def opened() -> Any:
        with postgres_databases.fresh(template=False) as dsn, open_checkpointer(dsn) as saver:
            yield saver

    return opened


class TestAlone:
    async def test_sqlite(self, sqlite: Any) -> None:
        async def make() -> AsyncIterator[Saver]:
            with sqlite() as saver:
                yield saver

        await passes(make, BASE | EXTENDED)

    async def test_postgres(self, postgres: Any) -> None:
        async def make() -> AsyncIterator[Saver]:
            with postgres() as saver:
                yield saver

        await passes(make, BASE | EXTENDED)

    async def test_async_sqlite(self, tmp_path: Path) -> None:
        numbers = itertools.count()

        async def make() -> AsyncIterator[Saver]:
            async with async_sqlite_saver(tmp_path / f"{next(numbers)}.db") as saver:
                yield saver

        await passes(make, BASE)


class TestTiered:
    async def test_memory_before_sqlite(self, sqlite: Any) -> None:
        async def make() -> AsyncIterator[Saver]:
            with sqlite() as cold:
                yield TieredSaver(InMemorySaver(), cold)

        await passes(make, BASE | EXTENDED)

    async def test_sqlite_before_postgres(self, sqlite: Any, postgres: Any) -> None:
        async def make() -> AsyncIterator[Saver]:
            with sqlite() as hot, postgres() as cold:
                yield TieredSaver(hot, cold)

        await passes(make, BASE | EXTENDED)

    async def test_memory_before_one_that_is_only_asynchronous(self, tmp_path: Path) -> None:
        numbers = itertools.count()

        async def make() -> AsyncIterator[Saver]:
            async with async_sqlite_saver(tmp_path / f"{next(numbers)}.db") as cold:
                yield TieredSaver(InMemorySaver(), cold)

        await passes(make, BASE)

    async def test_memory_before_memory(self) -> None:
        async def make() -> AsyncIterator[Saver]:
            yield TieredSaver(InMemorySaver(), InMemorySaver())

        await passes(make, BASE)

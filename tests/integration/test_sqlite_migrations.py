"""SQLite's tables: the same whether made at once or migration by migration."""

import sqlite3
from pathlib import Path

import pytest

from langgraph_memory.errors import InvalidStateError, StoreUnavailableError
from langgraph_memory.store import SQLiteMemoryStore, migrations

ALL = migrations.of("langgraph_memory.store.sqlite")


def schema(file: Path) -> list[tuple[str, ...]]:
    with sqlite3.connect(file) as connection:
        rows = connection.execute(
            "SELECT type, name, tbl_name, sql FROM sqlite_master "
            "WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name"
        ).fetchall()
        applied = connection.execute("SELECT * FROM memory_migrations").fetchall()
    connection.close()
    return [*rows, *applied]


def made(file: Path) -> Path:
    with SQLiteMemoryStore(file) as store:
        store.setup()
    return file


def test_they_are_numbered_without_gaps():
    assert [migration.number for migration in ALL] == list(range(1, len(ALL) + 1))


@pytest.mark.parametrize("first", range(len(ALL) + 1))
def test_replayed_from_any_state_they_give_the_fresh_tables(tmp_path, first):
    """A database at which some were applied by an earlier version gets the others."""
    file = tmp_path / "old.db"
    with sqlite3.connect(file) as connection:
        connection.execute(
            "CREATE TABLE memory_migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL)"
        )
        for migration in ALL[:first]:
            connection.executescript(migration.sql)
            connection.execute(
                "INSERT INTO memory_migrations VALUES (?, ?)", (migration.number, migration.name)
            )
    connection.close()
    assert schema(made(file)) == schema(made(tmp_path / "fresh.db"))


def test_opening_again_changes_nothing(tmp_path):
    file = made(tmp_path / "memory.db")
    before = schema(file)
    assert schema(made(file)) == before


def test_a_database_of_a_newer_version_is_left_alone(tmp_path):
    file = made(tmp_path / "memory.db")
    with sqlite3.connect(file) as connection:
        connection.execute("INSERT INTO memory_migrations VALUES (9999, '9999_future.sql')")
    connection.close()
    before = file.read_bytes()
    with SQLiteMemoryStore(file) as store, pytest.raises(InvalidStateError, match="Upgrade"):
        store.put(("a",), "k", {})
    assert file.read_bytes() == before


def test_what_is_no_database_is_named_and_left_alone(tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text("Not a database. " * 100)
    with SQLiteMemoryStore(file) as store, pytest.raises(StoreUnavailableError, match="notes"):
        store.put(("a",), "k", {})
    assert file.read_text().startswith("Not a database.")


def test_a_folder_that_is_not_there_is_named(tmp_path):
    file = tmp_path / "no" / "memory.db"
    with SQLiteMemoryStore(file) as store, pytest.raises(StoreUnavailableError, match="folder"):
        store.get(("a",), "k")


def test_a_statement_that_fails_leaves_no_half_made_tables(tmp_path, monkeypatch):
    broken = migrations.Migration(
        1, "0001_broken.sql", ALL[0].sql + "CREATE TABLE memory_items (x);"
    )
    monkeypatch.setattr(migrations, "of", lambda package: [broken])
    file = tmp_path / "memory.db"
    with SQLiteMemoryStore(file) as store, pytest.raises(sqlite3.OperationalError):
        store.setup()
    with sqlite3.connect(file) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == []
    connection.close()

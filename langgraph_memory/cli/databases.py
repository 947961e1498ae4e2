"""The database that an option names, for all commands and for those that do not make one."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from langgraph_memory.store.opening import location_of

__all__ = ["MEMORIES", "THREADS", "Db", "Embedder", "refuse_empty"]

Db = Annotated[str, typer.Option(help="SQLite file, or a URL such as postgresql://user@host/name.")]
Embedder = Annotated[
    str | None,
    typer.Option(
        help="What indexed the database: 'local', 'provider:model' or 'module:attribute'. Without "
        "it memories are found by keyword."
    ),
]

THREADS = "checkpoints"
MEMORIES = "memory_items"
"""The table of a file that tells what is in it."""


def refuse_empty(db: str, table: str) -> None:
    """A command that looks into a file makes neither the file nor tables in another's file.

    Args:
        db: A file or a URL. What a server has is not asked.
        table: `THREADS` or `MEMORIES`.

    Raises:
        BadParameter: If there is no such file, or it has no such table.
    """
    kind, path = location_of(db)
    if kind != "sqlite":
        return
    if not Path(path).is_file():
        raise typer.BadParameter(f"there is no file {db!r}", param_hint="--db")
    try:
        with closing(sqlite3.connect(path)) as connection:
            tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
    except sqlite3.Error:
        return  # Whoever opens it for good says what is wrong with it.
    if table not in tables:
        what = "threads" if table == THREADS else "memories"
        raise typer.BadParameter(f"there are no {what} in the file {db!r}", param_hint="--db")

"""The numbered SQL files that make and change the tables of a back end."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.resources import files

from langgraph_memory.errors import InvalidStateError

__all__ = ["Migration", "missing", "of"]

_NAME = re.compile(r"(\d{4})_\w+\.sql")


@dataclass(frozen=True, slots=True)
class Migration:
    """One file: its number, its name and its SQL."""

    number: int
    name: str
    sql: str


def of(package: str) -> list[Migration]:
    """The migrations in the folder ``migrations`` of a package, in order."""
    found = [
        Migration(int(match[1]), file.name, file.read_text(encoding="utf-8"))
        for file in files(package).joinpath("migrations").iterdir()
        if (match := _NAME.fullmatch(file.name))
    ]
    return sorted(found, key=lambda migration: migration.number)


def missing(all_of_them: list[Migration], applied: int) -> list[Migration]:
    """What is to be applied to a database at which number `applied` was the last.

    Raises:
        InvalidStateError: If a newer version of this package has changed the database.
    """
    newest = all_of_them[-1].number
    if applied > newest:
        raise InvalidStateError(
            f"This database has the tables of migration {applied}, this version of the package "
            f"knows {newest} of them. Upgrade langgraph-layered-memory to open it."
        )
    return [migration for migration in all_of_them if migration.number > applied]

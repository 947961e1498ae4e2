"""Loading many vectors first and indexing them at once, which is many times faster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from psycopg import Connection

__all__ = ["without_approximate_indexes"]


@contextmanager
def without_approximate_indexes(connection: Connection[Any]) -> Iterator[None]:
    """Drop the HNSW indexes of a database's tables, and build them again at the end.

    An index built over rows that are there is no worse than one that grew with them.

    Args:
        connection: A connection in autocommit mode.
    """
    from psycopg import sql
    from psycopg.rows import tuple_row

    with connection.cursor(row_factory=tuple_row) as cursor:
        cursor.execute(
            "SELECT indexname, indexdef FROM pg_indexes WHERE indexdef LIKE '%% USING hnsw %%' "
            "AND schemaname = current_schema()",
            (),
        )
        indexes = cursor.fetchall()
        for name, _ in indexes:
            cursor.execute(sql.SQL("DROP INDEX {}").format(sql.Identifier(name)))
        yield
        for _, definition in indexes:
            cursor.execute(definition)

"""LangGraph's own stores."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, cast

from langgraph.store.memory import InMemoryStore

from langgraph_memory.evals.stores.approximate import without_approximate_indexes
from langgraph_memory.evals.stores.contender import Document, Place
from langgraph_memory.evals.stores.sessions import BaseStoreSession

__all__ = ["open_memory", "open_postgres", "open_sqlite", "why_no_sqlite"]


@contextmanager
def open_memory(place: Place, index: Mapping[str, Any]) -> Iterator[BaseStoreSession]:
    """`InMemoryStore`."""
    yield BaseStoreSession(InMemoryStore(index=cast(Any, dict(index))))


def why_no_sqlite() -> str | None:
    """Why `SqliteStore` cannot search by vectors in this Python, None if it can."""
    if hasattr(sqlite3.Connection, "enable_load_extension"):
        return None
    return "it needs a Python whose sqlite3 can load extensions, which this one's cannot."


@contextmanager
def open_sqlite(place: Place, index: Mapping[str, Any]) -> Iterator[BaseStoreSession]:
    """`SqliteStore` in a file."""
    from langgraph.store.sqlite import SqliteStore

    # It is documented to read `fields`, and reads `text_fields`.
    config: Any = {**index, "text_fields": index.get("fields")}
    with SqliteStore.from_conn_string(str(place.folder / "store.db"), index=config) as store:
        store.setup()
        yield BaseStoreSession(store)


class _PostgresStoreSession(BaseStoreSession):
    """Filled by COPY: its put takes a second for a hundred items as the index grows."""

    def load(self, documents: Sequence[Document]) -> None:
        from psycopg.types.json import Jsonb

        store = cast(Any, self.store)
        with without_approximate_indexes(store.conn), store.conn.cursor() as cursor:
            with cursor.copy(
                "COPY store (prefix, key, value, created_at, updated_at) FROM STDIN"
            ) as copy:
                for each in documents:
                    path = ".".join(each.namespace)
                    copy.write_row((path, each.key, Jsonb(each.value), "now", "now"))
            with cursor.copy(
                "COPY store_vectors (prefix, key, field_name, embedding) FROM STDIN"
            ) as copy:
                for each in documents:
                    [vector] = store.embeddings.embed_documents([each.text])
                    copy.write_row((".".join(each.namespace), each.key, "text", str(vector)))


@contextmanager
def open_postgres(place: Place, index: Mapping[str, Any]) -> Iterator[BaseStoreSession]:
    """`PostgresStore` in a database."""
    from langgraph.store.postgres import PostgresStore

    assert place.dsn is not None
    config: Any = dict(index)
    with PostgresStore.from_conn_string(place.dsn, index=config) as store:
        store.setup()
        yield _PostgresStoreSession(store)

"""Stores without a store: what plain SQL and plain numpy take for exact search."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from langgraph_memory.evals.stores.contender import Document, Mode, Namespace, Place

if TYPE_CHECKING:
    from psycopg import Connection

__all__ = ["open_numpy", "open_sql"]

_ONLY_VECTOR: tuple[Mode, ...] = ("vector",)


class _SqlSession:
    """One table with a vector column and an index on namespace and key."""

    modes: Sequence[Mode] = _ONLY_VECTOR

    def __init__(self, connection: Connection[Any], embeddings: Any) -> None:
        self._connection = connection
        self._embeddings = embeddings

    def _rows(self, documents: Sequence[Document]) -> Iterator[tuple[Any, ...]]:
        from psycopg.types.json import Jsonb

        for each in documents:
            [vector] = self._embeddings.embed_documents([each.text])
            yield ".".join(each.namespace), each.key, Jsonb(each.value), str(vector)

    def load(self, documents: Sequence[Document]) -> None:
        with (
            self._connection.cursor() as cursor,
            cursor.copy("COPY items (namespace, key, value, embedding) FROM STDIN") as copy,
        ):
            for row in self._rows(documents):
                copy.write_row(row)

    def put(self, documents: Sequence[Document]) -> None:
        with self._connection.transaction(), self._connection.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO items (namespace, key, value, embedding) VALUES (%s, %s, %s, %s) "
                "ON CONFLICT (namespace, key) DO UPDATE SET value = excluded.value, "
                "embedding = excluded.embedding",
                list(self._rows(documents)),
            )

    def search(
        self,
        namespace: Namespace,
        query: str,
        *,
        mode: Mode,
        limit: int = 10,
        topic: str | None = None,
    ) -> list[str]:
        vector = np.asarray(self._embeddings.embed_query(query), dtype=np.float32)
        condition = "" if topic is None else "AND value->>'topic' = %(topic)s "
        rows = self._connection.execute(
            "SELECT key, value, embedding <=> %(vector)s FROM items WHERE namespace = %(path)s "
            f"{condition}ORDER BY embedding <=> %(vector)s LIMIT %(limit)s",
            {"vector": vector, "path": ".".join(namespace), "topic": topic, "limit": limit},
        )
        return [row[0] for row in rows.fetchall()]

    def get(self, namespace: Namespace, key: str) -> bool:
        rows = self._connection.execute(
            "SELECT value FROM items WHERE namespace = %s AND key = %s", (".".join(namespace), key)
        )
        return rows.fetchone() is not None

    def list(self, namespace: Namespace, limit: int = 10) -> list[str]:
        rows = self._connection.execute(
            "SELECT key, value FROM items WHERE namespace = %s LIMIT %s",
            (".".join(namespace), limit),
        )
        return [row[0] for row in rows.fetchall()]


@contextmanager
def open_sql(place: Place, index: Mapping[str, Any]) -> Iterator[_SqlSession]:
    """Exact search in Postgres by hand: the rows of a namespace, sorted by distance."""
    import psycopg
    from pgvector.psycopg import register_vector

    assert place.dsn is not None
    with psycopg.connect(place.dsn, autocommit=True, prepare_threshold=0) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        connection.execute(
            "CREATE TABLE IF NOT EXISTS items (namespace text, key text, value jsonb, "
            f"embedding vector({index['dims']:d}), PRIMARY KEY (namespace, key))"
        )
        register_vector(connection)
        yield _SqlSession(connection, index["embed"])


@dataclass
class _Space:
    documents: dict[str, Document] = field(default_factory=dict)
    vectors: dict[str, NDArray[np.float32]] = field(default_factory=dict)
    matrix: NDArray[np.float32] | None = None


class _NumpySession:
    """A matrix in memory for each namespace; nothing is kept."""

    modes: Sequence[Mode] = _ONLY_VECTOR

    def __init__(self, embeddings: Any) -> None:
        self._embeddings = embeddings
        self._spaces: dict[Namespace, _Space] = {}

    def put(self, documents: Sequence[Document]) -> None:
        vectors = self._embeddings.embed_documents([each.text for each in documents])
        for each, vector in zip(documents, vectors, strict=True):
            space = self._spaces.setdefault(each.namespace, _Space())
            space.documents[each.key] = each
            space.vectors[each.key] = _unit(vector)
            space.matrix = None

    load = put

    def search(
        self,
        namespace: Namespace,
        query: str,
        *,
        mode: Mode,
        limit: int = 10,
        topic: str | None = None,
    ) -> list[str]:
        space = self._spaces[namespace]
        if space.matrix is None:
            space.matrix = np.stack(list(space.vectors.values()))
            # Views of the matrix, so that the vectors are held once.
            space.vectors = dict(zip(space.vectors, space.matrix, strict=True))
        similarity = space.matrix @ _unit(self._embeddings.embed_query(query))
        keys = list(space.vectors)
        if topic is not None:
            wrong = [space.documents[key].topic != topic for key in keys]
            similarity[wrong] = -np.inf
        near = np.arange(len(keys))
        if limit < len(keys):
            near = np.argpartition(-similarity, limit)[:limit]
        best = near[np.argsort(-similarity[near])]
        return [keys[place] for place in best if similarity[place] > -np.inf]

    def get(self, namespace: Namespace, key: str) -> bool:
        return key in self._spaces[namespace].documents

    def list(self, namespace: Namespace, limit: int = 10) -> list[str]:
        return list(self._spaces[namespace].documents)[:limit]


@contextmanager
def open_numpy(place: Place, index: Mapping[str, Any]) -> Iterator[_NumpySession]:
    """Exact search with numpy over everything in memory."""
    yield _NumpySession(index["embed"])


def _unit(vector: Any) -> NDArray[np.float32]:
    row = np.asarray(vector, dtype=np.float32)
    length = float(np.linalg.norm(row))
    return row / np.float32(length) if length else row

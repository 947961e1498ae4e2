"""One embedder for all stores, whose vectors are made once and kept on disk."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
from langchain_core.embeddings import Embeddings
from langgraph.store.base import ensure_embeddings
from numpy.typing import NDArray

from langgraph_memory.embeddings import embedder_named

__all__ = ["NONE", "KeptVectors", "kept_vectors"]

NONE = "none"
_AT_ONCE = 256
_SURROGATES = dict.fromkeys(range(55296, 57344), "�")
_QUERY, _DOCUMENT = "query", "document"


class KeptVectors(Embeddings):
    """Serves vectors that were made before, and makes and keeps those that were not.

    Args:
        name: Name of the embedder, under which its vectors are kept.
        embeddings: The embedder; None for vectors of one zero, where only keywords count.
        connection: Database to keep them in.
    """

    def __init__(
        self, name: str, embeddings: Embeddings | None, connection: sqlite3.Connection
    ) -> None:
        self.name = name
        self._embeddings = embeddings
        self._connection = connection
        self._known: dict[tuple[str, str], NDArray[np.float32]] = {}
        connection.execute(
            "CREATE TABLE IF NOT EXISTS vectors (embedder TEXT, kind TEXT, digest BLOB, "
            "vector BLOB, PRIMARY KEY (embedder, kind, digest)) WITHOUT ROWID"
        )

    @property
    def by_meaning(self) -> bool:
        """Whether the vectors mean anything."""
        return self._embeddings is not None

    @property
    def dims(self) -> int:
        """How many numbers a vector has."""
        return len(self.embed_query("How long is a vector?"))

    def prepare(self, documents: Sequence[str], advance: Callable[[int], None]) -> None:
        """Make the vectors of texts, some hundred at once.

        Args:
            documents: The texts.
            advance: Told how many more are done.
        """
        for start in range(0, len(documents), _AT_ONCE):
            part = documents[start : start + _AT_ONCE]
            self._look_up(_DOCUMENT, part)
            advance(len(part))

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Vectors of texts to store."""
        return [vector.tolist() for vector in self._look_up(_DOCUMENT, texts)]

    def embed_query(self, text: str) -> list[float]:
        """The vector of a text to search by."""
        [vector] = self._look_up(_QUERY, [text])
        return list(vector.tolist())

    def _look_up(self, kind: str, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        if self._embeddings is None:
            return [np.zeros(1, np.float32)] * len(texts)
        lacking = [
            text
            for text in dict.fromkeys(texts)
            if not self._recall(kind, text.translate(_SURROGATES))
        ]
        clean = list(dict.fromkeys(text.translate(_SURROGATES) for text in lacking))
        if clean:
            made = (
                self._embeddings.embed_documents(clean)
                if kind == _DOCUMENT
                else [self._embeddings.embed_query(text) for text in clean]
            )
            for text, vector in zip(clean, made, strict=True):
                self._known[kind, text] = row = np.asarray(vector, np.float32)
                self._connection.execute(
                    "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?)",
                    (self.name, kind, _digest(text), row.tobytes()),
                )
            self._connection.commit()
        return [self._known[kind, text.translate(_SURROGATES)] for text in texts]

    def _recall(self, kind: str, text: str) -> bool:
        if (kind, text) in self._known:
            return True
        row = self._connection.execute(
            "SELECT vector FROM vectors WHERE embedder = ? AND kind = ? AND digest = ?",
            (self.name, kind, _digest(text)),
        ).fetchone()
        if row is not None:
            self._known[kind, text] = np.frombuffer(row[0], np.float32)
        return row is not None


@contextmanager
def kept_vectors(embedder: str, folder: Path | None) -> Iterator[KeptVectors]:
    """Open an embedder by its name.

    Args:
        embedder: A name as `embedder_named` takes it, or ``none``.
        folder: Where vectors are kept, made if it is not there; None to forget them at the end.

    Raises:
        InvalidInputError: There is no such embedder.
        MissingExtraError: The offline embedder is not installed.
    """
    embeddings = None if embedder == NONE else ensure_embeddings(embedder_named(embedder))
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    where = ":memory:" if folder is None else str(folder / "vectors.db")
    # Stores may embed on a thread of their own, though never on two at once here.
    with closing(sqlite3.connect(where, check_same_thread=False)) as connection:
        yield KeptVectors(embedder, embeddings, connection)


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()

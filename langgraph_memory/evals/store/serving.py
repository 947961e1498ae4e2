"""An embedder that looks up vectors made beforehand, and knows how long that took."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
from langchain_core.embeddings import Embeddings
from numpy.typing import NDArray

__all__ = ["ServedVectors"]


class ServedVectors(Embeddings):
    """Serves the vectors of known texts.

    Attributes:
        seconds: Time spent here so far, to be subtracted from what a store takes.
    """

    def __init__(self) -> None:
        self._vectors: dict[str, NDArray[np.float32]] = {}
        self.seconds = 0.0

    def add(self, texts: Sequence[str], vectors: NDArray[np.float32]) -> None:
        """Make texts known; the vectors are not copied."""
        self._vectors.update(zip(texts, vectors, strict=True))

    def __contains__(self, text: str) -> bool:
        return text in self._vectors

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Their vectors; a text that is not known is an error of the evaluation (`KeyError`)."""
        start = time.perf_counter()
        found: list[list[float]] = [self._vectors[text].tolist() for text in texts]
        self.seconds += time.perf_counter() - start
        return found

    def embed_query(self, text: str) -> list[float]:
        """The vector of one text."""
        return self.embed_documents([text])[0]

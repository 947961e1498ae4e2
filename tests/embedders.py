"""Honest deterministic embedders for tests of stores, and some that fail as real ones do.

`WordEmbeddings` turns a text into signed counts of its words, hashed into a fixed number of places.
Words of one planted group share a place, so that a text is near another that says the same in
other words or another language; everything else about it is arithmetic on the text it is given.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Awaitable, Callable, Sequence

from langchain_core.embeddings import Embeddings

DIMS = 512
WORD = re.compile(r"[㐀-鿿぀-ヿ]+|[^\W_㐀-鿿぀-ヿ]+")
CJK = re.compile(r"[㐀-鿿぀-ヿ]")
SYNONYMS = (
    ("car", "cars", "automobile", "automobiles", "vehicle"),
    ("doctor", "physician", "医生"),
    ("happy", "glad", "joyful"),
    ("allergic", "intolerant", "过敏"),
    ("peanuts", "groundnuts", "花生"),
    ("dwelling", "house", "residence"),
)
CONCEPTS = {word: f"concept {group[0]}" for group in SYNONYMS for word in group}
POISON = "poison"


def words(text: str) -> list[str]:
    """Words in lower case; a run of Chinese or Japanese as its pairs of characters."""
    found: list[str] = []
    for run in WORD.findall(text.lower()):
        if CJK.match(run) and len(run) > 1:
            found.extend(run[i : i + 2] for i in range(len(run) - 1))
        else:
            found.append(run)
    return found


class WordEmbeddings(Embeddings):
    """Embeds words and planted synonyms; keeps every call and every text it was given.

    Args:
        dims: Length of the vectors.
    """

    def __init__(self, dims: int = DIMS) -> None:
        self.dims = dims
        self.calls: list[list[str]] = []
        self.queries: list[str] = []

    @property
    def texts(self) -> list[str]:
        """Every document text that was embedded, in order."""
        return [text for call in self.calls for text in call]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.calls.append(list(texts))
        return [self.vector(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        self.queries.append(text)
        return self.vector(text)

    def vector(self, text: str) -> list[float]:
        vector = [0.0] * self.dims
        for word in words(text):
            named = CONCEPTS.get(word, word).encode("utf-8", "surrogatepass")
            number = int.from_bytes(hashlib.sha256(named).digest()[:8], "big")
            vector[number % self.dims] += 1.0 if number & (1 << 40) else -1.0
        return vector


class OtherEmbeddings(WordEmbeddings):
    """Another model of the same size: its vectors mean nothing beside those of the first."""

    def vector(self, text: str) -> list[float]:
        return super().vector(text)[::-1]


class AsyncOnlyEmbeddings(WordEmbeddings):
    """A client that has awaitable methods only; its blocking ones refuse."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        raise NotImplementedError("Use aembed_documents.")

    def embed_query(self, text: str) -> list[float]:
        raise NotImplementedError("Use aembed_query.")

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        return WordEmbeddings.embed_documents(self, texts)

    async def aembed_query(self, text: str) -> list[float]:
        return WordEmbeddings.embed_query(self, text)


def as_function(embeddings: WordEmbeddings) -> Callable[[Sequence[str]], list[list[float]]]:
    """The blocking function that may stand for an embedder in an index configuration."""

    def embed(texts: Sequence[str]) -> list[list[float]]:
        return embeddings.embed_documents(list(texts))

    return embed


def as_coroutine_function(
    embeddings: WordEmbeddings,
) -> Callable[[Sequence[str]], Awaitable[list[list[float]]]]:
    """The coroutine function that may stand for an embedder in an index configuration."""

    async def embed(texts: Sequence[str]) -> list[list[float]]:
        return embeddings.embed_documents(list(texts))

    return embed


def _put(value: float) -> Callable[[list[list[float]], int], list[list[float]]]:
    def spoil(vectors: list[list[float]], at: int) -> list[list[float]]:
        return [[*v[:-1], value] if i == at else v for i, v in enumerate(vectors)]

    return spoil


def _refuse(vectors: list[list[float]], at: int) -> list[list[float]]:
    raise ConnectionError("503 Service Unavailable")


FAULTS: dict[str, Callable[[list[list[float]], int], list[list[float]]]] = {
    "nan": _put(math.nan),
    "infinite": _put(math.inf),
    "too_short": lambda vectors, at: [v[:-1] if i == at else v for i, v in enumerate(vectors)],
    "too_long": lambda vectors, at: [[*v, 0.5] if i == at else v for i, v in enumerate(vectors)],
    "empty_vector": lambda vectors, at: [[] if i == at else v for i, v in enumerate(vectors)],
    "too_few": lambda vectors, at: [v for i, v in enumerate(vectors) if i != at],
    "too_many": lambda vectors, at: [*vectors, vectors[at]],
    "raises": _refuse,
}


class FaultyEmbeddings(WordEmbeddings):
    """Works until a text holds the word `poison`, and then fails in the way named.

    Args:
        fault: A name in `FAULTS`.
    """

    def __init__(self, fault: str) -> None:
        super().__init__()
        self.fault = fault

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        vectors = super().embed_documents(texts)
        for at, text in enumerate(texts):
            if POISON in text:
                return FAULTS[self.fault](vectors, at)
        return vectors

    def embed_query(self, text: str) -> list[float]:
        vector = super().embed_query(text)
        if POISON not in text:
            return vector
        spoiled = FAULTS[self.fault]([vector], 0)
        return spoiled[0] if spoiled else []

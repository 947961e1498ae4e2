"""Items and questions made by a seed: texts of words as frequent as words are, and vectors.

Words follow Zipf's law (a word's frequency is about one over its rank), because that is what the
cost of a keyword index depends on: a few words are in nearly every text, most words in hardly any.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from langgraph_memory.evals.store.serving import ServedVectors
from langgraph_memory.evals.stores import Document

__all__ = ["Corpus", "Kind", "Question"]

Kind = Literal["gaussian", "clustered"]
Vectors = NDArray[np.float32]

VOCABULARY = 20_000
WORDS = (18, 32)
"""Words of a text, from and to."""
QUESTION_WORDS = 6
TOPICS = 10
CLUSTERS = 64
SPREAD = 0.8
"""Length of an item's own part beside its cluster's centre of length 1."""
_TOGETHER = 10
_SYLLABLES = ("ba", "de", "fi", "go", "lu", "ma", "ne", "ri", "so", "tu", "ka", "pe", "vi", "zo")


@dataclass(frozen=True, slots=True)
class Question:
    """A search in one namespace.

    Attributes:
        space: Number of the namespace.
        text: What is asked; the embedder knows its vector.
        vector: Of length 1.
        topic: The topic asked for, None for any.
    """

    space: int
    text: str
    vector: Vectors
    topic: str | None = None


class Corpus:
    """Items spread evenly over namespaces, and questions about them.

    Args:
        spaces: How many namespaces.
        each: Items in each.
        dims: Dimensions of the vectors.
        kind: ``gaussian``: independent directions; ``clustered``: similar within clusters.
        seed: Makes the same corpus again.
    """

    def __init__(self, spaces: int, each: int, *, dims: int, kind: Kind, seed: int) -> None:
        self.spaces = spaces
        self.each = each
        self.dims = dims
        self.embedder = ServedVectors()
        self._random = np.random.default_rng(seed)
        self._words = np.array([_word(number) for number in range(VOCABULARY)])
        frequency = 1.0 / np.arange(1, VOCABULARY + 1)
        self._cumulated = np.cumsum(frequency / frequency.sum())
        self._centres = _unit(self._random.standard_normal((CLUSTERS, dims), dtype=np.float32))
        self._kind = kind
        self.texts, self.vectors = self._items(spaces * each)
        self.topics = [f"topic-{n}" for n in self._random.integers(TOPICS, size=len(self.texts))]

    def __len__(self) -> int:
        return len(self.texts)

    def namespace(self, space: int) -> tuple[str, ...]:
        """The labels of a namespace."""
        return ("evals", f"user-{space}")

    def documents(self) -> Iterator[Document]:
        """All items, as they come in: some for one namespace, then some for another."""
        rounds = range(0, self.each, _TOGETHER)
        for start in rounds:
            for space in np.random.default_rng(start).permutation(self.spaces):
                for number in range(start, min(start + _TOGETHER, self.each)):
                    yield self.document(int(space), number)

    def document(self, space: int, number: int) -> Document:
        """An item by its place."""
        row = space * self.each + number
        return Document(self.namespace(space), f"m{number}", self.texts[row], self.topics[row])

    def fresh(self, space: int, keys: Sequence[str]) -> list[Document]:
        """New texts under these keys, which need not be new."""
        texts, _ = self._items(len(keys))
        pairs = zip(keys, texts, strict=True)
        return [Document(self.namespace(space), key, text, "topic-0") for key, text in pairs]

    def question(self, space: int, *, filtered: bool = False) -> Question:
        """A question whose words are an item's and whose vector is drawn as the items' are."""
        row = space * self.each + int(self._random.integers(self.each))
        words = self.texts[row].split()
        asked = " ".join(self._random.choice(words, size=min(QUESTION_WORDS, len(words))))
        [text], vector = self._known([asked], self._directions(1))
        return Question(space, text, vector[0], self.topics[row] if filtered else None)

    def nearest(self, question: Question, limit: int = 10) -> list[str]:
        """The keys of the nearest items by exact search, best first."""
        rows = slice(question.space * self.each, (question.space + 1) * self.each)
        similarity = self.vectors[rows] @ question.vector
        numbers = np.arange(self.each)
        if question.topic is not None:
            numbers = np.flatnonzero(np.array(self.topics[rows]) == question.topic)
        best = numbers[np.argsort(-similarity[numbers], kind="stable")[:limit]]
        return [f"m{number}" for number in best]

    def _items(self, count: int) -> tuple[list[str], Vectors]:
        lengths = self._random.integers(WORDS[0], WORDS[1] + 1, size=count)
        ranks = np.searchsorted(self._cumulated, self._random.random(int(lengths.sum())))
        words = self._words[np.minimum(ranks, VOCABULARY - 1)]
        texts = [" ".join(part) for part in np.split(words, np.cumsum(lengths)[:-1])]
        return self._known(texts, self._directions(count))

    def _directions(self, count: int) -> Vectors:
        own = self._random.standard_normal((count, self.dims), dtype=np.float32)
        if self._kind == "gaussian":
            return _unit(own)
        centres = self._centres[self._random.integers(CLUSTERS, size=count)]
        return _unit(centres + np.float32(SPREAD) * _unit(own))

    def _known(self, texts: Sequence[str], vectors: Vectors) -> tuple[list[str], Vectors]:
        """Texts, told apart where two are the same, so that each has one vector."""
        different: list[str] = []
        mine: set[str] = set()
        for text in texts:
            while text in mine or text in self.embedder:
                text = f"{text} {self._words[self._random.integers(VOCABULARY)]}"
            mine.add(text)
            different.append(text)
        self.embedder.add(different, vectors)
        return different, vectors


def _word(number: int) -> str:
    """A word that can be spoken, for every number another one."""
    word = ""
    number += len(_SYLLABLES)
    while number:
        number, syllable = divmod(number, len(_SYLLABLES))
        word += _SYLLABLES[syllable]
    return word


def _unit(vectors: Vectors) -> Vectors:
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / length, dtype=np.float32)

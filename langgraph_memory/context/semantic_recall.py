"""SemanticRecall: the newest messages, and older ones that bear on the question."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from threading import Lock

import numpy as np
from langchain_core.embeddings import Embeddings
from langchain_core.messages import BaseMessage

from langgraph_memory.calls import Call, Steps
from langgraph_memory.context.budget import check_count
from langgraph_memory.context.strategy import (
    ContextRequest,
    ContextStrategy,
    ContextView,
    Selection,
    build_view,
    with_openers,
)
from langgraph_memory.errors import InvalidInputError
from langgraph_memory.messages import Thread, Unit, made_kind, text_of
from langgraph_memory.messages.thread import last_units

Vector = np.ndarray[tuple[int], np.dtype[np.float32]]
REMEMBERED = 4_096


@dataclass(frozen=True, eq=False)
class SemanticRecall(ContextStrategy):
    """Keep the newest messages and those older units whose meaning is nearest to the question.

    The question is the newest user message. Units are compared by the cosine of their embeddings
    and stay in their original order. Texts are embedded once and remembered.

    Args:
        embeddings: Any LangChain embedder.
        k: How many older units.
        keep_last: How many of the newest messages.
    """

    embeddings: Embeddings
    k: int = 10
    keep_last: int = 10
    _vectors: _Vectors = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_count("k", self.k)
        check_count("keep_last", self.keep_last)
        if not hasattr(self.embeddings, "embed_documents"):
            raise InvalidInputError(
                f"embeddings must be a LangChain Embeddings object, not {self.embeddings!r}."
            )
        object.__setattr__(self, "_vectors", _Vectors())

    def steps(self, messages: Sequence[BaseMessage], request: ContextRequest) -> Steps[ContextView]:
        """Embed what is new, choose the nearest, and build the view."""
        thread = Thread.of(messages)
        keep = thread.essentials().union(last_units(thread, self.keep_last))
        older = [
            (unit, text)
            for unit in thread.units
            if unit.indices[0] not in keep and (text := unit_text(unit))
        ]
        question = "" if thread.current is None else text_of(thread.messages[thread.current])
        degraded = ""
        if question and len(older) > self.k > 0:
            texts = [text for _, text in older]
            try:
                scores = yield from self._scores(question, texts)
            except Exception as error:
                degraded = f"the embedder raised {type(error).__name__}: {error}"
                scores = np.arange(len(texts), dtype=np.float32)
            nearest = np.argsort(-scores, kind="stable")[: self.k]
        else:
            nearest = np.arange(min(self.k, len(older)))
        for place in nearest:
            keep.update(older[int(place)][0].indices)
        selection = Selection(
            with_openers(thread, keep, request),
            why=lambda _: f"not among the {self.k} older units nearest to the question",
            degraded=degraded,
        )
        return build_view(self, thread, selection, request)

    def _scores(self, question: str, texts: list[str]) -> Steps[Vector]:
        unknown = self._vectors.unknown(texts)
        if unknown:
            made = yield Call(
                partial(self.embeddings.embed_documents, unknown),
                partial(self.embeddings.aembed_documents, unknown),
            )
            self._vectors.add(unknown, made)
        asked = yield Call(
            partial(self.embeddings.embed_query, question),
            partial(self.embeddings.aembed_query, question),
        )
        return self._vectors.cosines(asked, texts)


def unit_text(unit: Unit) -> str:
    """What a unit says, for comparing meanings; empty for system messages and made-up ones."""
    if unit.kind == "system" or made_kind(unit.messages[0]) is not None:
        return ""
    return "\n".join(text for message in unit if (text := text_of(message)))


class _Vectors:
    """Embeddings by text, the most recently used ones; of one length and in unit form."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, Vector] = OrderedDict()
        self._lock = Lock()

    def unknown(self, texts: Sequence[str]) -> list[str]:
        with self._lock:
            return [text for text in dict.fromkeys(texts) if text not in self._known]

    def add(self, texts: Sequence[str], vectors: Sequence[Sequence[float]]) -> None:
        if len(texts) != len(vectors):
            raise ValueError(f"{len(vectors)} embeddings for {len(texts)} texts")
        with self._lock:
            for text, vector in zip(texts, vectors, strict=True):
                self._known[text] = _unit(vector)

    def cosines(self, question: Sequence[float], texts: Sequence[str]) -> Vector:
        with self._lock:
            rows = []
            for text in texts:
                self._known.move_to_end(text)
                rows.append(self._known[text])
            while len(self._known) > max(REMEMBERED, len(texts)):
                self._known.popitem(last=False)
        return np.asarray(np.stack(rows) @ _unit(question), dtype=np.float32)


def _unit(vector: Sequence[float]) -> Vector:
    array = np.asarray(vector, dtype=np.float32)
    if array.ndim != 1 or not np.isfinite(array).all():
        raise ValueError("an embedding is not a list of finite numbers")
    length = float(np.linalg.norm(array))
    return array / length if length else array

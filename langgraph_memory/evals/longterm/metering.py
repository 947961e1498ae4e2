"""What a conversation costs, counted where the calls are made."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.embeddings import Embeddings
from langchain_core.messages import BaseMessage

from langgraph_memory.messages import text_of

__all__ = ["Calls", "Meter", "MeteredEmbeddings", "injected"]


@dataclass
class Calls:
    """Calls of a model for one purpose.

    Attributes:
        count: How many.
        input: Tokens sent, tool schemas included.
        output: Tokens answered.
    """

    count: int = 0
    input: int = 0
    output: int = 0


@dataclass
class Meter:
    """Counts the calls of one contender.

    Attributes:
        calls: By purpose.
        embedder_calls: Requests to the embedder.
        embedded_texts: Texts in them.
        replies: The requests for a reply since this list was last emptied.
    """

    calls: dict[str, Calls] = field(default_factory=dict)
    embedder_calls: int = 0
    embedded_texts: int = 0
    replies: list[list[BaseMessage]] = field(default_factory=list)

    def add(self, purpose: str, sent: int, answered: int) -> None:
        """Count a call of the model, in tokens."""
        calls = self.calls.setdefault(purpose, Calls())
        calls.count += 1
        calls.input += sent
        calls.output += answered


class MeteredEmbeddings(Embeddings):
    """Counts what an embedder is asked for; whatever else it has, such as a scale, is its own.

    Args:
        embeddings: The embedder.
        meter: Where it is counted.
    """

    def __init__(self, embeddings: Embeddings, meter: Meter) -> None:
        self._embeddings = embeddings
        self._meter = meter

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Vectors of texts to store."""
        self._count(len(texts))
        return self._embeddings.embed_documents(texts)

    def embed_query(self, text: str) -> list[float]:
        """The vector of a text to search by."""
        self._count(1)
        return self._embeddings.embed_query(text)

    def __getattr__(self, name: str) -> Any:
        # A copy that is being made has no embedder yet, and is asked for private names only.
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._embeddings, name)

    def _count(self, texts: int) -> None:
        self._meter.embedder_calls += 1
        self._meter.embedded_texts += texts


def injected(request: Sequence[BaseMessage], own: Collection[str]) -> str:
    """What memory put into a request: all text that is not the thread's own.

    Args:
        request: The messages of a call.
        own: The system prompt, and the texts of the thread's messages.
    """
    parts = []
    for message in request:
        text = text_of(message)
        # In front of the prompt or the message, or behind it.
        for known in sorted(own, key=len, reverse=True):
            if known and (text.startswith(known) or text.endswith(known)):
                text = text.removeprefix(known) if text.startswith(known) else text[: -len(known)]
                break
        parts.append(text.strip())
    return "\n".join(part for part in parts if part)

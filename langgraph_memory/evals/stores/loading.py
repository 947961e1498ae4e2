"""Stores of yours, by import path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

from langgraph.store.base import BaseStore

from langgraph_memory.errors import InvalidInputError
from langgraph_memory.evals.importing import imported
from langgraph_memory.evals.stores.contender import Backend, Place, StoreContender
from langgraph_memory.evals.stores.sessions import BaseStoreSession

__all__ = ["load_store"]

_BACKENDS: Mapping[str, Backend] = {"": "sqlite", "memory": "memory", "postgres": "postgres"}


def load_store(path: str) -> StoreContender:
    """Load a store for the table.

    Args:
        path: ``module:attribute``; with ``@postgres`` behind it for a store that needs a Postgres
            database, with ``@memory`` for one that keeps nothing when it is closed. The attribute
            is a callable ``(index, place)``. `index` is LangGraph's index configuration; `place`
            has `folder`, a folder of its own, and `dsn`, the connection string of an empty
            database or None. It returns a `BaseStore`, or a context manager of one. A store that
            has `setup()` is set up.

    Raises:
        InvalidInputError: There is no such attribute, or it cannot be called.
    """
    importable, marker, kind = path.partition("@")
    if bool(marker) != bool(kind) or kind not in _BACKENDS:
        raise InvalidInputError(
            f"{path!r} ends with '@{kind}'. Write '@postgres' for a store that needs a Postgres "
            "database, '@memory' for one that keeps nothing when it is closed, or nothing."
        )
    backend: Backend = _BACKENDS[kind]
    found = imported(importable, "a store", path)
    if not callable(found):
        raise InvalidInputError(
            f"{path!r} is {found!r}, which cannot be called. Give a callable (index, place) that "
            "returns a BaseStore or a context manager of one."
        )

    @contextmanager
    def opened(place: Place, index: Mapping[str, Any]) -> Iterator[BaseStoreSession]:
        with ExitStack() as stack:
            store: Any = found(dict(index), place)
            if hasattr(store, "__enter__"):
                store = stack.enter_context(store)
            if not isinstance(store, BaseStore):
                raise InvalidInputError(
                    f"{path!r} returned {store!r}, which is no LangGraph BaseStore."
                )
            if hasattr(store, "setup"):
                store.setup()
            yield BaseStoreSession(store)

    return StoreContender(path, backend, opened, {})

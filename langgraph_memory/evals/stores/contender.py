"""What an evaluation asks of a store, whatever kind of store it is."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

__all__ = ["MODES", "Backend", "Document", "Mode", "Place", "Session", "StoreContender"]

Namespace = tuple[str, ...]
Backend = Literal["memory", "sqlite", "postgres"]
Mode = Literal["vector", "keyword", "hybrid"]
MODES: tuple[Mode, ...] = ("vector", "keyword", "hybrid")


@dataclass(frozen=True, slots=True)
class Document:
    """An item to store.

    Attributes:
        namespace: Where it is put.
        key: Its key there.
        text: What is indexed.
        topic: What it can be filtered by.
    """

    namespace: Namespace
    key: str
    text: str
    topic: str = ""

    @property
    def value(self) -> dict[str, Any]:
        """The value that a LangGraph store holds for it."""
        return {"text": self.text, "topic": self.topic}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a store lives; opened there again, it finds what it wrote.

    Attributes:
        folder: A folder of its own.
        dsn: Connection string of a Postgres database of its own; None if there is no server.
    """

    folder: Path
    dsn: str | None = None


class Session(Protocol):
    """An open store."""

    @property
    def modes(self) -> Sequence[Mode]:
        """The kinds of search it has."""
        ...

    def load(self, documents: Sequence[Document]) -> None:
        """Fill it, in the fastest way that leaves it as if the documents had been put."""
        ...

    def put(self, documents: Sequence[Document]) -> None:
        """Put documents at once, as an application does."""
        ...

    def search(
        self,
        namespace: Namespace,
        query: str,
        *,
        mode: Mode,
        limit: int = 10,
        topic: str | None = None,
    ) -> list[str]:
        """Keys of what is found, best first; only of that topic where one is given."""
        ...

    def get(self, namespace: Namespace, key: str) -> bool:
        """Whether an item is there, which is read whole."""
        ...

    def list(self, namespace: Namespace, limit: int = 10) -> list[str]:
        """Keys of some items, without a query."""
        ...


Opening = Callable[[Place, Mapping[str, Any]], AbstractContextManager[Session]]


@dataclass(frozen=True)
class StoreContender:
    """A store in the table.

    Attributes:
        name: Its row's name.
        backend: Where it keeps things; stores of one kind are compared with each other.
        open: Opens it, with LangGraph's index configuration, creating what is not there.
        modules: What must be installed, by module name, with the package that brings it.
        unable: Says why it cannot run here although everything is installed, or None.
        largest: Items that it can hold within reason; None if there is no such limit.
    """

    name: str
    backend: Backend
    open: Opening
    modules: Mapping[str, str]
    unable: Callable[[], str | None] = lambda: None
    largest: int | None = None

    def missing(self) -> str | None:
        """Why it cannot run here, None if it can."""
        for module, package in self.modules.items():
            try:
                importlib.import_module(module)
            except ImportError as error:
                return f"not installed ({error}). Install it with: pip install '{package}'"
        return self.unable()

"""What plays a script: an agent with some memory."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel

from langgraph_memory.evals.longterm.script import Turn

__all__ = ["Player", "Scene", "Session"]


@dataclass(frozen=True)
class Scene:
    """What a contender works with, the same for all.

    Attributes:
        model: For replies and for remembering.
        embeddings: The embedder.
        dims: How many numbers a vector of it has.
        folder: An empty folder for what is kept.
    """

    model: BaseChatModel
    embeddings: Embeddings
    dims: int
    folder: Path


class Session(Protocol):
    """An agent with its memory."""

    def say(self, turn: Turn) -> Iterable[str]:
        """Have a message answered and remembered; the texts of the thread so far."""
        ...

    def end_thread(self, turn: Turn) -> None:
        """The thread's last turn is over, and some time passes."""
        ...


@dataclass(frozen=True)
class Player:
    """A row of the table.

    Attributes:
        name: Its name.
        open: Opens it.
        modules: What must be installed, by module name, with the package that brings it.
    """

    name: str
    open: Callable[[Scene], AbstractContextManager[Session]]
    modules: Mapping[str, str] = field(default_factory=dict)

    def missing(self) -> str | None:
        """Why it cannot play here, None if it can."""
        for module, package in self.modules.items():
            # Not imported: some of them do things when they are.
            if importlib.util.find_spec(module) is None:
                return f"not installed. Install it with: pip install '{package}'"
        return None

"""What `Memory` may be given: looked at once, so that a slip is told where it was made."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from typing import Any, get_args

from langgraph.checkpoint.base import BaseCheckpointSaver
from pydantic import BaseModel

from langgraph_memory.errors import InvalidInputError
from langgraph_memory.identity import Identification
from langgraph_memory.service import Placement
from langgraph_memory.settings import AgentSettings, Settings
from langgraph_memory.shown import shown
from langgraph_memory.store import MemoryStore

__all__ = ["check_options"]


def _of(*types: type[Any]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, types)


def _is_seconds(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and math.isfinite(value) and value >= 0


_NEEDED: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "url": (_of(str, os.PathLike), "the path of an SQLite file, or 'postgresql://…'"),
    "agent": (lambda value: isinstance(value, str) and bool(value.strip()), "the agent's name"),
    "debounce": (_is_seconds, "a number of seconds, 0 or more"),
    "store": (_of(MemoryStore), "a MemoryStore, or use Memory.open(url)"),
}
_OPTIONAL: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "checkpointer": (_of(BaseCheckpointSaver), "a LangGraph checkpointer, or None"),
    "settings": (
        _of(Settings, Mapping, str, os.PathLike),
        "the path of a YAML file, the settings themselves, or None",
    ),
    "profile": (
        lambda value: isinstance(value, type) and issubclass(value, BaseModel),
        "a class derived from pydantic.BaseModel, or None",
    ),
    "agent_settings": (_of(AgentSettings), "what Settings.of(agent) returns, or None"),
    "identification": (_of(Identification), "an Identification, or None"),
    "index": (
        _of(str, Mapping),
        "an embedder's name such as 'local', {'dims': …, 'embed': …}, or None",
    ),
    "resolver": (callable, "a function that is given the runtime and returns the user, or None"),
    "trust_context": (_of(bool), "True, False or None"),
    "on_event": (callable, "a function that is given an event, or None"),
    "on_recall": (callable, "a function that is given what was recalled, or None"),
    "placement": (
        lambda value: isinstance(value, str) and value in get_args(Placement),
        f"one of {', '.join(map(repr, get_args(Placement)))}, or None",
    ),
}


def check_options(**given: Any) -> None:
    """Refuse what cannot be meant.

    Raises:
        InvalidInputError: It names the option, its value, and what to give.
    """
    for name, value in given.items():
        fits, wanted = _NEEDED.get(name) or _OPTIONAL[name]
        if not fits(value) and (name in _NEEDED or value is not None):
            raise InvalidInputError(
                f"{name.removeprefix('agent_')}={shown(value)} cannot be used: give {wanted}."
            )

"""Environment variables over what a file says.

``LANGGRAPH_MEMORY__AGENTS__MY_AGENT__LONG_TERM_MEMORY__MAX_ITEMS=50`` sets one value. A variable
cannot be spelled like every agent, so ``MY_AGENT`` is an agent ``my-agent``, ``My Agent`` or
``my_agent``, whichever there is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from langgraph_memory.errors import InvalidSettingsError
from langgraph_memory.settings.given import NO_SECTION, Given, KeyPath

__all__ = ["override"]

_PREFIX = "LANGGRAPH_MEMORY__"
_MISSPELT = re.compile(
    r"LANGGRAPH_MEMORY_(?:(?:DEFAULTS|AGENTS|LONG_TERM_MEMORY|MEMORY_TOOLS)(?:_|$)|[^_].*__)",
    re.IGNORECASE,
)


def override(
    given: Given, environment: Mapping[str, str], agents: Iterable[str], *, closed: bool
) -> None:
    """Put what variables say over what is given.

    Args:
        given: Is changed.
        environment: All variables; those of others are passed over.
        agents: Names of agents that a variable may mean.
        closed: Whether there are no others.

    Raises:
        InvalidSettingsError: A variable means no agent or several, or a whole section.
    """
    known = sorted(set(agents))
    by_variable: dict[KeyPath, str] = {}
    for variable, text in sorted(environment.items()):
        if _MISSPELT.match(variable):
            raise InvalidSettingsError(
                f"The variable {variable} needs two underscores between keys, also after "
                f"LANGGRAPH_MEMORY, and a section: {_PREFIX}DEFAULTS__… or {_PREFIX}AGENTS__…"
            )
        if not variable.upper().startswith(_PREFIX):
            continue
        path = tuple(variable[len(_PREFIX) :].lower().split("__"))
        if path[0] == "agents" and len(path) > 1:
            path = ("agents", _meant(path[1], variable, known, closed=closed), *path[2:])
        if path in by_variable:
            raise InvalidSettingsError(
                f"The variables {by_variable[path]} and {variable} set the same: remove one."
            )
        by_variable[path] = variable
        _set(given, path, variable, text)


def _set(given: Given, path: KeyPath, variable: str, text: str) -> None:
    place = f"the variable {variable}"
    section = given.values
    for depth, part in enumerate(path[:-1], 1):
        given.places.setdefault(path[:depth], place)
        if section.get(part) is None:
            section[part] = {}
        if not isinstance(section[part], dict):
            raise given.fault(path[:depth], NO_SECTION, section[part])
        section = section[part]
    given.places[path] = place
    if isinstance(section.get(path[-1]), dict):
        # Replacing it would silently undo all that the file says there.
        raise given.fault(path, "is a section; set the keys in it, each by a variable", text)
    section[path[-1]] = _value(text)


def _value(text: str) -> str | None:
    text = text.strip()
    if text in ("", "null", "~"):
        return None
    # What reads variables from files often leaves the quotes.
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1] if quoted else text


def _meant(part: str, variable: str, known: list[str], *, closed: bool) -> str:
    """The agent that a part of a variable's name stands for."""
    names = [name for name in known if _spelled(name) == _spelled(part)]
    if len(names) == 1:
        return names[0]
    if names:
        raise InvalidSettingsError(
            f"The variable {variable} may mean the agents {', '.join(map(repr, names))}: give "
            "them names that differ in more than case and punctuation."
        )
    if closed:
        raise InvalidSettingsError(
            f"The variable {variable} is for an agent {part!r}, which the settings do not have; "
            f"there are {', '.join(map(repr, known))}."
        )
    return part


def _spelled(name: str) -> str:
    return re.sub(r"[\W_]+", "_", name).strip("_").casefold()

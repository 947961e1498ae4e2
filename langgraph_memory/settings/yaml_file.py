"""A YAML file as sections, with the line of every key.

Names and values are kept as they are written: an agent may be called ``1`` or ``on``, a namespace
``2024-05``, and ``010`` is no octal number. What is a number or a switch, the settings know.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from langgraph_memory.errors import InvalidSettingsError
from langgraph_memory.settings.given import Given, KeyPath
from langgraph_memory.shown import shown

__all__ = ["read_yaml"]

_TAG = "tag:yaml.org,2002:"
_TEXT = f"{_TAG}str"
_MERGE = f"{_TAG}merge"
_GUESSED = frozenset(_TAG + kind for kind in ("bool", "int", "float", "timestamp"))


def read_yaml(file: Path) -> Given:
    """Read a file.

    Raises:
        InvalidSettingsError: There is none, it is not YAML, or a key stands twice in a section.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise InvalidSettingsError(f"The settings {str(file)!r} cannot be read: {error}") from error
    places: dict[KeyPath, str] = {}
    try:
        loader = yaml.SafeLoader(text)
        try:
            root = loader.get_single_node()
            _note(root, (), str(file), places)
            values = None if root is None else loader.construct_document(root)
        finally:
            loader.dispose()
    except (yaml.YAMLError, ValueError) as error:
        if isinstance(error, InvalidSettingsError):
            raise
        raise InvalidSettingsError(
            f"The settings are not YAML: {_told(error, file, text)}."
        ) from error
    except RecursionError:
        raise InvalidSettingsError(f"{file} is nested too deeply, or in itself.") from None
    if values is None:
        return Given()
    if not isinstance(values, dict):
        raise InvalidSettingsError(
            f"The settings must hold the sections 'defaults' and 'agents', not "
            f"{shown(values)} ({file}, line {root.start_mark.line + 1})."
        )
    return Given(values, places)


def _told(error: Exception, file: Path, text: str) -> str:
    """What is wrong, and where, as in other messages."""
    if isinstance(error, yaml.reader.ReaderError):
        return f"{error.reason} ({file}, line {text.count(chr(10), 0, error.position) + 1})"
    mark = getattr(error, "problem_mark", None)
    if mark is None:
        return f"{error} ({file})"
    return f"{getattr(error, 'problem', '')} ({file}, line {mark.line + 1})"


def _note(node: Any, at: KeyPath, file: str, places: dict[KeyPath, str]) -> None:
    """Note where keys stand, and make text of what YAML would guess a type for."""
    if isinstance(node, yaml.ScalarNode) and node.tag in _GUESSED:
        node.tag = _TEXT
    if not isinstance(node, yaml.MappingNode):
        return
    lines: dict[str, int] = {}
    merged: list[Any] = []
    for key, value in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            raise InvalidSettingsError(f"A key must be a name ({file}, line {line}).")
        if key.tag == _MERGE:
            merged += value.value if isinstance(value, yaml.SequenceNode) else [value]
            continue
        key.tag = _TEXT
        path = (*at, key.value)
        if key.value in lines:
            raise InvalidSettingsError(
                f"{'.'.join(path)} stands twice ({file}, lines {lines[key.value]} and {line}). "
                "Put both together."
            )
        lines[key.value] = line
        places.setdefault(path, f"{file}, line {line}")
        _note(value, path, file, places)
    for each in merged:  # Last, as what a section says itself counts.
        _note(each, at, file, places)

"""From a file and the environment to checked settings."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from langgraph_memory.settings.given import NO_SECTION, Given, KeyPath
from langgraph_memory.settings.model import AgentSettings, LongTermMemorySettings, Settings
from langgraph_memory.settings.variables import override
from langgraph_memory.settings.yaml_file import read_yaml

__all__ = ["load_settings"]

_PATHS = {name: name for name in AgentSettings.model_fields} | {
    name: f"long_term_memory.{name}" for name in LongTermMemorySettings.model_fields
}


def load_settings(
    file: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    environment: Mapping[str, str] | None = None,
    *,
    opened: str | None = None,
) -> Settings:
    """Read a YAML file and the environment.

    Args:
        file: The file, or what would be in it; None for the environment alone.
        environment: Variables; by default the process's own.
        opened: An agent that code opens. Variables reach it though no file has it, and without a
            file its memory is on, unless a variable says otherwise.

    Raises:
        InvalidSettingsError: If there is no such file, or a key or value is not one of ours. The
            message names the key and the line or variable.
    """
    given = _given(file, opened)
    listed = given.values.get("agents")
    names = [name for name in listed if isinstance(name, str)] if isinstance(listed, dict) else []
    override(
        given,
        os.environ if environment is None else environment,
        names if opened is None else [*names, opened],
        closed=file is not None and bool(names),
    )
    for name, section in given.values.items():
        if name not in ("defaults", "agents"):
            raise given.fault((str(name),), "is no section; there are 'defaults' and 'agents'")
        if section is not None and not isinstance(section, dict):
            raise given.fault((name,), NO_SECTION, section)
    agents = given.values.get("agents") or {}
    for name in agents:
        if not isinstance(name, str) or not name.strip():
            told = "an agent's name must be text that is not blank"
            raise given.fault(("agents", str(name)), told, name)
        if name != name.strip():
            told = "an agent's name has no blanks around it"
            raise given.fault(("agents", name), told, name)
    return Settings(
        defaults=_agent(given, given.values.get("defaults"), ("defaults",)),
        agents={name: _agent(given, own, ("agents", name)) for name, own in agents.items()},
    )


def _given(file: str | os.PathLike[str] | Mapping[str, Any] | None, opened: str | None) -> Given:
    if isinstance(file, Mapping):
        return Given(_copied(file))
    if file is not None:
        return read_yaml(Path(file))
    if opened is None:
        return Given()
    return Given({"defaults": {"long_term_memory": {"enabled": True}}, "agents": {opened: None}})


def _copied(value: Any) -> Any:
    """A copy, in which every mapping, of whatever kind, is a dict."""
    if not isinstance(value, Mapping):
        return value
    return {key: _copied(inner) for key, inner in value.items()}


def _agent(given: Given, values: Any, at: KeyPath) -> AgentSettings:
    try:
        return AgentSettings.model_validate({} if values is None else values)
    except ValidationError as error:
        fault = error.errors()[0]
        where = (*at, *(str(part) for part in fault["loc"]))
        told = _told(where[-1], fault["type"], fault["msg"])
        raise given.fault(where, told, fault.get("input")) from error


def _told(name: str, kind: str, message: str) -> str:
    if kind == "model_type":
        return NO_SECTION
    if kind != "extra_forbidden":
        return message
    near = difflib.get_close_matches(name, _PATHS, n=1)
    return f"is no setting here; there is {_PATHS[near[0]]!r}" if near else "is no setting"

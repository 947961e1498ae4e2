"""What an application sets once, in a YAML file or the environment, for all agents and for each.

```yaml
defaults:
  long_term_memory: {enabled: false, namespace: default, max_items: 100}
  memory_tools: false
agents:
  chat:
    memory_tools: true
    long_term_memory: {enabled: true, namespace: chat, max_items: 200}
```

A variable overrides the file: ``LANGGRAPH_MEMORY__AGENTS__CHAT__MEMORY_TOOLS=true``, with two
underscores between keys. Long-term memory is off until an agent switches it on. This is the only
module that reads the environment.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from langgraph_memory.errors import InvalidSettingsError

__all__ = ["AgentSettings", "LongTermMemorySettings", "Settings", "load_settings"]

PREFIX = "LANGGRAPH_MEMORY__"

KeyPath = tuple[str, ...]
Share = Annotated[float, Field(ge=0, le=1)]
Tokens = Annotated[int, Field(ge=0)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)


class LongTermMemorySettings(_Section):
    """Long-term memory of one agent.

    Attributes:
        enabled: Whether there is any.
        namespace: Name of the agent in namespaces: agents of one name share memories.
        max_items: Active memories kept per user, at most 1,000.
        auto_extract: Whether turns are read for memories in the background.
        auto_load: Whether memories are recalled before each call of the model.
        load_max_items: Memories recalled at most.
        load_timeout: Seconds that a reply waits for them at most; then it goes without.
        min_similarity: Cosine below which a memory that has no word in common is not recalled;
            None leaves it to the embedder, if it knows, else to the ranking. Every embedder has
            its own scale: 0.75 for OpenAI's first ones, 0.15 for the local one.
        duplicate_similarity: Cosine from which on two statements are one.
        memory_tokens: Tokens for recalled memories.
        profile_tokens: Tokens for the user's profile.
        profile_every: Turns after which the profile is looked after at the latest.
        task_tokens: Tokens for unfinished tasks.
        placement: Where recalled memories go: just before the newest user message, which keeps the
            provider's cached prefix, or into the system prompt, or into the layers of a `Layered`
            strategy.
        daily_quota: Memories extracted per user and day.
        trace_content: Whether traces in LangSmith show memories.
        extraction_model: ``provider:model`` that reads turns; None for the rules, which cost no
            call.
    """

    enabled: bool = False
    namespace: Annotated[str, Field(min_length=1)] = "default"
    max_items: Annotated[int, Field(ge=1, le=1_000)] = 100
    auto_extract: bool = True
    auto_load: bool = True
    load_max_items: Annotated[int, Field(ge=0, le=100)] = 10
    load_timeout: Annotated[float, Field(gt=0)] = 10.0
    min_similarity: Share | None = None
    duplicate_similarity: Share = 0.95
    memory_tokens: Tokens = 1_000
    profile_tokens: Tokens = 200
    profile_every: Annotated[int, Field(ge=1)] = 5
    task_tokens: Tokens = 400
    placement: Literal["before_last_user", "system", "layers"] = "before_last_user"
    daily_quota: Annotated[int, Field(ge=0)] = 50
    trace_content: bool = False
    extraction_model: str | None = None


class AgentSettings(_Section):
    """Everything that is set for one agent."""

    long_term_memory: LongTermMemorySettings = LongTermMemorySettings()
    memory_tools: bool = False


class Settings(_Section):
    """The settings of all agents; `of` has those of one."""

    defaults: AgentSettings = AgentSettings()
    agents: Mapping[str, AgentSettings] = {}

    def of(self, agent: str) -> AgentSettings:
        """The settings of an agent: its own over the defaults."""
        return self.agents.get(agent, self.defaults)


def load_settings(
    file: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    environment: Mapping[str, str] | None = None,
) -> Settings:
    """Read a YAML file and the environment.

    Args:
        file: The file, or what would be in it; None for the environment alone.
        environment: Variables; by default the process's own.

    Raises:
        InvalidSettingsError: If there is no such file, or a key or value is not one of ours. The
            message names the key and the line or variable.
    """
    given, places = _given(file)
    _override(given, places, os.environ if environment is None else environment)
    defaults, agents = given.pop("defaults", None), given.pop("agents", None)
    for name, section in (("defaults", defaults), ("agents", agents)):
        if section is not None and not isinstance(section, dict):
            raise _error((name,), "must be a section with keys of its own", places)
    if given:
        told = "is no section; there are 'defaults' and 'agents'"
        raise _error((next(iter(given)),), told, places)
    return Settings(
        defaults=_agent(defaults or {}, ("defaults",), places),
        agents={
            name: _agent(_merged(defaults or {}, own), ("agents", name), places)
            for name, own in (agents or {}).items()
        },
    )


def _agent(values: Any, at: KeyPath, places: Mapping[KeyPath, str]) -> AgentSettings:
    try:
        return AgentSettings.model_validate(values)
    except ValidationError as error:
        fault = error.errors()[0]
        where = (*at, *(str(part) for part in fault["loc"]))
        if where not in places:  # What an agent has from the defaults.
            where = ("defaults", *where[len(at) :])
        told = "is no setting" if fault["type"] == "extra_forbidden" else fault["msg"]
        raise _error(where, told, places, fault.get("input")) from error


def _merged(under: Any, over: Any) -> Any:
    """A section over another; sections within are merged, values replaced."""
    if over is None:
        return under
    if not isinstance(under, dict) or not isinstance(over, dict):
        return over
    both = {**under, **over}
    return both | {
        key: _merged(under[key], over[key])
        for key in under.keys() & over.keys()
        if isinstance(under[key], dict) and isinstance(over[key], dict)
    }


def _given(
    file: str | os.PathLike[str] | Mapping[str, Any] | None,
) -> tuple[dict[str, Any], dict[KeyPath, str]]:
    if file is None:
        return {}, {}
    if isinstance(file, Mapping):
        return deepcopy(dict(file)), {}
    return _read(Path(file))


def _read(file: Path) -> tuple[dict[str, Any], dict[KeyPath, str]]:
    """A file's keys and values, and where each key stands."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidSettingsError(f"The settings {str(file)!r} cannot be read: {error}") from error
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        given = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise InvalidSettingsError(f"{file} is not YAML: {error}") from error
    if given is None:
        return {}, {}
    if not isinstance(given, dict):
        raise InvalidSettingsError(f"{file} must hold the sections 'defaults' and 'agents'.")
    return given, dict(_lines(root, (), file))


def _lines(node: Any, at: KeyPath, file: Path) -> list[tuple[KeyPath, str]]:
    if not isinstance(node, yaml.MappingNode):
        return []
    found = []
    for key, value in node.value:
        path = (*at, str(key.value))
        found.append((path, f"{file}, line {key.start_mark.line + 1}"))
        found += _lines(value, path, file)
    return found


def _override(
    given: dict[str, Any], places: dict[KeyPath, str], environment: Mapping[str, str]
) -> None:
    for variable, text in sorted(environment.items()):
        if not variable.startswith(PREFIX):
            continue
        path = tuple(part.lower() for part in variable.removeprefix(PREFIX).split("__"))
        section = given
        for depth, part in enumerate(path[:-1], 1):
            inner = section.setdefault(part, {})
            if not isinstance(inner, dict):
                raise InvalidSettingsError(f"{variable}: {'.'.join(path[:depth])} is no section.")
            section = inner
            places.setdefault(path[:depth], f"the variable {variable}")
        section[path[-1]] = yaml.safe_load(text) if text.strip() else None
        places[path] = f"the variable {variable}"


def _error(
    at: KeyPath, told: str, places: Mapping[KeyPath, str], value: Any = None
) -> InvalidSettingsError:
    where = next((places[at[:end]] for end in range(len(at), 0, -1) if at[:end] in places), "?")
    given = "" if value is None or isinstance(value, dict) else f", given {value!r}"
    return InvalidSettingsError(f"{'.'.join(at)}: {told}{given} ({where}).")

"""Every setting with its default and its bounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator
from pydantic_core import PydanticCustomError

from langgraph_memory.errors import InvalidSettingsError

__all__ = ["AgentSettings", "LongTermMemorySettings", "Settings"]


def _no_flag(value: Any) -> Any:
    # As a number, false would be 0, which for a quota means no limit at all.
    if isinstance(value, bool):
        raise PydanticCustomError("number", "must be a number")
    return value


def _not_blank(value: Any) -> Any:
    if isinstance(value, str) and not value.strip():
        raise PydanticCustomError("blank", "must not be blank")
    return value


Whole = Annotated[int, BeforeValidator(_no_flag)]
Number = Annotated[float, BeforeValidator(_no_flag)]
Tokens = Annotated[Whole, Field(ge=0)]
Name = Annotated[str, BeforeValidator(_not_blank)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)


class LongTermMemorySettings(_Section):
    """Long-term memory of one agent.

    Attributes:
        enabled: Whether there is any.
        namespace: Name of the agent in namespaces: agents of one name share memories. None is the
            agent's own name.
        max_items: Active memories kept per user, at most 1,000.
        auto_extract: Whether turns are read for memories in the background.
        auto_load: Whether memories are recalled before each call of the model.
        load_max_items: Memories recalled at most.
        load_timeout: Seconds that a reply waits for them at most; then it goes without. At most
            300, as more are milliseconds by mistake.
        min_similarity: Cosine below which a memory that has no word in common is not recalled;
            None leaves it to the embedder, if it knows, else to the ranking. Every embedder has
            its own scale: 0.75 for OpenAI's first ones, 0.15 for the local one.
        duplicate_similarity: Cosine from which on two statements are one; above 0.
        memory_tokens: Tokens for recalled memories.
        profile_tokens: Tokens for the user's profile.
        profile_every: Turns after which the profile is looked after at the latest.
        task_tokens: Tokens for unfinished tasks.
        placement: Where recalled memories go: just before the newest user message, which keeps the
            provider's cached prefix, or into the system prompt, or into the layers of a `Layered`
            strategy.
        daily_quota: Memories extracted per user and day; 0 for no limit.
        trace_content: Whether traces in LangSmith show memories.
        extraction_model: ``provider:model`` that reads turns; None for the rules, which cost no
            call.
    """

    enabled: bool = False
    namespace: Name | None = None
    max_items: Annotated[Whole, Field(ge=1, le=1_000)] = 100
    auto_extract: bool = True
    auto_load: bool = True
    load_max_items: Annotated[Whole, Field(ge=0, le=100)] = 10
    load_timeout: Annotated[Number, Field(gt=0, le=300)] = 10.0
    min_similarity: Annotated[Number, Field(ge=0, le=1)] | None = None
    duplicate_similarity: Annotated[Number, Field(gt=0, le=1)] = 0.95
    memory_tokens: Tokens = 1_000
    profile_tokens: Tokens = 200
    profile_every: Annotated[Whole, Field(ge=1)] = 5
    task_tokens: Tokens = 400
    placement: Literal["before_last_user", "system", "layers"] = "before_last_user"
    daily_quota: Annotated[Whole, Field(ge=0)] = 50
    trace_content: bool = False
    extraction_model: Name | None = None


class AgentSettings(_Section):
    """Everything that is set for one agent.

    Attributes:
        long_term_memory: Its memory of users.
        memory_tools: Whether the middleware brings the memory tools along, where there is memory.
    """

    long_term_memory: LongTermMemorySettings = LongTermMemorySettings()
    memory_tools: bool = False

    @field_validator("long_term_memory", mode="before")
    @classmethod
    def _empty(cls, value: Any) -> Any:
        """A section with nothing in it, which YAML reads as null."""
        return {} if value is None else value

    def in_namespace(self, name: str) -> Self:
        """The same with another namespace."""
        memory = self.long_term_memory.model_copy(update={"namespace": name})
        return self.model_copy(update={"long_term_memory": memory})


class Settings(_Section):
    """The settings of all agents; `of` has those of one.

    Attributes:
        defaults: What holds where an agent says nothing else.
        agents: What each agent says itself.
    """

    defaults: AgentSettings = AgentSettings()
    agents: Mapping[str, AgentSettings] = {}

    def of(self, agent: str) -> AgentSettings:
        """The settings of an agent: what it says itself over the defaults, its namespace filled in.

        Raises:
            InvalidSettingsError: The settings are about other agents, and the defaults have no
                memory for all: a wrong name must not turn memory off.
        """
        if self.agents and agent not in self.agents and not self.defaults.long_term_memory.enabled:
            raise InvalidSettingsError(
                f"The settings have no agent {agent!r}, and their defaults do not switch memory "
                f"on; there are {', '.join(map(repr, self.agents))}. Open one of these, add "
                f"{agent!r} under 'agents', or set defaults.long_term_memory.enabled."
            )
        own = self.agents.get(agent, AgentSettings())
        said = self.defaults.model_dump(exclude_unset=True)
        memory = said.get("long_term_memory", {})
        said |= own.model_dump(exclude_unset=True)
        said["long_term_memory"] = memory | own.long_term_memory.model_dump(exclude_unset=True)
        found = AgentSettings.model_validate(said)
        return found.in_namespace(found.long_term_memory.namespace or agent)

"""The state of a graph with forms and artifacts in it."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict, cast, get_type_hints

from langgraph_memory.errors import InvalidInputError
from langgraph_memory.session.artifact import Artifact
from langgraph_memory.session.task_form import TaskForm

__all__ = ["state_with"]


def state_with(base: type[Any], *parts: TaskForm[Any] | Artifact) -> type[Any]:
    """A state schema with a channel for each form and artifact.

    It goes where LangGraph takes a state schema: `StateGraph(…)`, `create_react_agent(…,
    state_schema=…)`, `create_agent(…, state_schema=…)`.

    Args:
        base: The schema to add to, a TypedDict such as `MessagesState` or the agent's state.
        *parts: Forms and artifacts.

    Raises:
        InvalidInputError: If two channels would have the same name.
    """
    fields = get_type_hints(base, include_extras=True)
    for part in parts:
        if part.key in fields:
            raise InvalidInputError(
                f"The state has two channels named {part.key!r}; give one of them another key=…"
            )
        fields[part.key] = Annotated[dict[str, Any], part.merge]
    make: Any = TypedDict
    return cast(type[Any], make(f"{base.__name__}WithSession", fields, total=False))

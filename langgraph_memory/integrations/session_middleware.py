"""Forms and artifacts as middleware for `create_agent`: their state, their tools, their text."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from langchain.agents.middleware import AgentMiddleware, AgentState
from langchain.agents.middleware.types import ModelRequest, ModelResponse

from langgraph_memory.messages import with_text_after
from langgraph_memory.session import Artifact, TaskForm, state_with

__all__ = ["SessionMiddleware"]

Part = TaskForm[Any] | Artifact


class SessionMiddleware(AgentMiddleware[Any, Any, Any]):
    """Gives an agent forms and artifacts, and shows them at the end of the system message.

    Put it in front of `ContextMiddleware`, so that a budget counts what is shown.

    Args:
        parts: Forms and artifacts, each with the tokens that its block may have. What changes less
            often comes first, so that more of the request stays as it was.
    """

    def __init__(self, parts: Mapping[Part, int]) -> None:
        super().__init__()
        self._parts = dict(parts)
        self.state_schema = state_with(AgentState, *self._parts)
        self.tools = [tool for part in self._parts for tool in part.tools()]

    def wrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], ModelResponse[Any]],
    ) -> ModelResponse[Any]:
        """Show how things stand."""
        return handler(self._shown(request))

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """The same as `wrap_model_call`."""
        return await handler(self._shown(request))

    def _shown(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        blocks = [part.render(request.state, tokens=most) for part, most in self._parts.items()]
        text = "\n\n".join(block for block in blocks if block)
        return request.override(system_message=with_text_after(request.system_message, text))

"""Long-term memory as middleware for `langchain.agents.create_agent`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any, NotRequired

from langchain.agents.middleware import AgentMiddleware, AgentState
from langchain.agents.middleware.types import (
    ExtendedModelResponse,
    ModelRequest,
    ModelResponse,
    PrivateStateAttr,
    ToolCallRequest,
)
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool
from langgraph.config import get_config
from langgraph.runtime import Runtime
from langgraph.types import Command

from langgraph_memory.identity import OWNER_KEY
from langgraph_memory.integrations.memory_run import (
    RECALL_KEY,
    MemoryRun,
    MemoryRuns,
    shown_in_layers,
)
from langgraph_memory.service import Placement, Recollection, placed


class MemoryAgentState(AgentState[Any]):
    """The agent's state, and what memory keeps with the thread; callers cannot write it."""

    memory_owner: NotRequired[Annotated[dict[str, Any], PrivateStateAttr]]
    memory_recall: NotRequired[Annotated[dict[str, Any], PrivateStateAttr]]


class MemoryMiddleware(AgentMiddleware[MemoryAgentState, Any, Any]):
    """Recalls what is known about the user before the model is called, and remembers the turn.

    Recalling begins with the run, beside what other middleware prepares; remembering happens in the
    background after the reply. The agent's messages stay as they are. Made by
    `Memory.middleware()`. Put it before `ContextMiddleware`, so that its budget counts memories.

    Args:
        runs: Tells whose memories.
        placement: Where recalled memories go, see `LongTermMemorySettings`.
        tools: Memory tools for the agent.
        on_recall: Called with what the model is shown, to show or log it.
    """

    state_schema = MemoryAgentState
    # deepagents has a middleware of this class's name, and lets one take another's place by name.
    name = "LongTermMemory"

    def __init__(
        self,
        runs: MemoryRuns,
        *,
        placement: Placement = "before_last_user",
        tools: Sequence[BaseTool] = (),
        on_recall: Callable[[Recollection], None] | None = None,
    ) -> None:
        super().__init__()
        self.tools = list(tools)
        self._runs = runs
        self._placement = placement
        self._on_recall = on_recall

    def before_agent(self, state: MemoryAgentState, runtime: Runtime[Any]) -> dict[str, Any]:
        """Who is asking; recalling begins."""
        return _begun(self._runs.of(runtime, state, get_config(), "begins"), state)

    async def abefore_agent(self, state: MemoryAgentState, runtime: Runtime[Any]) -> dict[str, Any]:
        """The same as `before_agent`."""
        return _begun(await self._runs.aof(runtime, state, get_config(), "begins"), state)

    def wrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], ModelResponse[Any]],
    ) -> ExtendedModelResponse[Any]:
        """Show the model what was recalled."""
        run = self._runs.of(request.runtime, request.state, get_config())
        recollection = run.recollect(request.messages)
        with shown_in_layers(recollection):
            response = handler(self._with(request, recollection))
        return _kept(response, recollection)

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ExtendedModelResponse[Any]:
        """The same as `wrap_model_call`."""
        run = await self._runs.aof(request.runtime, request.state, get_config())
        recollection = await run.arecollect(request.messages)
        with shown_in_layers(recollection):
            response = await handler(self._with(request, recollection))
        return _kept(response, recollection)

    def wrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], ToolMessage | Command[Any]],
    ) -> ToolMessage | Command[Any]:
        """Refuse a stranger who goes on with a run that waits at its tools."""
        self._runs.of(request.runtime, request.state, request.runtime.config)
        return handler(request)

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        """The same as `wrap_tool_call`."""
        await self._runs.aof(request.runtime, request.state, request.runtime.config)
        return await handler(request)

    def after_agent(self, state: MemoryAgentState, runtime: Runtime[Any]) -> None:
        """Have the turn remembered."""
        run = self._runs.of(runtime, state, get_config(), "ends")
        run.end(state["messages"], state.get("memory_recall"))

    async def aafter_agent(self, state: MemoryAgentState, runtime: Runtime[Any]) -> None:
        """The same as `after_agent`."""
        run = await self._runs.aof(runtime, state, get_config(), "ends")
        run.end(state["messages"], state.get("memory_recall"))

    def _with(self, request: ModelRequest[Any], recollection: Recollection) -> ModelRequest[Any]:
        if self._on_recall is not None:
            self._on_recall(recollection)
        messages, system = placed(
            recollection, request.messages, request.system_message, self._placement
        )
        return request.override(messages=messages, system_message=system)


def _begun(run: MemoryRun, state: MemoryAgentState) -> dict[str, Any]:
    run.begin(state["messages"])
    return {OWNER_KEY: dict(run.owner)}


def _kept(response: Any, recollection: Recollection) -> ExtendedModelResponse[Any]:
    """The response, with the reasons for the recollection as the thread's."""
    update = {RECALL_KEY: recollection.to_state()}
    return ExtendedModelResponse(model_response=response, command=Command(update=update))

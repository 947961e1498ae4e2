"""Strategies as middleware for `langchain.agents.create_agent`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any, NotRequired, cast

from langchain.agents.middleware import AgentMiddleware, AgentState
from langchain.agents.middleware.internal_call_transformer import (
    InternalCallTransformer,
    internal_call_metadata,
)
from langchain.agents.middleware.types import (
    ExtendedModelResponse,
    ModelRequest,
    ModelResponse,
    PrivateStateAttr,
)
from langchain_core.messages import AnyMessage, BaseMessage, SystemMessage
from langgraph.types import Command

from langgraph_memory.context import Composite, ContextRequest, ContextStrategy, ContextView
from langgraph_memory.integrations.node import check_sendable, window_of
from langgraph_memory.integrations.ordered_steps import Step, strategy_of
from langgraph_memory.integrations.overflow import is_overflow, tighter, tighter_limit
from langgraph_memory.messages import Profile
from langgraph_memory.messages.profiles import profile_named
from langgraph_memory.summarization.state import STATE_KEY, merge_states, remembered

LEARNED = "learned_window"


class ContextAgentState(AgentState[Any]):
    """The agent's state and what context strategies remember, kept private."""

    # LangGraph takes the last of the annotations for the reducer.
    context_state: NotRequired[Annotated[dict[str, Any], PrivateStateAttr, merge_states]]


class ContextMiddleware(AgentMiddleware[ContextAgentState, Any, Any]):
    """Sends the model a strategy's view of the thread; the agent's messages stay as they are.

    Several of them in one agent work one after the other, the first in the list first; two with the
    same kind of strategy need names. A provider's refusal of a request that is too long is answered
    once with a tighter view.

    Put it last in the list of middleware. What comes after it there works on the view: a middleware
    that sets the system message would take the summary away again, and one that turns errors into
    messages would hide a refusal.

    Args:
        strategy: A context strategy, or pre-model steps by number (see `ordered_steps`).
        name: Tells several of them in one agent apart, and is the key of what this one remembers in
            the thread's private state. By default the name of the strategy.
        profile: Name of the provider whose message rules hold.
        window: The model's window in tokens, where `model.profile` does not tell.
        reserve: Tokens of the window kept free for the answer.
        on_view: Called with every view before it is sent, to show or log it.
    """

    state_schema = ContextAgentState
    transformers = (InternalCallTransformer,)

    def __init__(
        self,
        strategy: ContextStrategy | Mapping[int, Step],
        *,
        name: str | None = None,
        profile: str | Profile = "common",
        window: int | None = None,
        reserve: int = 0,
        on_view: Callable[[ContextView], None] | None = None,
    ) -> None:
        super().__init__()
        self.strategy = strategy_of(strategy, "ContextMiddleware")
        self.profile = profile_named(profile)
        self._name = name or _name_of(self.strategy)
        self._window = window
        self._reserve = reserve
        self._on_view = on_view

    @property
    def name(self) -> str:
        """The name that the agent knows this middleware by."""
        return f"ContextMiddleware[{self._name}]"

    def wrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], ModelResponse[Any]],
    ) -> ExtendedModelResponse[Any]:
        """Send the view in place of the thread."""
        view = self.strategy.apply(request.messages, self._context_request(request))
        try:
            response = handler(self._sent(request, view))
        except Exception as error:
            if not is_overflow(error):
                raise
            response = handler(self._tighter(request, view))
            return self._response(request, response, view, refused=True)
        return self._response(request, response, view)

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ExtendedModelResponse[Any]:
        """The same as `wrap_model_call`, with models and embedders awaited."""
        view = await self.strategy.aapply(request.messages, self._context_request(request))
        try:
            response = await handler(self._sent(request, view))
        except Exception as error:
            if not is_overflow(error):
                raise
            response = await handler(self._tighter(request, view))
            return self._response(request, response, view, refused=True)
        return self._response(request, response, view)

    def _context_request(self, request: ModelRequest[Any]) -> ContextRequest:
        window = self._window if self._window is not None else window_of(request.model)
        limit = self._learned(request)
        return ContextRequest(
            state=remembered(request.state, self._name),
            system=request.system_message,
            tools=request.tools,
            profile=self.profile,
            window=limit if window is None else min(window, limit or window),
            reserve=self._reserve,
            interrupted=False,
            config={"metadata": internal_call_metadata()},
        )

    def _learned(self, request: ModelRequest[Any]) -> int | None:
        """The window that an earlier refusal in this thread let suppose."""
        return (remembered(request.state, self._name) or {}).get(LEARNED)

    def _sent(self, request: ModelRequest[Any], view: ContextView) -> ModelRequest[Any]:
        if self._on_view is not None:
            self._on_view(view)
        return _with_messages(request, view.messages, view)

    def _tighter(self, request: ModelRequest[Any], view: ContextView) -> ModelRequest[Any]:
        messages = tighter(view.messages, request.tools, self.profile)
        return _with_messages(request, messages, view)

    def _response(
        self,
        request: ModelRequest[Any],
        response: ModelResponse[Any],
        view: ContextView,
        *,
        refused: bool = False,
    ) -> ExtendedModelResponse[Any]:
        learned = self._learned(request)
        if refused:
            # So that not every later call is refused once more.
            learned = tighter_limit(view.messages, request.tools) + self._reserve
        state = view.state if learned is None else {**view.state, LEARNED: learned}
        update = {STATE_KEY: {self._name: state}}
        return ExtendedModelResponse(model_response=response, command=Command(update=update))


def _name_of(strategy: ContextStrategy) -> str:
    parts = strategy.strategies if isinstance(strategy, Composite) else [strategy]
    return "+".join(type(part).__name__ for part in parts)


def _with_messages(
    request: ModelRequest[Any], messages: list[BaseMessage], view: ContextView
) -> ModelRequest[Any]:
    lead = messages[0] if messages and isinstance(messages[0], SystemMessage) else None
    rest = messages[1:] if lead is not None else messages
    check_sendable(rest, view)
    return request.override(messages=cast(list[AnyMessage], rest), system_message=lead)

"""Other tools, driven as an agent drives them; their own code does the work.

Each is given the exact token counter and the budget where its interface takes one, and defaults
for the rest. LangChain's agent keeps the system prompt apart from the thread, so tools that are
agent middleware do not see it; it is put in front of what they leave, as the agent does.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, cast

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    RemoveMessage,
    SystemMessage,
    trim_messages,
)

from langgraph_memory.evals.context.contenders import Contender
from langgraph_memory.evals.context.exact import exact_counter

__all__ = ["PEERS"]


class _TrimDefaults:
    """`trim_messages` with nothing but the required arguments."""

    def __init__(self, budget: int, model: BaseChatModel) -> None:
        self._budget = budget

    def view(self, messages: list[BaseMessage]) -> list[BaseMessage]:
        return list(trim_messages(messages, max_tokens=self._budget, token_counter=exact_counter()))


class _TrimAsDocumented:
    """`trim_messages` with the arguments that its documentation recommends for chat models."""

    def __init__(self, budget: int, model: BaseChatModel) -> None:
        self._budget = budget

    def view(self, messages: list[BaseMessage]) -> list[BaseMessage]:
        return list(
            trim_messages(
                messages,
                max_tokens=self._budget,
                token_counter=exact_counter(),
                strategy="last",
                start_on="human",
                end_on=("human", "tool"),
                include_system=True,
                allow_partial=False,
            )
        )


class _AgentState:
    """The thread as LangChain's agent keeps it: only new messages are looked at on each call."""

    def __init__(self) -> None:
        self.system: list[SystemMessage] = []
        self.thread: list[BaseMessage] = []
        self._taken = 0

    def take(self, messages: Sequence[BaseMessage]) -> None:
        for message in messages[self._taken :]:
            if isinstance(message, SystemMessage):
                self.system.append(message)
            else:
                self.thread.append(message)
        self._taken = len(messages)


class _LangChainSummarization:
    """LangChain's summarization middleware, which rewrites the thread in the agent's state."""

    def __init__(self, budget: int, model: BaseChatModel, keep: Any = ("messages", 20)) -> None:
        from langchain.agents.middleware import SummarizationMiddleware

        self._middleware: Any = SummarizationMiddleware(
            model, trigger=("tokens", budget), keep=keep, token_counter=_count
        )
        self._state = _AgentState()

    def view(self, messages: list[BaseMessage]) -> list[BaseMessage]:
        from langgraph.runtime import Runtime

        state = self._state
        state.take(messages)
        update = self._middleware.before_model({"messages": state.thread}, Runtime())
        if update is not None:
            state.thread = [m for m in update["messages"] if not isinstance(m, RemoveMessage)]
        return [*state.system, *state.thread]


class _KeepHalf(_LangChainSummarization):
    """The same, told to keep half of the budget rather than 20 messages."""

    def __init__(self, budget: int, model: BaseChatModel) -> None:
        super().__init__(budget, model, ("tokens", budget // 2))


class _WrappedModelCall:
    """Middleware that changes the request on its way to the model."""

    def __init__(self, middleware: Any, model: BaseChatModel) -> None:
        self._middleware = middleware
        self._model = model
        self._state = _AgentState()
        self._private: dict[str, Any] = {}

    def view(self, messages: list[BaseMessage]) -> list[BaseMessage]:
        from langchain.agents.middleware.types import ModelRequest, ModelResponse
        from langgraph.runtime import Runtime

        self._state.take(messages)
        system, spoken = self._state.system, self._state.thread
        sent: list[BaseMessage] = []

        def answer(request: Any) -> Any:
            leading = [request.system_message] if request.system_message is not None else []
            sent[:] = [*leading, *request.messages]
            return ModelResponse(result=[AIMessage(content="")])

        request: Any = ModelRequest(
            model=self._model,
            messages=cast("list[Any]", spoken),
            system_message=system[0] if system else None,
            state=cast("Any", {"messages": spoken, **self._private}),
            runtime=Runtime(),
        )
        response = self._middleware.wrap_model_call(request, answer)
        command = getattr(response, "command", None)
        if command is not None:
            self._private |= {k: v for k, v in command.update.items() if k != "messages"}
        return sent


class _ContextEditing(_WrappedModelCall):
    """LangChain's context editing: old tool results are cleared above the budget."""

    def __init__(self, budget: int, model: BaseChatModel) -> None:
        from langchain.agents.middleware import (
            ClearToolUsesEdit,
            ContextEditingMiddleware,
        )

        edits = [ClearToolUsesEdit(trigger=budget)]
        super().__init__(ContextEditingMiddleware(edits=edits, token_counter=_count), model)


class _DeepAgents(_WrappedModelCall):
    """deepagents' summarizer with its factory's defaults, but for the trigger."""

    def __init__(self, budget: int, model: BaseChatModel) -> None:
        from deepagents.backends import StoreBackend
        from deepagents.middleware.summarization import (
            SummarizationMiddleware,
            compute_summarization_defaults,
        )
        from langgraph.store.memory import InMemoryStore

        defaults = compute_summarization_defaults(model)
        backend = StoreBackend(store=InMemoryStore(), namespace=lambda _runtime: ("evaluation",))
        middleware = SummarizationMiddleware(
            model,
            backend=backend,
            trigger=("tokens", budget),
            keep=defaults["keep"],
            trim_tokens_to_summarize=None,
            truncate_args_settings=defaults["truncate_args_settings"],
            token_counter=_count,
        )
        super().__init__(middleware, model)
        # Its own id is random, and is part of the text that the model reads.
        self._private["_summarization_session_id"] = "session_evaluation"


class _LangMem:
    """langmem's summarization node with its running summary carried in the graph's state."""

    def __init__(self, budget: int, model: BaseChatModel) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            from langmem.short_term import (  # type: ignore[import-untyped]
                SummarizationNode,
            )

        self._node = SummarizationNode(model=model, max_tokens=budget, token_counter=_count)
        self._context: dict[str, Any] = {}

    def view(self, messages: list[BaseMessage]) -> list[BaseMessage]:
        with warnings.catch_warnings():
            # It warns on each call that it could not make its source fit.
            warnings.simplefilter("ignore", RuntimeWarning)
            update = self._node.invoke({"messages": messages, "context": self._context})
        self._context = update.get("context", self._context)
        return list(update["summarized_messages"])


def _count(messages: Any) -> int:
    return exact_counter()(messages)


PEERS: tuple[Contender, ...] = (
    Contender("trim_messages, defaults", _TrimDefaults),
    Contender("trim_messages, as documented", _TrimAsDocumented),
    Contender("LangChain SummarizationMiddleware", _LangChainSummarization, "langchain.agents"),
    Contender("LangChain Summarization…, keep half", _KeepHalf, "langchain.agents"),
    Contender("LangChain ContextEditingMiddleware", _ContextEditing, "langchain.agents"),
    Contender("langmem SummarizationNode", _LangMem, "langmem.short_term"),
    Contender("deepagents SummarizationMiddleware", _DeepAgents, "deepagents"),
)
"""The other tools of the comparison."""

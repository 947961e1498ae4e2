"""Strategies as pre-model nodes: for a StateGraph, and as `pre_model_hook`."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from langchain_core.messages import BaseMessage, SystemMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import StateGraph
from langgraph.types import Command

from langgraph_memory.context import (
    ContextRequest,
    ContextStrategy,
    ContextView,
    FunctionStep,
    SummarizationStep,
)
from langgraph_memory.errors import InvalidMessagesError
from langgraph_memory.integrations.ordered_steps import (
    SUMMARIZATION,
    Step,
    checked,
    ordered_steps,
    strategy_of,
)
from langgraph_memory.messages import Profile
from langgraph_memory.summarization import SummarizationHook, Surroundings
from langgraph_memory.summarization.edge import NAME, NODE, SummarizeNode, edge_of
from langgraph_memory.summarization.state import (
    INPUT_KEY,
    STATE_KEY,
    StateReader,
    read,
    remembered,
)

logger = logging.getLogger(__name__)


class ViewUpdate(Command[Any]):
    """A command that also reads as the dict of its updates, for whoever calls the node by hand."""

    def keys(self) -> Iterable[str]:
        """The state keys that are updated."""
        return dict(self.update or ()).keys()

    def __getitem__(self, key: str) -> Any:
        return dict(self.update or ())[key]


class ContextNode(StateReader):
    """A node that writes a strategy's view to `llm_input_messages`; made by `context_node`."""

    def __init__(
        self,
        strategy: ContextStrategy,
        name: str,
        request: ContextRequest,
        *,
        source: str = "messages",
        on_view: Callable[[ContextView], None] | None = None,
    ) -> None:
        self.name = self._key = name
        self.strategy = strategy
        self._request = request
        self._source = source
        self._on_view = on_view
        self._warned = False

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Compute the view of a graph state."""
        messages, request = self._prepared(input)
        return self._update(self.strategy.apply(messages, request), config)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """The same as `invoke`, with models and embedders awaited."""
        messages, request = self._prepared(input)
        return self._update(await self.strategy.aapply(messages, request), config)

    def _prepared(self, state: Any) -> tuple[list[BaseMessage], ContextRequest]:
        messages = read(state, self._source)
        if messages is None:
            raise InvalidMessagesError(
                f"The state of node {self.name!r} has no key {self._source!r}. Name the key that "
                "holds the messages with source=…"
            )
        if read(state, STATE_KEY) is None and not self._warned:
            self._warned = True
            logger.warning(
                "Node %r is not handed the state key %r, so nothing is remembered from call to "
                "call. Add the node itself to the graph instead of calling it from another, or "
                "give the graph's state the keys of langgraph_memory.ContextState.",
                self.name,
                STATE_KEY,
            )
        return messages, replace(self._request, state=remembered(state, self._key))

    def _update(
        self, view: ContextView, config: RunnableConfig | None
    ) -> dict[str, Any] | Command[Any]:
        check_sendable(view.messages, view)
        if self._on_view is not None:
            self._on_view(view)
        update: dict[str, Any] = {INPUT_KEY: view.messages, STATE_KEY: {self._key: view.state}}
        if "langgraph_node" not in (config or {}).get("metadata", {}):
            return update
        # Messages in the dict that a node returns are streamed to the user; those of a command's
        # list of updates are not, and a summary is not for the user.
        return ViewUpdate(update=list(update.items()))


def check_sendable(messages: Sequence[BaseMessage], view: ContextView) -> None:
    """Refuse a request without a message: an agent would send the whole thread without a word.

    Raises:
        InvalidMessagesError: There is nothing but a system message.
    """
    if all(message.type == "system" for message in messages):
        raise InvalidMessagesError(
            "There is nothing to send to the model: the thread has no message that a provider "
            f"would accept. {view.report}"
        )


def context_node(
    strategy: ContextStrategy | Mapping[int, Step],
    *,
    name: str = "context",
    system: str | SystemMessage | None = None,
    tools: Sequence[Any] = (),
    profile: str | Profile = "common",
    model: Any = None,
    window: int | None = None,
    reserve: int = 0,
    source: str = "messages",
    on_view: Callable[[ContextView], None] | None = None,
) -> ContextNode:
    """A strategy as a node before the model, or as `pre_model_hook` of `create_react_agent`.

    The node writes the view to `llm_input_messages` and what it must remember to `context_state`,
    and leaves `messages` alone. The graph gets both channels with the node. The model node sends
    `state["llm_input_messages"]`.

    Args:
        strategy: A context strategy, or pre-model steps by number (see `ordered_steps`).
        name: Tells several nodes of one graph apart.
        system: The system prompt. Give it here and not to the agent, so that the request has one
            leading system message, with the summary at its end.
        tools: Tools bound to the model; their schemas count.
        profile: Name of the provider whose message rules hold.
        model: The model, for budgets that are a fraction of its window (`model.profile`).
        window: That window in tokens, where the model does not tell.
        reserve: Tokens of the window kept free for the answer.
        source: The state key that holds the messages; `llm_input_messages` for a node that goes on
            from another's view.
        on_view: Called with every view before it is sent, to show or log it.
    """
    request = ContextRequest(
        system=system,
        tools=tools,
        profile=profile,
        window=window if window is not None else window_of(model),
        reserve=reserve,
        interrupted=False,
    )
    chosen = strategy_of(strategy, "context_node")
    return ContextNode(chosen, name, request, source=source, on_view=on_view)


def window_of(model: Any) -> int | None:
    """Tokens that a model takes in, where its profile tells."""
    profile = getattr(model, "profile", None)
    window = profile.get("max_input_tokens") if isinstance(profile, Mapping) else None
    return int(window) if window else None


def add_pre_model_steps(
    graph: StateGraph[Any, Any, Any, Any],
    steps: Mapping[int, Step],
    *,
    after: str | Sequence[str],
    before: str,
    system: str | SystemMessage | None = None,
    tools: Sequence[Any] = (),
    profile: str | Profile = "common",
) -> None:
    """Wire pre-model steps into a graph as nodes, the summarization hook as a conditional edge.

    `after` → `steps_before` → (edge → `summarize`) → `summary_view` → `steps_after` → `before`; the
    model node sends `state["llm_input_messages"]`. Without step 50 there is the first of them only.

    Args:
        graph: The graph being built.
        steps: Steps by number, see `ordered_steps`; 50 is a `SummarizationHook`.
        after: The node or nodes that lead to the model, as `START` and `"tools"`.
        before: The model's node.
        system: System prompt, put into the view.
        tools: Tools bound to the model; their schemas count.
        profile: Name of the provider whose message rules hold.
    """
    hook = steps.get(SUMMARIZATION)
    split = SUMMARIZATION if isinstance(hook, SummarizationHook) else max(steps, default=0) + 1
    first = {number: steps[number] for number in checked(steps) if number < split}
    later = {number: steps[number] for number in checked(steps) if number > split}
    around: dict[str, Any] = {"tools": tools, "profile": profile}
    chain = ["steps_before"]
    # Without a step of the application the first node only puts the system prompt in its place.
    begin = ordered_steps(first) if first else FunctionStep(list)
    graph.add_node(
        "steps_before", context_node(begin, name="steps_before", system=system, **around)
    )
    for node in [after] if isinstance(after, str) else after:
        graph.add_edge(node, "steps_before")
    if isinstance(hook, SummarizationHook):
        show = context_node(
            SummarizationStep(hook, fires=False), name=NAME, source=INPUT_KEY, **around
        )
        graph.add_node("summary_view", show)
        graph.add_node(NODE, SummarizeNode(hook, Surroundings(None, **around), source=INPUT_KEY))
        edge = edge_of(hook, Surroundings(None, **around), NODE, "summary_view", INPUT_KEY)
        graph.add_conditional_edges("steps_before", edge, [NODE, "summary_view"])
        graph.add_edge(NODE, "summary_view")
        chain = ["summary_view"]
    if later:
        after_hook = context_node(later, name="steps_after", source=INPUT_KEY, **around)
        graph.add_node("steps_after", after_hook)
        chain.append("steps_after")
    for node, following in pairwise([*chain, before]):
        graph.add_edge(node, following)

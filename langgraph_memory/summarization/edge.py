"""The hook as a conditional edge and its node, for plain graphs."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage, SystemMessage
from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.graph import StateGraph

from langgraph_memory.calls import Steps, adrive, drive
from langgraph_memory.errors import InvalidStateError
from langgraph_memory.messages import Profile, Thread
from langgraph_memory.summarization.block import Role
from langgraph_memory.summarization.hook import (
    KEEP_LAST,
    MAX_TOKENS,
    Outcome,
    SummarizationHook,
    Surroundings,
)
from langgraph_memory.summarization.running import Running
from langgraph_memory.summarization.state import (
    STATE_KEY,
    StateReader,
    channels_with,
    read,
    remembered,
)
from langgraph_memory.tokens import DEFAULT_COUNTER, TokenCounter

logger = logging.getLogger(__name__)

NAME = "summarization"
NODE = "summarize"


def summarization_edge(
    max_tokens: int = MAX_TOKENS,
    *,
    summarize: str = NODE,
    otherwise: str = "model",
    system: str | SystemMessage | None = None,
    tools: Sequence[Any] = (),
    profile: str | Profile = "common",
    keep_last: int = KEEP_LAST,
    keep_tokens: int | None = None,
    role: Role = "system",
    counter: TokenCounter | None = None,
    source: str = "messages",
) -> Callable[[Any], str]:
    """A conditional edge that goes through the `summarize` node when the request is too large.

    It counts the whole request as it would be sent: system prompt, tools, and the view with the
    current summary in place. So it does not fire again until the view has grown.

    Args:
        max_tokens: The trigger, in tokens.
        summarize: Name of the node that summarizes.
        otherwise: Name of the node to go to under the trigger.
        system: System prompt that the model node adds; it counts.
        tools: Tools bound to the model; their schemas count.
        profile: Name of the provider whose message rules hold.
        keep_last: As given to `summarize_node`.
        keep_tokens: As given to `summarize_node`.
        role: As given to `summarize_node`.
        counter: Counts the tokens.
        source: The state key that holds the messages.

    Raises:
        InvalidBudgetError: `max_tokens` is zero or less.
    """
    hook = _hook(
        None,
        max_tokens=max_tokens,
        keep_last=keep_last,
        keep_tokens=keep_tokens,
        role=role,
        counter=counter,
    )
    return edge_of(hook, Surroundings(system, tools, profile), summarize, otherwise, source)


def edge_of(
    hook: SummarizationHook, around: Surroundings, summarize: str, otherwise: str, source: str
) -> Callable[[Any], str]:
    """The conditional edge of a hook; see `summarization_edge`."""

    def route(state: Any) -> str:
        thread = Thread.of(read(state, source) or [])
        entry = remembered(state, NAME)
        running = Running.of(thread, entry)
        placed = running.on(thread)
        if not hook.is_over(placed, running, around):
            return otherwise
        if hook.eviction(placed, around) is None and (entry or {}).get("stuck"):
            return otherwise  # the node has warned about it already
        return summarize

    # LangGraph reads from this which channels the edge needs to see.
    route.__annotations__["state"] = channels_with(source)
    return route


class SummarizeNode(StateReader):
    """The node behind `summarization_edge`; made by `summarize_node`."""

    def __init__(
        self,
        hook: SummarizationHook,
        around: Surroundings,
        *,
        source: str = "messages",
        decided: bool = False,
    ) -> None:
        self.name = NODE
        self._hook = hook
        self._decided = decided
        self._around = around
        self._source = source

    def invoke(
        self, input: Any, config: RunnableConfig | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        """Summarize what is older and write the running summary to the private state key."""
        return drive(self._steps(input))

    async def ainvoke(
        self, input: Any, config: RunnableConfig | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        """The same as `invoke`, with the model awaited."""
        return await adrive(self._steps(input))

    def _steps(self, state: Any) -> Steps[dict[str, Any]]:
        entry = remembered(state, NAME)
        thread = Thread.of(read(state, self._source) or [])
        running = Running.of(thread, entry)
        outcome = yield from self._hook.steps(thread, running, self._around, decided=self._decided)
        if outcome.stuck and not (entry or {}).get("stuck"):
            logger.warning(
                "What must be kept is alone above the trigger and cannot be summarized; the "
                "request passes as it is. Raise max_tokens, or shorten the system prompt, the "
                "tools or the newest message."
            )
        return {STATE_KEY: {NAME: entry_of(outcome)}}


def summarize_node(
    model: BaseChatModel | Runnable[Any, Any] | None = None,
    *,
    max_tokens: int | None = None,
    system: str | SystemMessage | None = None,
    tools: Sequence[Any] = (),
    profile: str | Profile = "common",
    keep_last: int = KEEP_LAST,
    keep_tokens: int | None = None,
    role: Role = "system",
    counter: TokenCounter | None = None,
    source: str = "messages",
) -> SummarizeNode:
    """The node that `summarization_edge` goes through above its trigger.

    It writes the running summary and the covered ids to the private state key `context_state` and
    leaves `messages` alone. The model node then sends `summarized_messages(state)`.

    Args:
        model: Writes the summaries. Without one, the view is cut to the newest units that fit.
        max_tokens: The trigger, in tokens, for a node that looks at it itself. By default the edge
            has decided, and the node summarizes whenever it is reached.
        system: System prompt that the model node adds; it counts.
        tools: Tools bound to the model; their schemas count.
        profile: Name of the provider whose message rules hold.
        keep_last: At most this many of the newest messages stay verbatim.
        keep_tokens: At most this many tokens of them; 15 % of `max_tokens` by default.
        role: Where the summary goes: into the system message or into a user message.
        counter: Counts the tokens.
        source: The state key that holds the messages.

    Raises:
        InvalidBudgetError: `max_tokens` is zero or less.
    """
    hook = _hook(
        model,
        max_tokens=MAX_TOKENS if max_tokens is None else max_tokens,
        keep_last=keep_last,
        keep_tokens=keep_tokens,
        role=role,
        counter=counter,
    )
    around = Surroundings(system, tools, profile)
    return SummarizeNode(hook, around, source=source, decided=max_tokens is None)


def summarized_messages(
    state: Any,
    *,
    system: str | SystemMessage | None = None,
    profile: str | Profile = "common",
    role: Role = "system",
    source: str = "messages",
) -> list[BaseMessage]:
    """What a model node behind the edge sends: the running summary and the messages after it.

    Args:
        state: The graph's state.
        system: System prompt to put first.
        profile: Name of the provider whose message rules hold.
        role: As given to `summarize_node`.
        source: The state key that holds the messages.

    Raises:
        InvalidStateError: The state does not have the private key `context_state`, so there is no
            telling what was summarized.
    """
    thread = Thread.of(read(state, source) or [])
    if read(state, STATE_KEY) is None:
        raise InvalidStateError(
            f"The state has no {STATE_KEY!r}: this node does not see it. Annotate the node's state "
            "parameter with langgraph_memory.ContextState, or let the graph's state have its keys."
        )
    running = Running.of(thread, remembered(state, NAME))
    hook = SummarizationHook(role=role)
    return hook.request(running.on(thread), running, Surroundings(system, (), profile))


def add_summarization(
    graph: StateGraph[Any, Any, Any, Any],
    model: BaseChatModel | Runnable[Any, Any] | None,
    *,
    after: str | Sequence[str],
    before: str,
    max_tokens: int = MAX_TOKENS,
    **options: Any,
) -> None:
    """Wire the edge and its node into a graph: each of `after` → (`summarize` →) `before`.

    Args:
        graph: The graph being built.
        model: Writes the summaries.
        after: The node or nodes that lead to the model, as `START` and `"tools"`.
        before: The model's node; it sends `summarized_messages(state)`.
        max_tokens: The trigger, in tokens.
        options: Further options that `summarization_edge` and `summarize_node` share.
    """
    edge = summarization_edge(max_tokens, otherwise=before, **options)
    graph.add_node(NODE, summarize_node(model, max_tokens=max_tokens, **options))
    for node in [after] if isinstance(after, str) else after:
        graph.add_conditional_edges(node, edge, {NODE: NODE, before: before})
    graph.add_edge(NODE, before)


def entry_of(outcome: Outcome) -> dict[str, Any]:
    """What a run of the hook leaves in the state."""
    entry = {"strategy": "SummarizationStep", **outcome.running.to_json()}
    if outcome.stuck:
        entry["stuck"] = True
    if outcome.degraded:
        entry["degraded"] = outcome.degraded
    return entry


def _hook(
    model: BaseChatModel | Runnable[Any, Any] | None,
    *,
    max_tokens: int,
    keep_last: int,
    keep_tokens: int | None,
    role: Role,
    counter: TokenCounter | None,
) -> SummarizationHook:
    return SummarizationHook(
        model, max_tokens, keep_last, keep_tokens, role, counter or DEFAULT_COUNTER
    )

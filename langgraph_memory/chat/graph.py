"""The chat as a graph: recall, compute the view, call the model, remember."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.graph import END, START, StateGraph

from langgraph_memory.context import ContextStrategy, ContextView
from langgraph_memory.integrations import OverflowRetry, context_node
from langgraph_memory.memory import Memory
from langgraph_memory.messages import Profile
from langgraph_memory.service import Recollection
from langgraph_memory.summarization import ContextState

SYSTEM_PROMPT = """\
You are a helpful assistant. Answer in the language of the user. \
Rely on what was said in this conversation, and say so when you do not know."""


def chat_graph(
    model: BaseChatModel,
    strategy: ContextStrategy,
    *,
    system: str = SYSTEM_PROMPT,
    profile: str | Profile = "common",
    on_view: Callable[[ContextView], None] | None = None,
    memory: Memory | None = None,
    on_recall: Callable[[Recollection], None] | None = None,
) -> StateGraph[ContextState, None, ContextState, ContextState]:
    """Build the chat; compile it with a checkpointer to have threads.

    Args:
        model: Answers.
        strategy: Decides what the model sees of the thread.
        system: The system prompt.
        profile: Name of the provider whose message rules hold.
        on_view: Called with every view before it is sent.
        memory: Remembers users across threads.
        on_recall: Called with what is recalled of the user.
    """
    graph = StateGraph(ContextState)
    given: dict[str, Any] = {"profile": profile, "model": model, "on_view": on_view}
    graph.add_node(
        "context",
        context_node(strategy, system=system, **given)
        if memory is None
        else memory.recall_node(system=system, strategy=strategy, on_recall=on_recall, **given),
    )
    answer: Runnable[Any, Any] = ModelNode(OverflowRetry(model, profile=profile))
    graph.add_node("model", answer if memory is None else memory.nodes.guard(answer))
    graph.add_edge(START, "context")
    graph.add_edge("context", "model")
    if memory is None:
        graph.add_edge("model", END)
    else:
        graph.add_node("remember", memory.nodes.remember)
        graph.add_edge("model", "remember")
        graph.add_edge("remember", END)
    return graph


class ModelNode(Runnable[Any, dict[str, Any]]):
    """Sends the view to the model and adds its reply to the thread."""

    def __init__(self, model: Runnable[Any, Any]) -> None:
        self.name = "model"
        self._model = model

    def invoke(
        self, input: Any, config: RunnableConfig | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        """Call the model."""
        return {"messages": [self._model.invoke(input["llm_input_messages"], config)]}

    async def ainvoke(
        self, input: Any, config: RunnableConfig | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        """Await the model."""
        return {"messages": [await self._model.ainvoke(input["llm_input_messages"], config)]}

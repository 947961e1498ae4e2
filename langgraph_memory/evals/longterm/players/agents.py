"""The agent that all contenders share: `create_agent` with a checkpointer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, ModelRequest, dynamic_prompt
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_config

from langgraph_memory.evals.longterm.model import PROMPT
from langgraph_memory.evals.longterm.script import Turn
from langgraph_memory.messages import text_of

__all__ = ["Agent", "in_prompt"]


class Agent:
    """An agent whose threads are kept.

    Args:
        model: Its model.
        middleware: What brings the memory in.
        checkpointer: Where the threads are kept; in memory by default.
    """

    def __init__(
        self,
        model: BaseChatModel,
        *middleware: AgentMiddleware[Any, Any],
        checkpointer: BaseCheckpointSaver[Any] | None = None,
    ) -> None:
        self._agent: Any = create_agent(
            model,
            [],
            system_prompt=PROMPT,
            middleware=middleware,
            checkpointer=checkpointer or InMemorySaver(),
        )

    def say(self, turn: Turn, **options: Any) -> list[BaseMessage]:
        """The messages of the thread after the reply.

        Args:
            turn: What is said.
            options: For `invoke`.
        """
        config = {"configurable": {"thread_id": turn.thread, "user_id": turn.user}}
        sent = {"messages": [("user", turn.text)]}
        messages: list[BaseMessage] = self._agent.invoke(sent, config, **options)["messages"]
        return messages


def in_prompt(search: Callable[[str, str], Sequence[str]], form: str) -> AgentMiddleware[Any, Any]:
    """Middleware that puts what is found for the newest message behind the system prompt.

    Args:
        search: From a user and a text to memories.
        form: Text with `{memories}` in it.
    """

    @dynamic_prompt
    def with_memories(request: ModelRequest[Any]) -> str:
        user = get_config()["configurable"]["user_id"]
        found = search(user, text_of(request.messages[-1]))
        if not found:
            return PROMPT
        lines = "\n".join(f"- {text}" for text in found)
        return f"{PROMPT}\n\n{form.format(memories=lines)}"

    return with_memories

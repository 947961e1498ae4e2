"""Forms and artifacts at the end of the system message, where every provider takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import BaseMessage, SystemMessage

from langgraph_memory.messages import with_text_after
from langgraph_memory.session.artifact import Artifact
from langgraph_memory.session.task_form import TaskForm
from langgraph_memory.summarization.state import read

__all__ = ["SessionPrompt"]


class SessionPrompt:
    """Makes the request of a graph's state: the system message with the blocks, then the messages.

    It is a `prompt` of `create_react_agent`, is called in a node of one's own, and gives the text
    for a dynamic prompt of `create_agent`. What changes less often should be named first, so that
    more of the request stays as it was.

    Args:
        *parts: Forms and artifacts.
        system: The system prompt before them.
        source: The state key of the messages; `llm_input_messages` after a context node.
    """

    def __init__(
        self, *parts: TaskForm[Any] | Artifact, system: str = "", source: str = "messages"
    ) -> None:
        self.parts = parts
        self.system = system
        self.source = source

    def text(self, state: Any) -> str:
        """The system prompt with the blocks at its end."""
        blocks = [part.render(state) for part in self.parts]
        return "\n\n".join(text for text in (self.system, *blocks) if text)

    def __call__(self, state: Any) -> list[BaseMessage]:
        """The messages to send; those of the state are not changed."""
        messages: Sequence[BaseMessage] = read(state, self.source) or []
        text = self.text(state)
        lead = messages[0] if messages and isinstance(messages[0], SystemMessage) else None
        system = with_text_after(lead, text)
        rest = messages if lead is None else messages[1:]
        return [*([] if system is None else [system]), *rest]

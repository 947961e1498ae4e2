"""The chat model of every contender: it replies, and answers each library in its own form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import ConfigDict

from langgraph_memory.evals.longterm.metering import Meter
from langgraph_memory.messages import text_of
from langgraph_memory.tokens import DEFAULT_COUNTER

__all__ = ["LONG_REPLY", "PROMPT", "REPLY", "Dialect", "Request", "StandInModel"]

PROMPT = "You are the assistant of a travel and household help line. Answer in the user's language."
"""The agent's system prompt, by which the model knows that a reply is wanted."""

REPLY = "Let me see. 好的。"
LONG_REPLY = " ".join(
    ["Let me look at this with you, one step after the other, and sum it up."] * 9
)
"""About 180 tokens."""


class Request:
    """A call of the model.

    Args:
        messages: What was sent.
        tools: What may be called, in OpenAI's form.
        must_call: Whether the caller insists on a call.
    """

    def __init__(
        self, messages: Sequence[BaseMessage], tools: Sequence[dict[str, Any]], must_call: bool
    ) -> None:
        self.messages = messages
        self.tools = tools
        self.must_call = must_call

    @property
    def text(self) -> str:
        """All text of it."""
        return "\n\n".join(text_of(message) for message in self.messages)

    @property
    def tool_names(self) -> frozenset[str]:
        """What may be called."""
        return frozenset(tool["function"]["name"] for tool in self.tools)


class Dialect(Protocol):
    """How one library asks for what is to be remembered, and wants to be answered."""

    def __call__(self, request: Request) -> AIMessage | None:
        """The answer; None if another library is asking."""
        ...


class StandInModel(BaseChatModel):
    """Answers from the text it is sent alone, the same for all who ask.

    Attributes:
        meter: Where its calls are counted.
        dialects: The forms in which it can be asked to remember.
        reply: What it says to users.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    meter: Meter
    dialects: tuple[Any, ...] = ()
    reply: str = REPLY

    @property
    def _llm_type(self) -> str:
        return "stand-in"

    def bind_tools(
        self, tools: Sequence[Any], *, tool_choice: Any = None, **kwargs: Any
    ) -> Runnable[Any, AIMessage]:
        """Tools it may call."""
        shown = [convert_to_openai_tool(tool) for tool in tools]
        return self.bind(tools=shown, tool_choice=tool_choice, **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: Any = None,
        **kwargs: Any,
    ) -> ChatResult:
        tools = kwargs.get("tools") or []
        request = Request(messages, tools, bool(kwargs.get("tool_choice")))
        purpose, answer = self._answered(request)
        self.meter.add(
            purpose,
            DEFAULT_COUNTER.count_request(messages, tools=tools),
            DEFAULT_COUNTER.count_message(answer),
        )
        return ChatResult(generations=[ChatGeneration(message=answer)])

    def _answered(self, request: Request) -> tuple[str, AIMessage]:
        for dialect in self.dialects:
            answer: AIMessage | None = dialect(request)
            if answer is not None:
                return "remember", answer
        if PROMPT in request.text:
            self.meter.replies.append(list(request.messages))
            return "reply", AIMessage(content=self.reply)
        return "not understood", AIMessage(content="")

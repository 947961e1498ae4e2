"""What every token counter has in common."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar

from langchain_core.messages import AIMessage, BaseMessage, SystemMessage, ToolMessage

from langgraph_memory.errors import InvalidInputError, InvalidMessagesError
from langgraph_memory.tokens.content import content_tokens
from langgraph_memory.tokens.media import MediaCosts
from langgraph_memory.tokens.memo import MessageMemo, TextMemo
from langgraph_memory.tokens.schemas import ToolTexts

__all__ = ["TokenCounter", "check_message"]


class TokenCounter(ABC):
    """Counts the tokens of texts, messages, tools and whole requests.

    A subclass says what a text costs; the rest follows. A message costs a fixed overhead, its
    content block by block, its tool calls (name and arguments) and its name. Counts are whole
    numbers of zero or more and are remembered per message and per text, so a second count of the
    same thread costs next to nothing. A counter may be shared between threads.

    Args:
        per_message: Tokens around every message (role and separators).
        media: What pictures, sound, films and files cost.

    Raises:
        InvalidInputError: ``per_message`` is not a whole number of zero or more.
    """

    per_call: ClassVar[int] = 3
    """Tokens around one tool call."""

    per_tool: ClassVar[int] = 4
    """Tokens around one tool schema."""

    per_request: ClassVar[int] = 3
    """Tokens that open the answer."""

    def __init__(self, *, per_message: int = 4, media: MediaCosts | None = None) -> None:
        if isinstance(per_message, bool) or not isinstance(per_message, int) or per_message < 0:
            raise InvalidInputError(
                f"per_message is {per_message!r}: give the tokens around one message as a whole "
                "number of zero or more."
            )
        self.per_message = per_message
        self.media = media if media is not None else MediaCosts()
        self._messages = MessageMemo()
        self._texts = TextMemo()
        self._tools = ToolTexts()

    @abstractmethod
    def _measure(self, text: str) -> int:
        """Tokens of a text that is not empty; called only for texts that are not remembered."""

    def count_text(self, text: str) -> int:
        """Return the tokens of a bare text; an empty one has none.

        Raises:
            InvalidInputError: ``text`` is not a string.
        """
        if not isinstance(text, str):
            raise InvalidInputError(
                f"count_text() was given {type(text).__name__} ({_shown(text)}). Give a string, "
                "or use count_message() for a message."
            )
        if len(text) < TextMemo.SHORTEST:
            return self._measure(text) if text else 0
        count = self._texts.get(text)
        if count is None:
            count = self._measure(text)
            self._texts.put(text, count)
        return count

    def count_message(self, message: BaseMessage) -> int:
        """Return the tokens of one message.

        Raises:
            InvalidMessagesError: It is not a LangChain message.
        """
        cost = self._messages.get(message)
        if cost is None:
            check_message(message, None)
            cost = self._message_tokens(message)
            self._messages.put(message, cost)
        return cost

    def count_messages(self, messages: Sequence[BaseMessage]) -> int:
        """Return the tokens of the messages: the sum over them.

        Raises:
            InvalidMessagesError: One of them is not a LangChain message; it says which.
        """
        total = 0
        for position, message in enumerate(_listed(messages)):
            if not isinstance(message, BaseMessage):
                check_message(message, position)
            total += self.count_message(message)
        return total

    def count_tools(self, tools: Sequence[Any]) -> int:
        """Return the tokens of tool schemas.

        Args:
            tools: LangChain tools, functions, Pydantic classes or schemas.

        Raises:
            InvalidInputError: One of them cannot be read as a tool.
        """
        return sum(
            self.per_tool + self.count_text(self._tools.of(tool, position))
            for position, tool in enumerate(tools)
        )

    def count_request(
        self,
        messages: Sequence[BaseMessage],
        system: str | SystemMessage | None = None,
        tools: Sequence[Any] = (),
    ) -> int:
        """Return the tokens of everything that is sent with one model call.

        Args:
            messages: The messages.
            system: A system prompt that is not among them.
            tools: The tools bound to the model.

        Raises:
            InvalidMessagesError: One of the messages is not one.
            InvalidInputError: The system prompt or a tool cannot be used.
        """
        total = self.per_request + self.count_messages(messages)
        return total + self._count_system(system) + (self.count_tools(tools) if tools else 0)

    def __call__(self, messages: Sequence[BaseMessage]) -> int:
        """Return ``count_messages(messages)``, as LangChain's ``token_counter`` arguments ask."""
        return self.count_messages(messages)

    def _count_system(self, system: str | SystemMessage | None) -> int:
        if system is None or system == "":
            return 0
        if isinstance(system, str):
            return self.per_message + self.count_text(system)
        if isinstance(system, BaseMessage):
            return self.count_message(system)
        raise InvalidInputError(
            f"system is {type(system).__name__} ({_shown(system)}). Give the system prompt as a "
            "string or a SystemMessage."
        )

    def _message_tokens(self, message: BaseMessage) -> int:
        calls = [
            *(getattr(message, "tool_calls", None) or ()),
            *(getattr(message, "invalid_tool_calls", None) or ()),
        ]
        total = self.per_message + content_tokens(
            message.content, self.count_text, self.media, skip_calls=bool(calls)
        )
        total += sum(self._call_tokens(call) for call in calls)
        thought = message.additional_kwargs.get("reasoning_content")
        if isinstance(thought, str):
            total += self.count_text(thought)
        # The name of a tool message is in the call it answers and is not sent again.
        if message.name and not isinstance(message, ToolMessage):
            total += 1 + self.count_text(message.name)
        return total

    def _call_tokens(self, call: Mapping[str, Any]) -> int:
        arguments = call.get("args")
        if not isinstance(arguments, str):
            arguments = (
                json.dumps(arguments, ensure_ascii=False, default=str) if arguments else "{}"
            )
        return self.per_call + self.count_text(call.get("name") or "") + self.count_text(arguments)


def check_message(message: object, position: int | None) -> None:
    """Refuse what is not a LangChain message.

    Raises:
        InvalidMessagesError: It names the type and, if there is one, the position.
    """
    if not isinstance(message, BaseMessage):
        place = "the message" if position is None else f"messages[{position}]"
        raise InvalidMessagesError(
            f"{place} is {type(message).__name__} ({_shown(message)}), not a LangChain message. "
            "Convert dicts and tuples with langchain_core.messages.convert_to_messages()."
        )


def reported_input(message: BaseMessage) -> int | None:
    """Return the input tokens the provider reported with an answer, or None."""
    usage = message.usage_metadata if isinstance(message, AIMessage) else None
    reported = usage.get("input_tokens") if usage else None
    return reported if isinstance(reported, int) and reported > 0 else None


def _listed(messages: Iterable[BaseMessage] | object) -> Iterable[BaseMessage]:
    if isinstance(messages, str | bytes | BaseMessage | Mapping) or not isinstance(
        messages, Iterable
    ):
        raise InvalidMessagesError(
            f"messages is {type(messages).__name__} ({_shown(messages)}). Give a list of "
            "LangChain messages."
        )
    return messages


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


CountFunction = Callable[[list[BaseMessage]], int]
"""A plain function that counts a list of messages."""

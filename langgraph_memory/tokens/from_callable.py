"""Any function that counts messages, as a counter."""

from __future__ import annotations

from langchain_core.messages import BaseMessage, HumanMessage

from langgraph_memory.errors import InvalidInputError
from langgraph_memory.tokens.approximate import ApproximateTokenCounter
from langgraph_memory.tokens.counter import CountFunction, TokenCounter

__all__ = ["CallableTokenCounter", "as_counter"]


class CallableTokenCounter(TokenCounter):
    """Counts with a function of a message list, such as a model's own.

    The function is asked once per message, so what it adds per list is counted per message. A bare
    text (a tool schema) is what it adds to a user message.

    Args:
        function: Returns the tokens of a list of messages, a whole number of zero or more.

    Raises:
        InvalidInputError: ``function`` cannot be called; later, if it returns something else.
    """

    per_request = 0

    def __init__(self, function: CountFunction) -> None:
        if not callable(function):
            raise InvalidInputError(
                f"A token counter must be callable on a list of messages; {function!r} is "
                f"{type(function).__name__}."
            )
        super().__init__(per_message=0)
        self.function = function

    def _measure(self, text: str) -> int:
        around = self._ask(HumanMessage(".")) - 1
        return max(0, self._ask(HumanMessage(text)) - max(0, around))

    def _message_tokens(self, message: BaseMessage) -> int:
        return self._ask(message)

    def _ask(self, message: BaseMessage) -> int:
        count = self.function([message])
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            raise InvalidInputError(
                f"The token counter {self.function!r} returned {count!r} for a "
                f"{type(message).__name__}. It must return a whole number of zero or more."
            )
        return count

    def __repr__(self) -> str:
        return f"CallableTokenCounter({self.function!r})"


def as_counter(counter: TokenCounter | CountFunction | None) -> TokenCounter:
    """Return a counter for what a user may give as one.

    Args:
        counter: A counter, a function of a message list, or None for the approximate counter.

    Raises:
        InvalidInputError: It is none of these.
    """
    if counter is None:
        return ApproximateTokenCounter()
    if isinstance(counter, TokenCounter):
        return counter
    return CallableTokenCounter(counter)

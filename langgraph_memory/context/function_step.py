"""FunctionStep: any function from messages to messages as a step among strategies."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from langchain_core.messages import BaseMessage, SystemMessage

from langgraph_memory.calls import Steps, call_of
from langgraph_memory.context.report import Report
from langgraph_memory.context.strategy import ContextRequest, ContextStrategy, ContextView
from langgraph_memory.errors import InvalidInputError
from langgraph_memory.messages import Piece, Thread, check_messages, key_of, repair_pieces

Transform = Callable[[list[BaseMessage]], Sequence[BaseMessage] | Awaitable[Sequence[BaseMessage]]]


@dataclass(frozen=True, eq=False)
class FunctionStep(ContextStrategy):
    """A function of the application, given the messages of a view and returning those to send.

    What it returns is repaired where the provider needs that, like any other view.

    Args:
        function: Takes a list of messages and returns one; may be async.
    """

    function: Transform

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise InvalidInputError(
                f"A pre-model step must be a context strategy or a function, not {self.function!r}."
            )

    def steps(self, messages: Sequence[BaseMessage], request: ContextRequest) -> Steps[ContextView]:
        """Call the function and report what it changed."""
        thread = Thread.of(messages)
        given = list(thread.messages)
        if request.system is not None:
            system = request.system
            given.insert(0, SystemMessage(system) if isinstance(system, str) else system)
        name = getattr(self.function, "__name__", type(self.function).__name__)
        returned = yield call_of(self.function, given)
        check_messages(returned)
        known = {id(message): index for index, message in enumerate(thread.messages)}
        by_key = {key_of(message): index for index, message in enumerate(thread.messages)}
        pieces = []
        for message in returned:
            origin = known.get(id(message), by_key.get(key_of(message), -1))
            piece = Piece(message, origin)
            if origin >= 0 and message is not thread.messages[origin]:
                piece = piece.becomes(message, f"changed by {name}")
            pieces.append(piece)
        pieces = repair_pieces(pieces, request.rules, interrupted=request.waits(messages))
        sent = [piece.message for piece in pieces]
        counter = self.counter_for(request)
        report = Report(
            strategy=name,
            source=thread.messages,
            pieces=pieces,
            why=lambda _: f"left out by {name}",
            count=lambda some: counter.count_request(some, tools=request.tools),
            system=request.system,
        )
        return ContextView(sent, {"strategy": type(self).__name__}, report)

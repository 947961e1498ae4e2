"""What is compared: something that makes a view for each model call of a thread.

A strategy of this package's interface is loaded by import path, ``module:attribute``, where the
attribute is a strategy or a callable ``(budget: int, model: BaseChatModel) -> strategy``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage

from langgraph_memory.errors import InvalidInputError
from langgraph_memory.evals.importing import imported

__all__ = ["Contender", "Session", "StrategyFactory", "StrategySession", "load_strategy"]


class Session(Protocol):
    """One tool on one thread, with whatever it carries from call to call."""

    def view(self, messages: list[BaseMessage]) -> list[BaseMessage]:
        """The messages to send, given the whole thread so far."""
        ...


class Strategy(Protocol):
    """The part of this package's strategies that the evaluation uses."""

    def apply(self, messages: list[BaseMessage], request: Any = None) -> Any:
        """A view with `messages` to send and `state` to hand back."""
        ...


StrategyFactory = Callable[[int, BaseChatModel], Any]


@dataclass(frozen=True)
class Contender:
    """A tool in the table.

    Attributes:
        name: Its row's name.
        start: Makes a session for a new thread, given the token budget and the model that
            writes summaries.
        module: A module it needs; the row says so if it is not installed.
    """

    name: str
    start: Callable[[int, BaseChatModel], Session]
    module: str | None = None

    @classmethod
    def of_strategy(cls, name: str, factory: StrategyFactory) -> Contender:
        """A contender that is a context strategy, made anew for each thread."""
        return cls(name, lambda budget, model: StrategySession(factory(budget, model)))


class StrategySession:
    """A context strategy on one thread: its state goes from each call to the next."""

    def __init__(self, strategy: Strategy) -> None:
        self._strategy = strategy
        self._state: Any = None

    def view(self, messages: list[BaseMessage]) -> list[BaseMessage]:
        """Apply the strategy with the state of the call before."""
        from langgraph_memory.context import ContextRequest

        view = self._strategy.apply(messages, ContextRequest(state=self._state))
        self._state = view.state
        return list(view.messages)


def load_strategy(path: str) -> Contender:
    """Load a strategy for the table.

    Args:
        path: ``module:attribute``.

    Raises:
        InvalidInputError: There is no such attribute, or it is neither a strategy nor a callable.
    """
    found = imported(path, "a strategy", path)
    if isinstance(found, type) or not hasattr(found, "apply"):
        if not callable(found):
            raise InvalidInputError(
                f"{path!r} is {found!r}, which is not a strategy. Give an object with "
                "apply(messages, request), or a callable (budget, model) that returns one."
            )
        return Contender.of_strategy(path, found)
    return Contender.of_strategy(path, lambda _budget, _model: found)

"""The pairing rules that OpenAI's chat endpoint enforces, checked on their own.

This is a second opinion on purpose: it shares nothing with `langgraph_memory.messages`, so that
the package is not judged by its own measure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

__all__ = ["added_faults", "faults"]

Fault = tuple[str, str]
"""What is wrong, and the message it is wrong about: its id, or the call id if it has none.

Not always the call id, because a tool may rename calls to make them unique.
"""


def faults(messages: Sequence[BaseMessage]) -> Counter[Fault]:
    """Everything in a request for which the endpoint would answer 400.

    - ``orphan``: a tool result that does not stand in the block of results right after an
      assistant message with its call id;
    - ``duplicate``: a second result for the same call in that block;
    - ``unanswered``: a call without a result in that block;
    - ``empty``: no messages at all.
    """
    found: Counter[Fault] = Counter()
    if not messages:
        found["empty", ""] += 1
    asked: dict[str, str] = {}
    answered: set[str] = set()
    for message in messages:
        if isinstance(message, ToolMessage):
            call = message.tool_call_id
            if call not in asked:
                found["orphan", message.id or call] += 1
            elif call in answered:
                found["duplicate", message.id or call] += 1
            answered.add(call)
            continue
        found.update(_unanswered(asked, answered))
        asked, answered = {}, set()
        if isinstance(message, AIMessage):
            ids = [call["id"] or "" for call in message.tool_calls]
            asked = {call: message.id or call for call in ids}
    found.update(_unanswered(asked, answered))
    return found


def _unanswered(asked: dict[str, str], answered: set[str]) -> list[Fault]:
    return [("unanswered", about) for call, about in asked.items() if call not in answered]


def added_faults(view: Sequence[BaseMessage], already: Counter[Fault]) -> int:
    """Faults that a view has and its thread did not have.

    Args:
        view: The messages to send.
        already: The faults of the thread itself.
    """
    return (faults(view) - already).total()

"""Units: what can only be kept or dropped as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from langchain_core.messages import BaseMessage, ToolMessage

from langgraph_memory.messages.content import call_ids, check_messages, role_of

UnitKind = Literal["system", "user", "assistant", "tool_calls", "orphan"]


@dataclass(frozen=True, slots=True)
class Unit:
    """One indivisible piece of a thread.

    Attributes:
        kind: `tool_calls` for an assistant message with calls and everything that answers it,
            `orphan` for a tool result that answers no call, else the role of its one message.
        indices: Positions in the list, in list order; the call comes first.
        messages: The messages at those positions.
    """

    kind: UnitKind
    indices: tuple[int, ...]
    messages: tuple[BaseMessage, ...]

    def __iter__(self) -> Iterator[BaseMessage]:
        return iter(self.messages)

    def __len__(self) -> int:
        return len(self.messages)

    @property
    def unanswered(self) -> list[str]:
        """Ids of the calls of this unit that no result answers."""
        if self.kind != "tool_calls":
            return []
        answered = {m.tool_call_id for m in self.messages if isinstance(m, ToolMessage)}
        return [call for call in call_ids(self.messages[0]) if call not in answered]


def units(messages: Sequence[BaseMessage]) -> list[Unit]:
    """Read a message list as units, in the order in which they begin.

    A result belongs to the latest call with its id in the same turn (a turn begins with a user
    message), because some providers use the same ids again later. A result that comes after the
    next user message still belongs to its call if nothing has answered that call yet. A second
    result for the same call stays in the unit; a result without a call is a unit of its own.

    Raises:
        InvalidMessagesError: The list holds something that is not a message.
    """
    check_messages(messages)
    reader = UnitReader()
    reader.extend(messages)
    return reader.units


class UnitReader:
    """Reads units message by message; what was read is kept, so a longer list costs its end."""

    def __init__(self) -> None:
        self.units: list[Unit] = []
        self.length = 0
        self.touched = 0
        self._turn = 0
        # For each call id: the unit of its latest call, the turn, and whether it is answered.
        self._calls: dict[str, tuple[int, int, bool]] = {}

    def fork(self) -> UnitReader:
        """A copy that can go on without changing this one."""
        other = UnitReader()
        other.units = self.units.copy()
        other.length = self.length
        other._turn = self._turn
        other._calls = self._calls.copy()
        return other

    def extend(self, messages: Iterable[BaseMessage]) -> None:
        """Read further messages; `touched` is then the first unit that is new or has grown."""
        self.touched = len(self.units)
        for message in messages:
            self._read(message)
            self.length += 1

    def _read(self, message: BaseMessage) -> None:
        if isinstance(message, ToolMessage):
            self._read_result(message)
            return
        ids = call_ids(message)
        role = role_of(message)
        if role == "user":
            self._turn += 1
        for call in ids:
            self._calls[call] = (len(self.units), self._turn, False)
        kind = "tool_calls" if ids else "orphan" if role == "tool" else role
        self.units.append(Unit(cast(UnitKind, kind), (self.length,), (message,)))

    def _read_result(self, message: ToolMessage) -> None:
        call = message.tool_call_id
        place, turn, answered = self._calls.get(call, (None, 0, False))
        if place is None or (answered and turn != self._turn):
            self.units.append(Unit("orphan", (self.length,), (message,)))
            return
        self._calls[call] = (place, turn, True)
        self.touched = min(self.touched, place)
        unit = self.units[place]
        self.units[place] = Unit(unit.kind, (*unit.indices, self.length), (*unit.messages, message))

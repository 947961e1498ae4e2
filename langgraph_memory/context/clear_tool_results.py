"""ClearToolResults: old tool outputs give way to a short note; calls stay."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from langchain_core.messages import BaseMessage, ToolMessage

from langgraph_memory.context.budget import check_count
from langgraph_memory.context.strategy import ContextRequest, PureStrategy, Selection
from langgraph_memory.errors import InvalidInputError
from langgraph_memory.messages import Thread, made_kind
from langgraph_memory.messages.content import call_ids, calls_of
from langgraph_memory.messages.copies import remembered_copy

PLACEHOLDER = "[old tool result left out]"


@dataclass(frozen=True)
class ClearToolResults(PureStrategy):
    """Replace all but the newest tool results by a short placeholder; calls and ids stay.

    Args:
        keep: How many of the newest tool results stay as they are.
        exclude: Names of tools whose results always stay.
        batch: Results are cleared this many at a time, so that the prompt prefix changes once in
            so many tool calls; between `keep` and `keep + batch - 1` results are then in view.
        placeholder: What the model reads instead.
    """

    keep: int = 3
    exclude: Collection[str] = ()
    batch: int = 1
    placeholder: str = PLACEHOLDER

    def __post_init__(self) -> None:
        check_count("keep", self.keep)
        check_count("batch", self.batch, least=1)
        if isinstance(self.exclude, str):
            raise InvalidInputError(
                f"exclude must be a list of tool names, not the text {self.exclude!r}. "
                f"Write exclude=[{self.exclude!r}]."
            )
        object.__setattr__(self, "exclude", frozenset(self.exclude))

    def select(self, thread: Thread, request: ContextRequest) -> Selection:
        """Keep every message, some with another content."""
        results = answers(thread)
        names = tool_names(thread) if self.exclude else {}
        clear = max(0, len(results) - self.keep) // self.batch * self.batch
        kept = thread.essentials() - set(thread.systems)
        replaced = {
            index: (
                cleared(message, self.placeholder),
                f"older than the newest {self.keep} results",
            )
            for index in results[:clear]
            if index not in kept
            and (message := thread.messages[index])
            and names.get(index) not in self.exclude
            and len(str(message.content)) > len(self.placeholder)
        }
        return Selection(range(len(thread)), why=lambda _: "", replaced=replaced)


def cleared(message: BaseMessage, placeholder: str) -> BaseMessage:
    """A copy of a tool result with a placeholder for its output."""
    return remembered_copy(
        message,
        ("cleared", placeholder),
        lambda: message.model_copy(update={"content": placeholder}),
    )


def answers(thread: Thread) -> list[int]:
    """Positions of the results that are sent, ordered by their calls.

    That is the first result of each call, and none that was made up for one.
    """
    found: list[int] = []
    for unit in thread.units:
        if unit.kind != "tool_calls":
            continue
        results: dict[str, int] = {}
        for index, message in zip(unit.indices, unit.messages, strict=True):
            if isinstance(message, ToolMessage):
                results.setdefault(message.tool_call_id, index)
        found.extend(
            results[call]
            for call in dict.fromkeys(call_ids(unit.messages[0]))
            if call in results and made_kind(thread.messages[results[call]]) is None
        )
    return found


def tool_names(thread: Thread) -> dict[int, str]:
    """The tool that each result is from; a result without a name has that of its call."""
    return {
        index: getattr(message, "name", None) or called.get(message.tool_call_id, "")
        for unit in thread.units
        if unit.kind == "tool_calls"
        for called in [{call["id"]: call["name"] for call in calls_of(unit.messages[0])}]
        for index, message in zip(unit.indices, unit.messages, strict=True)
        if isinstance(message, ToolMessage)
    }

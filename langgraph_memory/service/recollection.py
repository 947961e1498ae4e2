"""What the model is shown of a user's memories on one turn, and how it gets into the request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from langchain_core.messages import AnyMessage, HumanMessage, SystemMessage

from langgraph_memory.drawn import table
from langgraph_memory.messages import is_said_by_user, made, with_text_after
from langgraph_memory.tokens import DEFAULT_COUNTER

__all__ = ["NOTHING", "Placement", "Recollection", "placed"]

Namespace = tuple[str, ...]
Placement = Literal["before_last_user", "system", "layers"]


@dataclass(frozen=True, slots=True)
class Recollection:
    """The memories for one question.

    Attributes:
        question: Key of the user message that they were recalled for; empty if there is none.
        standing: The block of what must always be respected; empty if there is nothing.
        recalled: The block of what bears on the question.
        tasks: The block of unfinished tasks that the user comes back to.
        why: For each memory in either block, where it is and why it is there; plain JSON without
            what it says.
        failed: What is missing because of an error, and its kind, as in
            ``meaning: ConnectionError``. It is one of ``standing`` and ``profile`` for what always
            holds, ``meaning`` where memories were found by their words alone, ``recalled``, and
            ``tasks``.
    """

    question: str = ""
    standing: str = ""
    recalled: str = ""
    tasks: str = ""
    why: tuple[Mapping[str, Any], ...] = ()
    failed: tuple[str, ...] = ()

    @property
    def tokens(self) -> int:
        """Of all blocks."""
        return sum(map(DEFAULT_COUNTER.count_text, (self.standing, self.recalled, self.tasks)))

    @property
    def used(self) -> tuple[tuple[Namespace, str], ...]:
        """Where the memories in the recalled block are."""
        recalled = (each for each in self.why if each["block"] == "recalled")
        return tuple((tuple(each["namespace"]), each["key"]) for each in recalled)

    def lines(self, block: str) -> list[str]:
        """The lines of the `standing`, `recalled` or `tasks` block, without heading and tags."""
        text: str = getattr(self, block)
        return text.splitlines()[2:-1]

    def to_state(self) -> dict[str, Any]:
        """What the thread keeps of it: reasons and places, no content."""
        return {
            "question": self.question,
            "why": [dict(each) for each in self.why],
            "tokens": self.tokens,
        }

    def _repr_html_(self) -> str:
        """A small table for notebooks: a row for each line that the model is shown."""
        rows = [
            (block, line)
            for block in ("standing", "recalled", "tasks")
            for line in self.lines(block)
        ]
        missing = [("missing", each) for each in self.failed]
        return table([*rows, *missing, ("tokens", self.tokens)])


NOTHING = Recollection()


def placed(
    recollection: Recollection,
    messages: Sequence[AnyMessage],
    system: SystemMessage | None,
    placement: Placement,
) -> tuple[list[AnyMessage], SystemMessage | None]:
    """Messages and system message of a request with the memories in their places."""
    if placement == "layers":
        return list(messages), system
    system = with_text_after(system, recollection.standing)
    recalled = "\n\n".join(block for block in (recollection.recalled, recollection.tasks) if block)
    if placement == "system":
        return list(messages), with_text_after(system, recalled)
    return _before_question(messages, recalled), system


def _before_question(messages: Sequence[AnyMessage], block: str) -> list[AnyMessage]:
    """Messages with a block as a message of its own, just before the newest one of the user."""
    kept = list(messages)
    at = next((i for i in range(len(kept) - 1, -1, -1) if is_said_by_user(kept[i])), None)
    if block and at is not None:
        kept.insert(at, made(HumanMessage(content=block), "memory"))
    return kept

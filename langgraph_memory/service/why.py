"""Why the model was shown a memory: what it says, how it scored, and who said it where."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

from langchain_core.messages import BaseMessage
from langgraph.store.base import GetOp, Item

from langgraph_memory.drawn import table
from langgraph_memory.errors import InvalidInputError
from langgraph_memory.identity import Identity
from langgraph_memory.messages import key_of, text_of
from langgraph_memory.recall import passage_of
from langgraph_memory.records import MemoryRecord, is_record
from langgraph_memory.store import MemoryStore
from langgraph_memory.store.drafts import key_of as stored_key

__all__ = ["Reason", "Shown", "reasons_for", "shown_to"]


@dataclass(frozen=True, slots=True)
class Reason:
    """Why one memory was shown.

    Attributes:
        block: `standing` for what always holds, `recalled` for what bears on the question, `tasks`
            for what is unfinished.
        text: What it says.
        record: The memory; None for an item that is no record, or is gone.
        score: Its worth to the question, 0 to 1; None in the standing block.
        parts: What the score is made of, by name.
        said: The messages it comes from, as far as they are still in their thread.
    """

    block: str
    text: str
    record: MemoryRecord | None
    score: float | None
    parts: Mapping[str, float]
    said: tuple[BaseMessage, ...]

    def __str__(self) -> str:
        kind = self.record.type.value if self.record else "note"
        why = "always shown" if self.score is None else f"relevance {min(self.score, 1.0):.2f}"
        lines = [f"[{kind}] {' '.join(self.text.split())} ({why})"]
        if self.parts:
            lines.append(
                "  " + ", ".join(f"{name} {value:.2f}" for name, value in self.parts.items())
            )
        record = self.record
        if record is not None:
            when = record.created_at.strftime("%Y-%m-%d")
            thread = f", thread {record.source_thread_id!r}" if record.source_thread_id else ""
            lines.append(f"  known since {when} through {record.source.value}{thread}")
        lines += [f"  {message.type} said: {text_of(message)!r}" for message in self.said]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """A small table for notebooks."""
        first, *parts = str(self).splitlines()
        return table([(self.block, first), *(("", part.strip()) for part in parts)])


@dataclass(frozen=True, slots=True)
class Shown:
    """One entry of what a thread keeps of a recall.

    Attributes:
        block: As of a `Reason`.
        namespace: Where the memory is.
        key: Its key there.
        score: As of a `Reason`.
        parts: As of a `Reason`.
    """

    block: str
    namespace: tuple[str, ...]
    key: str
    score: float | None
    parts: Mapping[str, float]


def shown_to(who: Identity, kept: Any) -> Iterator[Shown]:
    """What a thread keeps of a recall, as far as it is the user's.

    A thread's state can be written by clients of LangGraph's server: what is another's is left out,
    and so is what is no entry at all.

    Args:
        who: Whose memories.
        kept: As `Recollection.why`, or anything else.
    """
    places = (*who.places, who.tasks)
    for each in kept if isinstance(kept, list | tuple) else ():
        if not isinstance(each, Mapping):
            continue
        block, key, labels = each.get("block"), each.get("key"), each.get("namespace")
        place = tuple(labels) if isinstance(labels, list | tuple) else ()
        if place in places and isinstance(block, str) and _is_key(key):
            score, parts = each.get("score"), each.get("parts")
            given = parts.items() if isinstance(parts, Mapping) else ()
            numbers = {str(name): value for name, value in given if _is_number(value)}
            yield Shown(block, place, key, score if _is_number(score) else None, numbers)


def reasons_for(
    store: MemoryStore,
    said_in: Callable[[Identity, str], list[BaseMessage]],
    who: Identity,
    kept: Any,
) -> list[Reason]:
    """The reasons in full.

    Args:
        store: Where the memories are.
        said_in: Gives what a user said in a thread of theirs.
        who: Whose memories.
        kept: As `Recollection.why` or the thread's state has it, see `shown_to`.
    """
    entries = list(shown_to(who, kept))
    ops = [GetOp(shown.namespace, shown.key, refresh_ttl=False) for shown in entries]
    items = store.batch(ops) if ops else []
    threads: dict[str, list[BaseMessage]] = {}
    found = []
    for shown, item in zip(entries, items, strict=True):
        record = _record(item)
        # A memory that users share may come from a thread of one of the others.
        thread = record.source_thread_id if record and shown.namespace == who.memories else None
        if thread is not None and thread not in threads:
            threads[thread] = said_in(who, thread)
        sources = set(record.source_message_ids) if record else set()
        said = tuple(m for m in threads.get(thread or "", ()) if key_of(m) in sources)
        found.append(Reason(shown.block, _text(item), record, shown.score, shown.parts, said))
    return found


def _record(item: Any) -> MemoryRecord | None:
    if not isinstance(item, Item) or not is_record(item.value):
        return None
    try:
        return MemoryRecord.from_value(item.value)
    except InvalidInputError:  # What somebody else has stored.
        return None


def _is_key(key: Any) -> TypeGuard[str]:
    try:
        return isinstance(key, str) and bool(stored_key(key))
    except InvalidInputError:  # Too long for any store.
        return False


def _is_number(value: Any) -> bool:
    # The bounds leave out what no float can hold, and what is no number.
    return isinstance(value, int | float) and -1e300 < value < 1e300


def _text(item: Any) -> str:
    if not isinstance(item, Item):
        return "(gone meanwhile)"
    return passage_of(item.value, item.updated_at).text

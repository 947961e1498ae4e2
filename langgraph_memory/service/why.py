"""Why the model was shown a memory: what it says, how it scored, and who said it where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import BaseMessage
from langgraph.store.base import GetOp, Item

from langgraph_memory.messages import key_of, text_of
from langgraph_memory.recall import passage_of
from langgraph_memory.records import MemoryRecord, is_record
from langgraph_memory.service.transcripts import Transcripts
from langgraph_memory.store import MemoryStore

__all__ = ["Reason", "reasons"]


@dataclass(frozen=True, slots=True)
class Reason:
    """Why one memory was shown.

    Attributes:
        block: `standing` for what always holds, `recalled` for what bears on the question.
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
        lines = [f"[{kind}] {self.text} ({why})"]
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


def reasons(
    store: MemoryStore, transcripts: Transcripts | None, why: Sequence[Mapping[str, Any]]
) -> list[Reason]:
    """The reasons in full.

    Args:
        store: Where the memories are.
        transcripts: Where the threads are that they come from.
        why: As `Recollection.why` or the thread's state has it.
    """
    places = [(tuple(each["namespace"]), each["key"]) for each in why]
    items = store.batch([GetOp(*place, refresh_ttl=False) for place in places]) if places else []
    threads: dict[str, list[BaseMessage]] = {}
    found = []
    for each, item in zip(why, items, strict=True):
        record = _record(item)
        thread = record.source_thread_id if record else None
        if transcripts is not None and thread is not None and thread not in threads:
            threads[thread] = transcripts.read(thread)[0]
        sources = set(record.source_message_ids) if record else set()
        found.append(
            Reason(
                block=each["block"],
                text=_text(item),
                record=record,
                score=each.get("score"),
                parts=each.get("parts", {}),
                said=tuple(m for m in threads.get(thread or "", ()) if key_of(m) in sources),
            )
        )
    return found


def _record(item: Any) -> MemoryRecord | None:
    if not isinstance(item, Item) or not is_record(item.value):
        return None
    return MemoryRecord.from_value(item.value)


def _text(item: Any) -> str:
    if not isinstance(item, Item):
        return "(gone meanwhile)"
    return passage_of(item.value, item.updated_at).text

"""From a model's reply to the entries in it, whatever is around them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage

from langgraph_memory.extraction.by_model.json_in_text import values_in
from langgraph_memory.messages import text_of
from langgraph_memory.summarization.summarizer import THOUGHTS

__all__ = ["Answer", "Unreadable", "read_answer"]

_LISTS = ("memories", "tasks")
_LONGEST = 200_000
_CUT_OFF = frozenset({"length", "max_tokens", "max_output_tokens"})
_OPEN_THOUGHT = re.compile(r"^\s*<think(?:ing)?>")
_OBJECT = re.compile(r"[{\[]")


@dataclass(frozen=True, slots=True)
class Answer:
    """The entries of an answer, as they came.

    Attributes:
        memories: Values that should be objects.
        tasks: The same for tasks.
        damaged: Whether something of the answer could not be read.
    """

    memories: tuple[Any, ...] = ()
    tasks: tuple[Any, ...] = ()
    damaged: bool = False


@dataclass(frozen=True, slots=True)
class Unreadable:
    """An answer in which there is no entry, and which does not say that there is none.

    Attributes:
        why: For the model, if it is asked once more.
    """

    why: str


def read_answer(reply: object) -> Answer | Unreadable:
    """Read a reply: a call of the tool, or JSON in its text.

    Of an answer that breaks off or is broken, the complete entries are read.
    """
    if not isinstance(reply, BaseMessage):
        return _in_text(str(reply), cut=False)
    cut = _is_cut_off(reply)
    calls = reply.tool_calls if isinstance(reply, AIMessage) else []
    broken = reply.invalid_tool_calls if isinstance(reply, AIMessage) else []
    if calls or broken:
        read = [_of_object(call["args"]) for call in calls]
        if cut and read and not broken:
            read[-1] = _without_last(calls[-1]["args"])
        read += [_in_text(call["args"] or "", cut=cut) for call in broken]
        return _merged(read)
    return _in_text(text_of(reply), cut=cut)


def _is_cut_off(reply: BaseMessage) -> bool:
    said = reply.response_metadata
    reason = said.get("finish_reason") or said.get("stop_reason") or said.get("done_reason")
    return isinstance(reason, str) and reason.lower() in _CUT_OFF


def _of_object(value: Any) -> Answer | Unreadable:
    # Clients that stream make {} of arguments they cannot read.
    if not isinstance(value, dict) or not any(name in value for name in _LISTS):
        return Unreadable('it is not an object with "memories" and "tasks"')
    lists = [_listed(value.get(name)) for name in _LISTS]
    if None in lists:
        return Unreadable('"memories" and "tasks" are not both lists')
    memories, tasks = lists
    return Answer(tuple(memories or ()), tuple(tasks or ()))


def _listed(value: Any) -> list[Any] | None:
    if value is None:
        return []
    if isinstance(value, dict):
        return [value]
    return value if isinstance(value, list) else None


def _without_last(value: dict[str, Any]) -> Answer | Unreadable:
    """Arguments that a client completed: the entry they broke off in may say half of it."""
    last = next((name for name in reversed(value) if value[name]), None)
    if last is None or not isinstance(value[last], list):
        return Unreadable("it was cut off")
    read = _of_object({**value, last: value[last][:-1]})
    if isinstance(read, Unreadable) or not (read.memories or read.tasks):
        return Unreadable("it was cut off")
    return Answer(read.memories, read.tasks, damaged=True)


def _merged(read: list[Answer | Unreadable]) -> Answer | Unreadable:
    answers = [one for one in read if isinstance(one, Answer)]
    failures = [one for one in read if isinstance(one, Unreadable)]
    if not answers:
        return failures[0]
    return Answer(
        tuple(entry for one in answers for entry in one.memories),
        tuple(entry for one in answers for entry in one.tasks),
        damaged=bool(failures) or any(one.damaged for one in answers),
    )


def _in_text(text: str, *, cut: bool) -> Answer | Unreadable:
    text = THOUGHTS.sub("", text[:_LONGEST])
    if not text.strip():
        return Unreadable("it was empty")
    if _OPEN_THOUGHT.match(text):
        return Unreadable("it was cut off")
    values, broken = values_in(text, _OBJECT)
    # A model that thinks aloud gives its answer last.
    for value in reversed(values):
        if isinstance(value, dict) and any(name in value for name in _LISTS):
            return _of_object(value)
    if len(values) == 1 and not values[0]:
        return Answer()
    if len(values) == 1 and isinstance(values[0], list):
        values = values[0]
    entries = [one for one in values if isinstance(one, dict)]
    memories = tuple(one for one in entries if "content" in one)
    tasks = tuple(one for one in entries if "title" in one and "content" not in one)
    if memories or tasks:
        return Answer(memories, tasks, damaged=broken)
    return Unreadable("it was cut off" if cut else "there is no complete JSON object in it")

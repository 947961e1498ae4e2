"""From a model's reply to a profile update, entry by entry."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage

from langgraph_memory.extraction.by_model.json_in_text import values_in
from langgraph_memory.extraction.by_model.shown import Shown
from langgraph_memory.memories.secrets import holds_secret
from langgraph_memory.messages import text_of
from langgraph_memory.profile.nothing import says_nothing
from langgraph_memory.profile.update import FieldFault, ProfileUpdate, RefusedField, Withdrawal
from langgraph_memory.summarization.summarizer import THOUGHTS

__all__ = ["ExtractedProfile", "read_answer"]

_MEMBERS = ("stated", "withdrawn")
_OBJECT = re.compile(r"{")
_LONGEST_NAME = 100


@dataclass(frozen=True, slots=True)
class ExtractedProfile:
    """What a model found.

    Attributes:
        update: To be merged.
        refused: Entries of the answer that were left out.
        calls: Calls of a model that it took.
    """

    update: ProfileUpdate
    refused: tuple[RefusedField, ...] = ()
    calls: int = 0


def read_answer(reply: object, shown: Shown) -> ExtractedProfile:
    """Read a reply: calls of the tool, or JSON in its text. Nothing in it raises."""
    objects = list(_objects(reply))
    if not objects:
        fault = RefusedField("", FieldFault.UNREADABLE, "there is no JSON object in the answer")
        return ExtractedProfile(ProfileUpdate(), (fault,), 1)
    reading = _Reading(shown, {}, {}, [], [])
    for each in objects:
        reading.read(each)
    update = ProfileUpdate(reading.values, tuple(reading.withdrawn), reading.sources)
    return ExtractedProfile(update, tuple(reading.refused), 1)


@dataclass
class _Reading:
    shown: Shown
    values: dict[str, Any]
    sources: dict[str, tuple[str, ...]]
    withdrawn: list[Withdrawal]
    refused: list[RefusedField]

    def read(self, answer: Mapping[str, Any]) -> None:
        stated, withdrawn = answer.get("stated") or {}, answer.get("withdrawn") or []
        if isinstance(withdrawn, Mapping):
            withdrawn = [withdrawn]
        known = isinstance(stated, Mapping) and isinstance(withdrawn, list)
        if not known or (answer and not any(name in answer for name in _MEMBERS)):
            self._refuse("", FieldFault.UNREADABLE)
            return
        for entry in withdrawn:
            self._withdraw(entry)
        for name, entry in stated.items():
            self._state(str(name), entry)

    def _state(self, name: str, entry: Any) -> None:
        if says_nothing(entry) or (isinstance(entry, Mapping) and entry.get("value", "") is None):
            return
        if not isinstance(entry, Mapping) or "value" not in entry:
            self._refuse(name, FieldFault.UNREADABLE)
        elif ids := self._said(name, entry, entry["value"]):
            self.values[name] = entry["value"]
            self.sources[name] = ids

    def _withdraw(self, entry: Any) -> None:
        if not isinstance(entry, Mapping) or not isinstance(entry.get("field"), str):
            self._refuse("", FieldFault.UNREADABLE)
            return
        item = None if says_nothing(entry.get("item")) else entry["item"]
        if ids := self._said(entry["field"], entry, item):
            self.withdrawn.append(Withdrawal(entry["field"], item))
            before = self.sources.get(entry["field"], ())
            self.sources[entry["field"]] = tuple(dict.fromkeys([*before, *ids]))

    def _said(self, name: str, entry: Mapping[str, Any], value: Any) -> tuple[str, ...]:
        """Ids of the messages of the user that state an entry; none for one that is refused."""
        sources = entry.get("sources")
        aliases = sources if isinstance(sources, list) else [sources]
        users = {one.alias: one.message_id for one in self.shown.users}
        found = [users[each] for each in aliases if isinstance(each, str) and each in users]
        if not found:
            self._refuse(name, FieldFault.NOT_SAID)
        elif _is_secret(name, value):
            self._refuse(name, FieldFault.SECRET)
            return ()
        return tuple(dict.fromkeys(found))

    def _refuse(self, name: str, fault: FieldFault) -> None:
        self.refused.append(RefusedField(name[:_LONGEST_NAME], fault))


def _is_secret(name: str, value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(_is_secret(f"{name} {key}", each) for key, each in value.items())
    if isinstance(value, list):
        return any(_is_secret(name, each) for each in value)
    return holds_secret(f"{name.replace('_', ' ')}: {value}")


def _objects(reply: object) -> Iterator[Mapping[str, Any]]:
    """The JSON objects of a reply that may be answers."""
    calls = reply.tool_calls if isinstance(reply, AIMessage) else []
    broken = reply.invalid_tool_calls if isinstance(reply, AIMessage) else []
    if calls or broken:
        yield from (call["args"] for call in calls)
        for each in broken:
            yield from _in_text(str(each["args"] or ""))
        return
    yield from _in_text(text_of(reply) if isinstance(reply, BaseMessage) else str(reply))


def _in_text(text: str) -> Iterator[Mapping[str, Any]]:
    found, _ = values_in(THOUGHTS.sub("", text), _OBJECT)
    answers = [each for each in found if not each or any(name in each for name in _MEMBERS)]
    # A model that thinks aloud gives its answer last.
    yield from answers[-1:]

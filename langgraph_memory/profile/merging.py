"""A stored profile with what a user said merged into it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ValidationError

from langgraph_memory import clock
from langgraph_memory.profile.edits import Edit, applied, edits_of, same, value_at
from langgraph_memory.profile.fields import Path, field_at, is_list
from langgraph_memory.profile.history import history_of, last_change, with_change
from langgraph_memory.profile.reading import dumped, readable, validated
from langgraph_memory.profile.update import (
    FieldFault,
    ProfileChange,
    ProfileUpdate,
    RefusedField,
)

__all__ = ["MergedProfile", "merged_profile"]


@dataclass(frozen=True, slots=True)
class MergedProfile:
    """A profile after an update.

    Attributes:
        value: What is to be stored.
        changed: What is different now; empty if the value is as it was.
        refused: What was not merged.
    """

    value: dict[str, Any]
    changed: tuple[ProfileChange, ...]
    refused: tuple[RefusedField, ...]


def merged_profile(
    schema: type[BaseModel],
    stored: Mapping[str, Any] | None,
    update: ProfileUpdate,
    *,
    when: datetime,
    thread_id: str | None = None,
) -> MergedProfile:
    """Merge an update into a stored profile. The same again changes nothing.

    A field that is not mentioned, or mentioned with nothing ("not mentioned", null, an empty
    list), keeps its value; only a withdrawal clears one. Single values are replaced. Lists are
    added to, as who names a further airline has not given up the first one; entries go by
    withdrawal. Nested models are merged field by field, mappings key by key. What the model does
    not accept is refused by itself, and so is what was said before the field's last change.

    Args:
        schema: The application's model.
        stored: The stored value; None for an empty profile. What of it the model does not know or
            accept stays in it.
        update: What was said.
        when: When; aware.
        thread_id: In which conversation.

    Raises:
        InvalidInputError: If `when` has no time zone.
    """
    when = clock.to_utc(when)
    value = dict(stored or {})
    fields, history = dict(value.get("fields") or {}), history_of(value)
    refused: list[RefusedField] = []
    edits: list[Edit] = []
    for edit in edits_of(schema, update):
        last = last_change(history, edit.path)
        if field_at(schema, edit.path) is None:
            refused.append(RefusedField(edit.name, FieldFault.UNKNOWN_FIELD))
        elif last and when < last.at and (edit.kind != "add" or _was_taken(edit, last)):
            refused.append(RefusedField(edit.name, FieldFault.OUTDATED))
        else:
            edits.append(edit)
    base = readable(schema, fields)
    now = _valid(schema, base, edits, refused)
    changed: list[ProfileChange] = []
    for path in dict.fromkeys(edit.path for edit in edits):
        here = [edit for edit in edits if edit.path[: len(path)] == path]
        old, new = value_at(fields, path), value_at(now, path)
        if isinstance(old, list) and is_list(field_at(schema, path)):
            around = [edit for edit in edits if edit.path == path[: len(edit.path)]]
            new = _entries(old, value_at(base, path), new, around) or None
        if old == new and type(old) is type(new):
            continue
        name = ".".join(path)
        if new in (None, "", [], {}) and all(edit.kind in ("put", "add") for edit in here):
            refused.append(RefusedField(name, FieldFault.INVALID, "It came to nothing."))
            continue
        if not _is_json(new):
            refused.append(RefusedField(name, FieldFault.INVALID, "It is no finite number."))
            continue
        ids = [one for edit in here for one in _sources(update, edit.source)]
        change = ProfileChange(name, old, new, when, thread_id, tuple(dict.fromkeys(ids)))
        changed.append(change)
        fields = _with(fields, path, new)
        history = with_change(history, change)
    if changed:
        value |= {"fields": fields, "history": history}
    return MergedProfile(value, tuple(changed), tuple(refused))


def _valid(
    schema: type[BaseModel],
    base: Mapping[str, Any],
    edits: list[Edit],
    refused: list[RefusedField],
) -> dict[str, Any]:
    """Readable fields with all edits made that are accepted; the others leave the list."""
    while True:
        try:
            return _dump(schema, base, edits)
        except ValidationError as error:
            fault = error.errors(include_url=False, include_input=False)[0]
            blamed = _blamed(edits, fault["loc"], applied(base, edits))
        if not blamed:
            # The model refuses the whole: take what goes together, one after the other.
            blamed = [_first_too_many(schema, base, edits)]
        for edit in blamed:
            edits.remove(edit)
            refused.append(RefusedField(edit.name, FieldFault.INVALID, str(fault["msg"])))


def _dump(
    schema: type[BaseModel], base: Mapping[str, Any], edits: Sequence[Edit]
) -> dict[str, Any]:
    made = applied(base, edits)
    given = dumped(validated(schema, made))
    # Entries that only turned out to be the same when they were read, such as 5 and "5".
    for edit in edits:
        entries = value_at(given, edit.path)
        if edit.kind == "add" and isinstance(entries, list):
            given = _with(given, edit.path, _once(entries))
    return given


def _once(entries: Sequence[Any]) -> list[Any]:
    kept: list[Any] = []
    for entry in entries:
        if not any(same(entry, each) for each in kept):
            kept.append(entry)
    return kept


def _blamed(
    edits: Sequence[Edit], place: Sequence[int | str], made: Mapping[str, Any]
) -> list[Edit]:
    """The edits because of which something is not accepted."""
    for edit in reversed(edits):
        within = place[len(edit.path) :]
        if edit.path == tuple(place[: len(edit.path)]) and not _is_another(edit, within, made):
            return [edit]
    for end in range(len(place), 0, -1):
        # Something missing beside what was given, or parts that do not go together.
        inside = [edit for edit in edits if edit.path[:end] == tuple(place[:end])]
        if inside:
            return inside
    return []


def _is_another(edit: Edit, inside: Sequence[int | str], made: Mapping[str, Any]) -> bool:
    """Whether the fault lies with an entry of a list that another edit added."""
    entries = value_at(made, edit.path)
    if edit.kind != "add" or not inside or not isinstance(entries, list):
        return False
    at = inside[0]
    return isinstance(at, int) and at < len(entries) and not same(entries[at], edit.value)


def _first_too_many(
    schema: type[BaseModel], base: Mapping[str, Any], edits: Sequence[Edit]
) -> Edit:
    fitting: list[Edit] = []
    for edit in edits:
        try:
            validated(schema, applied(base, [*fitting, edit]))
        except ValidationError:
            return edit
        fitting.append(edit)
    return edits[-1]


def _entries(stored: Sequence[Any], before: Any, after: Any, edits: Sequence[Edit]) -> list[Any]:
    """A stored list with its edits made; entries that the model cannot read stay in it."""

    def stays(entry: Any) -> bool:
        return all(
            edit.kind != "clear" and not (edit.kind == "take" and same(entry, edit.value))
            for edit in edits
        )

    there = [entry for entry in before or () if stays(entry)]
    new = [entry for entry in after or () if not any(same(entry, each) for each in there)]
    return [*(entry for entry in stored if stays(entry)), *new]


def _is_json(value: Any) -> bool:
    """Whether a value can be stored: JSON has no infinite numbers, though models write them."""
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        return False
    return True


def _was_taken(edit: Edit, last: ProfileChange) -> bool:
    """Whether an entry was in the list before its last change, and not after it."""

    def has(entries: Any) -> bool:
        return isinstance(entries, list) and any(same(edit.value, each) for each in entries)

    return has(last.old) and not has(last.new)


def _sources(update: ProfileUpdate, source: str) -> tuple[str, ...]:
    """The messages of a field, or of the nearest one around it that has any."""
    while source not in update.sources and "." in source:
        source = source.rpartition(".")[0]
    return tuple(update.sources.get(source, ()))


def _with(fields: Mapping[str, Any], path: Path, value: Any) -> dict[str, Any]:
    """Fields with one of them set, or without it if the value is None."""
    name, *rest = path
    inside = fields.get(name)
    if rest:
        value = _with(inside if isinstance(inside, Mapping) else {}, tuple(rest), value)
    if value is None or (rest and not value):
        return {key: each for key, each in fields.items() if key != name}
    return {**fields, name: value}

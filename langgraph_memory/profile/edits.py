"""An update as single edits of stored JSON."""

from __future__ import annotations

import copy
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel

from langgraph_memory.profile.fields import Path, accepts_word, field_at, is_list, nested_model
from langgraph_memory.profile.nothing import says_nothing
from langgraph_memory.profile.update import ProfileUpdate

__all__ = ["Edit", "applied", "edits_of", "same", "value_at"]


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit.

    Attributes:
        path: Names of the field and, first, of those around it.
        kind: Put a value; add an entry to a list; take an entry out; clear the field.
        value: The value or entry.
        source: The name in `ProfileUpdate.sources` that says where it comes from.
    """

    path: Path
    kind: Literal["put", "add", "take", "clear"]
    value: Any
    source: str

    @property
    def name(self) -> str:
        """The path as it is written."""
        return ".".join(self.path)


def edits_of(schema: type[BaseModel], update: ProfileUpdate) -> Iterator[Edit]:
    """The edits of an update: what is withdrawn first, then values in the order of the model.

    Fields that the model does not have are among them. Values that say nothing are not, nor is the
    withdrawal of an entry that the same update states: it stays where it is.
    """
    values = list(_of_values(schema, update.values, ()))
    for each in update.withdrawn:
        path = tuple(each.field.split("."))
        if each.item is None or not is_list(field_at(schema, path)):
            yield Edit(path, "clear", None, each.field)
        elif not any(edit.path == path and same(edit.value, each.item) for edit in values):
            yield Edit(path, "take", each.item, each.field)
    yield from values


def _of_values(schema: type[BaseModel], values: Mapping[str, Any], around: Path) -> Iterator[Edit]:
    known = [name for name in schema.model_fields if name in values]
    for name in [*known, *sorted(map(str, values.keys() - schema.model_fields.keys()))]:
        value, path = values.get(name), (*around, name)
        source = ".".join(path)
        if name not in schema.model_fields:
            if not says_nothing(value):
                yield Edit(path, "put", value, source)
            continue
        annotation = schema.model_fields[name].annotation
        inner = nested_model(annotation)
        if inner is not None and isinstance(value, BaseModel):
            value = value.model_dump(mode="json", by_alias=False, exclude_unset=True)
        if inner is not None and isinstance(value, Mapping):
            yield from _of_values(inner, value, path)
        elif is_list(annotation):
            entries = value if isinstance(value, list | tuple | set | frozenset) else [value]
            for entry in entries:
                if _says_something(annotation, entry):
                    yield Edit(path, "add", entry, source)
        elif _says_something(annotation, value):
            if isinstance(value, Mapping):
                value = {key: each for key, each in value.items() if not says_nothing(each)}
            yield Edit(path, "put", value, source)


def _says_something(annotation: Any, value: Any) -> bool:
    """Whether a value tells anything; a word for nothing does where it is one of the choices."""
    if not says_nothing(value):
        return True
    return isinstance(value, str) and bool(value.strip()) and accepts_word(annotation, value)


def applied(fields: Mapping[str, Any], edits: Sequence[Edit]) -> dict[str, Any]:
    """Stored fields with edits made, whether they are valid or not."""
    made = copy.deepcopy(dict(fields))
    for edit in edits:
        *around, name = edit.path
        inside = made
        for step in around:
            if not isinstance(inside.get(step), dict):
                if edit.kind in ("take", "clear"):
                    break
                inside[step] = {}
            inside = inside[step]
        else:
            _make(edit, inside, name)
    return made


def _make(edit: Edit, fields: dict[str, Any], name: str) -> None:
    there = fields.get(name)
    entries = there if isinstance(there, list) else []
    if edit.kind == "put":
        # A mapping that is no model is added to by its keys.
        both = isinstance(there, dict) and isinstance(edit.value, Mapping)
        fields[name] = {**there, **edit.value} if both else edit.value  # type: ignore[dict-item]
    elif edit.kind == "add":
        fields[name] = [*entries, *([] if _is_in(edit.value, entries) else [edit.value])]
    else:
        rest = [each for each in entries if not same(each, edit.value)]
        if edit.kind == "clear" or (entries and not rest):
            fields.pop(name, None)
        elif entries:
            fields[name] = rest


def value_at(fields: Any, path: Path) -> Any:
    """The value at a path; None where there is none."""
    for name in path:
        if not isinstance(fields, Mapping):
            return None
        fields = fields.get(name)
    return fields


def _is_in(entry: Any, entries: Sequence[Any]) -> bool:
    return any(same(entry, each) for each in entries)


def same(entry: Any, other: Any) -> bool:
    """Whether two entries of a list are one; texts may differ in case and spaces."""
    if isinstance(entry, str) and isinstance(other, str):
        return _plain(entry) == _plain(other)
    return type(entry) is type(other) and bool(entry == other)


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())

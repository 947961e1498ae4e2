"""From stored JSON to an instance of the application's model, however the model has changed."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import to_jsonable_python

from langgraph_memory.profile.fields import nested_model

__all__ = ["dumped", "known_part", "readable", "validated"]

P = TypeVar("P", bound=BaseModel)


def validated(schema: type[P], fields: Mapping[str, Any]) -> P:
    """An instance with these fields, by their names.

    Raises:
        pydantic.ValidationError: If the model does not accept them.
    """
    # Read as JSON, so that a strict model takes dates and choices in their written form.
    written = json.dumps(fields, default=to_jsonable_python)
    return schema.model_validate_json(written, by_name=True, by_alias=False)


def dumped(instance: BaseModel) -> dict[str, Any]:
    """The fields of an instance that were given, as JSON."""
    return instance.model_dump(mode="json", by_alias=False, exclude_unset=True, warnings="none")


def readable(schema: type[BaseModel], fields: Mapping[str, Any]) -> dict[str, Any]:
    """The part of stored fields that the model knows and accepts; the rest is left out."""
    kept = copy.deepcopy(known_part(schema, fields))
    while kept:
        try:
            validated(schema, kept)
        except ValidationError as error:
            places = [each["loc"] for each in error.errors(include_url=False)]
            # The last entry of a list first, so that the others keep their places.
            removed = [_remove(kept, place) for place in sorted(places, key=_order, reverse=True)]
            if not any(removed):
                return _one_by_one(schema, kept)
        else:
            break
    return kept


def known_part(schema: type[BaseModel], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Stored fields without those that the model does not have, in the order of the model."""
    known: dict[str, Any] = {}
    for name, field in schema.model_fields.items():
        if name in fields:
            value, inner = fields[name], nested_model(field.annotation)
            nested = inner is not None and isinstance(value, Mapping)
            known[name] = known_part(inner, value) if inner and nested else value
    return known


def _remove(fields: dict[str, Any], place: Sequence[int | str]) -> bool:
    """Remove what an error complains about, or the nearest thing around it that is there."""
    around: Any = fields
    last: tuple[Any, int | str] | None = None
    for step in place:
        is_entry = isinstance(around, list) and isinstance(step, int) and step < len(around)
        if not is_entry and not (isinstance(around, dict) and step in around):
            break
        last = (around, step)
        around = around[step]
    if last is None:
        return False
    del last[0][last[1]]
    return True


def _one_by_one(schema: type[BaseModel], fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that go together, earlier ones first, where the model refuses them as a whole."""
    kept: dict[str, Any] = {}
    for name, value in fields.items():
        try:
            validated(schema, {**kept, name: value})
        except ValidationError:
            continue
        kept[name] = value
    return kept


def _order(place: Sequence[int | str]) -> list[tuple[int, str]]:
    return [(step, "") if isinstance(step, int) else (-1, step) for step in place]

"""An application's model as the judge of a form that is not yet full."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ConfigDict, RootModel, ValidationError, field_validator

from langgraph_memory.errors import InvalidInputError
from langgraph_memory.session.plain_json import plain
from langgraph_memory.shown import shown

__all__ = ["Judge", "Judgement"]

# Validators are functions of the class; what one validation has read is not for any other.
_read: ContextVar[dict[str, Any] | None] = ContextVar("read", default=None)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a model says to some values.

    Attributes:
        values: Those that it accepts one by one, as plain JSON in the form that it gives them.
        faults: What is wrong with a value, by slot.
        conflict: Why the values do not go together; empty if they do. Rules on several slots are
            asked once every slot without a default is filled.
    """

    values: dict[str, Any] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)
    conflict: str = ""


class Judge:
    """Asks a model about the values that there are, and forgives those that are missing.

    Args:
        schema: The application's model.

    Raises:
        InvalidInputError: If it is no Pydantic model with fields.
    """

    def __init__(self, schema: type[BaseModel]) -> None:
        if (
            not (isinstance(schema, type) and issubclass(schema, BaseModel))
            or issubclass(schema, RootModel)
            or not schema.model_fields
        ):
            raise InvalidInputError(
                f"A form's schema must be a Pydantic model with a field for each slot, not "
                f"{shown(schema)}."
            )
        self.schema = schema

        class Reading(schema):  # type: ignore[valid-type, misc]
            """The model, letting us see every field that it has read."""

            model_config = ConfigDict(loc_by_alias=False)
            # Of a subclass, so it comes after all of the application's own.
            _keep = field_validator("*", mode="after")(classmethod(_kept))

        self._reading: type[BaseModel] = Reading

    def ask(self, values: Mapping[str, Any]) -> Judgement:
        """Judge values, given as JSON by slot."""
        known, faults = {}, {}
        for name, value in values.items():
            try:
                known[name] = plain(value)
            except ValueError as error:
                faults[name] = str(error)
        read: dict[str, Any] = {}
        conflict = ""
        token = _read.set(read)
        try:
            # Read as JSON, so that a strict model takes dates and choices in their written form.
            self._reading.model_validate_json(json.dumps(known), by_name=True, by_alias=False)
        except ValidationError as error:
            for each in error.errors(include_url=False, include_input=False):
                slot, *inside = each["loc"] or ("",)
                if slot not in known:
                    # A slot that is missing is none of its faults; what has no slot is a conflict.
                    conflict = conflict or ("" if slot else each["msg"])
                    continue
                place = f"{'.'.join(str(step) for step in inside)}: " if inside else ""
                told = f"{place}{each['msg']}"
                faults[str(slot)] = f"{faults[str(slot)]}; {told}" if slot in faults else told
        finally:
            _read.reset(token)
        written = {}
        for name in known:
            if name in read and name not in faults:
                try:
                    written[name] = self._written(name, read[name])
                except ValueError as error:
                    faults[name] = str(error)
        return Judgement(written, faults, conflict)

    def _written(self, name: str, value: Any) -> Any:
        """A value that was read, as the model writes it."""
        holder = self.schema.model_construct(**{name: value})
        return plain(holder.model_dump(mode="json", include={name}, warnings=False)[name])


def _kept(_: Any, value: Any, info: Any) -> Any:
    read = _read.get()
    if read is not None:
        read[info.field_name] = value
    return value

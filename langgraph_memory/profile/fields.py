"""The fields of an application's model, nested ones included."""

from __future__ import annotations

import types
from collections.abc import Iterator
from enum import Enum
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from langgraph_memory.errors import InvalidInputError

__all__ = ["Path", "accepts_word", "check_schema", "field_at", "is_list", "nested_model"]

Path = tuple[str, ...]


def check_schema(schema: type[BaseModel]) -> None:
    """Refuse a model of which there is no empty instance.

    Raises:
        InvalidInputError: If it is no Pydantic model, or a field of it must be given.
    """
    if not (isinstance(schema, type) and issubclass(schema, BaseModel)):
        raise InvalidInputError(f"A profile's schema must be a Pydantic model, got {schema!r}.")
    try:
        schema.model_validate({}, by_name=True, by_alias=False)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False)
        needed = ", ".join(".".join(map(str, each["loc"])) or each["msg"] for each in faults)
        raise InvalidInputError(
            f"A profile begins empty, so every field of {schema.__name__} needs a default; "
            f"without values it does not accept: {needed}. Write e.g. 'name: str | None = None'."
        ) from error


def field_at(schema: type[BaseModel], path: Path) -> Any:
    """The annotation of the field at a path; None where there is no such field."""
    annotation: Any = None
    model: type[BaseModel] | None = schema
    for name in path:
        if model is None or name not in model.model_fields:
            return None
        annotation = model.model_fields[name].annotation
        model = nested_model(annotation)
    return annotation


def nested_model(annotation: Any) -> type[BaseModel] | None:
    """The model whose fields a field has, if it is one model and not a choice of several."""
    found = [
        each for each in _choices(annotation) if isinstance(each, type) and each is not type(None)
    ]
    if len(found) == 1 and issubclass(found[0], BaseModel):
        return found[0]
    return None


def is_list(annotation: Any) -> bool:
    """Whether a field holds any number of entries: a list, a set, or a tuple of open length."""
    kinds = [each for each in _choices(annotation) if each is not type(None)]
    return bool(kinds) and all(_is_open(each) for each in kinds)


def accepts_word(annotation: Any, word: str) -> bool:
    """Whether a field or its entries have a word among the values that they may only have."""
    for each in _choices(annotation):
        if get_origin(each) is Literal and word in get_args(each):
            return True
        if isinstance(each, type) and issubclass(each, Enum):
            if word in {member.value for member in each}:
                return True
        elif get_origin(each) is not Literal and any(
            accepts_word(part, word) for part in get_args(each)
        ):
            return True
    return False


def _is_open(annotation: Any) -> bool:
    kind = get_origin(annotation) or annotation
    if kind is tuple:
        return get_args(annotation)[1:] == (...,)
    return kind in (list, set, frozenset)


def _choices(annotation: Any) -> Iterator[Any]:
    """The members of a union, without what is only added to a type."""
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from _choices(get_args(annotation)[0])
    elif origin in (Union, types.UnionType):
        for each in get_args(annotation):
            yield from _choices(each)
    elif isinstance(annotation, TypeVar):
        yield Any
    elif hasattr(annotation, "__value__"):  # `type X = …`
        yield from _choices(annotation.__value__)
    else:
        yield annotation

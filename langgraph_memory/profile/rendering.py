"""A profile as names and values for the standing block of a prompt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel

from langgraph_memory.profile.fields import nested_model
from langgraph_memory.profile.reading import dumped
from langgraph_memory.recall.budget import within
from langgraph_memory.tokens import DEFAULT_COUNTER

__all__ = ["lines"]


def lines(profile: BaseModel, *, tokens: int = 200) -> list[tuple[str, str]]:
    """Names and values of the fields that are set, in the order of the model.

    A field is named by its title, or else by its name; one of a nested model with the name around
    it, as in ``hotel.stars``. The same profile gives the same lines.

    Args:
        profile: The profile; fields that were not given are not shown, even if they have a default.
        tokens: For all lines; where there are too many, the fields declared first come first.
    """
    told = _lines(type(profile), dumped(profile), "")
    chosen = within(
        told, lambda line: DEFAULT_COUNTER.count_text(f"- {line[0]}: {line[1]}\n"), tokens
    )
    return [line for line, _ in chosen]


def _lines(
    schema: type[BaseModel], values: Mapping[str, Any], around: str
) -> Iterator[tuple[str, str]]:
    for name, field in schema.model_fields.items():
        value = values.get(name)
        title = f"{around}{field.title or name.replace('_', ' ')}"
        inner = nested_model(field.annotation)
        if inner is not None and isinstance(value, Mapping):
            yield from _lines(inner, value, f"{title}.")
        elif text := _text(value):
            yield title, text


def _text(value: Any) -> str:
    """A JSON value as a person would write it; empty for what says nothing."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}" if abs(value) < 1e6 else f"{value:.15g}"
    if isinstance(value, Mapping):
        parts = [(str(name).replace("_", " "), _text(each)) for name, each in value.items()]
        return ", ".join(f"{name}: {text}" for name, text in parts if text)
    if isinstance(value, list):
        texts = [text for each in value if (text := _text(each))]
        # Entries that have commas themselves are told apart.
        return ("; " if any("," in text for text in texts) else ", ").join(texts)
    return " ".join(str(value).split())

"""The form of the answer that a model is asked for, made from the application's model.

Every field is optional, has no default that could be taken for something said, and is given with
the numbers of the messages that state it. References are written out and null is left out, as not
every provider takes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

__all__ = ["TOOL_NAME", "answer_schema", "tool"]

TOOL_NAME = "update_profile"

_DROPPED = frozenset({"default", "required", "$defs", "additionalProperties"})
_SOURCES: dict[str, Any] = {
    "type": "array",
    "items": {"type": "string"},
    "description": "Numbers of the user's messages that state it, such as u2.",
}


def tool(schema: type[BaseModel]) -> dict[str, Any]:
    """The tool that takes the answer."""
    return {
        "type": "function",
        "function": {
            "name": TOOL_NAME,
            "description": "Record what the user stated of the profile; empty if nothing.",
            "parameters": answer_schema(schema),
        },
    }


def answer_schema(schema: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of the answer: `stated` by field, and `withdrawn`."""
    full = schema.model_json_schema(by_alias=False)
    fields = _plain(full, full.get("$defs", {}), ()).get("properties", {})
    stated = {
        name: {
            "type": "object",
            "properties": {"value": value, "sources": _SOURCES},
            "required": ["value", "sources"],
        }
        for name, value in fields.items()
    }
    withdrawal = {
        "type": "object",
        "properties": {
            "field": {"type": "string", "description": "Its name, such as a, or a.b inside a."},
            "item": {"type": "string", "description": "One entry of a list; left out for all."},
            "sources": _SOURCES,
        },
        "required": ["field", "sources"],
    }
    return {
        "type": "object",
        "properties": {
            "stated": {
                "type": "object",
                "description": "The fields that the user stated, and no others.",
                "properties": stated,
            },
            "withdrawn": {
                "type": "array",
                "description": "What the user took back without a new value.",
                "items": withdrawal,
            },
        },
    }


def _plain(node: Any, definitions: Mapping[str, Any], inside: tuple[str, ...]) -> Any:
    """A schema without references, null, defaults and required members."""
    if isinstance(node, list):
        return [_plain(each, definitions, inside) for each in node]
    if not isinstance(node, dict):
        return node
    reference = node.get("$ref")
    if reference is not None:
        name = str(reference).rpartition("/")[2]
        rest = {key: value for key, value in node.items() if key != "$ref"}
        if name in inside:
            return {"type": "object"}  # A model that holds itself.
        return _plain({**definitions[name], **rest}, definitions, (*inside, name))
    plain: dict[str, Any] = {}
    for key, value in node.items():
        if key == "properties":
            plain[key] = {name: _plain(each, definitions, inside) for name, each in value.items()}
        elif key not in _DROPPED:
            plain[key] = value if key in ("enum", "const") else _plain(value, definitions, inside)
    choices = [each for each in plain.get("anyOf", ()) if each != {"type": "null"}]
    if len(choices) == 1:
        del plain["anyOf"]
        return {**choices[0], **plain}
    return {**plain, "anyOf": choices} if choices else plain

"""What each slot of a form takes, as JSON schema that every provider accepts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

__all__ = ["allowed", "slot_schemas"]

# A default could be taken for something that was said.
_DROPPED = frozenset({"$defs", "default", "title"})
_TOLD = frozenset({"title", "description", "examples"})


def slot_schemas(schema: type[BaseModel]) -> dict[str, dict[str, Any]]:
    """The JSON schema of every field by its name: references written out, null left out."""
    full = schema.model_json_schema(by_alias=False)
    definitions = full.get("$defs", {})
    return {
        name: _plain(each, definitions, ()) for name, each in full.get("properties", {}).items()
    }


def allowed(slot_schema: Mapping[str, Any]) -> str:
    """What a slot takes, in one line; empty for anything."""
    rules = {key: value for key, value in slot_schema.items() if key not in _TOLD}
    if set(rules) == {"enum"} or set(rules) == {"enum", "type"}:
        return "one of " + ", ".join(json.dumps(each, ensure_ascii=False) for each in rules["enum"])
    return json.dumps(rules, ensure_ascii=False) if rules else ""


def _plain(node: Any, definitions: Mapping[str, Any], inside: tuple[str, ...]) -> Any:
    if isinstance(node, list):
        return [_plain(each, definitions, inside) for each in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        name = str(node["$ref"]).rpartition("/")[2]
        rest = {key: value for key, value in node.items() if key != "$ref"}
        if name in inside:
            return {"type": "object"}  # A model that holds itself.
        return _plain({**definitions[name], **rest}, definitions, (*inside, name))
    found: dict[str, Any] = {}
    for key, value in node.items():
        if key == "properties":
            found[key] = {name: _plain(each, definitions, inside) for name, each in value.items()}
        elif key in ("enum", "const"):
            found[key] = value
        elif key not in _DROPPED:
            found[key] = _plain(value, definitions, inside)
    choices = [each for each in found.get("anyOf", ()) if each != {"type": "null"}]
    if len(choices) == 1:
        del found["anyOf"]
        return {**choices[0], **found}
    return {**found, "anyOf": choices} if choices else found

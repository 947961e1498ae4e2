"""Tool schemas as the text a provider is sent."""

from __future__ import annotations

import json
import weakref
from typing import Any

from langchain_core.utils.function_calling import convert_to_openai_tool

from langgraph_memory.errors import InvalidInputError

__all__ = ["ToolTexts"]


class ToolTexts:
    """Compact JSON of tools, made once per tool object.

    Building the schema of a function or a Pydantic class takes milliseconds, and a budget is
    checked on every call.
    """

    def __init__(self) -> None:
        self._texts: dict[int, tuple[weakref.ref[Any], object, str]] = {}

    def of(self, tool: Any, position: int) -> str:
        """Return the JSON of one tool.

        Args:
            tool: A LangChain tool, a function, a Pydantic or TypedDict class, or a schema.
            position: Its place in the caller's list, for the error.

        Raises:
            InvalidInputError: It is none of these.
        """
        if isinstance(tool, dict):
            return _schema_json(tool, position)
        key = id(tool)
        entry = self._texts.get(key)
        described = getattr(tool, "description", None)
        if entry is not None and entry[0]() is tool and entry[1] == described:
            return entry[2]
        text = _schema_json(tool, position)
        texts = self._texts
        try:
            ref = weakref.ref(tool, lambda _: texts.pop(key, None))
        except TypeError:
            return text
        texts[key] = (ref, described, text)
        return text

    def __reduce__(self) -> tuple[type[ToolTexts], tuple[()]]:
        return ToolTexts, ()


def _schema_json(tool: Any, position: int) -> str:
    try:
        schema = convert_to_openai_tool(tool)
    except Exception as error:
        # A built-in tool of a provider ({"type": "web_search"}) is sent as it is.
        if isinstance(tool, dict) and "type" in tool:
            schema = tool
        else:
            raise InvalidInputError(
                f"tools[{position}] is {type(tool).__name__} and cannot be read as a tool "
                f"({error}). Give a LangChain tool, a function with a docstring, a Pydantic class "
                "or a schema."
            ) from error
    return json.dumps(schema, ensure_ascii=False, separators=(",", ":"), default=str)

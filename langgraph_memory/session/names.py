"""Names that become part of a tool's name and of a tag in the prompt."""

from __future__ import annotations

import re

from langgraph_memory.errors import InvalidInputError
from langgraph_memory.shown import shown

__all__ = ["check_name"]

_NAME = re.compile(r"[a-z][a-z0-9_]{0,40}", re.ASCII)


def check_name(name: object) -> None:
    """Refuse a name that a provider would not take for a tool.

    Raises:
        InvalidInputError: It says which names can be used.
    """
    if not (isinstance(name, str) and _NAME.fullmatch(name)):
        raise InvalidInputError(
            f"name is {shown(name)}: it becomes part of the names of tools, so give a lower-case "
            "letter and then lower-case letters, digits and underscores, 41 of them at most."
        )

"""Objects of a user's, by import path."""

from __future__ import annotations

import importlib
from typing import Any

from langgraph_memory.errors import InvalidInputError

__all__ = ["imported"]


def imported(importable: str, what: str, path: str) -> Any:
    """The object at ``module:attribute``.

    Args:
        importable: The module and the attribute, which may have dots.
        what: What it is to be, as an error names it.
        path: As the user wrote it.

    Raises:
        InvalidInputError: There is no such attribute.
    """
    module_name, _, attribute = importable.partition(":")
    try:
        found: Any = importlib.import_module(module_name)
        for part in attribute.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError) as error:
        raise InvalidInputError(
            f"Cannot load {what} from {path!r}: {error}. Give an import path of the form "
            "'package.module:attribute' that Python can import from here."
        ) from error
    return found

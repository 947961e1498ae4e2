"""What session memory refuses, in words that a model can act on."""

from __future__ import annotations

from langgraph_memory.errors import InvalidInputError

__all__ = ["InvalidEditError", "InvalidSlotError"]


class InvalidSlotError(InvalidInputError):
    """A slot of a form cannot have a value, be confirmed or be emptied; nothing was changed."""


class InvalidEditError(InvalidInputError):
    """An edit cannot be made as it was asked for; the text is as it was."""

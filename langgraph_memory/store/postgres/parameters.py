"""The named parameters of a statement that is put together from parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["Parameters"]


class Parameters:
    """Values by name; parts with placeholders without a name get names of their own."""

    def __init__(self, **values: Any) -> None:
        self.values: dict[str, Any] = dict(values)

    def update(self, values: Mapping[str, Any]) -> None:
        """Add values whose names the parts know."""
        self.values.update(values)

    def positional(self, sql: str, operands: Sequence[Any]) -> str:
        """SQL whose `%s`, one per operand, are replaced by names; the operands are added."""
        first, *others = sql.split("%s")
        written = [first]
        for operand, part in zip(operands, others, strict=True):
            name = f"operand_{len(self.values)}"
            self.values[name] = operand
            written += [f"%({name})s", part]
        return "".join(written)

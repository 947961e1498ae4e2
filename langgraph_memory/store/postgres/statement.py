"""Putting a statement together from parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from langgraph_memory.store.postgres.connections import Session

__all__ = ["Parameters", "Together", "numbers"]


def numbers(values: Iterable[float | None]) -> str:
    """Numbers as the text of an SQL array, many times faster than the driver writes a list."""
    return f"{{{','.join('NULL' if value is None else repr(value) for value in values)}}}"


class Parameters:
    """The named parameters of a statement; its parts know the names."""

    def __init__(self, **values: Any) -> None:
        self.values: dict[str, Any] = dict(values)

    def update(self, values: Mapping[str, Any]) -> None:
        """Add values."""
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


class Together:
    """Statements on different tables that go to the server in one round trip.

    None of them sees what another one does, and none begins before another.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._parts: list[str] = []
        self._parameters = Parameters()

    def add(self, sql: str, **values: Any) -> None:
        """Add an INSERT, UPDATE or DELETE; names of parameters must differ between parts."""
        self._parts.append(sql)
        self._parameters.update(values)

    def run(self) -> None:
        """Do all of them."""
        if not self._parts:
            return
        *others, last = self._parts
        named = [f"part_{number} AS ({part})" for number, part in enumerate(others)]
        self._session.run(
            f"WITH {', '.join(named)} {last}" if named else last, self._parameters.values
        )

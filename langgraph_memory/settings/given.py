"""What somebody wrote, before it is checked, and where each key of it stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from langgraph_memory.errors import InvalidSettingsError

__all__ = ["NO_SECTION", "Given", "KeyPath"]

NO_SECTION = "must be a section with keys of its own"

KeyPath = tuple[str, ...]


@dataclass(frozen=True)
class Given:
    """Nested keys and values.

    Attributes:
        values: The sections.
        places: For each path of keys, a file and line, or a variable.
    """

    values: dict[str, Any] = field(default_factory=dict)
    places: dict[KeyPath, str] = field(default_factory=dict)

    def fault(self, at: KeyPath, told: str, value: Any = None) -> InvalidSettingsError:
        """An error about a key, with the place of it or of the section that it would be in."""
        shown = "" if value is None or isinstance(value, dict) else f", given {value!r}"
        ends = range(len(at), 0, -1)
        place = next((self.places[at[:end]] for end in ends if at[:end] in self.places), None)
        where = "" if place is None else f" ({place})"
        return InvalidSettingsError(f"{'.'.join(at)}: {told}{shown}{where}.")

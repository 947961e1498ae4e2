"""A change of an item that is made only if nobody else changed it meanwhile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

__all__ = ["Change"]


@dataclass(frozen=True, slots=True)
class Change:
    """One of the changes that `MemoryStore.commit` makes together.

    Attributes:
        namespace: Where the item is.
        key: Its key.
        value: Its new value; None deletes it.
        version: `updated_at` of the item as it was read; None if there must not be one, ``"any"``
            if that does not matter.
        index: As for `put`.
        ttl: Minutes to live; None for ever.
        newest: `updated_at` of the newest item of the namespace as it was read, for what was
            decided by what is *not* there; None if there must not be any item, ``"any"`` if that
            does not matter.
    """

    namespace: tuple[str, ...]
    key: str
    value: Mapping[str, Any] | None
    version: datetime | Literal["any"] | None = "any"
    index: Literal[False] | list[str] | None = None
    ttl: float | None = None
    newest: datetime | Literal["any"] | None = "any"

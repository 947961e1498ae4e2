"""Compare and set: whether the version that a write expects is the one that is there."""

from __future__ import annotations

from langgraph_memory.errors import VersionConflictError
from langgraph_memory.store.escape import unescape
from langgraph_memory.store.namespaces import labels_of
from langgraph_memory.store.operations import ANY_VERSION, Write, moment

__all__ = ["check_newest", "check_version"]


def check_version(write: Write, there: int | None) -> None:
    """Refuse a write whose item has changed.

    Args:
        write: With the version it expects, if it expects any.
        there: `updated_at` of the item that is there, None if there is none.

    Raises:
        VersionConflictError: If it is not the expected one.
    """
    if write.expected in (ANY_VERSION, there):
        return
    raise VersionConflictError(
        f"Key {unescape(write.key)!r} in {labels_of(write.path)}: expected "
        f"{_described(write.expected)}, found {_described(there)}. Read it again and decide anew. "
        "Nothing was written."
    )


def check_newest(write: Write, there: int | None) -> None:
    """Refuse a write to a namespace in which something was written since it was read.

    Args:
        write: With the newest version that it expects there, if it expects any.
        there: `updated_at` of the newest item that is there, None if there is none.

    Raises:
        VersionConflictError: If it is not the expected one.
    """
    if write.newest in (ANY_VERSION, there):
        return
    raise VersionConflictError(
        f"{labels_of(write.path)}: expected {_described(write.newest)} to be the newest, found "
        f"{_described(there)}. Read it again and decide anew. Nothing was written."
    )


def _described(version: int | str | None) -> str:
    return f"version {moment(version)}" if isinstance(version, int) else "no item"

"""Whether a failure lies in what was read, or in something that may be otherwise the next time."""

from __future__ import annotations

import re
from collections.abc import Iterator

from langgraph_memory.errors import (
    EmbedderMismatchError,
    InvalidStateError,
    MissingExtraError,
    StoreClosedError,
    StoreUnavailableError,
    VersionConflictError,
)

__all__ = ["is_passing", "is_refusal"]

REFUSALS = (400, 413, 422)
"""What a provider answers to a request that it would answer in the same way for ever."""

_ELSEWHERE = (
    OSError,
    ImportError,
    MemoryError,
    NotImplementedError,
    EmbedderMismatchError,
    InvalidStateError,
    MissingExtraError,
    StoreClosedError,
    StoreUnavailableError,
    VersionConflictError,
)
# Clients of providers and databases have classes of their own, which need not be installed.
_NAMES = re.compile(
    r"Timeout|TimedOut|Connect|Transport|Network|Protocol|Unavailable|Overload|Throttl|RateLimit|"
    r"TooManyRequests|ResourceExhausted|Operational|InterfaceError"
)
_WORDS = re.compile(
    r"\b(?:408|409|429|50[0234]|529)\b|rate.?limit|too many requests|overloaded|timed? ?out|"
    r"unavailable|connection",
    re.IGNORECASE,
)


def is_refusal(error: BaseException) -> bool:
    """Whether a provider does not want to answer this very request."""
    return _status(error) in REFUSALS


def is_passing(error: BaseException) -> bool:
    """Whether the same turns may well be read without this failure at another time.

    So it is where a provider, a database or a network cannot be had at the moment, or is not set
    up right. Where that cannot be seen, the turns are to blame.
    """
    for each in _causes(error):
        status = _status(each)
        if status is not None:
            return status not in REFUSALS
        names = (kind.__name__ for kind in type(each).__mro__)
        if isinstance(each, _ELSEWHERE) or any(map(_NAMES.search, names)):
            return True
        if _WORDS.search(str(each)):
            return True
    return False


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An error and what it was raised from, as far as that was said on purpose."""
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        yield cause
        cause = cause.__cause__


def _status(error: BaseException) -> int | None:
    """The HTTP status that a provider's client gives with an error."""
    response = getattr(error, "response", None)
    for given in (
        getattr(error, "status_code", None),
        getattr(error, "code", None),
        getattr(response, "status_code", None),
    ):
        if isinstance(given, int) and 400 <= given < 600:
            return given
    return None

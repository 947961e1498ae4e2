"""A place in a thread that is found again later, kept as plain JSON.

A position alone would be wrong once the thread is edited, and a key alone may stand for several
messages without ids; so a place is a position from the start, one from the end, and a key.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

from langgraph_memory.errors import InvalidStateError
from langgraph_memory.messages import Thread, key_of

Place = tuple[int, int, str]


def place_of(thread: Thread, index: int) -> Place:
    """What to keep of a position, so that `find` finds it again."""
    return index, len(thread) - index, key_of(thread.messages[index])


def find(thread: Thread, place: Place | None) -> int | None:
    """Position of a message that was at a place before; None when it is gone.

    A thread that has grown has it at the same distance from its start, a view that is handed in
    again at the same distance from its end. Otherwise it is looked for from the end.
    """
    if place is None:
        return None
    from_start, from_end, key = place
    length = len(thread)
    likely = [from_start, length - from_end]
    if length < from_start + from_end:
        likely.reverse()
    for index in chain(likely, range(length - 1, -1, -1)):
        if 0 <= index < length and key_of(thread.messages[index]) == key:
            return index
    return None


def read_place(value: Any) -> Place | None:
    """A place as it was kept in a state; None where there was none.

    Raises:
        InvalidStateError: It is something else.
    """
    if not value:
        return None
    try:
        from_start, from_end, key = value
        return int(from_start), int(from_end), str(key)
    except (TypeError, ValueError) as error:
        raise InvalidStateError(
            f"The state of a context strategy has {value!r:.80} where a place in the thread should "
            "be. Hand back the `state` of the last view as it was, or None to start again."
        ) from error

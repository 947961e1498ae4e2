"""Remembering counts, so that a call on a long thread costs work only for what is new."""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from typing import Any, NamedTuple

from langchain_core.messages import BaseMessage

__all__ = ["MessageMemo", "TextMemo"]


class _Ref(weakref.ref[Any]):
    __slots__ = ("key",)
    key: int


class _Entry(NamedTuple):
    ref: _Ref
    content: Any
    size: int
    calls: Any
    call_count: int
    name: object
    extra: object
    cost: int


class MessageMemo:
    """Costs of live messages, by identity.

    A message is not kept alive: its entry goes when it does. An entry holds as long as the message
    has the very same content, calls and name and these have their length. (A block changed in
    place, inside a list of equal length, is not noticed: replace the content instead.)
    """

    __slots__ = ("__weakref__", "_entries", "_forget")

    def __init__(self) -> None:
        entries: dict[int, _Entry] = {}

        def forget(ref: weakref.ref[Any]) -> None:
            key = getattr(ref, "key", 0)
            entry = entries.get(key)
            if entry is not None and entry.ref is ref:
                entries.pop(key, None)

        self._entries = entries
        self._forget = forget

    def get(self, message: BaseMessage) -> int | None:
        """Return the cost stored for this object, or None if it is unknown or has changed."""
        entry = self._entries.get(id(message))
        if entry is None:
            return None
        ref, content, size, calls, call_count, name, extra, cost = entry
        if ref() is not message:
            return None
        values = message.__dict__
        if (
            values["content"] is content
            and len(content) == size
            and values.get("name") is name
            and values.get("additional_kwargs") is extra
        ):
            now = values.get("tool_calls")
            if now is calls and (now is None or len(now) == call_count):
                return cost
        return None

    def put(self, message: BaseMessage, cost: int) -> None:
        """Store the cost of a message."""
        values = message.__dict__
        calls = values.get("tool_calls")
        ref = _Ref(message, self._forget)
        ref.key = id(message)
        content = values["content"]
        self._entries[ref.key] = _Entry(
            ref,
            content,
            len(content),
            calls,
            0 if calls is None else len(calls),
            values.get("name"),
            values.get("additional_kwargs"),
            cost,
        )

    def __len__(self) -> int:
        return len(self._entries)

    def __reduce__(self) -> tuple[type[MessageMemo], tuple[()]]:
        return MessageMemo, ()


class TextMemo:
    """Counts of texts, least recently used out first.

    A thread read back from a checkpoint holds equal texts in new objects; they are found here.

    Args:
        max_chars: Characters held at most, over all texts. A text of more than a quarter of it is
            not stored.
    """

    SHORTEST = 48
    """Texts below this many characters are cheaper to count than to remember."""

    def __init__(self, max_chars: int = 4_000_000) -> None:
        self._max_chars = max_chars
        self._held = 0
        self._counts: OrderedDict[str, int] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, text: str) -> int | None:
        """Return the count of a text, or None."""
        with self._lock:
            count = self._counts.get(text)
            if count is not None:
                self._counts.move_to_end(text)
            return count

    def put(self, text: str, count: int) -> None:
        """Store the count of a text."""
        if len(text) * 4 > self._max_chars:
            return
        with self._lock:
            if text not in self._counts:
                self._held += len(text)
            self._counts[text] = count
            while self._held > self._max_chars:
                oldest, _ = self._counts.popitem(last=False)
                self._held -= len(oldest)

    def __reduce__(self) -> tuple[type[TextMemo], tuple[int]]:
        return TextMemo, (self._max_chars,)

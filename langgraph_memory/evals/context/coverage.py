"""Whether some summarizer has read a message.

Tools render messages in their own ways (XML with escapes, JSON, plain lines), so only words are
compared: both sides are unescaped, folded to lower case and reduced to words between single
spaces.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Sequence

from langchain_core.messages import AIMessage, BaseMessage

__all__ = ["folded", "unseen_by"]

_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")
_ESCAPED_SPACE = re.compile(r"\\+[nrt]")
_NOT_A_WORD = re.compile(r"[\W_]+")


def folded(text: str) -> str:
    """The words of a text, ` between spaces `, whatever it was escaped for."""
    if "&" in text:
        text = html.unescape(text)
    if "\\" in text:
        text = _ESCAPED_SPACE.sub(" ", text)
        text = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text)
    return f" {_NOT_A_WORD.sub(' ', text).strip().casefold()} "


def unseen_by(
    requests: Iterable[Sequence[BaseMessage]], messages: Sequence[BaseMessage]
) -> list[BaseMessage]:
    """The messages that none of a summarizer's requests contained whole.

    Args:
        requests: What the summarizer was sent.
        messages: The messages to look for: by their text, and for tool calls by their arguments.
    """
    read = [folded("\n".join(_rendered(message) for message in request)) for request in requests]
    return [message for message in messages if not any(_is_in(message, text) for text in read)]


def _rendered(message: BaseMessage) -> str:
    text = str(message.text)
    if isinstance(message, AIMessage) and message.tool_calls:
        text += "".join(
            f"\n{call['name']} {json.dumps(call['args'], ensure_ascii=False)}"
            for call in message.tool_calls
        )
    return text


def _is_in(message: BaseMessage, text: str) -> bool:
    if not _holds(text, str(message.text)):
        return False
    if not isinstance(message, AIMessage):
        return True
    return all(_holds_arguments(text, call["args"]) for call in message.tool_calls)


def _holds_arguments(text: str, arguments: object) -> bool:
    if _holds(text, json.dumps(arguments, ensure_ascii=False)):
        return True
    # Not written as JSON, then: each value must at least stand next to its name.
    pairs = list(_pairs(arguments))
    return bool(pairs) and all(_holds(text, pair) for pair in pairs)


def _holds(text: str, part: str) -> bool:
    words = folded(part)
    return not words.strip() or words in text


def _pairs(value: object, name: str = "") -> Iterable[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _pairs(inner, str(key))
    elif isinstance(value, list):
        for inner in value:
            yield from _pairs(inner)
    else:
        yield f"{name} {value}"

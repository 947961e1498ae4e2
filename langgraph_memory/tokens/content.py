"""What the content of a message costs, block by block."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from langgraph_memory.tokens.media import MediaCosts, media_kind

__all__ = ["content_tokens"]

_CALL_BLOCKS = frozenset({"tool_use", "tool_call", "tool_call_chunk", "function_call"})
"""Blocks that repeat what the message's ``tool_calls`` say."""

_ENCODED_MIN = 256
"""Characters from which a string without blanks may be an encoded value."""

_ENCODED = re.compile(r"[A-Za-z0-9+/_=.-]+")
_HIDDEN = frozenset({"signature", "thought_signature", "thoughtSignature", "encrypted_content"})


def content_tokens(
    content: Any, count_text: Callable[[str], int], media: MediaCosts, *, skip_calls: bool = False
) -> int:
    """Return the tokens of a message's content.

    Args:
        content: A string, or a list of strings and content blocks in any provider's spelling.
        count_text: Tokens of a text.
        media: What blocks without text cost.
        skip_calls: Leave out the blocks that repeat the message's tool calls.
    """
    if isinstance(content, str):
        return count_text(content)
    if isinstance(content, Mapping):
        content = [content]
    if not isinstance(content, Sequence) or isinstance(content, bytes | bytearray):
        return 0 if content is None else _opaque_aware(content, count_text, media)
    total = 0
    for block in content:
        if isinstance(block, str):
            total += count_text(block)
        elif not isinstance(block, Mapping):
            total += _opaque_aware(block, count_text, media)
        elif not (skip_calls and block.get("type") in _CALL_BLOCKS):
            total += _block_tokens(block, count_text, media)
    return total


def _block_tokens(
    block: Mapping[str, Any], count_text: Callable[[str], int], media: MediaCosts
) -> int:
    kind = block.get("type")
    if kind in ("text", "input_text", "output_text") and isinstance(block.get("text"), str):
        return count_text(block["text"])
    if kind in ("thinking", "reasoning", "reasoning_content", "redacted_thinking"):
        return _thought_tokens(block, count_text, media)
    if kind == "tool_result":
        return content_tokens(block.get("content"), count_text, media)
    medium = media_kind(block)
    if medium is None:
        return _opaque_aware(block, count_text, media)
    if medium == "file":
        written = _file_text(block)
        if written is not None:
            title = block.get("title")
            total = content_tokens(written, count_text, media)
            return total + (count_text(title) if isinstance(title, str) else 0)
    return media.of(medium)


def _file_text(block: Mapping[str, Any]) -> Any:
    """The text of a file that is given as text, else None."""
    if isinstance(block.get("text"), str):
        return block["text"]
    source = block.get("source")
    if isinstance(source, Mapping):
        if source.get("type") == "text":
            return source.get("data")
        if source.get("type") == "content":
            return source.get("content")
    return None


def _thought_tokens(
    block: Mapping[str, Any], count_text: Callable[[str], int], media: MediaCosts
) -> int:
    total = 0
    for key in ("thinking", "reasoning", "text", "reasoning_content", "summary", "content"):
        value = block.get(key)
        if isinstance(value, Mapping):
            value = value.get("text")
        if isinstance(value, str):
            total += count_text(value)
        elif isinstance(value, Sequence):
            total += content_tokens(
                [part.get("text", "") if isinstance(part, Mapping) else part for part in value],
                count_text,
                media,
            )
    # A signature vouches for the thought beside it; only a thought that is hidden has a cost.
    if block.get("encrypted_content") or block.get("type") == "redacted_thinking":
        total += media.opaque
    return total


def _opaque_aware(value: Any, count_text: Callable[[str], int], media: MediaCosts) -> int:
    """Tokens of a value's JSON, encoded blobs in it at a constant."""
    hidden = 0

    def plain(part: Any, name: str = "") -> Any:
        nonlocal hidden
        if isinstance(part, Mapping):
            return {str(key): plain(inner, str(key)) for key, inner in part.items()}
        if isinstance(part, list | tuple):
            return [plain(inner) for inner in part]
        if isinstance(part, bytes | bytearray | memoryview) or (
            isinstance(part, str) and (name in _HIDDEN or _is_encoded(part))
        ):
            hidden += 1
            return ""
        return part

    shown = json.dumps(plain(value), ensure_ascii=False, separators=(",", ":"), default=str)
    return count_text(shown) + hidden * media.opaque


def _is_encoded(text: str) -> bool:
    if len(text) < _ENCODED_MIN:
        return False
    return (text.startswith("data:") and ";base64," in text[:200]) or bool(_ENCODED.fullmatch(text))

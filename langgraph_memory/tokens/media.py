"""What pictures, sound and files cost: a constant each, whatever their encoding weighs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

from langgraph_memory.errors import InvalidInputError

__all__ = ["MediaCosts", "MediaKind", "media_kind"]

MediaKind = Literal["image", "audio", "video", "file"]

_KINDS: dict[str, MediaKind] = {
    "image": "image",
    "image_url": "image",
    "input_image": "image",
    "computer_screenshot": "image",
    "audio": "audio",
    "audio_url": "audio",
    "input_audio": "audio",
    "video": "video",
    "video_url": "video",
    "input_video": "video",
    "file": "file",
    "input_file": "file",
    "document": "file",
    "media": "file",
    "text-plain": "file",
}

# Blocks without a type are named by their one key, as Gemini's and Bedrock's are.
_NAMED: dict[str, MediaKind] = {
    "inlineData": "file",
    "inline_data": "file",
    "fileData": "file",
    "file_data": "file",
    "image": "image",
    "audio": "audio",
    "video": "video",
    "document": "file",
}


@dataclass(frozen=True)
class MediaCosts:
    """Tokens charged for one block of each kind.

    Providers compute them from pixels, seconds or pages, which a block seldom tells. The defaults
    stand for a picture of about a megapixel, half a minute of sound, a short clip and a file of
    one or two pages.

    Args:
        image: One picture.
        audio: One sound clip.
        video: One film clip.
        file: One document that is not given as text.
        opaque: One encrypted or encoded value that no reader of the transcript can measure.

    Raises:
        InvalidInputError: A cost is not a whole number of zero or more.
    """

    image: int = 800
    audio: int = 800
    video: int = 2_000
    file: int = 1_500
    opaque: int = 50

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 0:
                raise InvalidInputError(
                    f"MediaCosts.{field.name} is {value!r}: give the tokens of one block as a "
                    "whole number of zero or more."
                )

    def of(self, kind: MediaKind) -> int:
        """Return the tokens of one block of ``kind``."""
        cost: int = getattr(self, kind)
        return cost


def media_kind(block: Mapping[str, Any]) -> MediaKind | None:
    """Return which kind of medium a content block holds, or None if it is something else."""
    kind = _KINDS.get(str(block.get("type")))
    inner: Any = block.get("source")
    if kind is None and "type" not in block:
        name = next((name for name in _NAMED if isinstance(block.get(name), Mapping)), None)
        if name is not None:
            kind, inner = _NAMED[name], block[name]
    if kind != "file":
        return kind
    # A generic block says what it holds by its media type.
    mime = block.get("mime_type")
    if not mime and isinstance(inner, Mapping):
        mime = inner.get("media_type") or inner.get("mimeType") or inner.get("mime_type")
    family = str(mime or "").partition("/")[0]
    if family == "image":
        return "image"
    if family == "audio":
        return "audio"
    return "video" if family == "video" else "file"

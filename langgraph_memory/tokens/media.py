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
    if kind != "file":
        return kind
    # A generic block says what it holds by its media type.
    source = block.get("source")
    mime = block.get("mime_type") or (isinstance(source, Mapping) and source.get("media_type"))
    family = str(mime or "").partition("/")[0]
    if family == "image":
        return "image"
    if family == "audio":
        return "audio"
    return "video" if family == "video" else "file"

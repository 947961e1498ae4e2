"""The simple classic: characters divided by a constant."""

from __future__ import annotations

import math

from langgraph_memory.errors import InvalidInputError
from langgraph_memory.tokens.counter import TokenCounter
from langgraph_memory.tokens.media import MediaCosts

__all__ = ["CharRatioCounter"]


class CharRatioCounter(TokenCounter):
    """Counts ``ceil(characters / chars_per_token)``, whatever the script.

    Args:
        chars_per_token: Characters of one token.
        per_message: Tokens around every message.
        media: What pictures, sound, films and files cost.

    Raises:
        InvalidInputError: ``chars_per_token`` is not a number above zero.
    """

    per_call = 0
    per_tool = 0
    per_request = 0

    def __init__(
        self,
        chars_per_token: float = 2.5,
        per_message: int = 4,
        *,
        media: MediaCosts | None = None,
    ) -> None:
        number = isinstance(chars_per_token, int | float) and not isinstance(chars_per_token, bool)
        if not number or not math.isfinite(chars_per_token) or chars_per_token <= 0:
            raise InvalidInputError(
                f"chars_per_token is {chars_per_token!r}: give the characters of one token as a "
                "number above zero (about 4 for English, 2.5 as a cautious mean)."
            )
        super().__init__(per_message=per_message, media=media)
        self.chars_per_token = chars_per_token

    def _measure(self, text: str) -> int:
        return math.ceil(len(text) / self.chars_per_token)

    def __repr__(self) -> str:
        return f"CharRatioCounter({self.chars_per_token}, {self.per_message})"

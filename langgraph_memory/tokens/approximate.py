"""The default counter: no tokenizer, no download."""

from __future__ import annotations

from langgraph_memory.tokens.counter import TokenCounter
from langgraph_memory.tokens.estimate import estimate_tokens
from langgraph_memory.tokens.media import MediaCosts

__all__ = ["ApproximateTokenCounter"]


class ApproximateTokenCounter(TokenCounter):
    """Estimates tokens from the shape of a text, script by script.

    It follows OpenAI's o200k vocabulary and leans a few per cent to the high side, so that a
    budget kept by it is kept in exact tokens too. See ``langgraph_memory.tokens.estimate``.

    Args:
        per_message: Tokens around every message.
        media: What pictures, sound, films and files cost.

    Raises:
        InvalidInputError: ``per_message`` is not a whole number of zero or more.
    """

    def __init__(self, *, per_message: int = 4, media: MediaCosts | None = None) -> None:
        super().__init__(per_message=per_message, media=media)

    def _measure(self, text: str) -> int:
        return estimate_tokens(text)

    def __repr__(self) -> str:
        return f"ApproximateTokenCounter(per_message={self.per_message})"

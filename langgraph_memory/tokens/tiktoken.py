"""Exact counts for OpenAI models."""

from __future__ import annotations

import threading
import warnings
from typing import Any, Protocol

from langgraph_memory.errors import MissingExtraError
from langgraph_memory.tokens.counter import TokenCounter
from langgraph_memory.tokens.estimate import estimate_tokens
from langgraph_memory.tokens.media import MediaCosts

__all__ = ["Encoder", "TiktokenCounter", "TokenizerUnavailableWarning"]


class TokenizerUnavailableWarning(UserWarning):
    """The exact tokenizer could not be loaded; estimates are used instead."""


class Encoder(Protocol):
    """A tokenizer: text in, token ids out."""

    def encode(self, text: str) -> Any:
        """Return the ids of ``text``; only their number is used."""
        ...


class TiktokenCounter(TokenCounter):
    """Counts with OpenAI's own vocabulary.

    Texts, roles, names and the opening of the answer are exact. The wrapping of tool calls and
    tool schemas is not published and is approximated: their JSON plus a few tokens each.

    The tables are loaded at the first count, or by ``prepare()``. ``tiktoken`` reads them from its
    cache or downloads them: both block. In an async program call
    ``await asyncio.to_thread(counter.prepare)`` at start. When they cannot be had, one
    ``TokenizerUnavailableWarning`` is given and the approximate estimate serves.

    Args:
        model: The model whose encoding is used.
        encoding: The encoding by name (``"o200k_base"``); goes before ``model``.
        encoder: A ready tokenizer; goes before both, and ``tiktoken`` is not needed.
        media: What pictures, sound, films and files cost.
    """

    def __init__(
        self,
        model: str = "gpt-4o",
        *,
        encoding: str | None = None,
        encoder: Encoder | None = None,
        media: MediaCosts | None = None,
    ) -> None:
        # Three tokens frame a message and its role is one more.
        super().__init__(per_message=4, media=media)
        self.model = model
        self.encoding = encoding
        self._encoder = encoder
        self._failed = False
        self._loading = threading.Lock()

    @property
    def exact(self) -> bool:
        """Whether the vocabulary is loaded; False before the first count and after a failure."""
        return self._encoder is not None

    def prepare(self) -> None:
        """Load the vocabulary now. It blocks, on the disk or the network.

        Raises:
            MissingExtraError: ``tiktoken`` is not installed.
        """
        with self._loading:
            if self._encoder is not None or self._failed:
                return
            try:
                import tiktoken
            except ImportError as error:
                raise MissingExtraError("tiktoken", "tiktoken", "TiktokenCounter") from error
            name = self.encoding or _encoding_of(tiktoken, self.model)
            try:
                self._encoder = tiktoken.get_encoding(name)
            except (OSError, ValueError, RuntimeError) as error:
                self._failed = True
                warnings.warn(
                    f"The tokenizer tables {name!r} could not be loaded ({type(error).__name__}: "
                    f"{error}). Tokens are estimated instead. Allow one download, or point "
                    "TIKTOKEN_CACHE_DIR at a folder that holds the tables.",
                    TokenizerUnavailableWarning,
                    stacklevel=3,
                )

    def _measure(self, text: str) -> int:
        if self._encoder is None and not self._failed:
            self.prepare()
        encoder = self._encoder
        if encoder is None:
            return estimate_tokens(text)
        # A text that quotes a control token is still only a text.
        encode = getattr(encoder, "encode_ordinary", encoder.encode)
        try:
            return len(encode(text))
        except UnicodeEncodeError:
            return len(encode(text.encode("utf-8", "replace").decode("utf-8")))

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "_loading"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._loading = threading.Lock()

    def __repr__(self) -> str:
        what = f"encoding={self.encoding!r}" if self.encoding else f"model={self.model!r}"
        return f"TiktokenCounter({what})"


def _encoding_of(tiktoken: Any, model: str) -> str:
    try:
        name: str = tiktoken.encoding_name_for_model(model)
    except KeyError:
        # Models newer than the installed table use the newest vocabulary.
        return "o200k_base"
    return name

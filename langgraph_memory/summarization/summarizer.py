"""From messages to a summary: one model call a piece, merged with what was known before."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage
from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.constants import TAG_NOSTREAM

from langgraph_memory.calls import Call, Steps
from langgraph_memory.errors import InvalidInputError, SummarizationError
from langgraph_memory.messages import text_of
from langgraph_memory.summarization.prompts import (
    INSTRUCTIONS,
    ordinary_request,
    transcript,
)

OMITTED = "\n[… {count:,} characters left out …]\n"
RUN_NAME = "summarize_conversation"
# Some local models write their reasoning into the answer.
THOUGHTS = re.compile(r"^\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary and what it cost.

    Attributes:
        text: The summary.
        model_calls: How often the model was called for it.
        left_out: Characters of the source that no call was given (only with `truncate`).
    """

    text: str
    model_calls: int
    left_out: int = 0


@dataclass(frozen=True)
class Summarizer:
    """Asks a chat model for the running summary of a conversation.

    Args:
        model: Any LangChain chat model (or a Runnable from messages to a message).
        max_source_chars: Characters of transcript that go into one call. A longer source is
            summarized in consecutive pieces, each merged into the summary of those before it.
        overflow: `pieces`, or `truncate` to give the model only the beginning and the end of a
            longer source, in one call.
        instructions: What a summary made from a transcript is to keep.
    """

    model: BaseChatModel | Runnable[Any, Any]
    max_source_chars: int = 50_000
    overflow: Literal["pieces", "truncate"] = "pieces"
    instructions: str = INSTRUCTIONS

    def __post_init__(self) -> None:
        if not hasattr(self.model, "invoke"):
            raise InvalidInputError(
                f"The summarizer's model must be a LangChain chat model, not {self.model!r}. "
                "Make one with langchain.chat_models.init_chat_model('provider:name')."
            )
        if self.max_source_chars < 1:
            raise InvalidInputError(
                f"max_source_chars must be at least 1 character, not {self.max_source_chars}."
            )
        if self.overflow not in ("pieces", "truncate"):
            raise InvalidInputError(
                f"overflow must be 'pieces' or 'truncate', not {self.overflow!r}."
            )

    def summarize(
        self,
        messages: Sequence[BaseMessage],
        previous: str | None,
        config: RunnableConfig | None = None,
    ) -> Steps[Summary]:
        """Summarize messages, merged with the summary of what came before them.

        Raises:
            SummarizationError: The model raised, or answered with nothing, or with something that
                is not shorter than what it was given.
        """
        lines = transcript(messages)
        source = "\n".join(lines)
        if not source:
            raise SummarizationError("There is no text in the messages to be summarized.")
        left_out = 0
        if self.overflow == "truncate" and len(source) > self.max_source_chars:
            left_out = len(source) - self.max_source_chars
            pieces = [both_ends(source, self.max_source_chars)]
        else:
            pieces = _pieces(lines, self.max_source_chars)
        text = previous
        for piece in pieces:
            request = ordinary_request(piece, text, self.instructions)
            limit = len(piece) + len(text or "")
            text = yield from self._ask(self.model, request, limit, config)
        assert text is not None
        return Summary(text, len(pieces), left_out)

    def summarize_in_place(
        self,
        request: list[BaseMessage],
        tools: Sequence[Any],
        limit: int,
        config: RunnableConfig | None = None,
    ) -> Steps[Summary]:
        """Summarize by adding the instruction to a request that the model has just seen.

        Args:
            request: That request from its beginning, unchanged, so that a prompt cache can serve
                it, with the instruction at the end (see `request_in_place`).
            tools: The tools that were bound to it: they are part of the cached prefix.
            limit: The summary must have fewer characters than this.
            config: Added to the configuration of the call.

        Raises:
            SummarizationError: As for `summarize`.
        """
        bind = getattr(self.model, "bind_tools", None)
        model = bind(list(tools)) if tools and bind is not None else self.model
        text = yield from self._ask(model, request, limit, config)
        return Summary(text, 1)

    def _ask(
        self,
        model: Any,
        request: list[BaseMessage],
        limit: int,
        config: RunnableConfig | None,
    ) -> Steps[str]:
        call_config = _internal(config)
        try:
            answer = yield Call(
                partial(model.invoke, request, call_config),
                partial(model.ainvoke, request, call_config),
            )
        except Exception as error:
            raise SummarizationError(
                f"The summarizer raised {type(error).__name__}: {error}"
            ) from error
        if not isinstance(answer, str | BaseMessage):
            raise SummarizationError(f"The summarizer answered with {answer!r:.80}, not a message.")
        text = answer if isinstance(answer, str) else text_of(answer)
        text = THOUGHTS.sub("", text).strip()
        if not text:
            raise SummarizationError("The summarizer answered with no text.")
        if len(text) >= limit:
            raise SummarizationError(
                f"The summary ({len(text):,} characters) is not shorter than its source "
                f"({limit:,} characters)."
            )
        return text


def both_ends(text: str, limit: int) -> str:
    """The beginning and the end of a text, `limit` characters together, and a mark between."""
    head = (limit + 1) // 2
    tail = limit - head
    return text[:head] + OMITTED.format(count=len(text) - limit) + text[len(text) - tail :]


def _pieces(lines: Sequence[str], limit: int) -> list[str]:
    pieces: list[str] = []
    current: list[str] = []
    size = 0
    for line in lines:
        for start in range(0, len(line), limit):
            part = line[start : start + limit]
            if current and size + len(part) + 1 > limit:
                pieces.append("\n".join(current))
                current, size = [], 0
            current.append(part)
            size += len(part) + 1
    pieces.append("\n".join(current))
    return pieces


def _internal(config: RunnableConfig | None) -> RunnableConfig:
    """Keep the summarizer's tokens out of what the user is streamed."""
    config = config or {}
    return {
        **config,
        "tags": [*config.get("tags", ()), TAG_NOSTREAM],
        "metadata": {**config.get("metadata", {}), "lc_source": "summarization"},
        "run_name": RUN_NAME,
    }

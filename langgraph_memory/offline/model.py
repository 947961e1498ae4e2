"""A chat model that needs no network and makes nothing up, because it can only quote."""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, Literal

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool

from langgraph_memory.offline.answer import Answer
from langgraph_memory.offline.phrases import acknowledgement, frame, refusal
from langgraph_memory.offline.reader import Reader
from langgraph_memory.offline.summary import summarize, summary_wanted
from langgraph_memory.offline.words import has_han, sentences
from langgraph_memory.tokens import ApproximateTokenCounter

__all__ = ["MODEL_NAME", "OfflineChatModel"]

MODEL_NAME = "offline-extractive"
_LONGEST_QUOTATION = 600
_LONGEST_NOTE = 160
# Words keep the space after them; Chinese comes character by character.
_PIECE = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]|[^\s\u3400-\u9fff\uf900-\ufaff]+\s*|\s+")


class OfflineChatModel(BaseChatModel):
    """An extractive reader in the form of a chat model. It is no language model.

    It answers the newest user message with a sentence that stands in the rest of the prompt, and
    says where that was; if none answers, it says that it does not know. Asked for a summary, it
    picks sentences. So a right answer proves that the context delivered the fact, which is what
    it is for: demonstrations and tests of memory without a provider. It calls no tools, follows
    no instructions and knows nothing that the prompt does not say.

    Attributes:
        semantic: Whether to compare sentence vectors too: `True` needs the extra `local`,
            `"auto"` uses it when installed, `False` never does. Loaded at the first question
            (about two seconds), not when the model is made.
        max_input_tokens: The window it claims in its profile, in tokens.
    """

    semantic: bool | Literal["auto"] = "auto"
    max_input_tokens: int = 128_000

    def model_post_init(self, context: Any, /) -> None:
        """Announces the window, so that budgets given as a fraction of it work."""
        super().model_post_init(context)
        if self.profile is None:
            self.profile = {"max_input_tokens": self.max_input_tokens, "tool_calling": False}

    @property
    def _llm_type(self) -> str:
        return MODEL_NAME

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model_name": MODEL_NAME, "semantic": self.semantic}

    @cached_property
    def _reader(self) -> Reader:
        return Reader(semantic=self.semantic)

    @cached_property
    def _counter(self) -> ApproximateTokenCounter:
        return ApproximateTokenCounter()

    def bind_tools(
        self,
        tools: Sequence[builtins.dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Accepts tools, so that agents can be built on this model; it never calls one.

        Args:
            tools: Any tools.
            tool_choice: Ignored.
            **kwargs: Bound to later calls, and ignored there.
        """
        return self.bind(**kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        text = _stopped(self._reply(messages), stop)
        message = AIMessage(
            content=text,
            usage_metadata=self._usage(messages, text),
            response_metadata={"model_name": MODEL_NAME, "finish_reason": "stop"},
        )
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        text = _stopped(self._reply(messages), stop)
        for piece in _PIECE.findall(text):
            chunk = ChatGenerationChunk(message=AIMessageChunk(content=piece))
            if run_manager is not None:
                run_manager.on_llm_new_token(piece, chunk=chunk)
            yield chunk
        yield ChatGenerationChunk(
            message=AIMessageChunk(
                content="",
                usage_metadata=self._usage(messages, text),
                response_metadata={"model_name": MODEL_NAME, "finish_reason": "stop"},
                chunk_position="last",
            )
        )

    def _reply(self, messages: Sequence[BaseMessage]) -> str:
        if summary_wanted(messages):
            return summarize(messages)
        return _worded(self._reader.read(messages))

    def _usage(self, messages: Sequence[BaseMessage], text: str) -> UsageMetadata:
        sent = self._counter.count_messages(messages)
        written = self._counter.count_text(text)
        return UsageMetadata(input_tokens=sent, output_tokens=written, total_tokens=sent + written)


def _worded(answer: Answer) -> str:
    language = "zh" if has_han(answer.request) else "en"
    if answer.question is None:
        return acknowledgement(language, _note(answer.request))
    if not answer.findings:
        return refusal(language)
    by_source: dict[str, list[str]] = {}
    for finding in answer.findings:
        passage = finding.passage
        quotation = passage.text if finding.lead == "" else f"{finding.lead} {passage.text}"
        by_source.setdefault(passage.source.value, []).append(_cut(quotation))
    return "\n".join(frame(language, source, quoted) for source, quoted in by_source.items())


def _note(request: str) -> str:
    """The statement to acknowledge; nothing for greetings and thanks."""
    stated = [one for one in sentences(request) if len(one) > 12 or (has_han(one) and len(one) > 5)]
    return "" if not stated else _shortened(" ".join(stated), _LONGEST_NOTE)


def _cut(text: str) -> str:
    return _shortened(text, _LONGEST_QUOTATION)


def _shortened(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[:limit].rstrip() + "…"


def _stopped(text: str, stop: list[str] | None) -> str:
    """Text up to the first of the stop sequences."""
    ends = [text.find(one) for one in stop or () if one and one in text]
    return text[: min(ends)] if ends else text

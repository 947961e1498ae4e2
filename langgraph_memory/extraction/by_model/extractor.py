"""Extraction by a chat model: one structured call, and what it answers is checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage
from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.constants import TAG_NOSTREAM

from langgraph_memory.calls import Call, Steps
from langgraph_memory.errors import InvalidInputError
from langgraph_memory.extraction.by_model.answer import Answer, Unreadable, read_answer
from langgraph_memory.extraction.by_model.entries import EntryReader
from langgraph_memory.extraction.by_model.form import TOOL
from langgraph_memory.extraction.by_model.prompt import VERSION, model_request
from langgraph_memory.extraction.by_model.shown import Shown
from langgraph_memory.extraction.by_model.structured import check_model, name_of, with_tool
from langgraph_memory.extraction.proposals import Dropped, DropReason, Extraction
from langgraph_memory.extraction.request import ExtractionRequest
from langgraph_memory.messages import check_messages

__all__ = ["ModelExtractor"]

RUN_NAME = "extract_memories"
MAX_CHARS = 16_000

# Its tokens are not for the user's stream.
_CONFIG: RunnableConfig = {
    "tags": [TAG_NOSTREAM],
    "metadata": {"lc_source": "memory_extraction"},
    "run_name": RUN_NAME,
}


@dataclass(frozen=True)
class ModelExtractor:
    """Asks a chat model what of a conversation is worth remembering.

    It makes one call a request, and a second one only if nothing of the answer can be read. What
    the provider raises is raised: the turn can be read again later. Nothing that a model answers
    raises; what is no memory that a user stated is in `Extraction.dropped`.

    The model is given a tool and is not forced to call it, because several models refuse that
    while they think; an answer in text is read just as well. A model that knows no tools is asked
    for JSON.

    Args:
        model: Any LangChain chat model (or a Runnable from messages to a message).
        repair: Whether to ask once more if an answer cannot be read at all.
        tools: Whether to offer a tool to a model that has them; False for a server that refuses
            tools although its client takes them.
        tool_choice: Given to `bind_tools`, for models that call the tool more reliably when they
            must: `"any"`, or `"record_memories"`.
        max_chars: Characters of the conversation in a request at most; longer messages are cut in
            the middle.

    Raises:
        InvalidInputError: the model is not one, or `max_chars` is below 1.
    """

    model: BaseChatModel | Runnable[Any, Any]
    repair: bool = True
    tools: bool = True
    tool_choice: str | None = None
    max_chars: int = MAX_CHARS
    _bound: Any = field(init=False, repr=False, compare=False, default=None)

    def __post_init__(self) -> None:
        check_model(self.model)
        if self.max_chars < 1:
            raise InvalidInputError(
                f"max_chars must be at least 1 character, not {self.max_chars}."
            )
        if self.tools:
            object.__setattr__(self, "_bound", with_tool(self.model, TOOL, self.tool_choice))

    @property
    def name(self) -> str:
        """The model and the version of what it is asked, for `MemoryRecord.extractor`."""
        return f"{name_of(self.model)}/extract-{VERSION}"

    def steps(self, request: ExtractionRequest) -> Steps[Extraction]:
        """What the model finds in the request's messages; without words of a user, no call.

        Raises:
            InvalidMessagesError: the messages are not a list of LangChain messages.
        """
        check_messages(request.messages)
        shown = Shown.of(request)
        if not shown.users:
            return Extraction()
        answer = yield from self._ask(shown, request)
        calls = 1
        if isinstance(answer, Unreadable) and self.repair:
            answer = yield from self._ask(shown, request, failure=answer.why)
            calls = 2
        if isinstance(answer, Unreadable):
            return Extraction(dropped=(Dropped("", DropReason.UNREADABLE),), calls=calls)
        reader = EntryReader(shown, request.said_at)
        if answer.damaged:
            reader.dropped.append(Dropped("", DropReason.UNREADABLE))
        proposals = tuple(reader.proposals(answer.memories))
        notes = tuple(reader.notes(answer.tasks))
        return Extraction(proposals, tuple(reader.dropped), notes, calls)

    def _ask(
        self, shown: Shown, request: ExtractionRequest, failure: str | None = None
    ) -> Steps[Answer | Unreadable]:
        messages: Sequence[BaseMessage] = model_request(
            shown,
            request.said_at,
            max_chars=self.max_chars,
            tools=self._bound is not None,
            failure=failure,
        )
        model = self.model if self._bound is None else self._bound
        reply = yield Call.of(model.invoke, model.ainvoke, messages, _CONFIG)
        return read_answer(reply)

"""What a conversation says for a profile: one structured call, and what it answers is checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage
from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.constants import TAG_NOSTREAM
from pydantic import BaseModel

from langgraph_memory import clock
from langgraph_memory.calls import Call, Steps, adrive, drive
from langgraph_memory.extraction import ExtractionRequest
from langgraph_memory.extraction.by_model.shown import Shown
from langgraph_memory.extraction.by_model.structured import check_model, name_of, with_tool
from langgraph_memory.messages import check_messages
from langgraph_memory.profile.answer import ExtractedProfile, read_answer
from langgraph_memory.profile.fields import check_schema
from langgraph_memory.profile.form import answer_schema, tool
from langgraph_memory.profile.prompt import VERSION, profile_request
from langgraph_memory.profile.reading import dumped
from langgraph_memory.profile.update import ProfileUpdate

__all__ = ["ProfileExtractor"]

# Its tokens are not for the user's stream.
_CONFIG: RunnableConfig = {
    "tags": [TAG_NOSTREAM],
    "metadata": {"lc_source": "profile_extraction"},
    "run_name": "update_profile",
}


@dataclass(frozen=True)
class ProfileExtractor:
    """Asks a chat model what of a conversation belongs in the user's profile.

    One call a request; none where no user says anything. What the provider raises is raised: the
    turns can be read again later. Nothing that a model answers raises; entries that cannot be
    used, or that name no message of the user, are in `ExtractedProfile.refused`. Whether the
    application's model accepts the values is decided when they are merged.

    Args:
        model: Any LangChain chat model (or a Runnable from messages to a message). It is given a
            tool and not forced to call it; one that knows no tools is asked for JSON.
        schema: The application's model of a profile.
        tool_choice: Given to `bind_tools`, for models that call the tool more reliably when they
            must.

    Raises:
        InvalidInputError: If the model or the schema is none.
    """

    model: BaseChatModel | Runnable[Any, Any]
    schema: type[BaseModel]
    tool_choice: str | None = None
    _bound: Any = field(init=False, repr=False, compare=False, default=None)

    def __post_init__(self) -> None:
        check_model(self.model)
        check_schema(self.schema)
        bound = with_tool(self.model, tool(self.schema), self.tool_choice)
        object.__setattr__(self, "_bound", bound)

    @property
    def name(self) -> str:
        """The model and the version of what it is asked."""
        return f"{name_of(self.model)}/profile-{VERSION}"

    def extract(
        self,
        profile: BaseModel,
        messages: Sequence[BaseMessage],
        *,
        said_at: datetime | None = None,
        speaker: str | None = None,
    ) -> ExtractedProfile:
        """What the messages say for a profile.

        Args:
            profile: The profile as it is.
            messages: The new ones, oldest first; the one before them may be among them, as the
                question that the first one answers.
            said_at: When they were written, aware; None for now.
            speaker: In a thread with several speakers, the `name` of the one whose profile it is.

        Raises:
            InvalidMessagesError: If the messages are not a list of LangChain messages.
        """
        return drive(self.steps(profile, messages, said_at=said_at, speaker=speaker))

    async def aextract(
        self,
        profile: BaseModel,
        messages: Sequence[BaseMessage],
        *,
        said_at: datetime | None = None,
        speaker: str | None = None,
    ) -> ExtractedProfile:
        """`extract` without blocking the event loop."""
        return await adrive(self.steps(profile, messages, said_at=said_at, speaker=speaker))

    def steps(
        self,
        profile: BaseModel,
        messages: Sequence[BaseMessage],
        *,
        said_at: datetime | None = None,
        speaker: str | None = None,
    ) -> Steps[ExtractedProfile]:
        """`extract` as steps, for those who have other calls to make in between."""
        check_messages(messages)
        said_at = said_at or clock.now()
        shown = Shown.of(ExtractionRequest(messages, said_at, speaker=speaker))
        if not shown.users:
            return ExtractedProfile(ProfileUpdate())
        schema = None if self._bound is not None else answer_schema(self.schema)
        request = profile_request(shown, dumped(profile), said_at, schema)
        model = self.model if self._bound is None else self._bound
        reply = yield Call.of(model.invoke, model.ainvoke, request, _CONFIG)
        return read_answer(reply, shown)

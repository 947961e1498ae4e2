"""The chat model that a name stands for."""

from __future__ import annotations

import os

from langchain_core.language_models import BaseChatModel

from langgraph_memory.errors import InvalidInputError, MissingExtraError
from langgraph_memory.offline import OfflineChatModel

OFFLINE = "offline"
DEFAULT_OPENAI = "openai:gpt-4o-mini"


def chat_model(name: str | None) -> BaseChatModel:
    """Make a chat model.

    Args:
        name: `provider:name` for a real model through LangChain, `offline` for the extractive
            one. None: OpenAI's if `OPENAI_API_KEY` is set, else the offline one.

    Raises:
        MissingExtraError: LangChain or the provider's package is not installed.
        InvalidInputError: There is no such provider or model, or its key is missing.
    """
    if name is None:
        name = DEFAULT_OPENAI if os.environ.get("OPENAI_API_KEY") else OFFLINE
    if name == OFFLINE:
        return OfflineChatModel()
    if ":" not in name:
        raise InvalidInputError(
            f"The model {name!r} has no provider. Write provider:name, as openai:gpt-4o-mini, or "
            f"{OFFLINE!r} for the extractive model that needs no key."
        )
    try:
        from langchain.chat_models import init_chat_model
    except ImportError as error:
        raise MissingExtraError("langchain", "langchain", f"The model {name!r}") from error
    try:
        model: BaseChatModel = init_chat_model(name)
    except ImportError as error:
        raise InvalidInputError(f"The model {name!r} cannot be made: {error}") from error
    except Exception as error:
        reason = str(error).rstrip(".")
        raise InvalidInputError(
            f"The model {name!r} could not be made: {reason}. Is the provider's key set, "
            "for instance OPENAI_API_KEY?"
        ) from error
    return model

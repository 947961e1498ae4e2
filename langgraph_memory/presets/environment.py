"""What a graph that LangGraph's server loads takes from the environment: its model, its memory.

LANGGRAPH_MEMORY_MODEL names the model as `provider:name`; without it OpenAI's is used where
OPENAI_API_KEY is set, else the `CommandModel`. LANGGRAPH_MEMORY_URL is the database of long-term
memory, LANGGRAPH_MEMORY_USER the user on one's own machine; without them there is no memory, except
on `langgraph dev`, where they are `memory.db` and `studio`. LANGGRAPH_MEMORY_BUDGET is the token
budget of a request.
"""

from __future__ import annotations

import os
from typing import Any

from langchain_core.language_models import BaseChatModel
from pydantic import BaseModel
from typing_extensions import TypedDict

from langgraph_memory.errors import InvalidInputError
from langgraph_memory.memory import Memory
from langgraph_memory.models import chat_model
from langgraph_memory.offline import CommandModel, OfflineChatModel
from langgraph_memory.summarization.state import read

__all__ = ["Person", "served_budget", "served_memory", "served_model"]


class Person(TypedDict, total=False):
    """Who is talking; the context of a run.

    Attributes:
        user_id: Whose memories, where the server has no authentication.
        incognito: Whether the thread is to read and write no memory, from now on.
    """

    user_id: str
    incognito: bool


def served_model() -> BaseChatModel:
    """The chat model; without a provider, the one that does what commands say.

    Raises:
        MissingExtraError: LangChain or the provider's package is not installed.
        InvalidInputError: There is no such provider or model, or its key is missing.
    """
    model = chat_model(os.environ.get("LANGGRAPH_MEMORY_MODEL"))
    return CommandModel() if isinstance(model, OfflineChatModel) else model


def served_budget() -> int | None:
    """The token budget of a request; None for what fits the model.

    Raises:
        InvalidInputError: It is no number.
    """
    given = os.environ.get("LANGGRAPH_MEMORY_BUDGET", "").strip()
    if given and not given.isdecimal():
        raise InvalidInputError(
            f"LANGGRAPH_MEMORY_BUDGET must be a number of tokens, such as 4000, not {given!r}."
        )
    return int(given) if given else None


def served_memory(
    agent: str, model: BaseChatModel, *, profile: type[BaseModel] | None = None
) -> Memory | None:
    """Long-term memory of an agent on the server; None where no database is named.

    Whose it is, the server's authentication says. Where there is none, it is `user_id` of the run's
    context, which is what a client says of itself, or LANGGRAPH_MEMORY_USER.

    Args:
        agent: Name of the agent; agents do not see each other's memories.
        model: Reads the conversations, if it is a language model; else rules do.
        profile: What is to be known of every user; only a language model can fill it in.
    """
    url = os.environ.get("LANGGRAPH_MEMORY_URL", "memory.db" if _is_tried_out() else "")
    if not url:
        return None
    reads = not isinstance(model, OfflineChatModel)
    return Memory.open(
        url,
        agent=agent,
        extraction_model=model if reads else None,
        profile=profile if reads else None,
        resolver=_user_of,
    )


def _user_of(runtime: Any) -> str | None:
    own = os.environ.get("LANGGRAPH_MEMORY_USER", "studio" if _is_tried_out() else "")
    return read(runtime.context or {}, "user_id") or own or None


def _is_tried_out() -> bool:
    """Whether this is `langgraph dev`, which says so."""
    return os.environ.get("LANGSMITH_LANGGRAPH_API_VARIANT") == "local_dev"

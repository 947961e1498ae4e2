"""A chat model that answers through a tool, or in JSON where it knows no tools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langgraph_memory.errors import InvalidInputError

__all__ = ["check_model", "name_of", "with_tool"]


def check_model(model: Any) -> None:
    """Refuse what cannot be asked.

    Raises:
        InvalidInputError: If it is no chat model.
    """
    if not hasattr(model, "invoke"):
        raise InvalidInputError(
            f"The extractor's model must be a LangChain chat model, not {model!r}. "
            "Make one with langchain.chat_models.init_chat_model('provider:name')."
        )


def name_of(model: Any) -> str:
    """What a model is called; the name of its class if it does not say."""
    named = (getattr(model, one, None) for one in ("model_name", "model", "model_id"))
    return next((one for one in named if isinstance(one, str) and one), type(model).__name__)


def with_tool(model: Any, tool: Mapping[str, Any], tool_choice: str | None) -> Any:
    """The model with a tool, or None if it knows no tools."""
    options = {} if tool_choice is None else {"tool_choice": tool_choice}
    try:
        return model.bind_tools([tool], **options)
    except (AttributeError, NotImplementedError):
        return None

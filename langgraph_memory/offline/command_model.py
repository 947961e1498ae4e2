"""A stand-in for a chat model where there is none: the person at the keyboard calls the tools."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from uuid import uuid4

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    HumanMessage,
    ToolMessage,
)
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from langgraph_memory.messages import text_of
from langgraph_memory.offline.model import OfflineChatModel

__all__ = ["CommandModel"]


class CommandModel(OfflineChatModel):
    r"""The offline model, which in addition does what commands say; it decides nothing.

    ``/name {"argument": …}`` calls the tool of that name. A tool that needs only one argument takes
    what follows its name, unchanged: ``/name some text``. A result is shown as it is, and ``/``
    lists the tools. Everything else is read and answered as `OfflineChatModel` does.

    So an agent can be tried out without a provider: its state, its tools, its approvals.
    """

    def model_post_init(self, context: Any, /) -> None:
        """Announces that there are tool calls."""
        super().model_post_init(context)
        self.profile = {**(self.profile or {}), "tool_calling": True}

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Takes the tools that commands may name.

        Args:
            tools: Any tools.
            tool_choice: Ignored.
            **kwargs: Bound to later calls, and ignored there.
        """
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        answer = _answer(messages, kwargs.get("tools", ()))
        if answer is None:
            return super()._generate(messages, stop, run_manager, **kwargs)
        return ChatResult(generations=[ChatGeneration(message=answer)])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        answer = _answer(messages, kwargs.get("tools", ()))
        if answer is None:
            yield from super()._stream(messages, stop, run_manager, **kwargs)
            return
        chunk = AIMessageChunk(
            content=answer.content,
            tool_call_chunks=[
                {
                    "name": call["name"],
                    "args": json.dumps(call["args"]),
                    "id": call["id"],
                    "index": index,
                    "type": "tool_call_chunk",
                }
                for index, call in enumerate(answer.tool_calls)
            ],
            chunk_position="last",
        )
        if run_manager is not None:
            run_manager.on_llm_new_token(answer.text, chunk=ChatGenerationChunk(message=chunk))
        yield ChatGenerationChunk(message=chunk)


def _answer(messages: Sequence[BaseMessage], tools: Sequence[Mapping[str, Any]]) -> Any:
    """The reply to a command or to a tool's result; None for anything else."""
    last = messages[-1] if messages else None
    if isinstance(last, ToolMessage):
        return AIMessage(text_of(last) or "Done.")
    if not isinstance(last, HumanMessage) or not text_of(last).startswith("/"):
        return None
    name, given = _split(text_of(last)[1:])
    schemas = {tool["function"]["name"]: tool["function"]["parameters"] for tool in tools}
    if name not in schemas:
        known = "\n".join(f"/{each} {_form_of(schema)}" for each, schema in schemas.items())
        return AIMessage(f"The tools are:\n{known}" if known else "There are no tools.")
    arguments = _arguments(given, schemas[name])
    if arguments is None:
        return AIMessage(f"Write it so: /{name} {_form_of(schemas[name])}")
    # An id that does not come again: threads are long.
    call = {"name": name, "args": arguments, "id": f"command_{uuid4().hex[:16]}"}
    return AIMessage("", tool_calls=[call])


def _split(text: str) -> tuple[str, str]:
    """A name, and what comes behind the one blank after it."""
    end = next((at for at, character in enumerate(text) if character.isspace()), len(text))
    return text[:end], text[end + 1 :]


def _arguments(given: str, schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """What was written behind a name as arguments; None if it cannot be."""
    if not given.strip():
        return {} if not schema.get("required") else None
    value = _json(given)
    if isinstance(value, dict):
        return value
    properties = schema.get("properties", {})
    names = schema.get("required") or list(properties)
    if len(names) != 1:
        return None
    is_text = properties.get(names[0], {}).get("type") == "string"
    return {names[0]: given if is_text or value is None else value}


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _form_of(schema: Mapping[str, Any]) -> str:
    """The arguments of a tool with their types, optional ones in brackets."""
    required = schema.get("required", ())
    shown = [
        f"{name}: {each.get('type', 'any')}"
        if name in required
        else f"[{name}: {each.get('type', 'any')}]"
        for name, each in schema.get("properties", {}).items()
    ]
    return "{" + ", ".join(shown) + "}"

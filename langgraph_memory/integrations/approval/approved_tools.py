"""Tools behind an approval: the model is told where a person has changed what it called."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolCall, ToolMessage
from langchain_core.tools import BaseTool
from langgraph.prebuilt import ToolNode
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command

from langgraph_memory.summarization.state import read

__all__ = ["approved_tools"]

Result = ToolMessage | Command[Any]


def approved_tools(tools: Sequence[BaseTool], **options: Any) -> ToolNode:
    """LangGraph's `ToolNode`, which tells the model where a person has changed its call.

    Args:
        tools: The tools.
        **options: Further options of `ToolNode`, such as `handle_tool_errors`.
    """
    source = options.get("messages_key", "messages")

    def run(request: ToolCallRequest, handler: Callable[[ToolCallRequest], Result]) -> Result:
        return _noted(handler(request), request, source)

    async def arun(
        request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Result]]
    ) -> Result:
        return _noted(await handler(request), request, source)

    return ToolNode(tools, wrap_tool_call=run, awrap_tool_call=arun, **options)


def _noted(result: Result, request: ToolCallRequest, source: str) -> Result:
    """A tool's result, with a note in front if what ran is not what the model has called."""
    ran = request.tool_call
    called = _called(read(request.state, source) or [], ran["id"])
    if called is None or (called["name"], called["args"]) == (ran["name"], ran["args"]):
        return result
    arguments = json.dumps(ran["args"], ensure_ascii=False, default=str)
    note = (
        f"A person changed this call before it was run: {ran['name']} was run with {arguments}. "
        "That was intended; do not repeat the call as you had made it."
    )
    if isinstance(result, ToolMessage):
        return _with_note(result, note)
    update = result.update
    if not isinstance(update, Mapping) or not isinstance(update.get(source), list):
        return result
    noted = [
        _with_note(each, note)
        if isinstance(each, ToolMessage) and each.tool_call_id == ran["id"]
        else each
        for each in update[source]
    ]
    return replace(result, update={**update, source: noted})


def _called(messages: Sequence[BaseMessage], call_id: str | None) -> ToolCall | None:
    """The newest call of an id, as the model has made it."""
    calls = (
        call
        for message in reversed(messages)
        if isinstance(message, AIMessage)
        for call in message.tool_calls
        if call["id"] == call_id
    )
    return next(calls, None)


def _with_note(message: ToolMessage, note: str) -> ToolMessage:
    content = message.content
    said = (
        f"{note}\n{content}"
        if isinstance(content, str)
        else [{"type": "text", "text": note}, *content]
    )
    return message.model_copy(update={"content": said})

"""What all tools on a user's data have in common: whose it is, where, and how faults are told.

A model chooses what is said, never whose data it is: the identity comes from the runtime, and an
argument of that kind is not read.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, get_args

from langchain_core.messages import BaseMessage, HumanMessage
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from langgraph.prebuilt import ToolRuntime
from langsmith import tracing_context
from pydantic import BaseModel

from langgraph_memory.calls import Steps, adrive, drive
from langgraph_memory.errors import (
    IdentityError,
    InvalidInputError,
    StoreClosedError,
    UnknownMemoryError,
)
from langgraph_memory.identity import OWNER_KEY, Identification, Identity, Owner
from langgraph_memory.memories.secrets import holds_secret
from langgraph_memory.messages import as_messages
from langgraph_memory.store import MemoryStore

__all__ = [
    "TOLD_LINE",
    "TOOL_NAMES",
    "Origin",
    "Runtime",
    "going_on",
    "identity_of",
    "messages_of",
    "origin_of",
    "refuse_secrets",
    "searched",
    "store_of",
    "told_line",
    "user_tool",
]

logger = logging.getLogger("langgraph_memory.tools")

Runtime = ToolRuntime[Any, Any]
F = TypeVar("F")

ToolName = Literal[
    "memory_save", "memory_search", "memory_update", "memory_forget", "task_save", "task_search"
]
TOOL_NAMES: frozenset[str] = frozenset(get_args(ToolName))
"""What all tools are called by, so that traces can tell their calls."""

TOLD_LINE = re.compile(r"(- id .{1,300}?, \w+: )\\*[\"{].*")
"""A `told_line`, also within JSON or a repr; the group is what goes before the content."""


def told_line(id: str, kind: str, content: Any) -> str:
    """How an answer shows something stored: quoted as JSON, so that it stays on one line."""
    return f"- id {id}, {kind}: {json.dumps(content, ensure_ascii=False)}"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where what a tool is told comes from.

    Attributes:
        thread_id: The thread.
        message_ids: The user's newest message in it.
        call_id: The call of the tool, which is the same when its node runs again.
    """

    thread_id: str | None = None
    message_ids: tuple[str, ...] = ()
    call_id: str | None = None


class _UserTool(StructuredTool):
    """A tool whose runs are in traces only where that was asked for."""

    traced: bool = False

    def run(self, *args: Any, **given: Any) -> Any:
        with self._tracing():
            return super().run(*args, **given)

    async def arun(self, *args: Any, **given: Any) -> Any:
        with self._tracing():
            return await super().arun(*args, **given)

    def _tracing(self) -> AbstractContextManager[None]:
        return nullcontext() if self.traced else tracing_context(enabled=False)


_RAISED = (InvalidInputError, StoreClosedError, UnknownMemoryError, ToolException)
"""What its host must mend ends a run, and the others are told the model as they are."""


@contextmanager
def going_on(name: ToolName) -> Iterator[None]:
    """Where a tool does its work: what fails there, as a database may, costs the user no answer.

    Raises:
        ToolException: If it fails; it tells the model so.
    """
    try:
        yield
    except _RAISED:
        raise
    except Exception as error:
        logger.warning("%s could not be done: %s", name, type(error).__name__)
        raise ToolException(
            "Nothing was done: the memory is out of order at the moment. Go on without it, and "
            "tell the user if this was asked for."
        ) from error


def searched(finding: Callable[..., Steps[list[F]]], query: str, limit: int) -> Steps[list[F]]:
    """What a search finds, by words alone where it fails.

    An embedder that is down or of no use costs the run nothing, as in a recall.

    Args:
        finding: The search; it takes the ``mode`` of `MemoryStore.find`.
        query: What is searched for.
        limit: How many at most.
    """
    try:
        return (yield from finding(query, limit))
    except Exception as error:
        logger.warning("Searched by words alone: %s", type(error).__name__)
        return (yield from finding(query, limit, mode="keyword"))


def user_tool(
    name: ToolName,
    description: str,
    schema: type[BaseModel],
    steps: Callable[..., Steps[str]],
    *,
    traced: bool = False,
) -> BaseTool:
    """A LangChain tool; faults that the model can mend are answers to it, not errors of the run.

    Args:
        name: What the model calls it by.
        description: What it is told of it.
        schema: Its arguments.
        steps: Does it, given the runtime (None outside a graph) and the arguments by name.
        traced: Whether LangSmith is told of its runs, with arguments and answers.
    """

    def begun(runtime: Any, given: Mapping[str, Any]) -> Steps[str]:
        # Outside a graph a caller could pass anything for it.
        trusted = runtime if isinstance(runtime, ToolRuntime) else None
        try:
            return (yield from steps(trusted, **given))
        except UnknownMemoryError as error:
            raise ToolException(str(error)) from error

    def run(runtime: Runtime = None, **given: Any) -> str:  # type: ignore[assignment]
        return drive(begun(runtime, given))

    async def arun(runtime: Runtime = None, **given: Any) -> str:  # type: ignore[assignment]
        return await adrive(begun(runtime, given))

    return _UserTool.from_function(
        func=run,
        coroutine=arun,
        name=name,
        description=description,
        args_schema=schema,
        handle_tool_error=True,
        handle_validation_error=_faults,
        traced=traced,
    )


OwnerOf = Callable[[Runtime], Steps[Owner]]
"""Settles the owner of the thread that a tool runs in, see `Caller.settle`."""


def identity_of(
    who: Identification | Identity, runtime: Runtime | None, owner_of: OwnerOf | None = None
) -> Steps[Identity]:
    """Who is asking.

    Args:
        who: How a run tells; or one identity.
        runtime: Of the tool.
        owner_of: Tells whose thread it is; without it, what the tool is handed of the state does.

    Raises:
        IdentityError: If nobody trustworthy says, or it is not the thread's owner.
        ToolException: If the conversation is incognito; it tells the model so.
    """
    if isinstance(who, Identity):
        return who
    if runtime is None:
        raise IdentityError(
            "This tool was called outside a graph, where no runtime says who is asking. Make the "
            "tools for one user: give Identity(agent, user) instead of Identification(agent)."
        )
    if owner_of is not None:
        owner = yield from owner_of(runtime)
    else:
        state = runtime.state
        told = state.get(OWNER_KEY) if isinstance(state, Mapping) else None
        owner = who.caller(runtime).settle(Owner.of(told))
    if owner.incognito or owner.user is None:
        raise ToolException(
            "This conversation is off the record: nothing is looked up and nothing is stored."
        )
    return Identity(who.agent, owner.user, owner.environment)


def store_of(store: MemoryStore | None, runtime: Runtime | None, tools: str) -> MemoryStore:
    """The store that was given, or else the graph's.

    Raises:
        InvalidInputError: If neither is a MemoryStore.
    """
    found = store or getattr(runtime, "store", None)
    if not isinstance(found, MemoryStore):
        raise InvalidInputError(
            f"These tools need a MemoryStore: give it to {tools}(…, store), or compile the graph "
            f"with one; this run has {type(found).__name__}."
        )
    return found


def origin_of(runtime: Runtime | None) -> Origin:
    """Where what a tool is told in a run comes from."""
    if runtime is None:
        return Origin()
    thread = (runtime.config.get("configurable") or {}).get("thread_id")
    said = [
        message.id
        for message in messages_of(runtime)
        if isinstance(message, HumanMessage) and message.id
    ]
    return Origin(
        None if thread is None else str(thread), tuple(said[-1:]), runtime.tool_call_id or None
    )


def messages_of(runtime: Runtime | None) -> Sequence[BaseMessage]:
    """The conversation that a tool is called in; empty outside a graph."""
    state = None if runtime is None else runtime.state
    return as_messages(state.get("messages")) if isinstance(state, Mapping) else ()


def refuse_secrets(*texts: str) -> None:
    """Refuse to store passwords, keys and the numbers of cards and documents.

    Raises:
        ToolException: If one of the texts holds such a thing; it does not repeat it.
    """
    if any(map(holds_secret, texts)):
        raise ToolException(
            "Nothing was stored: this seems to hold a password, a key or the number of a card or "
            "document, which are never remembered. Leave it out, and tell the user so."
        )


def _faults(error: Any) -> str:
    """What is wrong with a call's arguments, for the model to mend."""
    told = [
        f"{'.'.join(str(part) for part in fault['loc'])}: {fault['msg']}"
        for fault in error.errors()
    ]
    return f"These arguments cannot be used: {'; '.join(told)}. Nothing was done."

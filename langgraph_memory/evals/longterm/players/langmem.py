"""langmem: its store manager over the messages of a thread, its memories in the system prompt.

As its documentation has it: the manager gets the thread's messages after a reply, either after
each one or, as it advises for busy conversations, once when the thread has been quiet; before a
reply the store is searched for the newest message.
"""

from __future__ import annotations

import ast
import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolCall
from langgraph.store.memory import InMemoryStore

from langgraph_memory.evals.longterm.model import Request
from langgraph_memory.evals.longterm.players.agents import Agent, in_prompt
from langgraph_memory.evals.longterm.players.player import Player, Scene, Session
from langgraph_memory.evals.longterm.reading import changes, statements
from langgraph_memory.evals.longterm.script import Turn
from langgraph_memory.messages import text_of

__all__ = ["LANGMEM", "answer"]

_SESSION = re.compile(r"<session_[^>]*>\n(.*?)\n</session_[^>]*>", re.DOTALL)
_SPEAKER = re.compile(r"^=+ (\w+) Message =+\n", re.MULTILINE)
_KNOWN = re.compile(r'<instance id=(\S+) schema_type="Memory">\n(.*?)\n</instance>', re.DOTALL)


def answer(request: Request) -> AIMessage | None:
    """The model's answer to langmem's store manager: calls that insert and patch memories."""
    session = _SESSION.search(request.text)
    if session is None or "Memory" not in request.tool_names:
        return None
    known = {key: _content(document) for key, document in _KNOWN.findall(request.text)}
    calls = [
        _patch(each.replaces, each.content) if each.replaces else _insert(each.content)
        for each in changes(statements(_of_user(session[1])), known)
    ]
    if not calls and request.must_call and known:
        calls = [_call("PatchDoc", json_doc_id=next(iter(known)), planned_edits="-", patches=[])]
    return AIMessage(content="", tool_calls=calls)


def _of_user(session: str) -> str:
    """What stands under the headings of the user's messages."""
    parts = _SPEAKER.split(session)
    pairs = zip(parts[1::2], parts[2::2], strict=True)
    return "\n".join(text for speaker, text in pairs if speaker == "Human")


def _content(document: str) -> str:
    return str(ast.literal_eval(document)["content"])


def _insert(content: str) -> ToolCall:
    return _call("Memory", content=content)


def _patch(key: str, content: str) -> ToolCall:
    patch = {"op": "replace", "path": "/content", "value": content}
    return _call("PatchDoc", json_doc_id=key, planned_edits="replace /content", patches=[patch])


def _call(name: str, **arguments: Any) -> ToolCall:
    return ToolCall(name=name, args=arguments, id=f"call_{uuid.uuid4().hex[:12]}")


class _Session:
    def __init__(self, scene: Scene, each_turn: bool) -> None:
        index: Any = {"dims": scene.dims, "embed": scene.embeddings}
        self._store = InMemoryStore(index=index)
        self._manager = import_module("langmem").create_memory_store_manager(
            scene.model, namespace=("memories", "{user_id}"), store=self._store
        )
        self._agent = Agent(
            scene.model,
            in_prompt(self._search, "## Memories\n\n<memories>\n{memories}\n</memories>"),
        )
        self._each_turn = each_turn
        self._thread: list[BaseMessage] = []

    def say(self, turn: Turn) -> list[str]:
        self._thread = self._agent.say(turn)
        if self._each_turn:
            self._remember(turn)
        return [text_of(message) for message in self._thread]

    def end_thread(self, turn: Turn) -> None:
        if not self._each_turn:
            self._remember(turn)

    def _remember(self, turn: Turn) -> None:
        config = {"configurable": {"user_id": turn.user}}
        self._manager.invoke({"messages": self._thread}, config=config)

    def _search(self, user: str, text: str) -> list[str]:
        found = self._store.search(("memories", user), query=text)
        return [str(item.value["content"]["content"]) for item in found]


def _player(name: str, *, each_turn: bool) -> Player:
    @contextmanager
    def opened(scene: Scene) -> Iterator[Session]:
        yield _Session(scene, each_turn)

    return Player(name, opened, {"langmem": "langmem"})


LANGMEM = (
    _player("langmem, every turn", each_turn=True),
    _player("langmem, every thread", each_turn=False),
)

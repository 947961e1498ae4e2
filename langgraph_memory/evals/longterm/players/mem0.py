"""mem0: a message and its reply are added after each turn, and searched for before each."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from langchain_core.messages import AIMessage

from langgraph_memory.evals.longterm.model import Request
from langgraph_memory.evals.longterm.players.agents import Agent, in_prompt
from langgraph_memory.evals.longterm.players.player import Player, Scene, Session
from langgraph_memory.evals.longterm.reading import changes, statements
from langgraph_memory.evals.longterm.script import Turn
from langgraph_memory.messages import text_of

__all__ = ["MEM0", "answer"]

_DOCUMENTED, _DEFAULT = 3, 20
"""Memories searched for: in its documentation's example, and if nothing is said."""

_NEW = re.compile(r"^## New Messages\n(.*?)\n\n## Observation Date", re.DOTALL | re.MULTILINE)
_KNOWN = re.compile(r"^## Existing Memories\n(.*?)\n\n## New Messages", re.DOTALL | re.MULTILINE)


def answer(request: Request) -> AIMessage | None:
    """The model's answer to mem0's extraction, which only ever adds."""
    asked = text_of(request.messages[-1])
    new, shown = _NEW.search(asked), _KNOWN.search(asked)
    if new is None or shown is None:
        return None
    said = [line for line in new[1].splitlines() if line.startswith("user: ")]
    known = {str(each["id"]): str(each["text"]) for each in json.loads(shown[1])}
    memories = [
        {
            "id": str(number),
            "text": each.content,
            "attributed_to": "user",
            "linked_memory_ids": [each.replaces] if each.replaces else [],
        }
        for number, each in enumerate(changes(statements("\n".join(said)), known))
    ]
    return AIMessage(content=json.dumps({"memory": memories}, ensure_ascii=False))


class _Session:
    def __init__(self, scene: Scene, memory: Any, top: int) -> None:
        self._memory = memory
        self._top = top
        self._agent = Agent(scene.model, in_prompt(self._search, "User Memories:\n{memories}"))

    def say(self, turn: Turn) -> list[str]:
        thread = self._agent.say(turn)
        asked, replied = thread[-2:]
        said = [
            {"role": "user", "content": text_of(asked)},
            {"role": "assistant", "content": text_of(replied)},
        ]
        self._memory.add(said, user_id=turn.user)
        return [text_of(message) for message in thread]

    def end_thread(self, turn: Turn) -> None:
        pass

    def _search(self, user: str, text: str) -> list[str]:
        found = self._memory.search(text, filters={"user_id": user}, top_k=self._top)
        return [str(each["memory"]) for each in found["results"]]


def _player(name: str, top: int) -> Player:
    @contextmanager
    def opened(scene: Scene) -> Iterator[Session]:
        # Its use is not reported, and its settings are not written into the user's home.
        os.environ["MEM0_TELEMETRY"] = "False"
        os.environ.setdefault("MEM0_DIR", str(scene.folder))
        memory = import_module("mem0").Memory.from_config(
            {
                "vector_store": {
                    "provider": "qdrant",
                    "config": {
                        "path": str(scene.folder / "qdrant"),
                        "collection_name": "memories",
                        "embedding_model_dims": scene.dims,
                    },
                },
                "embedder": {"provider": "langchain", "config": {"model": scene.embeddings}},
                "llm": {"provider": "langchain", "config": {"model": scene.model}},
                "history_db_path": str(scene.folder / "history.db"),
            }
        )
        try:
            yield _Session(scene, memory, top)
        finally:
            memory.close()

    return Player(name, opened, {"mem0": "mem0ai", "qdrant_client": "qdrant-client"})


MEM0 = (
    _player(f"mem0, {_DOCUMENTED} memories", _DOCUMENTED),
    _player(f"mem0, {_DEFAULT} memories", _DEFAULT),
)

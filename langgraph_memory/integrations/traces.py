"""Traces without what is known about users: LangSmith gets the runs, and no memories."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from langgraph_memory.context.layered import PROFILE_TAG
from langgraph_memory.recall.blocks import RECALLED_TAG, STANDING_TAG
from langgraph_memory.tasks.block import TASKS_TAG

__all__ = ["hide_memories", "hide_memories_in_traces"]

# The last is how a `Layered` strategy shows what always holds.
_TAGS = "|".join((RECALLED_TAG, STANDING_TAG, TASKS_TAG, PROFILE_TAG))
_BLOCK = re.compile(rf"<({_TAGS})>.*?</\1>", re.DOTALL)
HIDDEN = r"<\1>hidden</\1>"


def hide_memories(payload: Any) -> Any:
    """A copy of a run's inputs or outputs, with the blocks of memories emptied.

    For clients of one's own: ``langsmith.Client(hide_inputs=hide_memories,
    hide_outputs=hide_memories)``.
    """
    if isinstance(payload, str):
        return _BLOCK.sub(HIDDEN, payload) if "</" in payload else payload
    if isinstance(payload, Mapping):
        return {key: hide_memories(value) for key, value in payload.items()}
    if isinstance(payload, list | tuple):
        return [hide_memories(value) for value in payload]
    if hasattr(payload, "model_dump"):
        return hide_memories(payload.model_dump())
    return payload


def hide_memories_in_traces() -> None:
    """Let the client that LangChain traces with by default hide memories, if tracing is on.

    What the environment or the application has decided already stays: ``LANGSMITH_HIDE_INPUTS``
    hides everything, and a client that was made before is the application's.
    """
    from langsmith import utils
    from langsmith.run_trees import get_cached_client

    if not utils.tracing_is_enabled():
        return
    hidden = {
        f"hide_{what}": hide_memories
        for what in ("inputs", "outputs")
        if utils.get_env_var(f"HIDE_{what.upper()}") != "true"
    }
    get_cached_client(**hidden)

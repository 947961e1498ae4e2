"""Calls of checkpointers, which may have their methods in one form only."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver

from langgraph_memory.calls import Call

__all__ = ["asked"]


def asked(saver: BaseCheckpointSaver[Any], method: str, *args: Any, **kwargs: Any) -> Call:
    """A call of a checkpointer's method; awaited, its own awaitable form is used if it has one."""

    async def awaited() -> Any:
        try:
            return await getattr(saver, f"a{method}")(*args, **kwargs)
        except NotImplementedError:
            return await asyncio.to_thread(getattr(saver, method), *args, **kwargs)

    return Call(partial(getattr(saver, method), *args, **kwargs), awaited)

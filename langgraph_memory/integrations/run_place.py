"""Where a run is, as far as LangGraph tells, and what it has brought into its thread."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Self

from langchain_core.messages import BaseMessage
from langgraph.checkpoint.base import BaseCheckpointSaver

from langgraph_memory.calls import Steps
from langgraph_memory.service.transcripts import before_run, said_around
from langgraph_memory.service.turns import Turn, turns_of

__all__ = ["Config", "RunPlace"]

logger = logging.getLogger("langgraph_memory.integrations")

Config = Mapping[str, Any]


@dataclass(frozen=True)
class RunPlace:
    """Where a run is.

    Attributes:
        thread: Id of its thread; None without a checkpointer.
        saver: The checkpointer, as far as LangGraph tells.
        nested: Whether the thread's messages are those of a graph around it.
        around: Id of the newest checkpoint of the outermost graph around it.
        checkpoint: Id of the run's newest checkpoint.
        at_exit: Whether the run is only saved when it ends.
    """

    thread: str | None
    saver: BaseCheckpointSaver[Any] | None
    nested: bool
    around: str | None
    checkpoint: str | None
    at_exit: bool

    @classmethod
    def of(cls, execution: Any, config: Config) -> Self:
        """From what LangGraph hands to a node."""
        given = config.get("configurable") or {}
        # Names under which LangGraph hands things down. Where the first is not there, messages go
        # with the job, which is safe in any case.
        saver = given.get("__pregel_checkpointer")
        saver = saver if isinstance(saver, BaseCheckpointSaver) else None
        nested = "|" in (given.get("checkpoint_ns") or "")
        # LangGraph takes ids of any type, and keeps them as text; without a checkpointer there is
        # no thread, whatever its id.
        named = getattr(execution, "thread_id", None) if saver or nested else None
        return cls(
            thread=None if named is None else str(named),
            saver=saver,
            nested=nested,
            around=(given.get("checkpoint_map") or {}).get("") if nested else None,
            checkpoint=getattr(execution, "checkpoint_id", None),
            at_exit=given.get("__pregel_durability") == "exit",
        )

    def brought(self, turns: Sequence[Turn], *, claimed: bool) -> Steps[list[str]]:
        """Marks of the turns that the run has brought, which its caller answers for.

        That is the newest turn, if it has nothing yet, also where the thread had it before: a run
        that died may have brought it, and this one says it again. Nearly always it is the only one,
        and nothing is looked up.

        Args:
            turns: Of its thread.
            claimed: Whether the thread had an owner before.
        """
        if self.thread is None:
            return [turn.mark for turn in turns]
        unanswered = takewhile(lambda turn: len(turn.messages) == 1, reversed(turns))
        trailing = [turn.mark for turn in unanswered]
        newest = trailing[:1]
        if self.nested or self.saver is None:
            return newest
        if len(trailing) == 1 and (claimed or len(turns) == 1):
            return newest
        try:
            had = yield from before_run(
                self.saver, self.thread, self.checkpoint, at_exit=self.at_exit
            )
        except Exception as error:
            logger.warning("The thread %r could not be read before its run: %s", self.thread, error)
            had = None
        if had is None:
            return newest
        old = {turn.mark for turn in turns_of(had)} - {*newest}
        return [turn.mark for turn in turns if turn.mark not in old]

    def has_from_user(self, message: BaseMessage) -> Steps[bool]:
        """Whether a user's message that the run was given is one.

        A nested run is given it by what is around it, which may be a model that calls a tool. Where
        the graph around it is not saved, or only when it ends, nobody can tell.
        """
        if not self.nested:
            return True
        if self.thread is None or self.saver is None or self.around is None or self.at_exit:
            return False
        try:
            return (yield from said_around(self.saver, self.thread, self.around, message))
        except Exception as error:
            logger.warning("The graph around a run of %r could not be read: %s", self.thread, error)
            return False

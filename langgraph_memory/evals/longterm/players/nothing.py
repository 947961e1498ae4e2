"""An agent that remembers its threads and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from langgraph_memory.evals.longterm.players.agents import Agent
from langgraph_memory.evals.longterm.players.player import Player, Scene, Session
from langgraph_memory.evals.longterm.script import Turn
from langgraph_memory.messages import text_of

__all__ = ["NOTHING"]


class _Session:
    def __init__(self, agent: Agent) -> None:
        self._agent = agent

    def say(self, turn: Turn) -> list[str]:
        return [text_of(message) for message in self._agent.say(turn)]

    def end_thread(self, turn: Turn) -> None:
        pass


@contextmanager
def _open(scene: Scene) -> Iterator[Session]:
    yield _Session(Agent(scene.model))


NOTHING = Player("no memory", _open)

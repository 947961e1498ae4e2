"""Playing the script with one contender, and what comes of it."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from langchain_core.embeddings import Embeddings

from langgraph_memory import clock
from langgraph_memory.evals.longterm.metering import Meter, MeteredEmbeddings, injected
from langgraph_memory.evals.longterm.model import PROMPT, REPLY, Dialect, StandInModel
from langgraph_memory.evals.longterm.players.player import Player, Scene, Session
from langgraph_memory.evals.longterm.prefixes import Prefixes
from langgraph_memory.evals.longterm.reading import holds
from langgraph_memory.evals.longterm.script import Turn
from langgraph_memory.tokens import DEFAULT_COUNTER

__all__ = ["Outcome", "play"]


@dataclass
class Outcome:
    """What came of a script.

    Attributes:
        turns: How many there were.
        meter: The calls.
        injected: Tokens of memory in the request for each reply.
        answered: For each question, whether its answer was in them.
        current: For each question about what was corrected, whether the current value was in them
            and the old one was not, or stood further down.
        limits: For each request after a thread with a limit, whether all limits stated in earlier
            threads were in it.
        prefixes: What of the requests could be cached.
        leaks: Turns in which a value of another user was in them.
        failures: What was raised, by turn.
    """

    turns: int = 0
    meter: Meter = field(default_factory=Meter)
    injected: list[int] = field(default_factory=list)
    answered: list[bool] = field(default_factory=list)
    current: list[bool] = field(default_factory=list)
    limits: list[bool] = field(default_factory=list)
    prefixes: Prefixes = field(default_factory=Prefixes)
    leaks: int = 0
    failures: list[str] = field(default_factory=list)

    def per_hundred(self, amount: float) -> float:
        """An amount per 100 turns."""
        return 100 * amount / self.turns if self.turns else 0.0

    def as_json(self) -> dict[str, Any]:
        """All values."""
        calls = {
            purpose: {name: self.per_hundred(value) for name, value in asdict(each).items()}
            for purpose, each in self.meter.calls.items()
        }
        return {
            "turns": self.turns,
            "calls_per_100_turns": calls,
            "embedder_calls_per_100_turns": self.per_hundred(self.meter.embedder_calls),
            "embedded_texts_per_100_turns": self.per_hundred(self.meter.embedded_texts),
            "injected_tokens_mean": _mean(self.injected),
            "injected_tokens_max": max(self.injected, default=0),
            "cached_share": self.prefixes.spent.cached_share,
            "answered": _mean(self.answered),
            "questions": len(self.answered),
            "current": _mean(self.current),
            "corrected_questions": len(self.current),
            "limits": _mean(self.limits),
            "requests_under_limits": len(self.limits),
            "leaks": self.leaks,
            "failures": len(self.failures),
            "first_failure": self.failures[0] if self.failures else None,
        }


def play(
    player: Player,
    turns: Sequence[Turn],
    embeddings: Embeddings,
    dialects: tuple[Dialect, ...],
    advance: Callable[[int], None] = lambda amount: None,
    reply: str = REPLY,
) -> Outcome:
    """Have a contender play the script.

    An exception of a library is a result of it, and the next turn follows.

    Args:
        player: The contender.
        turns: The script.
        embeddings: The embedder.
        dialects: The forms in which the model can be asked to remember.
        advance: Told how many more turns are done.
        reply: What the agent says on every turn.
    """
    outcome = Outcome()
    dims = len(embeddings.embed_query("How long is a vector?"))
    last = {turn.thread: turn for turn in turns}
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory(prefix="longterm-"))
        scene = Scene(
            model=StandInModel(meter=outcome.meter, dialects=dialects, reply=reply),
            embeddings=MeteredEmbeddings(embeddings, outcome.meter),
            dims=dims,
            folder=Path(folder),
        )
        stack.enter_context(_quiet())
        session = stack.enter_context(player.open(scene))
        for turn in turns:
            with clock.set_to(turn.moment):
                _turn(session, turn, outcome, ends=last[turn.thread] is turn)
            advance(1)
    return outcome


def _turn(session: Session, turn: Turn, outcome: Outcome, *, ends: bool) -> None:
    outcome.turns += 1
    outcome.meter.replies.clear()
    thread: Sequence[str] = ()
    try:
        thread = list(session.say(turn))
        if ends:
            session.end_thread(turn)
    except Exception as error:  # Whatever a library raises is a result.
        outcome.failures.append(f"{turn.text!r}: {type(error).__name__}: {error}")
    own = {PROMPT, turn.text, *thread}
    replies = outcome.meter.replies
    memory = injected(replies[0], own) if replies else ""
    for request in replies:
        outcome.prefixes.add(turn.thread, request)
    if turn.limits:
        outcome.limits.append(all(holds(memory, value) for value in turn.limits))
    outcome.injected.append(DEFAULT_COUNTER.count_text(memory))
    outcome.leaks += any(holds(memory, value) for value in turn.foreign)
    if turn.kind == "question":
        outcome.answered.append(holds(memory, turn.current))
        if turn.superseded is not None:
            outcome.current.append(_is_current(memory, turn.current, turn.superseded))


def _is_current(memory: str, current: str, superseded: str) -> bool:
    """Whether the current value is there, and in no line behind one with the old value alone."""
    for line in memory.splitlines():
        if holds(line, current):
            return True
        if holds(line, superseded):
            return False
    return False


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


@contextmanager
def _quiet() -> Iterator[None]:
    """Without what libraries warn of at every call."""
    before = logging.root.manager.disable
    logging.disable(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)

"""The ``longterm`` command: who plays, and where the results go."""

from __future__ import annotations

import argparse
import json

from langgraph.store.base import ensure_embeddings

from langgraph_memory.embeddings import embedder_named
from langgraph_memory.errors import InvalidInputError
from langgraph_memory.evals.longterm.model import LONG_REPLY, REPLY
from langgraph_memory.evals.longterm.players import langmem, mem0, ours
from langgraph_memory.evals.longterm.players.langmem import LANGMEM
from langgraph_memory.evals.longterm.players.mem0 import MEM0
from langgraph_memory.evals.longterm.players.nothing import NOTHING
from langgraph_memory.evals.longterm.players.ours import OURS
from langgraph_memory.evals.longterm.players.player import Player
from langgraph_memory.evals.longterm.playing import Outcome, play
from langgraph_memory.evals.longterm.report import print_outcomes
from langgraph_memory.evals.longterm.script import USERS, script
from langgraph_memory.evals.progress import progress

__all__ = ["PLAYERS", "run"]

PLAYERS: tuple[Player, ...] = (NOTHING, *OURS, *LANGMEM, *MEM0)
_DIALECTS = (ours.answer, langmem.answer, mem0.answer)


def run(options: argparse.Namespace) -> int:
    """Play the script with the contenders that the command line asks for, and print the table.

    Args:
        options: As `add_parser` reads them.

    Returns:
        The exit status, 0.

    Raises:
        InvalidInputError: There is no such contender or embedder.
        MissingExtraError: The embedder is not installed.
    """
    chosen = _chosen(options.only)
    embeddings = ensure_embeddings(embedder_named(options.embedder))
    turns = script(languages=("en",) if options.quick else ("en", "zh"), seed=options.seed)
    reply = LONG_REPLY if options.long_replies else REPLY
    outcomes: dict[str, Outcome] = {}
    left_out: dict[str, str] = {}
    with progress() as shown:
        for player in chosen:
            reason = player.missing()
            if reason is not None:
                left_out[player.name] = reason
                continue
            shown.step(player.name, len(turns))
            outcomes[player.name] = play(player, turns, embeddings, _DIALECTS, shown.advance, reply)
    title = f"{len(USERS)} users, {len(turns)} turns"
    print_outcomes(title, outcomes, left_out)
    if options.json is not None:
        values = {name: outcome.as_json() for name, outcome in outcomes.items()}
        text = json.dumps({"longterm": values, "left_out": left_out}, indent=2, ensure_ascii=False)
        options.json.write_text(text + "\n", encoding="utf-8")
    return 0


def _chosen(only: list[str]) -> list[Player]:
    wanted = [part.casefold() for part in only]
    chosen = [p for p in PLAYERS if not wanted or any(w in p.name.casefold() for w in wanted)]
    if not chosen:
        names = ", ".join(repr(player.name) for player in PLAYERS)
        raise InvalidInputError(f"--only {' '.join(only)} matches nobody. There are: {names}.")
    return chosen

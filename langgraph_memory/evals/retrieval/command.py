"""The ``retrieval`` command: which stores on which data, and where the results go."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path

from langgraph_memory.errors import InvalidInputError
from langgraph_memory.evals.progress import Progress, progress
from langgraph_memory.evals.retrieval.arguments import DATA_VARIABLE
from langgraph_memory.evals.retrieval.baselines import BASELINES
from langgraph_memory.evals.retrieval.conversations import DataSet, load_sets
from langgraph_memory.evals.retrieval.measuring import measure
from langgraph_memory.evals.retrieval.recalling import RECALL
from langgraph_memory.evals.retrieval.replaced import REPLACED, replaced
from langgraph_memory.evals.retrieval.report import Results, print_results
from langgraph_memory.evals.retrieval.vectors import KeptVectors, kept_vectors
from langgraph_memory.evals.stores import (
    CONTENDERS,
    Databases,
    StoreContender,
    choose,
    load_store,
    open_databases,
    present,
)

__all__ = ["run"]

_QUICK = 20
"""Questions of each conversation in a quick run."""


def run(options: argparse.Namespace) -> int:
    """Run the comparison that the command line asks for and print it.

    Args:
        options: As `add_parser` reads them.

    Returns:
        The exit status, 0.

    Raises:
        InvalidInputError: There is no such data, store, embedder or server, or a number makes no
            sense.
        MissingExtraError: The embedder or the driver of the server is not installed.
    """
    if options.limit is not None and options.limit < 1:
        raise InvalidInputError(f"--limit {options.limit} leaves nothing to read. Give at least 1.")
    sets = _sets(options)
    stores = choose(
        [RECALL, *CONTENDERS, *BASELINES, *map(load_store, options.store)], options.only
    )
    results = Results(sets=list(sets))
    with (
        kept_vectors(options.embedder, options.cache) as vectors,
        open_databases(_server(options.postgres, stores)) as databases,
        progress() as shown,
    ):
        running = present(stores, databases, results.left_out)
        for data in sets:
            _prepare(data, vectors, shown)
            for store in running:
                _measure(store, data, vectors, databases, results, shown)
    print_results(results)
    if options.json is not None:
        text = json.dumps(results.as_json(), indent=2, ensure_ascii=False)
        options.json.write_text(text + "\n", encoding="utf-8")
    return 0


def _sets(options: argparse.Namespace) -> list[DataSet]:
    """What is recorded in the folder, and what is made here."""
    limit = 1 if options.quick else options.limit
    made = [name for name in REPLACED if name in options.sets or not options.sets]
    recorded = [name for name in options.sets if name not in REPLACED]
    sets = [replaced(name, limit) for name in made]
    if recorded or not options.sets:
        sets = [*load_sets(_folder(options.data), recorded, limit), *sets]
    return [each.first(_QUICK) for each in sets] if options.quick else sets


def _folder(given: Path | None) -> Path:
    named = given or os.environ.get(DATA_VARIABLE)
    if not named:
        raise InvalidInputError(
            f"No data: --data was not given and {DATA_VARIABLE} is not set. Name a folder of data "
            "sets."
        )
    return Path(named)


def _server(asked: str | None, stores: Sequence[StoreContender]) -> str | None:
    """No server is started for stores that need none."""
    return asked if any(each.backend == "postgres" for each in stores) else "none"


def _prepare(data: DataSet, vectors: KeptVectors, shown: Progress) -> None:
    shown.step(f"{data.name}: vectors", data.turns)
    for conversation in data.conversations:
        vectors.prepare([turn.text for turn in conversation.turns.values()], shown.advance)


def _measure(
    store: StoreContender,
    data: DataSet,
    vectors: KeptVectors,
    databases: Databases | None,
    results: Results,
    shown: Progress,
) -> None:
    shown.step(f"{data.name}: {store.name}", data.questions)
    found = measure(store, data, vectors, databases, shown.advance)
    if not found:
        results.left_out[store.name] = "it cannot search by keyword, and there are no vectors."
    rows = results.tallies.setdefault(data.name, {})
    for mode, tally in found.items():
        several = len(found) > 1 or not vectors.by_meaning
        rows[f"{store.name}, {mode}" if several else store.name] = tally

"""The ``store`` command: which stores on which scales, and where the results go."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

from langgraph_memory.errors import InvalidInputError
from langgraph_memory.evals.store.arguments import LARGE
from langgraph_memory.evals.store.corpus import Corpus
from langgraph_memory.evals.store.items import reads, writes
from langgraph_memory.evals.store.measures import Loaded, Results, Scale
from langgraph_memory.evals.store.progress import say
from langgraph_memory.evals.store.report import print_results
from langgraph_memory.evals.store.running import Running, fill
from langgraph_memory.evals.store.searches import (
    filtered_searches,
    first_searches,
    random_searches,
    warm_searches,
)
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

EACH = 100
"""Items of a namespace where there are many."""
FEW_SPACES = 20


def run(options: argparse.Namespace) -> int:
    """Run the comparison that the command line asks for and print it.

    Args:
        options: As `add_parser` reads them.

    Returns:
        The exit status, 0.

    Raises:
        InvalidInputError: There is no such store or server, or a number makes no sense.
        MissingExtraError: A server is asked for whose driver is not installed.
    """
    scales = _scales(options)
    stores = choose([*CONTENDERS, *map(load_store, options.store)], options.only)
    results = Results()
    with open_databases(options.postgres) as databases:
        running = present(stores, databases, results.left_out)
        for scale in scales:
            able = _able(running, scale, results)
            if able:
                _measure(able, scale, databases, options, results)
    print_results(results)
    if options.json is not None:
        text = json.dumps(results.as_json(), indent=2, ensure_ascii=False)
        options.json.write_text(text + "\n", encoding="utf-8")
    return 0


def _scales(options: argparse.Namespace) -> list[Scale]:
    for name, least in (("--dims", 2), ("--repeats", 1), ("--few", 0), ("--one", 0)):
        value = getattr(options, name.removeprefix("--"))
        if value < least:
            raise InvalidInputError(f"{name} {value} cannot be measured. Give at least {least}.")
    sizes = [*options.sizes, *([LARGE] if options.large else [])]
    for size in sizes:
        if size < EACH:
            raise InvalidInputError(
                f"--sizes {size} is less than one namespace. Give at least {EACH}."
            )
    scales = [Scale(size // EACH, EACH) for size in dict.fromkeys(sizes)]
    if options.few:
        scales.append(Scale(FEW_SPACES, max(1, options.few // FEW_SPACES)))
    if options.one:
        scales.append(Scale(1, options.one))
    if not scales:
        raise InvalidInputError("Nothing to measure. Give --sizes, --few or --one.")
    return scales


def _able(stores: Sequence[StoreContender], scale: Scale, results: Results) -> list[StoreContender]:
    able = []
    for each in stores:
        if each.largest is None or scale.items <= each.largest:
            able.append(each)
        else:
            results.left_out[f"{each.name} at {scale.items:,} items"] = "too many for its memory."
    return able


def _measure(
    stores: Sequence[StoreContender],
    scale: Scale,
    databases: Databases | None,
    options: argparse.Namespace,
    results: Results,
) -> None:
    say(f"{scale}:")
    corpus = Corpus(
        scale.spaces, scale.each, dims=options.dims, kind=options.vectors, seed=options.seed
    )
    with fill(stores, corpus, databases) as running:
        if scale.spaces == 1:
            measures, loads = first_searches(running, corpus)
            results.measures += measures
            results.loads += loads
        else:
            results.loads += [_loaded(store, scale) for store in running]
        say("  warm searches")
        results.measures += warm_searches(running, corpus, options.repeats)
        if scale.each == EACH:
            say("  searches with a filter, reads")
            results.measures += filtered_searches(running, corpus, options.repeats)
            results.measures += reads(running, corpus, options.repeats, options.seed)
        if scale.spaces > 1:
            say("  searches in namespaces at random")
            results.measures += random_searches(running, corpus, options.repeats, options.seed)
        if scale.each == EACH and options.writes:
            say("  writes")
            results.measures += writes(running, corpus, options.repeats, options.seed)


def _loaded(store: Running, scale: Scale) -> Loaded:
    grown = None if store.lasting else store.load_megabytes
    return Loaded(scale, store.contender.name, store.load_seconds, grown)

"""The ``context`` command: which tools on which threads, and where the results go."""

from __future__ import annotations

import argparse
import importlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from langgraph_memory.errors import InvalidBudgetError, InvalidInputError, MissingExtraError
from langgraph_memory.evals.context.contenders import Contender, load_strategy
from langgraph_memory.evals.context.exact import ExactCounter, exact_counter
from langgraph_memory.evals.context.metrics import Course, Tally, replay
from langgraph_memory.evals.context.ours import OURS
from langgraph_memory.evals.context.peers import PEERS
from langgraph_memory.evals.context.table import LEGEND, quality_tables, timing_table
from langgraph_memory.evals.context.timing import LENGTHS, timing_threads, warm_median
from langgraph_memory.evals.context.transcripts import Thread, chain_runs, load_runs
from langgraph_memory.evals.progress import Progress, progress

__all__ = ["compare_contexts"]

DEFAULT_BUDGETS = (2_000, 8_000, 32_000)
CHAINS_FROM = 4_000
"""Budgets of at least this many tokens are measured on chains: most single runs fit into them."""

TIMING_BUDGET = 8_000


@dataclass
class _Results:
    quality: dict[int, dict[str, Tally]] = field(default_factory=dict)
    timing: dict[str, list[float]] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return {
            "context": {
                str(budget): {name: tally.as_json() for name, tally in rows.items()}
                for budget, rows in self.quality.items()
            },
            "milliseconds_per_call": {
                name: dict(zip(map(str, LENGTHS), values, strict=True))
                for name, values in self.timing.items()
            },
            "not_installed": self.missing,
        }


def compare_contexts(options: argparse.Namespace) -> None:
    """Run the comparison that the command line asks for and print it.

    Raises:
        InvalidInputError: There is no data, no such tool, or a number that makes no sense.
        MissingExtraError: The exact tokenizer is not installed.
    """
    budgets = options.budget or list(DEFAULT_BUDGETS)
    _check_numbers(budgets, options)
    runs = load_runs(_data_folder(options.data), options.limit)
    counter = exact_counter()
    results = _Results()
    contenders = _present(_chosen(options), results)
    with progress() as shown:
        singles, chains = _courses(runs, budgets, options.chains, counter, shown)
        for budget in budgets:
            courses = chains if budget >= CHAINS_FROM else singles
            calls = sum(len(course.moments) for course in courses)
            rows = results.quality.setdefault(budget, {})
            for contender in contenders:
                shown.step(f"{budget:,} tokens: {contender.name}", calls)
                rows[contender.name] = replay(courses, contender, budget, counter, shown.advance)
        if options.timing:
            threads = timing_threads(runs)
            for contender in contenders:
                shown.step(f"timing: {contender.name}", len(LENGTHS))
                for length, thread in threads.items():
                    value = warm_median(thread, length, contender, TIMING_BUDGET)
                    results.timing.setdefault(contender.name, []).append(value)
                    shown.advance(1)
    _print(results, singles, chains)
    if options.json is not None:
        text = json.dumps(results.as_json(), indent=2, ensure_ascii=False)
        options.json.write_text(text + "\n", encoding="utf-8")


def _check_numbers(budgets: Sequence[int], options: argparse.Namespace) -> None:
    for budget in budgets:
        if budget <= 0:
            raise InvalidBudgetError(
                f"--budget {budget} leaves no room for any view. Give a number of tokens above 0."
            )
    for name, value in (("--limit", options.limit), ("--chains", options.chains)):
        if value is not None and value <= 0:
            raise InvalidInputError(f"{name} {value} leaves nothing to replay. Give at least 1.")


def _data_folder(given: Path | None) -> Path:
    if given is not None:
        return given
    named = os.environ.get("LANGGRAPH_MEMORY_DATA")
    if not named:
        raise InvalidInputError(
            "No data: --data was not given and LANGGRAPH_MEMORY_DATA is not set. Name a folder "
            "that holds transcripts/openai_messages.jsonl.gz."
        )
    return Path(named)


def _chosen(options: argparse.Namespace) -> list[Contender]:
    contenders = [
        *(() if options.no_peers else PEERS),
        *OURS,
        *(load_strategy(path) for path in options.strategy),
    ]
    if not options.only:
        return contenders
    wanted = [part.casefold() for part in options.only]
    chosen = [c for c in contenders if any(part in c.name.casefold() for part in wanted)]
    if not chosen:
        names = ", ".join(repr(contender.name) for contender in contenders)
        raise InvalidInputError(
            f"--only {' '.join(options.only)} matches no tool. There are: {names}."
        )
    return chosen


def _present(contenders: Sequence[Contender], results: _Results) -> list[Contender]:
    """Those that can run; of the others the results say what is missing."""
    present: list[Contender] = []
    for contender in contenders:
        if contender.module is not None:
            try:
                importlib.import_module(contender.module)
            except ImportError as error:
                module = error.name or contender.module
                reason = MissingExtraError(module, "evals", f"The row {contender.name!r}")
                results.missing[contender.name] = str(reason)
                continue
        present.append(contender)
    return present


def _courses(
    runs: Sequence[Thread],
    budgets: Sequence[int],
    chains: int,
    counter: ExactCounter,
    progress: Progress,
) -> tuple[list[Course], list[Course]]:
    single = list(runs) if any(budget < CHAINS_FROM for budget in budgets) else []
    chained: list[Thread] = []
    if any(budget >= CHAINS_FROM for budget in budgets):
        chained = chain_runs(runs, count=chains, counter=counter)
        if not chained:
            raise InvalidInputError(
                f"{len(runs)} runs are too short for a chain of 150,000 tokens, which budgets "
                f"from {CHAINS_FROM:,} are measured on. Raise --limit, or give a smaller --budget."
            )
    progress.step("reading threads", len(single) + len(chained))
    made: list[list[Course]] = []
    for threads in (single, chained):
        courses = []
        for thread in threads:
            courses.append(Course.of(thread, counter))
            progress.advance(1)
        made.append([course for course in courses if course.moments])
    return made[0], made[1]


def _print(results: _Results, singles: Sequence[Course], chains: Sequence[Course]) -> None:
    for budget, rows in results.quality.items():
        courses, kind = (chains, "chains") if budget >= CHAINS_FROM else (singles, "single runs")
        calls = sum(len(course.moments) for course in courses)
        title = f"{budget:,} tokens, {len(courses)} {kind}, {calls:,} calls"
        quality_tables(title, rows, results.missing)
    print(f"\n{LEGEND}")
    if results.timing:
        title = f"time per call, {TIMING_BUDGET:,} tokens: warm, one call appended, median"
        timing_table(title, LENGTHS, list(results.timing.items()))

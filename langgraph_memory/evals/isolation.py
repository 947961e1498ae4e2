"""Whether a search ever returns an item of another namespace, tried with names made to confuse."""

from __future__ import annotations

import argparse
import random
import tempfile
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from langgraph.store.base import BaseStore, PutOp
from rich.console import Console
from rich.progress import track

from langgraph_memory import store as stores

__all__ = ["add_parser", "breaches", "hostile_namespaces", "run"]

Namespace = tuple[str, ...]

_SEEDS = ["user", "acme", "腾讯", "a", "É", "null", "0", "🦆", "drop"]
_SUFFIXES = [
    *"%_*?[]'\"`\\/|-+:;,<>(){}~!@#$^&= \t\n\r\x01\x7f",
    *["s", "-corp", "/", "//", "\x1f", "\ufdd0", "\ufffd", "\U0010ffff", "\udc80", "\u202e", "ﬀ"],
    *["' OR 1=1 --", "$ne", "é", "E\u0301", "\u200b", "user:", "COLLATE", "::text", "%s", "{}"],
]
_BATCH = 1_000


def hostile_namespaces(count: int, seed: int) -> Iterator[Namespace]:
    """Namespaces whose labels are beginnings of each other and hold what queries are made of."""
    chance = random.Random(seed)
    for _ in range(count):
        labels = []
        for _ in range(chance.randint(1, 4)):
            label = chance.choice(_SEEDS)
            while chance.random() < 0.6:
                label += chance.choice(_SUFFIXES)
            labels.append(label)
        yield ("tried", *labels)


def breaches(store: BaseStore, count: int, *, searches: int, seed: int = 1) -> list[str]:
    """Fill a store with items in hostile namespaces, search in some, and say what went wrong.

    Args:
        store: An empty store.
        count: Items to put, each in a namespace of its own or of a few others.
        searches: Namespaces to search in: as a listing, by keyword, and with a filter.
        seed: Of the names.

    Returns:
        One line for each search that returned too much or too little.
    """
    held: Counter[Namespace] = Counter()
    names = hostile_namespaces(count, seed)
    for first in track(range(0, count, _BATCH), "Putting", transient=True):
        batch = [
            PutOp(name, f"key {first + at}", {"text": "walrus", "owner": list(name)})
            for at, name in enumerate(islice(names, _BATCH))
        ]
        for op in batch:
            for depth in range(1, len(op.namespace) + 1):
                held[op.namespace[:depth]] += 1
        store.batch(batch)
    found: list[str] = []
    chosen = random.Random(seed + 1).sample(sorted(held), min(searches, len(held)))
    for name in track(chosen, "Searching", transient=True):
        expected = min(held[name], 50)
        for how in ({}, {"query": "walrus"}, {"filter": {"text": "walrus"}}):
            items = store.search(name, limit=50, **how)
            strangers = [item for item in items if _outside(item.value["owner"], name)]
            if strangers:
                found.append(f"{name!r} {how}: returned {strangers[0].namespace!r}")
            if len(items) != expected:
                found.append(f"{name!r} {how}: {len(items)} items, expected {expected}")
    return found


def _outside(owner: list[str], name: Namespace) -> bool:
    return tuple(owner[: len(name)]) != name


def add_parser(commands: Any) -> None:
    """Add the command to an argument parser's commands."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "isolation",
        help="try to make a search return an item of another namespace",
        description="Put items in namespaces with hostile names, search in some of them, and "
        "report every item that does not belong there and every one that is missing.",
    )
    parser.add_argument("--count", type=int, default=1_000_000, help="items (default: 1,000,000)")
    parser.add_argument("--searches", type=int, default=2_000, help="namespaces searched")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--store", metavar="URL", help="an empty store (default: an SQLite file of its own)"
    )


def run(options: argparse.Namespace) -> int:
    """Run the command; the exit status is 1 if anything went wrong."""
    console = Console(highlight=False, soft_wrap=True)
    with tempfile.TemporaryDirectory() as folder:
        url = options.store or str(Path(folder) / "isolation.db")
        with stores.open(url, index={"fields": ["text"]}) as store:
            wrong = breaches(store, options.count, searches=options.searches, seed=options.seed)
    for line in wrong[:20]:
        console.print(line, markup=False)
    console.print(f"{len(wrong)} wrong results in {3 * options.searches} searches.")
    return 1 if wrong else 0

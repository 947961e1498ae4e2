"""The command line of the ``store`` command."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from langgraph_memory.evals.stores.arguments import add_store_arguments

__all__ = ["LARGE", "add_parser"]

LARGE = 1_000_000
_SIZES = [10_000, 100_000]


def add_parser(commands: argparse._SubParsersAction[Any]) -> None:
    """Add the command to those of ``python -m langgraph_memory.evals``."""
    parser = commands.add_parser(
        "store",
        help="measure the latency of long-term stores, side by side",
        description="Fill long-term stores with the same items and vectors, and measure searches, "
        "reads and writes, all stores taking turns. Vectors are made beforehand, so embedding "
        "takes no time. With everything installed, the defaults take about ten minutes of a "
        "machine that does nothing else.",
        epilog="A store of yours is module:attribute, importable from where you are: a callable "
        "(index, place) that returns a LangGraph BaseStore or a context manager of one. 'index' "
        "is LangGraph's index configuration; 'place' has 'folder', a folder of its own, and "
        "'dsn', the connection string of an empty Postgres database or None. Write "
        "module:attribute@postgres for a store that needs such a database, and "
        "module:attribute@memory for one that keeps nothing when it is closed.",
    )
    parser.add_argument(
        "--sizes",
        type=int,
        nargs="*",
        default=_SIZES,
        metavar="N",
        help="items in all where a namespace has 100 (default: 10000 100000)",
    )
    parser.add_argument(
        "--large", action="store_true", help=f"also {LARGE:,} items, which takes long"
    )
    parser.add_argument(
        "--few",
        type=int,
        default=100_000,
        metavar="N",
        help="items in all in 20 namespaces (default: 100000; 0 leaves this out)",
    )
    parser.add_argument(
        "--one",
        type=int,
        default=50_000,
        metavar="N",
        help="items in one single namespace (default: 50000; 0 leaves this out)",
    )
    parser.add_argument(
        "--writes",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="measure puts, for each of --sizes",
    )
    parser.add_argument(
        "--vectors",
        choices=["gaussian", "clustered"],
        default="gaussian",
        help="independent vectors, the worst case of an approximate index, or clusters of similar "
        "ones (default: gaussian)",
    )
    parser.add_argument("--dims", type=int, default=384, metavar="N", help="default: 384")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="default: 0")
    parser.add_argument(
        "--repeats", type=int, default=5, metavar="N", help="rounds of measuring (default: 5)"
    )
    add_store_arguments(parser)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write all values here")

"""The options of ``python -m langgraph_memory.evals context``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

__all__ = ["add_parser"]

_DATA_VARIABLE = "LANGGRAPH_MEMORY_DATA"


def add_parser(commands: argparse._SubParsersAction[Any]) -> None:
    """Add the command to those of ``python -m langgraph_memory.evals``."""
    context = commands.add_parser(
        "context",
        help="replay recorded agent runs through context tools",
        description="Replay recorded agent runs, at every model call, through this package's "
        "strategies, other tools and any strategy you name, and compare validity, loss, tokens, "
        "cost with prompt caching, retention, coverage and time.",
        epilog="A strategy of yours is module:attribute, importable from where you are. The "
        "attribute is an object with apply(messages, request=None), which returns an object with "
        "'messages' (the complete list to send) and 'state' (handed back as request.state with "
        "the next call of the thread), or a callable (budget, model) that makes such an object "
        "for each thread; 'budget' is in tokens and 'model' is the chat model that writes "
        "summaries.",
    )
    context.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="folder with transcripts/openai_messages.jsonl.gz, or such a file "
        f"(default: the environment variable {_DATA_VARIABLE})",
    )
    context.add_argument(
        "--budget",
        type=int,
        action="append",
        metavar="TOKENS",
        help="token budget, may be repeated (default: 2000 8000 32000). Budgets below 4,000 are "
        "measured on the single runs, others on chains of about 150,000 tokens",
    )
    context.add_argument(
        "--strategy",
        action="append",
        default=[],
        metavar="MODULE:ATTR",
        help="a strategy to add to the table, may be repeated",
    )
    context.add_argument("--limit", type=int, metavar="N", help="read the first N runs only")
    context.add_argument(
        "--chains", type=int, default=2, metavar="N", help="how many chains (default: 2)"
    )
    context.add_argument(
        "--only",
        nargs="+",
        default=[],
        metavar="NAME",
        help="only the tools whose name contains one of these, whatever the case",
    )
    context.add_argument("--json", type=Path, metavar="FILE", help="also write all values here")
    context.add_argument("--no-peers", action="store_true", help="leave the other tools out")
    context.add_argument(
        "--timing",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="measure time per call at 100, 1,000 and 10,000 messages",
    )

"""The command line of the ``longterm`` command."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

__all__ = ["add_parser"]


def add_parser(commands: argparse._SubParsersAction[Any]) -> None:
    """Add the command to those of ``python -m langgraph_memory.evals``."""
    parser = commands.add_parser(
        "longterm",
        help="measure what remembering users costs, and what it brings",
        description="Two users talk to an agent for a hundred turns each, in ten threads: they "
        "state facts, preferences and limits, correct some, and ask about them later, with talk "
        "about other things in between. The same script is played with each memory, and with the "
        "same stand-in for a model, which understands the script's sentences wherever it is shown "
        "them and answers each library in the form it asks for. Calls and tokens are counted "
        "where they are made.",
    )
    parser.add_argument(
        "--only",
        nargs="+",
        default=[],
        metavar="NAME",
        help="only those whose name contains one of these, whatever the case",
    )
    parser.add_argument(
        "--embedder",
        default="local",
        metavar="NAME",
        help="'local' (the offline embedder), module:attribute (a LangChain Embeddings object, "
        "its class, or a function of a list of texts), or provider:model as LangChain names them "
        "(default: local)",
    )
    parser.add_argument(
        "--long-replies",
        action="store_true",
        help="the agent replies with 180 tokens, as a real one does, not with a few",
    )
    parser.add_argument("--seed", type=int, default=11, help="of the script (default: 11)")
    parser.add_argument(
        "--quick", action="store_true", help="only the threads in English, half of the turns"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write all values here")

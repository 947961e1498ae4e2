"""The command line of the ``retrieval`` command."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from langgraph_memory.evals.retrieval.replaced import REPLACED
from langgraph_memory.evals.stores.arguments import add_store_arguments

__all__ = ["DATA_VARIABLE", "add_parser"]

DATA_VARIABLE = "LANGGRAPH_MEMORY_DATA"


def add_parser(commands: argparse._SubParsersAction[Any]) -> None:
    """Add the command to those of ``python -m langgraph_memory.evals``."""
    parser = commands.add_parser(
        "retrieval",
        help="measure whether recall and long-term stores find what answers a question",
        description="Put every turn of recorded conversations into long-term stores, one "
        "namespace for each conversation, ask the questions that belong to them, and compare how "
        "much of the evidence is found. All stores are given the same vectors. 'Recall' is this "
        "package's whole recall path with its defaults, which also knows who spoke, when, and in "
        f"which session. The sets {' and '.join(REPLACED)} are made here: every fact in them is "
        "replaced later, and what counts is whether the current statement comes first.",
        epilog="A data set is a folder with conversations.jsonl.gz, lines of {conversation_id, "
        "turns: [{turn_id, speaker, text, session_id, timestamp}]}, and questions.jsonl.gz, lines "
        "of {conversation_id, question, category, evidence_turn_ids, question_date}; speaker, "
        "session_id, timestamp and question_date may be left out; questions without evidence are "
        "left out, and so are those with a true 'abstention'. A store of yours is "
        "module:attribute, importable from where you are: a callable (index, place) that returns "
        "a LangGraph BaseStore or a context manager of one; 'index' is LangGraph's index "
        "configuration, 'place' has 'folder', a folder of its own, and 'dsn', the connection "
        "string of an empty Postgres database or None. Write module:attribute@postgres for a "
        "store that needs such a database.",
    )
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="folder of data sets, or one data set (default: the environment variable "
        f"{DATA_VARIABLE})",
    )
    parser.add_argument(
        "--sets", nargs="+", default=[], metavar="NAME", help="only these data sets (default: all)"
    )
    parser.add_argument(
        "--embedder",
        default="local",
        metavar="NAME",
        help="'local' (the offline embedder), 'none' (keywords only), module:attribute (a "
        "LangChain Embeddings object, its class, or a function of a list of texts), or "
        "provider:model as LangChain names them (default: local)",
    )
    parser.add_argument(
        "--cache", type=Path, metavar="DIR", help="keep vectors here for the next run"
    )
    add_store_arguments(parser)
    parser.add_argument(
        "--limit", type=int, metavar="N", help="read the first N conversations of each set only"
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="one conversation of each set, and its first 20 questions",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write all values here")

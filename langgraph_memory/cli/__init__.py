"""The `langgraph-memory` command."""

from __future__ import annotations

import sys
from io import TextIOWrapper


def app() -> None:
    """Run the command; say what is missing where the `cli` extra is not installed."""
    from langgraph_memory.errors import LangGraphMemoryError, MissingExtraError

    try:
        from langgraph_memory.cli.app import typer_app
    except ImportError as error:
        if (error.name or "").split(".")[0] not in ("typer", "rich"):
            raise
        sys.exit(str(MissingExtraError(error.name or "typer", "cli", "The command line")))
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character must not end the chat.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        typer_app()
    except LangGraphMemoryError as error:
        sys.exit(f"langgraph-memory: {error}")

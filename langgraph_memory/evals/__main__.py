"""``python -m langgraph_memory.evals``: the evaluations as commands."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from langgraph_memory.errors import LangGraphMemoryError, MissingExtraError

try:
    from langgraph_memory.evals import context, isolation, longterm, retrieval, store
except ModuleNotFoundError as missing:
    if (missing.name or "").split(".")[0] not in ("rich", "langchain"):
        raise
    raise SystemExit(str(MissingExtraError(str(missing.name), "evals", "An evaluation"))) from None

__all__ = ["main"]

_COMMANDS = {
    "context": context,
    "retrieval": retrieval,
    "store": store,
    "longterm": longterm,
    "isolation": isolation,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit status is 2 where it could not be run as asked."""
    options = _parser().parse_args(arguments)
    try:
        return _COMMANDS[options.command].run(options) or 0
    except LangGraphMemoryError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m langgraph_memory.evals",
        description="Measure context strategies, long-term stores and long-term memory.",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for command in _COMMANDS.values():
        command.add_parser(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main())

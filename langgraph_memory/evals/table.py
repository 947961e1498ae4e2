"""Tables of results: drawn on a screen that is wide enough, plain text elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TextIO

__all__ = ["show"]


def show(
    title: str,
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    out: TextIO | None = None,
) -> None:
    """Print a table: the first column to the left, the others to the right."""
    stream = out or sys.stdout
    widths = [max(map(len, column)) for column in zip(headings, *rows, strict=True)]
    if stream.isatty() and _draw(title, headings, rows, sum(widths) + 3 * len(widths) + 1):
        return
    print(f"\n{title}", file=stream)
    for cells in (headings, ["-" * width for width in widths], *rows):
        first, *others = [
            cell.ljust(width) if not index else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        print("  ".join([first, *others]).rstrip(), file=stream)


def _draw(title: str, headings: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> bool:
    """Draw with rich where it is installed and the screen is as wide as the table."""
    try:
        from rich.console import Console
        from rich.table import Table
    except ImportError:
        return False
    console = Console()
    if console.width < width:
        return False
    table = Table(title=title, title_justify="left")
    for index, heading in enumerate(headings):
        table.add_column(heading, justify="right" if index else "left", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    console.print()
    console.print(table)
    return True

"""What a report or a record draws of itself in Jupyter: small, and never more than text.

What users, tools and models wrote stands in it as data: no text can become a part of the page,
make it long, or hold what a page cannot (lone surrogates, null characters).
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from itertools import islice

__all__ = ["LONGEST", "MOST_ROWS", "escaped", "table"]

LONGEST = 300
"""Characters of a text in a table."""

MOST_ROWS = 50


def escaped(text: object, longest: int | None = LONGEST) -> str:
    """A text as HTML.

    Args:
        text: Anything; its `str` is shown.
        longest: Characters it may have; of a longer one the end is left out.
    """
    plain = str(text)
    if longest is not None and len(plain) > longest:
        plain = plain[: longest - 2].rstrip() + " …"
    return html.escape(plain.encode(errors="backslashreplace").decode().replace("\0", "\\x00"))


def table(rows: Iterable[Sequence[object]], headings: Sequence[object] = ()) -> str:
    """A table of at most `MOST_ROWS` rows; a last line says how many more there are.

    Args:
        rows: The cells of each row.
        headings: Above the columns. Without any, the first cell of a row is its heading.
    """
    left = iter(rows)
    lines = [_row(row, "td" if headings else "th") for row in islice(left, MOST_ROWS)]
    if headings:
        lines.insert(
            0, "<tr>" + "".join(f"<th>{escaped(each)}</th>" for each in headings) + "</tr>"
        )
    more = sum(1 for _ in left)
    note = f"<div>… and {more:,} more</div>" if more else ""
    return f"<table>{''.join(lines)}</table>{note}"


def _row(cells: Sequence[object], first: str) -> str:
    drawn = (
        f"<{tag}>{escaped(cell)}</{tag}>"
        for tag, cell in zip((first, *["td"] * (len(cells) - 1)), cells, strict=True)
    )
    return f"<tr>{''.join(drawn)}</tr>"

"""Data files of one JSON object a line, compressed or not."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from langgraph_memory.errors import InvalidInputError

__all__ = ["opened_lines"]

_GZIP = b"\x1f\x8b"


@contextmanager
def opened_lines(path: Path) -> Iterator[IO[str]]:
    """The lines of a file, unpacked if it is packed with gzip.

    Args:
        path: The file.

    Raises:
        InvalidInputError: It cannot be read as text.
    """
    with path.open("rb") as file:
        is_packed = file.read(2) == _GZIP
    opened = gzip.open if is_packed else open
    with opened(path, "rt", encoding="utf-8") as lines:
        try:
            yield lines
        except (UnicodeDecodeError, EOFError, gzip.BadGzipFile) as error:
            raise InvalidInputError(
                f"{str(path)!r} is no file of JSON lines, gzipped or not ({error})."
            ) from error

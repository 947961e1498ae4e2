"""A text by lines and Markdown sections. Lines end with a line feed and with nothing else."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Section", "line_ends", "lines_of", "sections_of"]

_HEADING = re.compile(r"(#{1,6})[ \t]+(.*)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


@dataclass(frozen=True, slots=True)
class Section:
    """A Markdown section.

    Attributes:
        title: Of its heading.
        level: 1 to 6.
        first: Number of its first line, the heading; the text's first line is 1.
        last: Number of its last line, subsections included.
    """

    title: str
    level: int
    first: int
    last: int


def lines_of(text: str) -> list[str]:
    """The lines with their ends; joined, they are the text. No line is empty but for its end."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def line_ends(text: str) -> str:
    """Which line ends a text has, in words."""
    windows = text.count("\r\n")
    unix = text.count("\n") - windows
    kinds = {"\\r\\n": windows, "\\n": unix}
    used = [kind for kind, times in kinds.items() if times]
    if not used:
        return "one line without a line end"
    last = "" if text.endswith("\n") else ", none after the last line"
    return f"line ends {' and '.join(used)}{last}"


def sections_of(text: str) -> list[Section]:
    """The sections of a Markdown text (headings with `#`, not those in fenced code)."""
    lines = lines_of(text)
    heads: list[tuple[int, int, str]] = []
    fence = ""
    for number, line in enumerate(lines, 1):
        marks = _FENCE.match(line)
        if marks is not None:
            if not fence:
                fence = marks[1]
            elif marks[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        elif not fence and (found := _HEADING.fullmatch(line.rstrip("\r\n"))):
            heads.append((number, len(found[1]), _title(found[2].strip(" \t"))))
    sections = []
    for place, (first, level, title) in enumerate(heads):
        ends = (number - 1 for number, other, _ in heads[place + 1 :] if other <= level)
        sections.append(Section(title, level, first, next(ends, len(lines))))
    return sections


def _title(written: str) -> str:
    """A heading without the `#` that may close it."""
    bare = written.rstrip("#")
    return bare.rstrip(" \t") if bare[-1:] in ("", " ", "\t") else written

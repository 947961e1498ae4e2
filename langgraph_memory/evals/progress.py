"""How far a run is, as a bar on the error stream where rich is installed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

__all__ = ["Progress", "progress"]


class Progress(Protocol):
    """Something that shows how far a run is."""

    def step(self, what: str, total: int) -> None:
        """Begin a step of `total` units."""

    def advance(self, amount: int) -> None:
        """That many units of the step are done."""


class _Silent:
    def step(self, what: str, total: int) -> None:
        pass

    def advance(self, amount: int) -> None:
        pass


@contextmanager
def progress() -> Iterator[Progress]:
    """A bar that is gone at the end."""
    try:
        from rich.console import Console
        from rich.progress import Progress as Bar
        from rich.progress import TaskID
    except ImportError:
        yield _Silent()
        return

    class Shown:
        def __init__(self, bar: Bar) -> None:
            self._bar = bar
            self._task: TaskID = bar.add_task("", total=None)

        def step(self, what: str, total: int) -> None:
            self._bar.reset(self._task, total=total, description=what)

        def advance(self, amount: int) -> None:
            self._bar.advance(self._task, amount)

    with Bar(console=Console(file=sys.stderr), transient=True) as bar:
        yield Shown(bar)

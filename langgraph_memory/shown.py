"""A value as it stands in an error message: short, in one line, whatever the value is."""

from __future__ import annotations

import reprlib

__all__ = ["shown"]

_short = reprlib.Repr()
_short.maxstring = _short.maxother = _short.maxlong = 80
_short.maxlevel = 3


def shown(value: object) -> str:
    """The beginning of a value's `repr`, or its type where Python has no `repr` for it.

    Python writes neither an integer of more than 4,300 digits nor a list that is nested a
    thousand deep, and an error message must not fail on the value it complains about.
    """
    try:
        return _short.repr(value).replace("\n", " ")
    except ValueError:
        return f"<{type(value).__qualname__}>"

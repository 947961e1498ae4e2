"""Anything from outside as data in a prompt."""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["quoted"]

_UNSAFE = re.compile("[<\x7f-\x9f\u2028\u2029]")


def quoted(value: Any) -> str:
    """JSON on one line in which no tag begins; a model reads it as easily as plain text."""
    written = json.dumps(value, ensure_ascii=False)
    return _UNSAFE.sub(lambda found: f"\\u{ord(found.group()):04x}", written)

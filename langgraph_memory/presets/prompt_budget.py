"""How many tokens a request may have where nobody says."""

from __future__ import annotations

from langgraph_memory.integrations.node import window_of

__all__ = ["prompt_budget"]

_SHARE = 0.4
_MOST = 60_000
_USUAL_WINDOW = 32_000


def prompt_budget(model: object) -> int:
    """Tokens for a request: about 3,000 for a window of 8,000, 50,000 for 128,000.

    Four tenths of the model's window leave room for the answer and for what a count was wrong by;
    above 60,000 tokens cost grows and answers do not get better.

    Args:
        model: The chat model; where its profile does not tell the window, 32,000 are taken.
    """
    return min(_MOST, int((window_of(model) or _USUAL_WINDOW) * _SHARE))

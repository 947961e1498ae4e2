"""How many tokens a request costs: five counters behind one interface."""

from langgraph_memory.tokens.approximate import ApproximateTokenCounter
from langgraph_memory.tokens.calibrated import CalibratedTokenCounter
from langgraph_memory.tokens.char_ratio import CharRatioCounter
from langgraph_memory.tokens.counter import CountFunction, TokenCounter
from langgraph_memory.tokens.from_callable import CallableTokenCounter, as_counter
from langgraph_memory.tokens.media import MediaCosts
from langgraph_memory.tokens.tiktoken import (
    Encoder,
    TiktokenCounter,
    TokenizerUnavailableWarning,
)

__all__ = [
    "ApproximateTokenCounter",
    "CalibratedTokenCounter",
    "CallableTokenCounter",
    "CharRatioCounter",
    "CountFunction",
    "Encoder",
    "MediaCosts",
    "TiktokenCounter",
    "TokenCounter",
    "TokenizerUnavailableWarning",
    "as_counter",
]

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

# Who names no counter shares this one, and with it what it has counted.
DEFAULT_COUNTER: TokenCounter = ApproximateTokenCounter()

__all__ = [
    "DEFAULT_COUNTER",
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

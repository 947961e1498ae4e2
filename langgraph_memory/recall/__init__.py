"""Recall: from a question to the memories worth a place in the prompt."""

from langgraph_memory.recall.blocks import recalled_block, standing_block
from langgraph_memory.recall.passage import Passage, passage_of, turn_key
from langgraph_memory.recall.path import Recall
from langgraph_memory.recall.question import Question
from langgraph_memory.recall.report import Recalled, RecallReport
from langgraph_memory.recall.scoring import Parts
from langgraph_memory.recall.times import Span, spans
from langgraph_memory.recall.weights import RecallWeights

__all__ = [
    "Parts",
    "Passage",
    "Question",
    "Recall",
    "RecallReport",
    "RecallWeights",
    "Recalled",
    "Span",
    "passage_of",
    "recalled_block",
    "spans",
    "standing_block",
    "turn_key",
]

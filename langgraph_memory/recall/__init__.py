"""Recall: from a question to the memories worth a place in the prompt."""

from langgraph_memory.recall.passage import Passage, passage_of, turn_key
from langgraph_memory.recall.path import Recall, Recalled, RecallReport
from langgraph_memory.recall.question import Question
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
    "spans",
    "turn_key",
]

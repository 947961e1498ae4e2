"""A chat model without a network: it answers only with sentences of its prompt."""

from langgraph_memory.offline.answer import Answer, Finding
from langgraph_memory.offline.command_model import CommandModel
from langgraph_memory.offline.model import MODEL_NAME, OfflineChatModel
from langgraph_memory.offline.reader import Reader, Weights

__all__ = [
    "MODEL_NAME",
    "Answer",
    "CommandModel",
    "Finding",
    "OfflineChatModel",
    "Reader",
    "Weights",
]

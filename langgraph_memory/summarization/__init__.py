"""Running summaries: how they are made, and the hook that makes them above a token budget."""

from langgraph_memory.summarization.block import summary_message
from langgraph_memory.summarization.edge import (
    add_summarization,
    summarization_edge,
    summarize_node,
    summarized_messages,
)
from langgraph_memory.summarization.hook import Outcome, SummarizationHook, Surroundings
from langgraph_memory.summarization.running import Running
from langgraph_memory.summarization.state import ContextChannels, ContextState
from langgraph_memory.summarization.summarizer import Summarizer, Summary

__all__ = [
    "ContextChannels",
    "ContextState",
    "Outcome",
    "Running",
    "SummarizationHook",
    "Summarizer",
    "Summary",
    "Surroundings",
    "add_summarization",
    "summarization_edge",
    "summarize_node",
    "summarized_messages",
    "summary_message",
]

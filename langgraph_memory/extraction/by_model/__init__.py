"""Extraction by a chat model."""

from langgraph_memory.extraction.by_model.extractor import ModelExtractor

__all__ = ["ModelExtractor"]

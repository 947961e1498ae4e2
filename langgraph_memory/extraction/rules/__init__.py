"""Extraction by rules: no model call, English and Chinese."""

from langgraph_memory.extraction.rules.extractor import RULES, extract_by_rules

__all__ = ["RULES", "extract_by_rules"]

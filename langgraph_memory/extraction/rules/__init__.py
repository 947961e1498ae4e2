"""Extraction by rules: no model call, English and Chinese."""

from langgraph_memory.extraction.rules.extractor import (
    RULES,
    RulesExtractor,
    asked_to_forget,
    extract_by_rules,
)

__all__ = ["RULES", "RulesExtractor", "asked_to_forget", "extract_by_rules"]

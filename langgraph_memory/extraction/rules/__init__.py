"""Extraction by rules: no model call, English and Chinese."""

from langgraph_memory.extraction.rules.extractor import RULES, RulesExtractor, extract_by_rules

__all__ = ["RULES", "RulesExtractor", "extract_by_rules"]

"""From what was said to what is worth remembering: the gate before, and two extractors."""

from langgraph_memory.extraction.by_model import ModelExtractor
from langgraph_memory.extraction.gate import (
    GateSettings,
    Seen,
    SkipReason,
    should_skip_extraction,
    text_digest,
)
from langgraph_memory.extraction.proposals import (
    Action,
    Dropped,
    DropReason,
    Extraction,
    Proposal,
)
from langgraph_memory.extraction.request import ExtractionRequest, Extractor
from langgraph_memory.extraction.rules import (
    RULES,
    RulesExtractor,
    asked_to_forget,
    extract_by_rules,
)

__all__ = [
    "RULES",
    "Action",
    "DropReason",
    "Dropped",
    "Extraction",
    "ExtractionRequest",
    "Extractor",
    "GateSettings",
    "ModelExtractor",
    "Proposal",
    "RulesExtractor",
    "Seen",
    "SkipReason",
    "asked_to_forget",
    "extract_by_rules",
    "should_skip_extraction",
    "text_digest",
]

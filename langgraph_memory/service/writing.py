"""From what an extractor proposes to edits of a user's memories, with where each comes from."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter

from langgraph_memory.extraction import Action, Extraction, Proposal
from langgraph_memory.memories import Edit, Remember, Retire
from langgraph_memory.records import MemoryRecord, Source

__all__ = ["edits_of", "extraction_in", "extraction_value"]

_EXTRACTION = TypeAdapter(Extraction)


def extraction_value(extraction: Extraction) -> dict[str, Any]:
    """An extraction as a JSON value."""
    return dict(_EXTRACTION.dump_python(extraction, mode="json"))


def extraction_in(value: dict[str, Any]) -> Extraction:
    """The extraction that `extraction_value` wrote."""
    return _EXTRACTION.validate_python(value)


def edits_of(
    extraction: Extraction, thread: str, extractor: str, said_at: datetime
) -> Iterator[Edit]:
    """What the proposals of an extraction ask for.

    Args:
        extraction: What was found.
        thread: The thread that was read.
        extractor: Name and version of who found it.
        said_at: When it was said, which is what it is known since.
    """
    for proposal in extraction.proposals:
        if proposal.action is Action.FORGET:
            yield Retire(proposal.content, proposal.replaces)
        else:
            record = _record(proposal, thread, extractor, said_at)
            yield Remember(record, proposal.replaces, proposal.retracts)


def _record(proposal: Proposal, thread: str, extractor: str, said_at: datetime) -> MemoryRecord:
    extra = {
        name: value
        for name in ("subject", "speaker")
        if (value := getattr(proposal, name)) is not None
    }
    return MemoryRecord.from_value(
        {
            # The same statement in the same message again is the same memory.
            "id": _origin(thread, proposal),
            "content": proposal.content,
            "created_at": said_at,
            "type": proposal.type,
            "importance": proposal.importance,
            "confidence": proposal.confidence,
            "confirmation": proposal.confirmation,
            "keywords": proposal.keywords,
            "valid_from": proposal.valid_from,
            "valid_to": proposal.valid_to,
            "source": Source.AUTO_EXTRACT,
            "source_thread_id": thread,
            "source_message_ids": proposal.source_message_ids,
            "extractor": extractor,
            **extra,
        }
    )


def _origin(thread: str, proposal: Proposal) -> str:
    name = json.dumps([thread, *proposal.source_message_ids, proposal.content])
    return str(uuid.uuid5(uuid.NAMESPACE_OID, name))

"""From what an extractor proposes to edits of a user's memories, with where each comes from."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter

from langgraph_memory.extraction import Action, DropReason, Extraction, Proposal, text_digest
from langgraph_memory.memories import Edit, Edited, Remember, Retire
from langgraph_memory.messages import key_of
from langgraph_memory.records import MemoryRecord, Source
from langgraph_memory.service.turns import Turn

__all__ = ["edits_of", "extraction_in", "extraction_value", "kept_in"]

NEAREST = 5
"""Memories that are taken to hold what was said where it led to none."""

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
            yield Retire(proposal.content, proposal.replaces, proposal.subject)
        else:
            record = _record(proposal, thread, extractor, said_at)
            yield Remember(record, proposal.replaces, proposal.retracts, proposal.swap)


def kept_in(
    turns: Sequence[Turn], extraction: Extraction, edited: Edited, known: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Ids of the memories that hold what turns said, by their digests, for `Account.digests`.

    Turns that withdrew something or told of a task have no place in it: the same words may ask for
    something else the next time. Nor have turns that led to nothing beside others that did: they
    may have been overruled.

    Args:
        turns: Those that were read.
        extraction: What was found in them.
        edited: What became of it.
        known: Memories that the extractor was shown, the nearest first.
    """
    added = [one for one in extraction.proposals if one.action is Action.ADD]
    saved = [each.record.id for each in edited.saved]
    fleeting = [
        *(one.source_message_ids for one in extraction.proposals if one.action is Action.FORGET),
        *(note.source_message_ids for note in extraction.tasks),
        *((one.message_id,) for one in extraction.dropped if one.reason is DropReason.EVERYTHING),
    ]
    kept: dict[str, tuple[str, ...]] = {}
    for turn in turns:
        said = key_of(turn.messages[0])
        if any(said in sources for sources in fleeting):
            continue
        own = [
            memory_id
            for one, memory_id in zip(added, saved, strict=True)
            if said in one.source_message_ids
        ]
        if own or not saved:
            digest = text_digest(turn.in_context)
            kept[digest] = tuple(dict.fromkeys(own or known[:NEAREST]))
    return kept


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

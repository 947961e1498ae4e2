"""What a refused stranger has put into a user's thread, so that nobody reads it as the user's."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from langchain_core.messages import BaseMessage

from langgraph_memory.calls import Call, Steps
from langgraph_memory.identity import Identity
from langgraph_memory.messages import role_of
from langgraph_memory.service.ledger import Cursor, cursor_key
from langgraph_memory.service.transcripts import Transcripts
from langgraph_memory.service.turns import mark_of, turns_of
from langgraph_memory.store import Change, MemoryStore, committed

__all__ = ["disowned"]


def disowned(
    store: MemoryStore,
    transcripts: Transcripts | None,
    who: Identity,
    thread: str,
    messages: Sequence[BaseMessage],
    *,
    asked: str | None,
    checkpoint: str | None,
) -> Steps[None]:
    """Mark what a stranger said as not the user's; LangGraph saved it before he was refused.

    What the user has said is read as before.

    Args:
        store: Where it is kept how far threads were read.
        transcripts: Where threads can be read, if they can.
        who: Whose thread it is.
        thread: Its id.
        messages: The thread, with what the stranger said.
        asked: Key of the newest turn that a run of the user has begun, as far as known.
        checkpoint: Id of a checkpoint of the refused run; None if it cannot be read.
    """
    brought: list[BaseMessage] | None = None
    if transcripts is not None and checkpoint is not None:
        brought = yield Call(partial(transcripts.brought, thread, checkpoint))

    def decide() -> Steps[tuple[Sequence[Change], None]]:
        item = yield Call.of(store.get, store.aget, who.ledger, cursor_key(thread))
        cursor = Cursor.of(thread, item)
        theirs = _not_the_users(messages, asked, cursor) if brought is None else brought
        marks = {mark_of(message) for message in theirs} - set(cursor.ignored)
        return [cursor.without(marks).change(who)] if marks else [], None

    yield from committed(store, decide)


def _not_the_users(
    messages: Sequence[BaseMessage], asked: str | None, cursor: Cursor
) -> list[BaseMessage]:
    """What a thread's owner has not said, as far as its messages alone tell.

    That is what follows the newest turn that the owner began, or else the last reply; and what
    differs from what was read.
    """
    turns = turns_of(messages)
    begun = next((at for at, turn in enumerate(turns) if turn.key == asked), None)
    if begun is not None:
        after = [message for turn in turns[begun + 1 :] for message in turn.messages]
    else:
        roles = [role_of(message) for message in messages]
        replied = len(roles) - roles[::-1].index("assistant") if "assistant" in roles else 0
        after = list(messages[replied:])
    edited = [
        turn.messages[0]
        for turn in turns
        if turn.key in cursor.keys and turn.mark not in cursor.read
    ]
    return [*edited, *after]

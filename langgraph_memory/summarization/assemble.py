"""From what is kept of a thread to the list that is sent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from langchain_core.messages import BaseMessage, SystemMessage

from langgraph_memory.messages import Piece, Profile, Thread, made_kind, repair_pieces, text_of
from langgraph_memory.messages.repair import ADDED
from langgraph_memory.summarization.block import Role, summary_message, with_summary


def assemble(
    thread: Thread,
    keep: Iterable[int],
    rules: Profile,
    *,
    system: str | SystemMessage | None = None,
    summary: str | None = None,
    role: Role = "system",
    replaced: Mapping[int, tuple[BaseMessage, str]] | None = None,
    added: Sequence[tuple[int, BaseMessage]] = (),
    interrupted: bool = False,
) -> list[Piece]:
    """Put a request together: system first, the summary in its place, the rest in order, repaired.

    Args:
        thread: The thread that the positions belong to.
        keep: Positions of the messages to send, ascending.
        rules: What the provider accepts.
        system: System prompt that stands outside the thread; it comes first.
        summary: Running summary to show, in place of one that the thread's messages may carry.
        role: Where the summary goes: into the system message or into a user message after it.
        replaced: What to send in place of kept messages, and why.
        added: Messages made up for this request, each with the position before which it goes.
        interrupted: The calls at the end wait for a person and stay unanswered.
    """
    pieces: list[Piece] = []
    waiting = list(added)
    for index in keep:
        while waiting and waiting[0][0] <= index:
            pieces.append(Piece(waiting.pop(0)[1], ADDED))
        piece = Piece(thread.messages[index], index)
        if replaced and index in replaced:
            piece = piece.becomes(*replaced[index])
        pieces.append(piece)
    pieces.extend(Piece(message, ADDED) for _, message in waiting)
    pieces = _with_system(pieces, system)
    pieces = repair_pieces(pieces, rules, interrupted=interrupted)
    return pieces if summary is None else _with_summary(pieces, summary, role)


def _with_system(pieces: list[Piece], system: str | SystemMessage | None) -> list[Piece]:
    if system is None:
        return pieces
    message = SystemMessage(content=system) if isinstance(system, str) else system
    if not message.content:
        return pieces
    if pieces and pieces[0].message.type == "system":
        # A view that is handed in again already begins with the system prompt.
        known = text_of(pieces[0].message)
        text = text_of(message)
        if known == text or known.startswith(text + "\n"):
            return pieces
    return [Piece(message, ADDED), *pieces]


def _with_summary(pieces: list[Piece], summary: str, role: Role) -> list[Piece]:
    """Put the summary in its place; a message that an earlier view made for it is that place."""
    block = next(
        (i for i, p in enumerate(pieces) if made_kind(p.message) == "summary"),
        None,
    )
    if block is not None:
        shown = with_summary(pieces[block].message, summary)
        changed = shown.content != pieces[block].message.content
        piece = (
            pieces[block].becomes(shown, "running summary renewed") if changed else pieces[block]
        )
        return [*pieces[:block], piece, *pieces[block + 1 :]]
    first = next((i for i, p in enumerate(pieces) if p.message.type != "system"), len(pieces))
    if role == "user":
        return [*pieces[:first], Piece(summary_message(summary, "user"), ADDED), *pieces[first:]]
    if not first:
        return [Piece(summary_message(summary, "system"), ADDED), *pieces]
    shown = with_summary(pieces[0].message, summary)
    return [pieces[0].becomes(shown, "running summary added"), *pieces[1:]]

"""Make a message list acceptable to a provider, on a copy and by the smallest change."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, SystemMessage, ToolMessage

from langgraph_memory.messages.content import (
    call_ids,
    calls_of,
    check_messages,
    is_empty,
    is_empty_block,
    key_of,
    role_of,
    text_of,
)
from langgraph_memory.messages.copies import with_call_ids
from langgraph_memory.messages.marks import made
from langgraph_memory.messages.profiles import Profile, profile_named
from langgraph_memory.messages.units import Unit, units
from langgraph_memory.messages.validate import is_accepted, open_turn_start

NO_RESULT = "No result: this tool call was interrupted before it finished."
NO_REPLY = "(The turn ended before a reply was given.)"
NO_TEXT = "(no text)"
NO_OUTPUT = "(no output)"
ADDED = -1
_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class Piece:
    """A message on its way to the provider, with the position it had in the list it is from.

    Attributes:
        message: What will be sent.
        origin: Position in the original list, or `ADDED` for a message made up here.
        changes: Why the message is not what it was; empty while it is.
    """

    message: BaseMessage
    origin: int
    changes: tuple[str, ...] = ()

    def becomes(self, message: BaseMessage, why: str) -> Piece:
        """The same piece with another message, and the reason noted."""
        return Piece(message, self.origin, (*self.changes, why))

    def says(self, content: str | list[Any], why: str) -> Piece:
        """The same piece with other content, and the reason noted.

        The key of a message without an id is made of its content, so it becomes the id.
        """
        update = {"content": content, "id": key_of(self.message)}
        return self.becomes(self.message.model_copy(update=update), why)


def repair(
    messages: Sequence[BaseMessage],
    profile: str | Profile = "common",
    *,
    interrupted: bool = False,
) -> list[BaseMessage]:
    """Return a list that the provider accepts wherever the input can be made so.

    A call without a result is answered by a synthetic error result, a result without a call or
    after another result is removed, late results move to their call, empty text is removed, ids
    that the provider would refuse are mapped on both sides of their pair, and where the provider
    needs an assistant message between a tool result and the next user message one is put there.
    No user text is invented, and reasoning of an open tool turn stays as it is. The input and its
    messages are never changed; a list that needs no repair comes back with the same messages.

    Args:
        messages: The messages as the thread has them.
        profile: Name of the provider profile, see `validate`.
        interrupted: The calls at the end of the list wait for a person: leave them unanswered.

    Raises:
        InvalidMessagesError: The list holds something that is not a message.
        UnknownProfileError: There is no such profile.
    """
    check_messages(messages)
    pieces = [Piece(message, index) for index, message in enumerate(messages)]
    rules = profile_named(profile)
    return [piece.message for piece in repair_pieces(pieces, rules, interrupted=interrupted)]


def repair_pieces(pieces: Sequence[Piece], rules: Profile, *, interrupted: bool) -> list[Piece]:
    """`repair`, for callers that need to know what became of each message."""
    whole = list(pieces)
    if not is_accepted([piece.message for piece in pieces], rules.but_for_ids):
        whole = _whole_units(pieces, interrupted=interrupted, in_order=rules.results_in_order)
        if rules.one_system:
            whole = _one_system(whole)
        if rules.no_empty:
            whole = _without_empty(whole, results=rules.no_empty_result)
        whole = _reasoning(whole, rules)
        if rules.bridge_after_tool:
            whole = _bridged(whole)
    return _with_call_ids(whole, rules)


def _whole_units(pieces: Sequence[Piece], *, interrupted: bool, in_order: bool) -> list[Piece]:
    read = units([piece.message for piece in pieces])
    if all(_is_whole(unit, in_order) for unit in read):
        return list(pieces)
    last_input = _last_input(pieces)
    sendable = [unit for unit in read if unit.kind != "orphan"]
    result: list[Piece] = []
    for unit in sendable:
        if unit.kind != "tool_calls":
            result.extend(pieces[index] for index in unit.indices)
            continue
        waits = interrupted and unit.indices[0] > last_input and unit is sendable[-1]
        result.extend(_answered(unit, pieces, waits=waits, in_order=in_order))
    return result


def _last_input(pieces: Sequence[Piece]) -> int:
    """Position of the newest user message; -1 where there is none."""
    users = (i for i, piece in enumerate(pieces) if role_of(piece.message) == "user")
    return max(users, default=-1)


def _is_whole(unit: Unit, in_order: bool) -> bool:
    if unit.kind == "orphan":
        return False
    if unit.kind != "tool_calls":
        return True
    first = unit.indices[0]
    if unit.indices[-1] - first != len(unit.indices) - 1:
        return False
    calls = call_ids(unit.messages[0])
    results = [message.tool_call_id for message in unit.messages[1:]]  # type: ignore[attr-defined]
    return results == calls if in_order else sorted(results) == sorted(calls)


def _answered(
    unit: Unit, pieces: Sequence[Piece], *, waits: bool, in_order: bool
) -> Iterable[Piece]:
    call_piece, *result_pieces = (pieces[index] for index in unit.indices)
    results: dict[str, Piece] = {}
    for piece in result_pieces:
        results.setdefault(piece.message.tool_call_id, piece)  # type: ignore[attr-defined]
    names = {call["id"]: call.get("name") for call in calls_of(unit.messages[0])}
    wanted = list(dict.fromkeys(call_ids(unit.messages[0])))
    missing = [] if waits else [call for call in wanted if call not in results]
    order = wanted if in_order else [*results, *missing]
    yield call_piece
    for call in order:
        if call in results:
            yield results[call]
        elif call in missing:
            yield Piece(_no_result(call, names.get(call)), ADDED)


def _no_result(call: str, name: str | None) -> ToolMessage:
    result = ToolMessage(content=NO_RESULT, tool_call_id=call, name=name, status="error")
    return made(result, "tool_result")


def _one_system(pieces: list[Piece]) -> list[Piece]:
    systems = [piece for piece in pieces if role_of(piece.message) == "system"]
    if not systems or (len(systems) == 1 and pieces[0] is systems[0]):
        return pieces
    lead = systems[0]
    if len(systems) > 1:
        merged = join_system([piece.message for piece in systems])
        lead = lead.becomes(merged, "joined with the other system messages")
    return [lead, *(piece for piece in pieces if role_of(piece.message) != "system")]


def join_system(messages: Sequence[BaseMessage]) -> SystemMessage:
    """One system message that says what several say, in their order."""
    first = messages[0]
    if all(isinstance(message.content, str) for message in messages):
        content: str | list[Any] = "\n\n".join(
            text for message in messages if (text := text_of(message))
        )
    else:
        content = []
        for message in messages:
            blocks = (
                [{"type": "text", "text": message.content}]
                if isinstance(message.content, str)
                else message.content
            )
            content.extend(block for block in blocks if not is_empty_block(block))
    base = first if isinstance(first, SystemMessage) else SystemMessage(content="", id=first.id)
    kwargs: dict[str, object] = {}
    for message in messages:
        kwargs.update(message.additional_kwargs)
    return base.model_copy(update={"content": content, "additional_kwargs": kwargs})


def _reasoning(pieces: list[Piece], rules: Profile) -> list[Piece]:
    if not rules.reasoning_pairs:
        return pieces
    open_from = open_turn_start([piece.message for piece in pieces])
    result = []
    for index, piece in enumerate(pieces):
        message = piece.message
        blocks = message.content
        if (
            index < open_from
            and isinstance(message, AIMessage)
            and not isinstance(blocks, str)
            and blocks
            and not call_ids(message)
            and isinstance(blocks[-1], dict)
            and blocks[-1].get("type") == "reasoning"
        ):
            kept = list(blocks)
            while kept and isinstance(kept[-1], dict) and kept[-1].get("type") == "reasoning":
                kept.pop()
            if not kept:
                continue
            piece = piece.says(kept, "reasoning without a following item removed")
        result.append(piece)
    return result


def _without_empty(pieces: list[Piece], *, results: bool) -> list[Piece]:
    last_input = _last_input(pieces)
    result = []
    for index, piece in enumerate(pieces):
        content = piece.message.content
        if isinstance(piece.message, ToolMessage):
            if results and is_empty(piece.message):
                piece = piece.says(NO_OUTPUT, "empty tool result named as such")
        elif is_empty(piece.message):
            # Only the newest user message is held by a word; any other empty message says nothing.
            if index != last_input:
                continue
            piece = piece.says(NO_TEXT, "empty user message named as such")
        elif not isinstance(content, str) and any(map(is_empty_block, content)):
            blocks = [block for block in content if not is_empty_block(block)]
            piece = piece.says(blocks, "empty text block removed")
        result.append(piece)
    return result


def _bridged(pieces: list[Piece]) -> list[Piece]:
    result: list[Piece] = []
    before = ""
    for piece in pieces:
        role = role_of(piece.message)
        if before == "tool" and role == "user":
            result.append(Piece(made(AIMessage(content=NO_REPLY), "bridge"), ADDED))
        if role != "system":
            before = role
        result.append(piece)
    return result


def _with_call_ids(pieces: list[Piece], rules: Profile) -> list[Piece]:
    """Map ids that the provider refuses, the same on both sides of a pair."""
    ids = [call for piece in pieces for call in call_ids(piece.message)]
    taken = set(ids)
    reused = rules.unique_ids and len(taken) < len(ids)
    unfit = {call for call in taken if rules.call_id and not rules.call_id.fullmatch(call)}
    if not (reused or unfit):
        return pieces
    used: set[str] = set()
    mapping: dict[str, str] = {}
    result = []
    for piece in pieces:
        message = piece.message
        if isinstance(message, AIMessage):
            mapping = {}
            for call in call_ids(message):
                if call in unfit or (rules.unique_ids and call in used):
                    mapping[call] = _fresh_id(call, taken)
                    taken.add(mapping[call])
                used.add(mapping.get(call, call))
        call_or_result = isinstance(message, AIMessage) or (
            isinstance(message, ToolMessage) and message.tool_call_id in mapping
        )
        if mapping and call_or_result:
            piece = piece.becomes(with_call_ids(message, mapping), "tool call ids mapped")
        result.append(piece)
    return result


def _fresh_id(call: str, taken: set[str]) -> str:
    return next(fresh for salt in count() if (fresh := _hashed_id(call, salt)) not in taken)


@lru_cache(maxsize=4_096)
def _hashed_id(call: str, salt: int) -> str:
    """Nine letters and digits that depend on nothing but the id, so that prefixes stay the same."""
    digest = hashlib.sha256(f"{call}\0{salt}".encode("utf-8", "surrogatepass")).digest()
    number = int.from_bytes(digest[:8], "big")
    letters = []
    for _ in range(9):
        number, digit = divmod(number, len(_BASE62))
        letters.append(_BASE62[digit])
    return "".join(letters)

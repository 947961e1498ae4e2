"""What holds for every thread: any transcript, any history strategy, any provider.

History only takes away whole units, and may add a summary, so what remains can break no rule of a
provider that the whole thread did not break. Both are looked at as they will be sent, with a next
question behind them, raw and after `repair`.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable

import pytest
from hypothesis import assume, given, note
from hypothesis import strategies as st
from langchain_core.messages import BaseMessage, HumanMessage
from langgraph.graph.message import add_messages
from scripted import ScriptedModel
from transcripts import transcripts

from langgraph_memory.errors import SummarizationError
from langgraph_memory.history import (
    ArchiveEntry,
    FilterHistory,
    HistoryChange,
    HistoryStrategy,
    KeepLatest,
    SummarizeHistory,
    TrimHistory,
    kept_summary,
)
from langgraph_memory.history.undoing import restored
from langgraph_memory.messages import (
    PROFILES,
    is_pinned,
    is_said_by_user,
    key_of,
    repair,
    role_of,
    text_of,
    units,
    validate,
)

Make = Callable[[str, int], HistoryStrategy]
MAKERS: list[Make] = [
    lambda profile, n: TrimHistory(n % 3, n, profile=profile),
    lambda profile, n: KeepLatest(n + 1, profile=profile),
    lambda profile, n: FilterHistory(lambda m: len(text_of(m)) % (n + 1) == 0, profile=profile),
    lambda profile, n: FilterHistory(lambda m: role_of(m) == "user", profile=profile),
    lambda profile, n: FilterHistory(lambda m: role_of(m) in ("tool", "user"), profile=profile),
    lambda profile, n: FilterHistory(lambda m: role_of(m) == "assistant", profile=profile),
    lambda profile, n: SummarizeHistory(
        ScriptedModel(reply=lambda _: "Σ"), threshold=n + 2, keep_last=n + 1, profile=profile
    ),
]
every_maker = pytest.mark.parametrize("make", MAKERS, ids=range(len(MAKERS)))
sizes = st.integers(0, 6)
profiles = st.sampled_from(sorted(PROFILES))


def changed(strategy: HistoryStrategy, messages: list[BaseMessage]) -> HistoryChange:
    """The change; a summary that is not shorter than its source is refused, as it should be."""
    try:
        return strategy.change(messages)
    except SummarizationError:
        assume(False)
        raise


def rules(messages: list[BaseMessage], profile: str) -> set[str]:
    return {violation.rule for violation in validate(messages, profile)}


@every_maker
@given(messages=transcripts(), n=sizes)
def test_what_remains_is_valid_for_every_profile(
    make: Make, messages: list[BaseMessage], n: int
) -> None:
    change = changed(make("common", n), messages)
    # A result that answers no call may hide that what is around it does not go together.
    lost = {index for unit in units(messages) if unit.kind == "orphan" for index in unit.indices}
    answering = [message for index, message in enumerate(messages) if index not in lost]
    for name in PROFILES:
        note(f"{name}: {[(role_of(m), m.id, text_of(m)[:9]) for m in change.messages]}")
        later = [HumanMessage("What next?")]
        known = rules([*messages, *later], name) | rules([*answering, *later], name)
        assert rules([*change.messages, *later], name) <= known
        whole, rest = (repair([*some, *later], name) for some in (messages, change.messages))
        known = rules(whole, name)
        # Without any question to open it, a thread may open with whatever it has.
        assert rules(rest, name) <= known | ({"call_first"} if "not_user_first" in known else set())


@every_maker
@given(messages=transcripts(), n=sizes, profile=profiles)
def test_what_is_asked_of_one_profile_holds_for_it(
    make: Make, messages: list[BaseMessage], n: int, profile: str
) -> None:
    change = changed(make(profile, n), messages)
    later = [HumanMessage("What next?")]
    whole, rest = (repair([*some, *later], profile) for some in (messages, change.messages))
    assert rules(rest, profile) <= rules(whole, profile)


@every_maker
@given(messages=transcripts(), n=sizes, profile=profiles)
def test_units_stay_or_go_whole_and_in_order(
    make: Make, messages: list[BaseMessage], n: int, profile: str
) -> None:
    change = changed(make(profile, n), messages)
    kept = [piece.origin for piece in change.pieces if piece.origin >= 0]
    assert kept == sorted(set(kept))
    for unit in units(messages):
        assert len({index in kept for index in unit.indices}) == 1
    for piece in change.pieces:
        if piece.origin >= 0:
            assert piece.message is messages[piece.origin]
        else:
            assert kept_summary(piece.message) is not None
            assert not is_said_by_user(piece.message)


@every_maker
@given(messages=transcripts(), n=sizes, profile=profiles)
def test_what_must_stay_stays(
    make: Make, messages: list[BaseMessage], n: int, profile: str
) -> None:
    change = changed(make(profile, n), messages)
    kept = {piece.origin for piece in change.pieces}
    asked = [i for i, message in enumerate(messages) if role_of(message) == "user"]
    for index, message in enumerate(messages):
        if role_of(message) == "system" or is_pinned(message) or index in asked[-1:]:
            assert index in kept
    open_calls = [unit for unit in units(messages) if unit.unanswered]
    for unit in open_calls:
        if not asked or unit.indices[0] > asked[-1]:
            assert kept.issuperset(unit.indices)


@every_maker
@given(messages=transcripts(), n=sizes, profile=profiles)
def test_it_is_idempotent_and_changes_no_message(
    make: Make, messages: list[BaseMessage], n: int, profile: str
) -> None:
    before = copy.deepcopy(messages)
    strategy = make(profile, n)
    once = changed(strategy, messages)
    assert messages == before
    again = changed(strategy, once.messages)
    note(str([(role_of(m), m.id) for m in once.messages]))
    assert not again.changed
    assert all(a is b for a, b in zip(again.messages, once.messages, strict=True))


@every_maker
@given(messages=transcripts(), n=sizes, more=transcripts(max_events=3))
def test_undo_gives_back_the_exact_thread(
    make: Make, messages: list[BaseMessage], n: int, more: list[BaseMessage]
) -> None:
    change = changed(make("common", n), messages)
    entry = ArchiveEntry.from_json(json.loads(json.dumps(ArchiveEntry.of("t", change).to_json())))
    since = [m.model_copy(update={"id": f"later {i}"}) for i, m in enumerate(more)]
    now = [*change.messages, *since]
    if change.removed:
        assert restored(now, entry) == [*messages, *since]
        assert restored([*messages, *since], entry) is None


@every_maker
@given(messages=transcripts(), n=sizes)
def test_the_reducer_makes_of_its_orders_what_remains(
    make: Make, messages: list[BaseMessage], n: int
) -> None:
    named = [m.model_copy(update={"id": m.id or f"n{i}"}) for i, m in enumerate(messages)]
    change = changed(make("common", n), named)
    reduced = add_messages(list(named), list(change.updates))
    assert [key_of(m) for m in reduced] == [key_of(m) for m in change.messages]

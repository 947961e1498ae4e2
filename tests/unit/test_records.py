"""A memory record: what it takes, how it is written, and how its worth changes with time."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from filter_cases import texts, values
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from langgraph_memory import clock
from langgraph_memory.errors import InvalidInputError
from langgraph_memory.records import (
    LIFETIMES,
    Confirmation,
    MemoryRecord,
    MemoryType,
    Scope,
    Source,
    Status,
    decay,
    decayed_heat,
    effective_importance,
    heat_after_use,
    is_record,
    used,
)
from langgraph_memory.store.escape import dump, load

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
TOKYO = timezone(timedelta(hours=9))
often = settings(max_examples=200, deadline=None)


def days(number: float) -> timedelta:
    return timedelta(days=number)


# --- the record


def test_content_is_all_that_is_needed() -> None:
    with clock.set_to(NOON):
        record = MemoryRecord(content="The user prefers Go for back ends")
    assert record.type is MemoryType.FACT
    assert record.scope is Scope.USER
    assert record.status is Status.ACTIVE
    assert record.heat == 1.0
    assert record.access_count == 0
    assert record.created_at == record.updated_at == record.last_accessed_at == NOON
    assert record.valid_from is record.valid_to is record.superseded_by is None
    assert record.id != MemoryRecord(content="The user prefers Go for back ends").id


def test_its_value_has_every_field_in_json() -> None:
    record = MemoryRecord(
        id="r1",
        content="The user is allergic to peanuts",
        type=MemoryType.CONSTRAINT,
        scope=Scope.USER,
        importance=0.95,
        confidence=1,
        confirmation=Confirmation.STATED,
        created_at=NOON.astimezone(TOKYO),
        valid_from=NOON - days(1),
        keywords=("peanut", "花生"),
        source=Source.AUTO_EXTRACT,
        source_thread_id="t1",
        source_message_ids=("m1", "m2"),
        extractor="gpt-5-mini/extract-2",
        supersedes=("r0",),
    )
    value = record.to_value()
    assert value == {
        "content": "The user is allergic to peanuts",
        "id": "r1",
        "type": "constraint",
        "scope": "user",
        "importance": 0.95,
        "confidence": 1.0,
        "confirmation": "stated",
        "heat": 1.0,
        "access_count": 0,
        "created_at": "2026-03-01T12:00:00.000000Z",
        "updated_at": "2026-03-01T12:00:00.000000Z",
        "last_accessed_at": "2026-03-01T12:00:00.000000Z",
        "valid_from": "2026-02-28T12:00:00.000000Z",
        "valid_to": None,
        "keywords": ["peanut", "花生"],
        "source": "auto_extract",
        "source_thread_id": "t1",
        "source_message_ids": ["m1", "m2"],
        "extractor": "gpt-5-mini/extract-2",
        "status": "active",
        "supersedes": ["r0"],
        "superseded_by": None,
    }
    assert all(type(member) in {str, float, int, list, type(None)} for member in value.values())
    assert MemoryRecord.from_value(json.loads(json.dumps(value))) == record
    assert json.loads(record.model_dump_json()) == value
    assert MemoryRecord.model_validate_json(record.model_dump_json()) == record


records = st.builds(
    MemoryRecord,
    content=texts.map(lambda text: text + "."),
    id=texts.map(lambda text: text + "1"),
    type=st.sampled_from(MemoryType),
    importance=st.floats(0, 1),
    heat=st.floats(0, 1e6),
    access_count=st.integers(0, 10**12),
    created_at=st.datetimes(
        datetime(1970, 1, 1), datetime(2100, 1, 1), timezones=st.sampled_from([UTC, TOKYO])
    ),
    keywords=st.lists(texts, max_size=3).map(tuple),
    source_thread_id=st.none() | texts,
    own_field=values,
)


@often
@given(records)
def test_a_record_comes_back_from_storage(record: MemoryRecord) -> None:
    value = load(dump(record.to_value()))
    assert MemoryRecord.from_value(value) == record
    assert MemoryRecord.from_value(value).to_value() == value
    assert is_record(value)


def test_unknown_fields_are_kept() -> None:
    value = MemoryRecord(content="x").to_value() | {"to_value": 1, "colour": {"r": [1]}}
    assert MemoryRecord.from_value(value).to_value() == value
    assert MemoryRecord.from_value(value).revised(importance=1).to_value()["colour"] == {"r": [1]}


@pytest.mark.parametrize(
    ("given", "type"),
    [
        ("fact", MemoryType.FACT),
        ("identity", MemoryType.FACT),
        ("event", MemoryType.EPISODE),
        ("history", MemoryType.EPISODE),
        (" Preference ", MemoryType.PREFERENCE),
        (MemoryType.GOAL, MemoryType.GOAL),
    ],
)
def test_synonyms_of_types_are_taken(given: str, type: MemoryType) -> None:
    record = MemoryRecord.from_value({"content": "x", "type": given})
    assert record.type is type
    assert record.to_value()["type"] == type.value


def test_what_was_never_changed_or_recalled_has_the_time_of_its_creation() -> None:
    record = MemoryRecord.from_value(
        {"content": "x", "created_at": "2026-03-01T21:00+09:00", "last_accessed_at": None}
    )
    assert record.created_at == record.updated_at == record.last_accessed_at == NOON
    later = MemoryRecord(content="x", created_at=NOON, last_accessed_at=NOON + days(1))
    assert (later.updated_at, later.last_accessed_at) == (NOON, NOON + days(1))


def test_one_superseded_id_may_stand_alone() -> None:
    assert MemoryRecord.from_value({"content": "x", "supersedes": "r0"}).supersedes == ("r0",)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"content": " \n"}, "content: must not be empty or blank"),
        ({"content": 5}, "content: must be text, not int"),
        ({"id": ""}, "id: must not be empty"),
        ({"importance": 1.01}, "importance: .*less than or equal to 1.*1.01"),
        ({"importance": -0.1}, "importance: .*greater than or equal to 0"),
        ({"importance": float("nan")}, "importance: .*finite"),
        ({"importance": True}, "importance: .*number"),
        ({"importance": "0.5"}, "importance: .*number"),
        ({"confidence": 2}, "confidence: "),
        ({"heat": -1}, "heat: "),
        ({"heat": float("inf")}, "heat: .*finite"),
        ({"access_count": -1}, "access_count: "),
        ({"access_count": 1.5}, "access_count: "),
        ({"access_count": True}, "access_count: "),
        ({"type": "opinion"}, "type: .*'fact', 'preference'.*opinion"),
        ({"scope": "world"}, "scope: .*'user', 'agent'"),
        ({"status": "gone"}, "status: .*'active'"),
        ({"confirmation": "maybe"}, "confirmation: .*'stated'"),
        ({"source": "dream"}, "source: .*'auto_extract'"),
        ({"created_at": "2026-03-01T12:00"}, "created_at: .*2026-03-01.*no time zone"),
        ({"updated_at": datetime(2026, 3, 1)}, "updated_at: .*no time zone"),
        ({"created_at": "yesterday"}, "created_at: .*yesterday"),
        ({"created_at": 1_700_000_000}, "created_at: must be an aware datetime or ISO 8601"),
        ({"keywords": "abc"}, "keywords: "),
        ({"keywords": [1]}, "keywords.0: must be text, not int"),
        ({"source_thread_id": 7}, "source_thread_id: must be text"),
        ({"heat": 1 << 20_000}, "heat: .*<int"),
        (
            {"valid_from": NOON, "valid_to": NOON - days(1)},
            "valid_from 2026-03-01T12.* is after valid_to 2026-02-28",
        ),
    ],
)
def test_what_a_field_cannot_be_is_refused_by_name(fields: dict[str, Any], reason: str) -> None:
    with pytest.raises(InvalidInputError, match=reason) as refusal:
        MemoryRecord.from_value({"content": "x"} | fields)
    assert "Undefined" not in str(refusal.value)
    with pytest.raises(ValidationError):
        MemoryRecord(**({"content": "x"} | fields))


def test_only_what_is_at_fault_is_named() -> None:
    with pytest.raises(InvalidInputError, match=r"record: content: must be given\.$"):
        MemoryRecord.from_value({})
    with pytest.raises(InvalidInputError) as refusal:
        MemoryRecord.from_value({"content": "x", "created_at": "2026-03-01"})
    assert "updated_at" not in str(refusal.value)
    with pytest.raises(InvalidInputError, match=r"dict with at least 'content', not \[1\]"):
        MemoryRecord.from_value([1])  # type: ignore[arg-type]


def test_a_record_cannot_be_changed_but_revised() -> None:
    record = MemoryRecord(content="x", created_at=NOON)
    with pytest.raises(ValidationError, match="frozen"):
        record.content = "y"
    revised = record.revised(content="y", status=Status.ARCHIVED, updated_at=NOON + days(1))
    assert (revised.content, revised.status, revised.id) == ("y", Status.ARCHIVED, record.id)
    assert (revised.created_at, revised.updated_at) == (NOON, NOON + days(1))
    assert record.content == "x"
    with pytest.raises(InvalidInputError, match="importance"):
        record.revised(importance=3)


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"content": "x"},
        {"content": "x", "type": "fact"},
        {"kind": "Memory", "content": {"content": "x"}},
        {"data": "x", "created_at": "2026-03-01T12:00:00.000000Z"},
        "x",
        None,
        [],
    ],
)
def test_other_values_are_no_records(value: Any) -> None:
    assert not is_record(value)


@pytest.mark.parametrize(
    "change",
    [
        {"content": None},
        {"type": "opinion"},
        {"type": ["fact"]},
        {"heat": "1"},
        {"heat": True},
        {"heat": -1},
        {"heat": 10**400},
        {"access_count": None},
        {"last_accessed_at": 5},
        {"id": None},
        {"status": None},
    ],
)
def test_a_value_with_a_field_a_store_cannot_use_is_no_record(change: dict[str, Any]) -> None:
    value = MemoryRecord(content="x").to_value()
    assert is_record(value)
    assert not is_record(value | change)


def test_the_order_of_time_is_the_order_of_text() -> None:
    moments = [NOON + timedelta(microseconds=step) for step in (0, 1, 10, 999_999, 1_000_000)]
    written = [MemoryRecord(content="x", created_at=at).to_value()["created_at"] for at in moments]
    assert written == sorted(written)
    assert {len(text) for text in written} == {27}


def test_a_notebook_shows_a_small_escaped_table() -> None:
    record = MemoryRecord(content="<script>alert('x')</script> \ud800\x00 " + "long " * 1000)
    shown = record._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;alert(&#x27;x&#x27;)" in shown
    assert len(shown.encode()) < 1000
    assert "\x00" not in shown


# --- types


def test_every_type_has_a_lifetime() -> None:
    assert set(LIFETIMES) == set(MemoryType)
    weights = {type: lifetime.weight for type, lifetime in LIFETIMES.items()}
    lives = {type: lifetime.half_life_days for type, lifetime in LIFETIMES.items()}
    assert max(weights, key=weights.__getitem__) is MemoryType.FACT
    assert all(0 < weight <= 1 for weight in weights.values())
    assert min(lives, key=lives.__getitem__) is MemoryType.EPISODE
    assert LIFETIMES[MemoryType.PREFERENCE].half_life_days == 30
    kept = {type for type, lifetime in LIFETIMES.items() if not lifetime.archived_by_time}
    assert kept == {MemoryType.CONSTRAINT, MemoryType.INSTRUCTION}


# --- scoring


def test_heat_halves_with_each_half_life_and_grows_by_one_with_each_use() -> None:
    assert decayed_heat(4.0, NOON, NOON + days(30)) == pytest.approx(2.0)
    assert decayed_heat(4.0, NOON, NOON + days(60)) == pytest.approx(1.0)
    assert decayed_heat(4.0, NOON, NOON + days(7), half_life_days=7) == pytest.approx(2.0)
    assert heat_after_use(4.0, NOON, NOON + days(30)) == pytest.approx(3.0)
    assert heat_after_use(1.0, NOON, NOON) == 2.0
    assert heat_after_use(1.0, NOON, NOON + days(10)) == pytest.approx(1 + math.exp(-0.2310491))


def test_heat_of_steady_use_tends_to_two() -> None:
    heat, at = 1.0, NOON
    for _ in range(60):
        heat, at = heat_after_use(heat, at, at + days(30)), at + days(30)
    assert heat == pytest.approx(2.0)


def test_a_record_cools_as_its_type_does() -> None:
    fact = MemoryRecord(content="x", type="fact", heat=2, created_at=NOON)
    episode = fact.revised(type="episode")
    assert episode.heat_at(NOON + days(7)) == pytest.approx(1.0)
    assert fact.heat_at(NOON + days(7)) > 1.9
    assert fact.heat_at(NOON + days(180)) == pytest.approx(1.0)


def test_decay_worked() -> None:
    assert decay(0) == 1.0
    assert decay(1) == 0.995
    assert decay(100) == pytest.approx(0.60577, abs=1e-5)
    assert decay(10, factor=0.9) == pytest.approx(0.348678, abs=1e-6)
    assert decay(-5) == 1.0
    assert decay(1e9) == 0.0


@pytest.mark.parametrize(
    ("importance", "age", "idle", "expected"),
    [
        (0.5, 0, 0, 0.6),
        (0.9, 0, 0, 1.0),
        (0.5, 7, 7, 0.5 * math.exp(-0.07) * 1.2),
        (0.5, 100, 7, 0.220728),
        (0.5, 100, 7.001, 0.183940),
        (0.5, 100, 30, 0.183940),
        (0.5, 100, 30.001, 0.147152),
        (1.0, 365, 365, 0.8 * math.exp(-3.65)),
        (0.0, 1, 1, 0.0),
    ],
)
def test_effective_importance_worked(
    importance: float, age: float, idle: float, expected: float
) -> None:
    now = NOON + days(365)
    found = effective_importance(importance, now - days(age), now - days(idle), now)
    assert found == pytest.approx(expected, abs=1e-6)
    record = MemoryRecord(
        content="x",
        importance=importance,
        created_at=now - days(age),
        last_accessed_at=now - days(idle),
    )
    assert record.effective_importance_at(now) == found


def test_a_clock_that_was_set_back_changes_nothing() -> None:
    future = NOON + days(400)
    assert decayed_heat(3.0, future, NOON) == 3.0
    assert heat_after_use(3.0, future, NOON) == 4.0
    assert effective_importance(0.5, future, future, NOON) == effective_importance(
        0.5, NOON, NOON, NOON
    )


def test_moments_of_any_zone_are_the_same_moment() -> None:
    later = NOON + days(3)
    assert decayed_heat(1.0, NOON.astimezone(TOKYO), later) == decayed_heat(1.0, NOON, later)


def test_a_use_is_counted_and_nothing_else_changes() -> None:
    record = MemoryRecord(content="x", type="episode", heat=2, created_at=NOON, colour="red")
    after = used(record.to_value(), NOON + days(7))
    assert after == record.to_value() | {
        "heat": pytest.approx(2.0),
        "access_count": 1,
        "last_accessed_at": "2026-03-08T12:00:00.000000Z",
    }
    again = used(after, NOON)
    assert again is not None
    assert again["heat"] == pytest.approx(3.0)
    assert (again["access_count"], again["last_accessed_at"]) == (2, after["last_accessed_at"])
    assert is_record(again)


def test_what_is_no_record_is_not_used() -> None:
    value = MemoryRecord(content="x").to_value()
    assert used({"content": "x"}, NOON) is None
    assert used(value | {"last_accessed_at": "yesterday"}, NOON) is None
    assert used(value | {"last_accessed_at": "2026-03-01"}, NOON) is None


@pytest.mark.parametrize(
    ("compute", "reason"),
    [
        (lambda: decayed_heat(-1, NOON, NOON), "heat is -1"),
        (lambda: decayed_heat(math.inf, NOON, NOON), "heat is inf"),
        (lambda: decayed_heat(1, NOON, NOON, half_life_days=0), "half_life_days is 0"),
        (lambda: decayed_heat(1, NOON, NOON, half_life_days=math.nan), "half_life_days is nan"),
        (lambda: heat_after_use(math.nan, NOON, NOON), "heat is nan"),
        (lambda: decay(1, factor=0), "factor is 0"),
        (lambda: decay(1, factor=1.1), "factor is 1.1"),
        (lambda: decay(math.nan), "days is nan"),
        (lambda: effective_importance(1.1, NOON, NOON, NOON), "importance is 1.1"),
        (lambda: decayed_heat(1, NOON.replace(tzinfo=None), NOON), "no time zone"),
        (lambda: effective_importance(1, NOON, NOON, NOON.replace(tzinfo=None)), "no time zone"),
    ],
)
def test_scores_of_impossible_numbers_are_refused(compute: Any, reason: str) -> None:
    with pytest.raises(InvalidInputError, match=reason):
        compute()


spans = st.floats(0, 20_000)
shares = st.floats(0, 1)


@often
@given(st.floats(0, 1e9), spans, spans, st.floats(0.01, 1e4))
def test_heat_never_grows_by_itself(heat: float, one: float, other: float, life: float) -> None:
    sooner, later = NOON + days(min(one, other)), NOON + days(max(one, other))
    first = decayed_heat(heat, NOON, sooner, life)
    last = decayed_heat(heat, NOON, later, life)
    assert 0 <= last <= first <= heat
    assert heat_after_use(heat, NOON, later, life) == last + 1
    # In two steps or in one.
    assert decayed_heat(first, sooner, later, life) == pytest.approx(last, rel=1e-6, abs=1e-12)


@often
@given(spans, spans, st.floats(0.001, 1))
def test_decay_falls_from_one(one: float, other: float, factor: float) -> None:
    assert 0 <= decay(max(one, other), factor) <= decay(min(one, other), factor) <= 1


@often
@given(shares, shares, spans, spans, spans)
def test_importance_is_a_share_that_falls_with_age_and_idleness(
    one: float, other: float, age: float, more: float, idle: float
) -> None:
    now = NOON + days(50_000)

    def worth(importance: float, age: float, idle: float) -> float:
        return effective_importance(importance, now - days(age), now - days(idle), now)

    base = worth(one, age, idle)
    assert 0 <= base <= 1
    assert worth(one, age + more, idle) <= base
    assert worth(one, age, idle + more) <= base
    assert worth(min(one, other), age, idle) <= worth(max(one, other), age, idle)

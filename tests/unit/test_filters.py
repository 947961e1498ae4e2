"""What each filter means, line by line of the table in `store.filters`."""

from __future__ import annotations

from collections import UserDict
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import pytest

from langgraph_memory.clock import utc_text
from langgraph_memory.errors import InvalidFilterError, InvalidInputError
from langgraph_memory.records import MemoryRecord, MemoryType
from langgraph_memory.shown import shown
from langgraph_memory.store.filters import MATCH_ALL, field_path, matches, parse

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
BIG = 10**300


def holds(filter: Any, value: Any) -> bool:
    return matches(parse(filter), value)


@pytest.mark.parametrize("value", [{}, {"a": 1}, {"a": None}])
def test_nothing_asked_is_met_by_all(value: Any) -> None:
    assert holds(None, value)
    assert holds({}, value)
    assert parse({}) == parse(None) == MATCH_ALL


CASES: list[tuple[dict[str, Any], list[Any], list[Any]]] = [
    # filter, values of "a" that meet it, values that do not; ... is a missing member
    ({"a": 1}, [1, 1.0], [2, True, "1", [1], {}, None, ...]),
    ({"a": 0}, [0, -0.0], [False, None, ..., ""]),
    ({"a": True}, [True], [1, 1.0, "true", False, ...]),
    ({"a": "x"}, ["x"], ["X", "x ", ["x"], ...]),
    ({"a": "1"}, ["1"], [1, ...]),
    ({"a": None}, [None, ...], [0, "", False, [], {}]),
    ({"a": BIG}, [BIG, 1e300], [BIG + 1, int(1e300), 1e299]),
    ({"a": 1e300}, [BIG, 1e300], [BIG + 1, int(1e300)]),
    ({"a": 2**53 + 1}, [2**53 + 1], [2.0**53, 2**53]),
    ({"a": [1, "x"]}, [[1, "x"], [1.0, "x"], (1, "x")], [["x", 1], [1], [1, "x", 2], [True, "x"]]),
    ({"a": []}, [[]], [{}, None, ..., [[]]]),
    ({"a": [{"b": 1}]}, [[{"b": 1.0}]], [[{"b": 1, "c": 2}], [{}]]),
    ({"a": [{"$gt": 1}]}, [[{"$gt": 1}]], [[2]]),
    ({"a": {"$eq": 1}}, [1, 1.0], [True, "1", ...]),
    ({"a": {"$eq": None}}, [None, ...], [0]),
    ({"a": {"$eq": {"b": 1}}}, [{"b": 1.0}], [{"b": 1, "c": 2}, {"b": True}, {}]),
    ({"a": {"$eq": {"b": None}}}, [{"b": None}], [{}]),
    ({"a": {"$eq": {}}}, [{}], [{"b": 1}, [], None, ...]),
    ({"a": {"$ne": 1}}, [2, True, "1", None, ..., [1]], [1, 1.0]),
    ({"a": {"$ne": None}}, [0, "", False, {}], [None, ...]),
    ({"a": {"$gt": 9}}, [10, 9.5, BIG, 1e300], [9, 8, "10", True, None, [10], {}, ...]),
    ({"a": {"$gte": 9}}, [9, 9.0, 10], [8.9, "9"]),
    ({"a": {"$lt": 9}}, [8, -BIG, 8.99], [9, 10, "1", False, None, ...]),
    ({"a": {"$lte": 9.5}}, [9, 9.5, -1e300], [10, True]),
    ({"a": {"$gt": 2**53}}, [2**53 + 1], [2**53, 2.0**53]),
    ({"a": {"$gt": 0.1}}, [0.2, 1, 0.1 + 1e-16], [0.1, 0]),
    ({"a": {"$gt": int(1e300)}}, [1.0000000000000002e300], [1e300, int(1e300)]),
    ({"a": {"$gt": "b"}}, ["c", "ba", "é", "\ud800", "b\x00"], ["B", "b", "a", 99, None, ...]),
    ({"a": {"$lt": "\U00010000"}}, ["\uffff", "\ud800", ""], ["\U00010000"]),
    ({"a": {"$gt": 1, "$lt": 5}}, [2, 4.9], [1, 5, "3"]),
    ({"a": {"$in": [1, "x", [2]]}}, [1, 1.0, "x", [2], [2.0]], [2, True, [1], ["x"], None, ...]),
    ({"a": {"$in": [None, 1]}}, [None, ..., 1], [0, "1"]),
    ({"a": {"$in": (False, {"b": 1})}}, [False, {"b": 1}], [0, {"b": 1, "c": 1}, ...]),
    ({"a": {"$in": {1, 2}}}, [1, 2.0], [3]),
    ({"a": {"$in": []}}, [], [1, None, ..., []]),
    ({"a": {"$nin": [1, None]}}, [2, True, "x"], [1, 1.0, None, ...]),
    ({"a": {"$nin": [1]}}, [2, None, ...], [1]),
    ({"a": {"$nin": []}}, [1, None, ...], []),
    ({"a": {"$exists": True}}, [None, 0, {}, "x"], [...]),
    ({"a": {"$exists": False}}, [...], [None, 0, {}]),
    ({"a": {}}, [{}, {"b": 1}], [[], None, "x", ...]),
    ({"a": {"b": 1}}, [{"b": 1}, {"b": 1.0, "c": 2}], [{}, {"b": 2}, [{"b": 1}], None, ...]),
    ({"a": {"b": None}}, [{}, {"b": None}], [{"b": 1}, [], None, ...]),
    ({"a": {"b": {"$exists": False}}}, [{}, {"c": 1}], [{"b": None}, 1, ...]),
    ({"a": {"b": {"$gt": 1}, "c": "x"}}, [{"b": 2, "c": "x"}], [{"b": 2}, {"b": 1, "c": "x"}]),
    ({"a": {"b": {"c": [1]}}}, [{"b": {"c": [1], "d": 1}}], [{"b": {"c": [1, 2]}}, {"b": [1]}]),
    ({"a.b": 1}, [{"b": 1}], [{"b": 2}, [{"b": 1}], 1, None, ...]),
    ({"a.b": None}, [{}, {"b": None}, 1, [], None, ...], [{"b": 0}]),
    ({"a.b": {"$ne": 1}}, [{"b": 2}, {}, 5, ...], [{"b": 1}]),
    ({"a.b.c": {"$in": [1]}}, [{"b": {"c": 1}}], [{"b": {"c": 2}}, {"b": 1}]),
    ({"a": {"b.c": 1}}, [{"b": {"c": 1}}], [{"b.c": 1}]),
    ({"a": {"b\\.c": 1}}, [{"b.c": 1}], [{"b": {"c": 1}}]),
    ({"a.0": 1}, [{"0": 1}], [[1], [1, 2]]),
    ({"$or": [{"a": 1}, {"a": 2}]}, [1, 2], [3, ...]),
    ({"$and": [{"a": {"$gt": 1}}, {"a": {"$lt": 3}}]}, [2], [1, 3]),
    ({"$or": [{"a": 1}, {"$and": [{"a": 2}, {"b": 1}]}]}, [1], [2]),
    ({"$or": [{}, {"a": 1}]}, [1, 2, ...], []),
    ({"$or": [{"a": 1}, {"a": 2}], "a": {"$ne": 2}}, [1], [2, 3]),
    ({"a": {"$or": [{"$lt": 1}, {"$gt": 5}]}}, [0, 6], [1, 5, "x", ...]),
    ({"a": {"$or": [{"b": 1}, {"c": 1}]}}, [{"b": 1}, {"c": 1}], [{"d": 1}, ...]),
    ({"a": {"$and": [{"$gt": 1}, {"$ne": 3}]}}, [2, 4], [1, 3]),
    ({"a": {"$exists": True, "b": 1}}, [{"b": 1}], [{"b": 2}, 1]),
]


@pytest.mark.parametrize(("filter", "met", "unmet"), CASES, ids=shown)
def test_a_filter_holds_for_these_and_not_for_those(
    filter: dict[str, Any], met: list[Any], unmet: list[Any]
) -> None:
    def value(member: Any) -> dict[str, Any]:
        return {} if member is ... else {"a": member}

    assert [member for member in met if not holds(filter, value(member))] == []
    assert [member for member in unmet if holds(filter, value(member))] == []


@pytest.mark.parametrize("value", [None, 1, "a", [1], [], True])
def test_a_value_that_is_no_object_has_no_members(value: Any) -> None:
    assert holds({"a": None}, value)
    assert not holds({"a": {"$exists": True}}, value)


def test_names_with_dots_backslashes_and_dollars_are_escaped() -> None:
    value = {"a.b": {"c\\d": {"$e": {"": 1}}}, "f$": 2}
    assert holds({"a\\.b.c\\\\d.\\$e.": 1}, value)
    assert holds({field_path("a.b", "c\\d", "$e", ""): 1}, value)
    assert holds({"a\\.b": {"c\\\\d": {"\\$e": {"": {"$gte": 1}}}}}, value)
    assert holds({"f$": 2}, value)
    assert field_path("model", "gpt-4.1") == "model.gpt-4\\.1"


def test_aware_times_compare_with_those_of_records() -> None:
    record = MemoryRecord(content="x", created_at=NOON).to_value()
    eastern = timezone(timedelta(hours=-5))
    later = (NOON + timedelta(microseconds=1)).astimezone(eastern)
    assert holds({"created_at": NOON.astimezone(eastern)}, record)
    assert holds({"created_at": {"$lt": later, "$gte": NOON}}, record)
    assert not holds({"created_at": {"$gt": NOON}}, record)
    assert holds({"created_at": {"$in": [later, NOON]}}, record)
    assert holds({"a": [NOON]}, {"a": [utc_text(NOON)]})


def test_members_of_enums_are_text() -> None:
    record = MemoryRecord(content="x", type=MemoryType.GOAL).to_value()
    assert holds({"type": MemoryType.GOAL}, record)
    assert holds({"type": {"$in": [MemoryType.GOAL]}}, record)
    assert parse({"type": {"$gt": MemoryType.GOAL}}) == parse({"type": {"$gt": "goal"}})


def test_any_mapping_is_a_filter() -> None:
    filter = MappingProxyType({"a": UserDict({"$gt": 1}), "b": UserDict({"c": 1})})
    assert holds(filter, {"a": 2, "b": {"c": 1}})
    assert holds({"a": {"$eq": UserDict({"b": 1})}}, {"a": {"b": 1}})


REFUSED: list[tuple[Any, str]] = [
    ([("a", 1)], "A filter is a dict"),
    ("a", "A filter is a dict"),
    ({1: 2}, "key is text, not 1 of type int"),
    ({"a": {2: 2}}, "key is text, not 2 of type int at 'a'"),
    ({"a": {"$like": "x"}}, r"unknown operator '\$like' at 'a'.*\$eq, \$ne.*backslash"),
    ({"a.b": {"c": {"$regex": "x"}}}, r"\$regex' at 'a\.b\.c'"),
    ({"$not": {"a": 1}}, r"unknown operator '\$not'"),
    ({"$gt": 1}, r"\$gt stands at the top.*no member"),
    ({"$or": [{"$in": [1]}]}, r"\$in stands at the top"),
    ({"a": {"$gt": True}}, r"\$gt compares with.*not True of type bool at 'a'"),
    ({"a": {"$lt": None}}, r"\$lt compares with.*not None"),
    ({"a": {"$gte": [1]}}, r"\$gte compares with"),
    ({"a": {"$lte": {"b": 1}}}, r"\$lte compares with"),
    ({"a": {"$gt": date(2026, 3, 1)}}, r"\$gt compares with.*aware datetime"),
    ({"a": {"$gt": float("nan")}}, r"operand of \$gt at 'a' is not JSON.*nan"),
    ({"a": {"$gt": 1 << 20_000}}, r"operand of \$gt at 'a'.*integer"),
    ({"a": {"$exists": 1 << 20_000}}, r"\$exists takes True or False, not <int.*> at 'a'"),
    ({1 << 20_000: 1}, "key is text, not <int.*> of type int"),
    ({"a": float("inf")}, r"operand of \$eq at 'a' is not JSON.*inf"),
    ({"a": Decimal(1)}, r"operand of \$eq at 'a' is not JSON.*Decimal"),
    ({"a": {"$ne": {1: 2}}}, r"operand of \$ne at 'a' is not JSON.*key 1"),
    ({"a": {"$in": [{1, 2}]}}, r"operand of \$in at 'a' is not JSON.*set"),
    ({"a": {"$in": "abc"}}, r"\$in takes a list of values, not 'abc' at 'a'"),
    ({"a": {"$nin": {"b": 1}}}, r"\$nin takes a list of values"),
    ({"a": {"$exists": 1}}, r"\$exists takes True or False, not 1 at 'a'"),
    ({"$or": []}, r"\$or takes a list of at least one filter"),
    ({"$and": {"a": 1}}, r"\$and takes a list of at least one filter"),
    ({"$or": [{"a": 1}, 2]}, r"\$or takes a list of filters.*one is 2"),
    ({"a": {"$or": [1, 2]}}, r"one is 1 at 'a'.*\$in"),
    ({"a": NOON.replace(tzinfo=None)}, r"operand of \$eq at 'a'.*no time zone"),
    ({"a": {"$lt": NOON.replace(tzinfo=None)}}, r"operand of \$lt at 'a'.*no time zone"),
    ({"a": {"$in": [[NOON.replace(tzinfo=None)]]}}, r"operand of \$in at 'a'.*no time zone"),
    ({"a\\b": 1}, "backslash before 'b'.*twice"),
    ({"a\\": 1}, "backslash before nothing"),
    ({".".join("a" * 65): 1}, "65 names, more than 64"),
    ({f"a{number}": 1 for number in range(1001)}, "more than 1000 conditions"),
]


@pytest.mark.parametrize(("filter", "reason"), REFUSED, ids=shown)
def test_anything_else_is_refused_with_its_place(filter: Any, reason: str) -> None:
    with pytest.raises(InvalidFilterError, match=reason):
        parse(filter)
    assert issubclass(InvalidFilterError, InvalidInputError)


def _nested(levels: int, wrap: Any, core: Any) -> Any:
    for _ in range(levels):
        core = wrap(core)
    return core


@pytest.mark.parametrize(
    ("wrap", "reason"),
    [
        (lambda inner: {"a": inner}, "nested deeper than 32"),
        (lambda inner: {"$or": [inner]}, "nested deeper than 32"),
        (lambda inner: {"a": {"$and": [inner]}}, "nested deeper than 32"),
        (lambda inner: {"a": [inner]}, "nested deeper than 256"),
        (lambda inner: {"a": {"$eq": inner}}, "nested deeper than 256"),
        (lambda inner: {"a": {"$in": [inner]}}, "nested deeper than 256"),
    ],
)
def test_depth_cannot_exhaust_the_stack(wrap: Any, reason: str) -> None:
    with pytest.raises(InvalidFilterError, match=reason):
        parse(_nested(100_000, wrap, {"b": 1}))


def test_equal_filters_have_equal_conditions_and_keys() -> None:
    one = parse({"a": 1, "b": {"$in": ["x", "y"], "$exists": True}, "c": {"$eq": {"d": 1, "e": 2}}})
    other = parse(
        {"$and": [{"c": {"$eq": {"e": 2, "d": 1}}}, {"b": {"$exists": True}}], "a": {"$eq": 1}}
        | {"b": {"$in": ["y", "x", "y"]}}
    )
    assert one == other
    assert hash(one) == hash(other)
    assert one.key() == other.key()


def test_different_filters_have_different_keys() -> None:
    filters: list[dict[str, Any]] = [
        *(filter for filter, _, _ in CASES),
        {"a": "\x00"},
        {"a": "\x01\x01"},
        {"a": "\ud800"},
        {"a\\.b": 1},
    ]
    found = {}
    for filter in filters:
        condition = parse(filter)
        assert condition.key().isascii()
        assert found.setdefault(condition.key(), condition) == condition
    # Written in two ways: null, equal to 1, and a path in one key or in two.
    assert len(found) == len({repr(parse(filter)) for filter in filters}) >= len(filters) - 6

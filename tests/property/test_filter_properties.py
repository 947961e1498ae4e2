"""What holds for every filter and every value."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from filter_cases import comparable, filters, members, numbers, objects, texts, values
from hypothesis import given
from hypothesis import strategies as st

from langgraph_memory.errors import InvalidFilterError
from langgraph_memory.store.escape import dump, load
from langgraph_memory.store.filters import field_path, matches, parse


def holds(filter: Any, value: Any) -> bool:
    return matches(parse(filter), value)


@given(filters, values)
def test_any_filter_has_an_answer_that_storage_does_not_change(filter: Any, value: Any) -> None:
    assert holds(filter, load(dump(value))) is holds(filter, value)


@given(filters, filters, values)
def test_and_or_are_those_of_logic(one: Any, other: Any, value: Any) -> None:
    parts = holds(one, value), holds(other, value)
    assert holds({"$and": [one, other]}, value) is all(parts)
    assert holds({"$or": [one, other]}, value) is any(parts)


@given(values, values, st.lists(values, max_size=3))
def test_negations_are_negations(member: Any, operand: Any, choice: list[Any]) -> None:
    for value in ({"a": member}, {}):
        assert holds({"a": {"$ne": operand}}, value) is not holds({"a": {"$eq": operand}}, value)
        assert holds({"a": {"$nin": choice}}, value) is not holds({"a": {"$in": choice}}, value)
        assert holds({"a": {"$in": choice}}, value) is any(
            holds({"a": {"$eq": item}}, value) for item in choice
        )


@given(objects)
def test_every_member_is_found_by_its_path(value: dict[str, Any]) -> None:
    for path, member in members(value):
        assert holds({field_path(*path): {"$eq": member, "$exists": True}}, value)


@given(numbers, numbers)
def test_numbers_compare_as_the_decimals_that_json_shows(one: Any, other: Any) -> None:
    left, right = Decimal(dump(one)), Decimal(dump(other))
    assert holds({"a": other}, {"a": one}) is (left == right)
    assert holds({"a": {"$gt": other}}, {"a": one}) is (left > right)
    assert holds({"a": {"$gte": other}}, {"a": one}) is (left >= right)
    assert holds({"a": {"$lt": other}}, {"a": one}) is (left < right)
    assert holds({"a": {"$lte": other}}, {"a": one}) is (left <= right)


@given(texts, texts)
def test_text_compares_by_code_point(one: str, other: str) -> None:
    left, right = [ord(letter) for letter in one], [ord(letter) for letter in other]
    assert holds({"a": {"$gt": other}}, {"a": one}) is (left > right)
    assert holds({"a": {"$lte": other}}, {"a": one}) is (left <= right)


@given(comparable, values)
def test_a_comparison_holds_only_within_a_kind(operand: Any, member: Any) -> None:
    below, above = (
        holds({"a": {"$lte": operand}}, {"a": member}),
        holds({"a": {"$gte": operand}}, {"a": member}),
    )
    number = isinstance(member, int | float) and not isinstance(member, bool)
    kind = number if isinstance(operand, int | float) else isinstance(member, str)
    assert (below or above) is kind


@given(filters)
def test_the_order_of_parts_makes_no_difference(filter: dict[str, Any]) -> None:
    def turned(part: Any) -> Any:
        if isinstance(part, dict):
            return {key: turned(part[key]) for key in reversed(part)}
        return part

    assert parse(turned(filter)) == parse(filter)
    assert parse(turned(filter)).key() == parse(filter).key()
    json.loads(parse(filter).key())


anything = st.recursive(
    st.one_of(values, st.floats(), st.dates(), st.binary(max_size=2), st.datetimes()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2),
        st.dictionaries(
            st.one_of(st.sampled_from(["$gt", "$in", "$or", "$exists", "$x", "a"]), st.integers()),
            inner,
            max_size=2,
        ),
    ),
    max_leaves=5,
)


@given(st.one_of(anything, st.dictionaries(texts, anything, max_size=2)), values)
def test_whatever_is_given_is_read_or_refused(filter: Any, value: Any) -> None:
    try:
        condition = parse(filter)
    except InvalidFilterError as refusal:
        str(refusal).encode()  # A message can be logged, whatever it is about.
        return
    assert matches(condition, value) in {True, False}

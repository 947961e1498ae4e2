"""Any text and any JSON value comes back from a form that every database holds."""

from __future__ import annotations

import json
import sqlite3
from enum import IntEnum, StrEnum
from typing import Any

import numpy as np
import pytest
from filter_cases import HARD, texts, values
from hypothesis import given, settings

from langgraph_memory.errors import InvalidInputError
from langgraph_memory.store.escape import (
    MAX_DEPTH,
    MAX_INTEGER_BITS,
    dump,
    escape,
    load,
    unescape,
)

often = settings(max_examples=500, deadline=None)


def typed(value: Any) -> Any:
    """A form that tells 1 from 1.0, True and -0.0, and one order of keys from another."""
    if isinstance(value, dict):
        return [(key, typed(member)) for key, member in value.items()]
    if isinstance(value, list | tuple):
        return [typed(item) for item in value]
    return (type(value), repr(value))


@often
@given(texts)
def test_text_comes_back_and_what_is_written_can_be_stored(text: str) -> None:
    written = escape(text)
    assert unescape(written) == text
    assert "\x00" not in written
    assert written.encode().decode() == written


@often
@given(texts, texts)
def test_equality_and_order_are_kept(one: str, other: str) -> None:
    assert (escape(one) == escape(other)) == (one == other)
    assert (escape(one) < escape(other)) == (one < other)
    # UTF-8, by which databases compare, keeps the order of code points.
    assert (escape(one).encode() < escape(other).encode()) == (one < other)


def test_order_is_kept_among_what_is_written_otherwise_and_its_neighbours() -> None:
    hard = ["", *HARD, *(first + second for first in HARD for second in HARD)]
    assert sorted(hard, key=escape) == sorted(hard)
    assert sorted(hard, key=lambda text: escape(text).encode()) == sorted(hard)


@pytest.mark.parametrize("text", ["", "plain", "naïve 😀 中文", "tab\tline\n\x02\x7f", "\ue000"])
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert escape(text) is text or escape(text) == text
    assert unescape(text) == text


def test_each_code_point_that_is_written_otherwise_has_its_own_form() -> None:
    special = [0, 1, 0xD7FF, *range(0xD800, 0xE000)]
    written = {escape(chr(code)) for code in special}
    assert len(written) == len(special)
    assert all(unescape(escape(chr(code))) == chr(code) for code in special)


def test_two_surrogates_that_would_make_a_character_stay_two() -> None:
    assert load(dump("\ud83d\ude00")) == "\ud83d\ude00"
    assert escape("\ud83d\ude00") != escape("😀")


@pytest.mark.parametrize("text", ["\x01", "\x01x", "a\ud7ff", "\ud7ff\ufffe", "\x01\n"])
def test_text_of_another_program_can_be_read(text: str) -> None:
    assert unescape(text) == text


@often
@given(values)
def test_a_value_comes_back_with_types_and_order(value: Any) -> None:
    assert typed(load(dump(value))) == typed(value)


@often
@given(values)
def test_sqlite_holds_and_understands_what_is_written(value: Any) -> None:
    with sqlite3.connect(":memory:") as connection:
        row = connection.execute("SELECT ?1, json_valid(?1)", (dump(value),)).fetchone()
    connection.close()
    assert row[1] == 1
    assert typed(load(row[0])) == typed(value)


def test_what_a_database_writes_anew_is_read_the_same() -> None:
    value = {"\x00": ["\x01", "\ud7ff", "\ud800", "\\u0001"]}
    ascii_only = json.dumps(json.loads(dump(value)), ensure_ascii=True, indent=1)
    assert load(ascii_only) == value


@pytest.mark.parametrize(
    "value",
    [1, 1.0, True, False, None, -0.0, 1e300, 5e-324, 2**53 + 1, -(10**3000), "", [], {}, {"": ""}],
)
def test_values_keep_their_type(value: Any) -> None:
    assert typed(load(dump(value))) == typed(value)


def test_it_is_compact_and_readable() -> None:
    assert dump({"b": [1, 2.5], "a": "中文"}) == '{"b":[1,2.5],"a":"中文"}'


class Colour(StrEnum):
    RED = "red"

    def __str__(self) -> str:
        return "not red"


class Level(IntEnum):
    HIGH = 3


def test_tuples_and_subclasses_of_json_types_are_taken_as_what_they_hold() -> None:
    value = {Colour.RED: (Colour.RED, Level.HIGH, np.float64(0.5), (1, (2,)))}
    assert dump(value) == '{"red":["red",3,0.5,[1,[2]]]}'


@pytest.mark.parametrize(
    ("value", "place"),
    [
        (float("nan"), "the top is nan"),
        ({"a": {"b": [0, float("inf")]}}, r"a\.b\[1\] is inf"),
        ({"a": [{"b": {1, 2}}]}, r"a\[0\]\.b is of type set"),
        ({"a": {1: 2}}, "a has the key 1 of type int"),
        ({"a": {None: 2}}, "a has the key None"),
        ({"a": b"bytes"}, "a is of type bytes"),
        ([[], np.float32(1)], r"\[1\] is of type float32"),
        ({"a": 1 << MAX_INTEGER_BITS}, "a is an integer of 13001 bits.*text"),
        ({"a\ud800\n": object()}, r"a\\ud800\\n is of type object"),
    ],
)
def test_what_is_not_json_is_refused_with_its_place(value: Any, place: str) -> None:
    with pytest.raises(InvalidInputError, match=place) as refusal:
        dump(value)
    str(refusal.value).encode()


def test_nesting_has_a_limit_and_a_value_that_contains_itself_is_over_it() -> None:
    deepest: Any = "x"
    for level in range(MAX_DEPTH):
        deepest = [deepest] if level % 2 else {"a": deepest}
    assert load(dump(deepest)) == deepest
    with pytest.raises(InvalidInputError, match=r"a\[0\]\.a.*… is nested deeper than 256"):
        dump({"a": [deepest]})
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(InvalidInputError, match="contains itself"):
        dump(endless)


def test_the_largest_integer_can_be_read_back() -> None:
    largest = (1 << MAX_INTEGER_BITS) - 1
    assert load(dump([largest, -largest])) == [largest, -largest]

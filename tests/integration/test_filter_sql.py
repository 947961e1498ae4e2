"""A filter in SQL gives the answer of `matches`, whatever the stored value is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from filter_cases import filters, filters_about, objects, values
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from needed import needed

from langgraph_memory.store.escape import dump
from langgraph_memory.store.filters import All, AnyOf, Condition, Not, field_path, matches, parse
from langgraph_memory.store.postgres.filters import to_sql

if TYPE_CHECKING:
    from psycopg import Connection

psycopg = needed("psycopg", "postgres")

often = settings(
    max_examples=5_000 if os.environ.get("HYPOTHESIS_PROFILE") == "thorough" else 300,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


@pytest.fixture(scope="module")
def connection(postgres_dsn: str) -> Iterator[Connection]:
    with psycopg.connect(postgres_dsn, autocommit=True, prepare_threshold=None) as opened:
        opened.execute("CREATE TEMPORARY TABLE items (place int PRIMARY KEY, value jsonb NOT NULL)")
        yield opened


def selected(connection: Connection, filter: dict[str, Any], stored: list[Any]) -> list[bool]:
    """For each value whether SQL selects it, from a table and, for planning, as a constant."""
    condition = parse(filter)
    sql, parameters = to_sql(condition, "items.value")
    with connection.transaction(force_rollback=True), connection.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO items VALUES (%s, %s)",
            [(place, dump(value)) for place, value in enumerate(stored)],
        )
        found = {
            row[0] for row in cursor.execute(f"SELECT place FROM items WHERE {sql}", parameters)
        }
        unknown = cursor.execute(
            f"SELECT count(*) FROM items WHERE ({sql}) IS NULL", parameters
        ).fetchone()
    assert unknown == (0,)
    return [place in found for place in range(len(stored))]


def as_constant(connection: Connection, filter: dict[str, Any], value: Any) -> bool:
    """The answer for a value that the planner knows, so that it may compute parts early."""
    sql, parameters = to_sql(parse(filter), "items.value")
    row = connection.execute(
        f"SELECT {sql} FROM (VALUES (%s::jsonb)) AS items (value)",
        [*parameters, dump(value)],
    ).fetchone()
    assert row is not None
    assert isinstance(row[0], bool)
    return row[0]


@often
@given(filters, st.lists(values, min_size=1, max_size=5))
@example({"a": {"$gt": 9}}, [{"a": 10}, {"a": "10"}, {"a": 8}, {"a": True}, {"a": None}, {}])
@example({"a": 1}, [{"a": 1.0}, {"a": True}, {"a": "1"}, {"a": [1]}])
@example({"a": 10**300}, [{"a": 1e300}, {"a": int(1e300)}])
@example({"a.0": 1}, [{"a": [1]}, {"a": {"0": 1}}])
@example({"a": "\x00\ud800"}, [{"a": "\x00\ud800"}, {"a": "\x01\x01"}])
@example({"a": {"$lt": "\ue000"}}, [{"a": "\ud800"}, {"a": "\ud7ff"}, {"a": "\U0010ffff"}])
def test_sql_selects_what_matches(
    connection: Connection, filter: dict[str, Any], stored: list[Any]
) -> None:
    condition = parse(filter)
    expected = [matches(condition, value) for value in stored]
    assert selected(connection, filter, stored) == expected
    assert [as_constant(connection, filter, value) for value in stored] == expected


@often
@given(st.data(), objects)
def test_sql_selects_what_matches_near_the_members_a_value_has(
    connection: Connection, data: st.DataObject, value: dict[str, Any]
) -> None:
    filter = data.draw(filters_about(value))
    expected = matches(parse(filter), value)
    assert selected(connection, filter, [value]) == [expected]
    assert as_constant(connection, filter, value) is expected


@pytest.mark.parametrize("condition", [All(()), AnyOf(()), Not(All(())), Not(AnyOf(()))])
def test_all_and_any_of_nothing(connection: Connection, condition: Condition) -> None:
    sql, parameters = to_sql(condition, "value")
    assert connection.execute(f"SELECT {sql}", parameters).fetchone() == (matches(condition, {}),)


HOSTILE = [
    "'; DROP TABLE items; --",
    "%s",
    "%(name)s",
    "%",
    "{a,b}",
    '"',
    "a' OR '1'='1",
    "::int",
    "\\'",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_names_and_operands_are_bound(connection: Connection, text: str) -> None:
    stored = [{text: text}, {text: "x"}, {"x": text}]
    for spec in (text, {"$in": [text, "y"]}, {"$gte": text, "$lte": text}):
        assert selected(connection, {field_path(text): spec}, stored) == [True, False, False]
    shapes = {to_sql(parse({field_path(name): name}), "value")[0] for name in (text, "a")}
    assert len(shapes) == 1


def test_the_largest_filters_run(connection: Connection) -> None:
    nested: dict[str, Any] = {"a": 1}
    for _ in range(31):
        nested = {"$or": [nested, {"b": 2}]}
    wide = {"$and": [{f"n{number}": {"$ne": number}} for number in range(499)]}
    long = {".".join("a" * 64): None}
    many = {"a": {"$in": list(range(20_000))}}
    for filter in (nested, wide, long, many):
        assert selected(connection, filter, [{"a": 1}]) == [True]

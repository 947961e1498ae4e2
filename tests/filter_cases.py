"""JSON values and filters for Hypothesis that meet often enough to match."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from hypothesis import strategies as st

from langgraph_memory.store.filters import field_path

# Text with what databases mangle: NUL, lone surrogates, neighbours of both and of the escapes,
# names that look like places in a list, operators or paths.
HARD = "\x00\x01\x02\ud7fe\ud7ff\ud800\udbff\udc00\udfff\ue000\uffff\U00010000\U0010ffff"
texts = st.one_of(
    st.sampled_from(["", "a", "b", "Z", "é", "0", "1", "9", "10", "a.b", "\\", "$eq", "true"]),
    st.text(st.sampled_from("ab." + HARD), max_size=3),
    st.text(st.characters(codec=None), max_size=4),
)
names = st.one_of(st.sampled_from(["a", "b", "a.b", "0", "$gt", "", "\\"]), texts)
numbers = st.one_of(
    st.integers(-3, 3),
    st.sampled_from([0.0, -0.0, 0.1, 1.0, 1.5, 9, 10, 2**53, 2**53 + 1, 2.0**53, 1e300, 10**300]),
    st.sampled_from([5e-324, 1.7976931348623157e308, 1e16, 10**16, 1e23, 10**23, int(1e23)]),
    st.integers(-(10**400), 10**400),
    st.floats(allow_nan=False, allow_infinity=False),
)
scalars = st.one_of(st.none(), st.booleans(), numbers, texts)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(names, inner, max_size=3)),
    max_leaves=6,
)
objects = st.dictionaries(names, values, max_size=4)
moments = st.datetimes(
    datetime(1990, 1, 1),
    datetime(2090, 1, 1),
    timezones=st.sampled_from([UTC, timezone(timedelta(hours=-7))]),
)
comparable = st.one_of(numbers, texts, moments)


def _operations(operand: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    orderings = dict.fromkeys(("$gt", "$gte", "$lt", "$lte"), comparable)
    equalities = {"$eq": operand, "$ne": operand, "$exists": st.booleans()}
    lists = {name: st.lists(operand, max_size=3) for name in ("$in", "$nin")}
    return st.sampled_from(sorted(orderings | equalities | lists)).flatmap(
        lambda name: (orderings | equalities | lists)[name].map(lambda given: {name: given})
    )


paths = st.lists(names, min_size=1, max_size=3).map(lambda found: field_path(*found))
specs = st.one_of(
    scalars,
    st.lists(values, max_size=2),
    _operations(values),
    st.dictionaries(names.map(field_path), st.one_of(scalars, _operations(values)), max_size=2),
)
filters = st.recursive(
    st.dictionaries(paths, specs, max_size=2),
    lambda inner: st.one_of(
        st.fixed_dictionaries({"$or": st.lists(inner, min_size=1, max_size=3)}),
        st.fixed_dictionaries({"$and": st.lists(inner, min_size=1, max_size=3)}),
        st.dictionaries(paths, inner, min_size=1, max_size=2),
    ),
    max_leaves=3,
)


def members(value: Any, path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], Any]]:
    """Every member of an object, at any depth, with its path."""
    if not isinstance(value, dict):
        return []
    return [
        found
        for name, member in value.items()
        for found in [((*path, name), member), *members(member, (*path, name))]
    ]


@st.composite
def filters_about(draw: st.DrawFn, value: dict[str, Any]) -> dict[str, Any]:
    """A filter about a member that the value has, with an operand near to it."""
    found = members(value)
    if not found:
        return draw(filters)
    path, member = draw(st.sampled_from(found))
    near = st.one_of(st.just(member), values)
    alike = isinstance(member, int | float | str) and not isinstance(member, bool)
    spec = draw(_operations(near))
    if alike and draw(st.booleans()):
        spec = {draw(st.sampled_from(["$gt", "$gte", "$lt", "$lte"])): member}
    return {field_path(*path): spec}

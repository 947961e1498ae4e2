"""What every store keeps to: what a filter means, and that it is never more than data."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from contract.stores import Driver, Opener
from embedders import DIMS, WordEmbeddings
from langgraph.store.base import GetOp, PutOp, SearchOp

from langgraph_memory.errors import InvalidFilterError

NS = ("library", "books")
ITEMS: dict[str, dict[str, Any]] = {
    "nine": {"n": 9, "s": "apple", "flag": True, "tags": ["x", "y"]},
    "ten": {"n": 10, "s": "Apple", "flag": False, "tags": ["y", "x"]},
    "hundred": {"n": 100.0, "s": "äpple", "flag": 1, "tags": []},
    "text": {"n": "9", "s": "10", "flag": "true", "tags": "x"},
    "null": {"n": None, "s": None, "flag": None, "tags": None},
    "bare": {},
    "negative": {"n": -0.5, "s": "", "flag": 0, "tags": [["x", "y"]]},
    "nested": {"meta": {"lang": "en", "deep": {"k": 2, "more": None}}, "s": "zebra"},
    "nested2": {"meta": {"lang": "de", "deep": {"k": 3}}, "s": "\U0001f600"},
    "flat": {"meta.lang": "en", "meta": "en", "s": "\uff5e"},
    "bool": {"n": True, "s": True},
    "list": {"n": [9], "s": ["apple"], "meta": [{"lang": "en"}]},
    "object": {"n": {"n": 9}, "meta": {}},
}
EVERY = set(ITEMS)

CASES: dict[str, tuple[Any, set[str]]] = {
    "no_filter": ({}, EVERY),
    # Equality
    "number": ({"n": 9}, {"nine"}),
    "float_equals_integer": ({"n": 100}, {"hundred"}),
    "text_is_no_number": ({"n": "9"}, {"text"}),
    "true_is_not_one": ({"flag": True}, {"nine"}),
    "one_is_not_true": ({"flag": 1}, {"hundred"}),
    "zero_is_not_false": ({"flag": 0}, {"negative"}),
    "empty_text": ({"s": ""}, {"negative"}),
    "case_matters": ({"s": "Apple"}, {"ten"}),
    "null_and_missing": ({"flag": None}, EVERY - {"nine", "ten", "hundred", "text", "negative"}),
    "list_in_order": ({"tags": ["x", "y"]}, {"nine"}),
    "tuple_as_list": ({"tags": ("y", "x")}, {"ten"}),
    "empty_list": ({"tags": []}, {"hundred"}),
    "list_in_list": ({"tags": [["x", "y"]]}, {"negative"}),
    "list_is_not_its_element": ({"tags": "x"}, {"text"}),
    "two_members": ({"n": 9, "s": "apple"}, {"nine"}),
    "two_that_disagree": ({"n": 9, "s": "Apple"}, set()),
    "eq": ({"s": {"$eq": "apple"}}, {"nine"}),
    "eq_null": ({"n": {"$eq": None}}, {"null", "bare", "nested", "nested2", "flat"}),
    "ne": ({"n": {"$ne": 9}}, EVERY - {"nine"}),
    "ne_null": ({"n": {"$ne": None}}, EVERY - {"null", "bare", "nested", "nested2", "flat"}),
    "ne_true": ({"flag": {"$ne": True}}, EVERY - {"nine"}),
    "ne_list": ({"tags": {"$ne": ["x", "y"]}}, EVERY - {"nine"}),
    # Order
    "gt": ({"n": {"$gt": 9}}, {"ten", "hundred"}),
    "gte": ({"n": {"$gte": 9}}, {"nine", "ten", "hundred"}),
    "lt": ({"n": {"$lt": 9}}, {"negative"}),
    "lte": ({"n": {"$lte": 9}}, {"nine", "negative"}),
    "between": ({"n": {"$gte": 9, "$lt": 100}}, {"nine", "ten"}),
    "gt_fraction": ({"n": {"$gt": 9.5}}, {"ten", "hundred"}),
    "gt_huge": ({"n": {"$lt": 10**30}}, {"nine", "ten", "hundred", "negative"}),
    "gt_text": ({"s": {"$gt": "apple"}}, {"hundred", "nested", "nested2", "flat"}),
    "gt_text_number": ({"n": {"$gt": "1"}}, {"text"}),
    "lt_text": ({"s": {"$lt": "B"}}, {"ten", "text", "negative"}),
    "by_code_point": ({"s": {"$gt": "\ufffd"}}, {"nested2"}),
    "gte_empty_text": (
        {"s": {"$gte": ""}},
        {"nine", "ten", "hundred", "text", "negative", "nested", "nested2", "flat"},
    ),
    # Sets
    "in": ({"n": {"$in": [9, 100, "9"]}}, {"nine", "hundred", "text"}),
    "in_nothing": ({"n": {"$in": []}}, set()),
    "in_null": ({"n": {"$in": [None, 10]}}, {"null", "bare", "nested", "nested2", "flat", "ten"}),
    "in_lists": ({"tags": {"$in": [[], ["y", "x"]]}}, {"hundred", "ten"}),
    "in_true": ({"n": {"$in": [True]}}, {"bool"}),
    "nin": ({"n": {"$nin": [9, 10, 100]}}, EVERY - {"nine", "ten", "hundred"}),
    "nin_nothing": ({"n": {"$nin": []}}, EVERY),
    # Presence
    "exists": (
        {"n": {"$exists": True}},
        {"nine", "ten", "hundred", "text", "null", "negative", "bool", "list", "object"},
    ),
    "exists_not": ({"n": {"$exists": False}}, {"bare", "nested", "nested2", "flat"}),
    "there_and_null": ({"n": {"$exists": True, "$eq": None}}, {"null"}),
    # Objects and paths
    "nested": ({"meta": {"lang": "en"}}, {"nested"}),
    "nested_twice": ({"meta": {"deep": {"k": 2}}}, {"nested"}),
    "nested_two_members": ({"meta": {"lang": "de", "deep": {"k": 3}}}, {"nested2"}),
    "nested_null_or_missing": ({"meta": {"deep": {"more": None}}}, {"nested", "nested2"}),
    "nested_operator": ({"meta": {"deep": {"k": {"$gte": 3}}}}, {"nested2"}),
    "nested_eq": ({"n": {"$eq": {"n": 9}}}, {"object"}),
    "nested_eq_is_whole": ({"meta": {"$eq": {"lang": "en"}}}, set()),
    "dotted": ({"meta.lang": "en"}, {"nested"}),
    "dotted_twice": ({"meta.deep.k": {"$gt": 2}}, {"nested2"}),
    "dotted_to_object": ({"meta.deep": {"k": 3}}, {"nested2"}),
    "dotted_ne": ({"meta.lang": {"$ne": "en"}}, EVERY - {"nested"}),
    "dotted_exists": ({"meta.deep.more": {"$exists": True}}, {"nested"}),
    "literal_dot": ({r"meta\.lang": "en"}, {"flat"}),
    # Together
    "and": ({"$and": [{"n": {"$gt": 9}}, {"flag": False}]}, {"ten"}),
    "or": ({"$or": [{"n": 9}, {"s": "zebra"}]}, {"nine", "nested"}),
    "or_beside_a_member": ({"$or": [{"n": 9}, {"n": 10}], "flag": False}, {"ten"}),
    "or_in_and": (
        {"$and": [{"$or": [{"n": 9}, {"n": 10}]}, {"$or": [{"s": "Apple"}, {"s": "x"}]}]},
        {"ten"},
    ),
    "or_of_whole_filters": (
        {"$or": [{"n": 9, "flag": True}, {"n": 10, "flag": True}, {"meta.deep.k": 2}]},
        {"nine", "nested"},
    ),
    "or_within_a_member": ({"n": {"$or": [{"$lt": 0}, {"$gt": 10}]}}, {"negative", "hundred"}),
}


@pytest.fixture(scope="module")
def books(open_once: Opener) -> Driver:
    store = open_once()
    store.batch([PutOp(NS, key, value) for key, value in ITEMS.items()])
    return store


@pytest.fixture(scope="module")
def our_books(open_ours_once: Opener, books: Driver) -> Driver:
    """The same in a store of this package."""
    return books


@pytest.mark.parametrize("case", CASES)
def test_what_a_filter_means(books: Driver, case: str) -> None:
    condition, keys = CASES[case]
    assert set(books.keys(NS, filter=condition, limit=100)) == keys


UNSAYABLE: dict[str, Any] = {
    "unknown": {"n": {"$regex": ".*"}},
    "one_unknown": {"n": {"$gt": 1, "$like": "x"}},
    "unknown_on_top": {"$not": [{"n": 1}]},
    "no_member": {"$gt": 3},
    "gt_null": {"n": {"$gt": None}},
    "gt_list": {"n": {"$gt": [1]}},
    "lt_bool": {"n": {"$lt": True}},
    "gt_nan": {"n": {"$gt": float("nan")}},
    "in_number": {"n": {"$in": 9}},
    "in_text": {"n": {"$in": "nine"}},
    "exists_text": {"n": {"$exists": "yes"}},
    "or_nothing": {"$or": []},
    "or_object": {"$or": {"n": 1}},
    "and_text": {"$and": ["n"]},
    "set": {"n": {1, 2}},
    "object": {"n": object()},
    "number_as_name": {3: 1},
    "naive_datetime": {"when": {"$gt": datetime(2026, 1, 1)}},
    "no_filter_at_all": "n = 9",
}


@pytest.mark.parametrize("query", [None, "words"])
def test_what_a_filter_cannot_say(our_books: Driver, query: str | None) -> None:
    for condition in UNSAYABLE.values():
        with pytest.raises(InvalidFilterError):
            assert our_books.search(NS, filter=condition, query=query) is None, condition


def test_an_unknown_operator_is_an_error_though_nothing_is_there(store: Driver) -> None:
    with pytest.raises(ValueError, match="regex"):
        store.search(NS, filter={"n": {"$regex": ".*"}})


def test_numbers_of_any_size(ours: Driver) -> None:
    """As the decimal numbers of the JSON: none of these is another one, as binary floats are."""
    numbers = {"a": 2**53, "b": 2**53 + 1, "c": 10**30, "d": 10**30 + 1, "e": 0.1, "f": 1e-7}
    for key, number in numbers.items():
        ours.put(NS, key, {"n": number})
    for key, number in numbers.items():
        assert ours.keys(NS, filter={"n": number}) == [key]
    assert set(ours.keys(NS, filter={"n": {"$gt": 2**53}})) == {"b", "c", "d"}
    assert ours.keys(NS, filter={"n": {"$gt": 10**30}}) == ["d"]
    assert set(ours.keys(NS, filter={"n": {"$lt": 0.1}})) == {"f"}
    assert ours.keys(NS, filter={"n": {"$gt": 0.1, "$lt": 1}}) == []


def test_moments(ours: Driver) -> None:
    for key, text in {
        "a": "2026-03-01T09:30:00.000000Z",
        "b": "2026-03-01T10:30:00.000000Z",
        "c": "2026-03-02T00:00:00.000001Z",
    }.items():
        ours.put(NS, key, {"when": text})
    noon = datetime(2026, 3, 1, 12, 0, tzinfo=timezone(timedelta(hours=2)))
    assert set(ours.keys(NS, filter={"when": {"$gt": noon}})) == {"b", "c"}
    assert ours.keys(NS, filter={"when": {"$lte": noon - timedelta(minutes=30)}}) == ["a"]
    assert set(ours.keys(NS, filter={"when": {"$gt": "2026-03-01"}})) == {"a", "b", "c"}
    assert ours.keys(NS, filter={"when": {"$gte": "2026-03-02"}}) == ["c"]


def test_with_a_page(books: Driver) -> None:
    condition = {"n": {"$ne": 9}}
    whole = books.keys(NS, filter=condition, limit=100)
    assert books.keys(NS, filter=condition, limit=3, offset=2) == whole[2:5]


@pytest.mark.parametrize("mode", ["hybrid", "vector", "keyword"])
def test_before_the_best_are_chosen(open_ours: Opener, mode: str) -> None:
    """A filter that only the worst hits meet still finds as many as were asked for."""
    store = open_ours(index={"dims": DIMS, "embed": WordEmbeddings(), "fields": ["text"]})
    near = [PutOp(NS, f"near{n}", {"text": "red kite", "n": n}) for n in range(300)]
    far = [
        PutOp(NS, f"far{n}", {"text": f"a red house by the road {n}", "n": -1}) for n in range(7)
    ]
    store.batch(near + far)
    found = store.found(NS, "red kite", mode=mode, filter={"n": -1}, limit=5)
    assert len(found) == 5
    assert all(key.startswith("far") for key in found)
    assert store.found(NS, "red kite", mode=mode, filter={"n": 299}) == ["near299"]
    assert store.found(NS, "red kite", mode=mode, filter={"n": 1_000}) == []


HOSTILE = [
    "owner') = 'eve' OR 1=1 --",
    "owner' OR '1'='1",
    'owner" OR "1"="1',
    "x'; DROP TABLE items; --",
    "x'); DELETE FROM namespaces; --",
    "$.owner",
    "owner[0]",
    "owner[*]",
    '"owner"',
    "%",
    "_wner",
    "own%",
    "*",
    "?",
    "%s",
    "%(owner)s",
    ":owner",
    "$1",
    "{owner}",
    "owner::text",
    "owner->>'x'",
    "@.owner",
    "' UNION SELECT * FROM items --",
    "NEAR(owner)",
    "owner*",
    "a AND b OR NOT c",
    "-owner",
    '"',
    "'",
    "\\",
    "\x01",
    "owner\0",
    "\ud800",
]


class TestHostileText:
    """What is not Ann's is never found by her, and everything is still there afterwards."""

    @pytest.fixture
    def two(self, open_ours: Opener) -> Driver:
        store = open_ours(index={"dims": DIMS, "embed": WordEmbeddings()})
        store.put(("ann",), "k", {"owner": "ann", "text": "owner of a boat"})
        store.put(("eve",), "k", {"owner": "eve", "text": "owner of a car"})
        return store

    def unharmed(self, store: Driver) -> None:
        read = store.batch([GetOp((name,), "k") for name in ("ann", "eve")])
        assert [item.value["owner"] for item in read] == ["ann", "eve"]  # type: ignore[union-attr]
        assert store.stats().items == 2
        assert store.found(("ann",), "boat") == ["k"]

    def test_as_names_and_operands_of_a_filter(self, two: Driver) -> None:
        for text in HOSTILE:
            for condition in (
                {text: "x"},
                {"owner": text},
                {"owner": {"$gt": text, "$lt": text}},
                {"owner": {"$in": [text, [text]]}},
                {"owner": {text: "x"}},
                {"$or": [{text: text}, {"owner": {"$eq": {text: [text]}}}]},
                {f"owner.{text}": None, "owner": "nobody"},
            ):
                for query in (None, "owner"):
                    try:
                        found = two.search(("ann",), filter=condition, query=query)
                    except InvalidFilterError:
                        continue
                    assert found == [], condition
        self.unharmed(two)

    def test_as_operators(self, two: Driver) -> None:
        for text in HOSTILE:
            with pytest.raises(InvalidFilterError):
                two.search(("ann",), filter={"owner": {f"${text}": "x"}})
            with pytest.raises(InvalidFilterError):
                two.search(("ann",), filter={f"${text}": [{"owner": "x"}]})
        self.unharmed(two)

    def test_as_a_query(self, two: Driver) -> None:
        for text in HOSTILE:
            for mode in ("hybrid", "vector", "keyword"):
                found = two.find(("ann",), text, mode=mode)
                assert all(hit.namespace == ("ann",) for hit in found)
        self.unharmed(two)

    def test_as_namespaces_and_keys(self, two: Driver) -> None:
        for text in HOSTILE:
            if "." not in text and "\0" not in text:
                assert two.search((text,)) == []
                assert two.search(("ann", text), query="owner") == []
                assert two.list_namespaces(prefix=("ann", text)) == []
                assert two.scan((text,)) == []
                two.delete((text,), "k")
            assert two.get(("ann",), text) is None
            assert two.touch(("ann",), [text]) == 0
            two.delete(("ann",), text)
        self.unharmed(two)

    def test_as_fields_to_index(self, two: Driver) -> None:
        for text in HOSTILE:
            two.batch([PutOp(("mallory",), "k", {"t": "x"}, index=[text]), SearchOp(("ann",))])
        two.delete(("mallory",), "k")
        self.unharmed(two)

    def test_names_that_only_look_so_work(self, two: Driver) -> None:
        two.put(("zoe",), "k", {"user's-name": 1, "a b": {'"c"': 2}, "50%": 3, "_x": None, "": 4})
        for condition in (
            {"user's-name": 1},
            {"a b": {'"c"': 2}},
            {'a b."c"': {"$gte": 2}},
            {"50%": {"$lt": 4}},
            {"_x": {"$exists": True}},
            {"": 4},
        ):
            assert two.keys(("zoe",), filter=condition) == ["k"], condition

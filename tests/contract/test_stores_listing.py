"""What every store keeps to: which items a prefix lists, in which order, and page by page."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from contract.stores import START, Clock, Driver, Opener, pages
from langgraph.store.base import InvalidNamespaceError, PutOp, SearchOp

from langgraph_memory.errors import InvalidInputError

NS = ("shop", "orders")


class TestOrder:
    def test_last_written_first(self, store: Driver) -> None:
        for key in "abc":
            store.put(NS, key, {"v": 1})
        assert store.keys(NS) == ["c", "b", "a"]
        store.put(NS, "a", {"v": 2})
        assert store.keys(NS) == ["a", "c", "b"]
        assert [item.score for item in store.search(NS)] == [None, None, None]

    def test_the_later_operation_of_a_batch_first(self, store: Driver) -> None:
        store.batch([PutOp(NS, key, {}) for key in "bac"])
        assert store.keys(NS) == ["c", "a", "b"]

    def test_ties_by_namespace_and_key(self, ours: Driver) -> None:
        """The same moment in different namespaces, which alone can tie."""
        for label in ("z", "b", "y", "a"):
            ours.put(("shop", label), f"of {label}", {})
        assert ours.keys(("shop",)) == ["of a", "of b", "of y", "of z"]

    def test_across_namespaces_by_time(self, ours: Driver, clock: Clock) -> None:
        for label in ("b", "a", "c"):
            clock.advance(minutes=1)
            ours.put(("shop", label), label, {})
        clock.advance(minutes=1)
        ours.put(("shop", "b"), "b2", {})
        assert ours.keys(("shop",)) == ["b2", "c", "a", "b"]
        assert ours.search(("shop",))[0].updated_at == START + timedelta(minutes=4)

    @pytest.mark.parametrize("query", [None, "", "   ", "\n\t\u3000"])
    def test_a_blank_query_lists(self, store: Driver, query: str | None) -> None:
        for key in "ab":
            store.put(NS, key, {"v": key})
        found = store.search(NS, query=query)
        assert {(item.key, item.score) for item in found} == {("b", None), ("a", None)}


class TestPages:
    def test_all_of_them_make_the_whole(self, store: Driver) -> None:
        for number in range(23):
            store.put((*NS, str(number % 3)), f"k{number:02}", {"n": number})
        whole = store.keys(NS, limit=100)
        assert len(whole) == len(set(whole)) == 23
        for size in (1, 4, 23, 24):
            assert list(pages(store, NS, size)) == whole

    def test_of_items_written_at_one_moment(self, ours: Driver) -> None:
        for number in range(12):
            ours.batch([PutOp((*NS, str(number % 4)), f"{number}", {})])
        whole = ours.keys(NS, limit=100)
        assert list(pages(ours, NS, 5)) == whole

    def test_of_a_filtered_listing(self, store: Driver) -> None:
        for number in range(20):
            store.put(NS, f"k{number:02}", {"even": number % 2 == 0})
        whole = store.keys(NS, limit=100, filter={"even": True})
        assert len(whole) == 10
        assert list(pages(store, NS, 3, filter={"even": True})) == whole

    def test_ten_unless_said_otherwise(self, store: Driver) -> None:
        for number in range(12):
            store.put(NS, str(number), {})
        assert len(store.search(NS)) == 10
        assert len(store.search(NS, limit=11)) == 11
        assert len(store.search(NS, limit=1_000)) == 12
        assert len(store.batch([SearchOp(NS)])[0]) == 10  # type: ignore[arg-type]

    def test_ends(self, store: Driver) -> None:
        for key in "abc":
            store.put(NS, key, {})
        assert store.search(NS, limit=0) == []
        assert store.search(NS, limit=0, offset=1) == []
        assert store.search(NS, offset=3) == []
        assert store.search(NS, offset=10_000_000) == []
        assert len(store.search(NS, offset=2)) == 1
        assert store.search(("empty",), limit=5) == []

    @pytest.mark.parametrize("given", [{"limit": -1}, {"offset": -1}, {"limit": -10, "offset": 2}])
    @pytest.mark.parametrize("query", [None, "order"])
    def test_negative_ones_are_errors(
        self, store: Driver, given: dict[str, int], query: str | None
    ) -> None:
        store.put(NS, "a", {"text": "order"})
        with pytest.raises(ValueError, match=r"-1"):
            store.search(NS, query=query, **given)

    @pytest.mark.parametrize("given", [{"limit": 2.5}, {"limit": "3"}, {"offset": None}])
    def test_what_is_no_whole_number(self, ours: Driver, given: dict[str, Any]) -> None:
        with pytest.raises(InvalidInputError):
            ours.search(NS, **given)

    def test_numbers_beyond_any_table(self, ours: Driver) -> None:
        ours.put(NS, "a", {"text": "order"})
        assert ours.keys(NS, limit=2**62) == ["a"]
        assert ours.keys(NS, limit=2**62, query="order") == ["a"]
        assert ours.keys(NS, offset=2**62) == []
        assert ours.keys(NS, offset=2**62, query="order") == []


class TestPrefix:
    def test_whole_segments(self, store: Driver) -> None:
        for label in ("north", "north-east", "northern", "nort", "north/x", "north "):
            store.put(("depot", label), label, {})
        store.put(("depot", "north", "gate"), "gate", {})
        store.put(("depot",), "above", {})
        assert sorted(store.keys(("depot", "north"))) == ["gate", "north"]
        assert store.keys(("depot", "nor")) == []
        assert store.keys(("north",)) == []
        assert len(store.keys(("depot",))) == 8

    def test_the_root_lists_everything(self, store: Driver) -> None:
        store.put(("a",), "1", {})
        store.put(("b", "c"), "2", {})
        assert sorted(store.keys(())) == ["1", "2"]

    def test_upper_and_lower_case_are_two(self, store: Driver) -> None:
        store.put(("Ann",), "1", {})
        store.put(("ann",), "2", {})
        assert store.keys(("ann",)) == ["2"]

    def test_there_are_no_wildcards(self, store: Driver) -> None:
        for label in ("*", "ab", "%", "_b", "a?", "[ab]"):
            store.put(("w", label), label, {})
        for label in ("*", "%", "_b", "a?", "[ab]"):
            assert store.keys(("w", label)) == [label]
            assert store.the(("w", label), label).namespace == ("w", label)
        assert store.keys(("*",)) == []
        store.delete(("w", "*"), "*")
        assert len(store.keys(("w",))) == 5

    @pytest.mark.parametrize(
        "prefix", [("",), ("a", ""), ("a.b",), ("a\0b",), (3,), (None,), ("a", ("b",))]
    )
    def test_what_no_namespace_can_hold(self, store: Driver, prefix: Any) -> None:
        with pytest.raises(InvalidNamespaceError):
            store.search(prefix)
        with pytest.raises(InvalidNamespaceError):
            store.get(prefix, "k")
        with pytest.raises(InvalidNamespaceError):
            store.delete(prefix, "k")
        with pytest.raises(InvalidNamespaceError):
            store.list_namespaces(prefix=prefix)
        with pytest.raises(InvalidNamespaceError):
            store.put(prefix, "k", {})

    def test_what_can_be_read_but_not_written(self, store: Driver) -> None:
        for namespace in [(), ("langgraph",), ("langgraph", "x")]:
            with pytest.raises(InvalidNamespaceError):
                store.put(namespace, "k", {})
            assert store.get(namespace, "k") is None
            assert store.search(namespace) == []
        store.put(("x", "langgraph"), "k", {})
        assert store.keys(("x", "langgraph")) == ["k"]

    def test_an_address_as_label_says_how(self, ours: Driver) -> None:
        with pytest.raises(InvalidNamespaceError, match="encode_label"):
            ours.batch([PutOp(("user:anna@example.com",), "k", {})])


def test_deleting_leaves_no_gap(open_store: Opener) -> None:
    store = open_store()
    for number in range(6):
        store.put(NS, str(number), {})
    store.delete(NS, "4")
    store.delete(NS, "0")
    assert list(pages(store, NS, 2)) == ["5", "3", "2", "1"]

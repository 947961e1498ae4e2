"""What every store keeps to: items, their times, batches, and values that come back unchanged."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any

import pytest
from contract.stores import START, Clock, Driver, Opener
from embedders import DIMS, WordEmbeddings
from langgraph.store.base import (
    GetOp,
    InvalidNamespaceError,
    Item,
    ListNamespacesOp,
    PutOp,
    SearchItem,
    SearchOp,
)

from langgraph_memory.errors import InvalidInputError
from langgraph_memory.records import MemoryRecord
from langgraph_memory.store.filters import field_path

NS = ("user:7", "memories")


def values(results: list[Any]) -> list[Any]:
    """What the items among the results of a batch hold."""
    return [result.value if isinstance(result, Item) else result for result in results]


class TestOneItem:
    def test_put_and_get(self, store: Driver) -> None:
        store.put(NS, "tea", {"text": "Drinks green tea", "cups": 3})
        item = store.the(NS, "tea")
        assert type(item.namespace) is tuple
        assert (item.namespace, item.key) == (NS, "tea")
        assert item.value == {"text": "Drinks green tea", "cups": 3}
        assert set(item.dict()) == {"namespace", "key", "value", "created_at", "updated_at"}

    def test_what_is_not_there(self, store: Driver) -> None:
        store.put(NS, "tea", {"cups": 3})
        assert store.get(NS, "coffee") is None
        assert store.get(("user:7",), "tea") is None
        assert store.get((*NS, "more"), "tea") is None
        assert store.get((), "tea") is None

    def test_put_replaces_the_whole_value(self, store: Driver) -> None:
        store.put(NS, "tea", {"cups": 3, "sugar": True})
        store.put(NS, "tea", {"cups": 4})
        assert store.the(NS, "tea").value == {"cups": 4}
        assert store.keys(NS) == ["tea"]

    def test_delete(self, store: Driver) -> None:
        store.put(NS, "tea", {"cups": 3})
        store.put(NS, "milk", {"cups": 1})
        store.delete(NS, "tea")
        store.delete(NS, "tea")
        store.delete(NS, "never was")
        assert store.get(NS, "tea") is None
        assert store.keys(NS) == ["milk"]

    def test_put_none_deletes(self, store: Driver) -> None:
        store.put(NS, "tea", {"cups": 3})
        store.batch([PutOp(NS, "tea", None)])
        assert store.get(NS, "tea") is None

    def test_one_key_in_two_namespaces(self, store: Driver) -> None:
        store.put(("a",), "k", {"of": "a"})
        store.put(("a", "b"), "k", {"of": "b"})
        store.delete(("a",), "k")
        assert store.get(("a",), "k") is None
        assert store.the(("a", "b"), "k").value == {"of": "b"}

    def test_a_number_as_key(self, store: Driver) -> None:
        store.put(NS, 7, {"v": 1})
        assert store.the(NS, "7").value == store.the(NS, 7).value == {"v": 1}

    def test_a_list_as_namespace(self, store: Driver) -> None:
        """As it arrives from JSON."""
        store.put(["user:7", "memories"], "tea", {"cups": 3})
        assert store.the(["user:7", "memories"], "tea").namespace == NS
        assert store.keys(["user:7"]) == ["tea"]
        store.delete(["user:7", "memories"], "tea")
        assert store.get(NS, "tea") is None

    def test_a_list_as_prefix(self, store: Driver) -> None:
        store.put(NS, "tea", {"cups": 3})
        assert store.keys(["user:7"]) == ["tea"]
        assert store.list_namespaces(prefix=["user:7"]) == [NS]

    def test_any_mapping_as_value(self, store: Driver) -> None:
        store.put(NS, "k", MappingProxyType({"v": [1, 2]}))
        assert store.the(NS, "k").value == {"v": [1, 2]}

    def test_a_record_is_a_value_like_others(self, store: Driver) -> None:
        record = MemoryRecord(content="The user plays the oboe.", created_at=START)
        store.put(NS, record.id, record.to_value())
        assert MemoryRecord.from_value(store.the(NS, record.id).value) == record

    def test_it_is_there_when_opened_again(self, open_lasting: Opener) -> None:
        first = open_lasting()
        first.put(NS, "tea", {"cups": 3})
        created = first.the(NS, "tea").created_at
        first.close()
        second = open_lasting()
        assert second.the(NS, "tea").value == {"cups": 3}
        assert second.the(NS, "tea").created_at == created


class TestTimes:
    def test_aware_and_now(self, store: Driver) -> None:
        before = datetime.now(UTC)
        store.put(NS, "tea", {"cups": 3})
        after = datetime.now(UTC)
        item = store.the(NS, "tea")
        for moment in (item.created_at, item.updated_at):
            assert moment.utcoffset() == timedelta(0)
            assert before <= moment <= after

    def test_an_update_keeps_the_creation(self, store: Driver) -> None:
        store.put(NS, "tea", {"cups": 3})
        first = store.the(NS, "tea")
        store.put(NS, "tea", {"cups": 4})
        second = store.the(NS, "tea")
        assert second.created_at == first.created_at
        assert second.updated_at > first.updated_at

    def test_a_new_item_after_a_deletion_is_new(self, ours: Driver, clock: Clock) -> None:
        ours.put(NS, "tea", {"cups": 3})
        ours.delete(NS, "tea")
        clock.advance(minutes=1)
        ours.put(NS, "tea", {"cups": 3})
        assert ours.the(NS, "tea").created_at == clock.now

    def test_to_the_microsecond_of_the_clock(self, ours: Driver, clock: Clock) -> None:
        ours.put(NS, "tea", {"cups": 3})
        item = ours.the(NS, "tea")
        assert item.created_at == item.updated_at == START
        found = ours.search(NS)[0]
        assert (found.created_at, found.updated_at) == (START, START)

    def test_every_update_is_later_even_when_the_clock_is_not(
        self, ours: Driver, clock: Clock
    ) -> None:
        seen: list[datetime] = []
        for minutes in (0, 0, -90, 0, 30):
            clock.advance(minutes)
            ours.put(NS, "tea", {"minutes": minutes})
            ours.put(NS, f"other {len(seen)}", {})
            seen.append(ours.the(NS, "tea").updated_at)
        assert seen == sorted(set(seen))
        assert ours.the(NS, "tea").created_at == START
        every = [item.updated_at for item in ours.search(NS, limit=100)]
        assert len(set(every)) == len(every)

    def test_reading_changes_no_time(self, store: Driver) -> None:
        store.put(NS, "tea", {"cups": 3})
        first = store.the(NS, "tea")
        store.search(NS, query="cups")
        assert store.the(NS, "tea").updated_at == first.updated_at


class TestBatch:
    def test_nothing_asked(self, store: Driver) -> None:
        assert store.batch([]) == []

    def test_any_iterable(self, store: Driver) -> None:
        assert store.batch(PutOp(NS, key, {"k": key}) for key in "ab") == [None, None]
        assert values(store.batch(GetOp(NS, key) for key in "ab")) == [{"k": "a"}, {"k": "b"}]

    def test_results_stand_where_their_operations_stood(self, store: Driver) -> None:
        store.put(NS, "a", {"v": 1})
        store.put(("other",), "b", {"v": 2})
        results = store.batch(
            [
                GetOp(NS, "a"),
                ListNamespacesOp(),
                PutOp(NS, "c", {"v": 3}),
                SearchOp(("other",)),
                GetOp(NS, "missing"),
                PutOp(NS, "a", None),
            ]
        )
        assert isinstance(results[0], Item)
        assert results[0].key == "a"
        assert results[1] == [("other",), NS]
        assert results[2] is None
        assert isinstance(results[3], list)
        assert [isinstance(hit, SearchItem) for hit in results[3]] == [True]
        assert results[4:] == [None, None]

    def test_a_batch_reads_what_it_has_written(self, store: Driver) -> None:
        results = store.batch(
            [
                GetOp(NS, "tea"),
                PutOp(NS, "tea", {"cups": 1}),
                GetOp(NS, "tea"),
                PutOp(NS, "tea", {"cups": 2}),
                GetOp(NS, "tea"),
                SearchOp(("user:7",)),
                ListNamespacesOp(),
                PutOp(NS, "tea", None),
                GetOp(NS, "tea"),
                SearchOp(("user:7",)),
                ListNamespacesOp(),
            ]
        )
        assert values(results[:5]) == [None, None, {"cups": 1}, None, {"cups": 2}]
        found = results[5]
        assert isinstance(found, list)
        assert values(found) == [{"cups": 2}]
        assert results[6:] == [[NS], None, None, [], []]

    def test_a_search_by_words_in_the_batch_that_wrote_them(self, ours: Driver) -> None:
        ours.put(NS, "old", {"text": "walrus"})
        results = ours.batch(
            [
                PutOp(NS, "new", {"text": "walrus and penguin"}),
                SearchOp(NS, query="penguin"),
                PutOp(NS, "old", None),
                SearchOp(NS, query="walrus"),
            ]
        )
        assert [[hit.key for hit in found] for found in (results[1], results[3])] == [  # type: ignore[union-attr]
            ["new"],
            ["new"],
        ]

    @pytest.mark.parametrize(
        ("given", "left"),
        [
            pytest.param([{"v": 1}, {"v": 2}], {"v": 2}, id="two_puts"),
            pytest.param([{"v": 1}, None], None, id="put_then_delete"),
            pytest.param([None, {"v": 3}], {"v": 3}, id="delete_then_put"),
        ],
    )
    def test_the_last_word_on_a_key_counts(
        self, store: Driver, given: list[Any], left: Any
    ) -> None:
        store.put(NS, "k", {"v": 0})
        store.batch([PutOp(NS, "k", value) for value in given])
        item = store.get(NS, "k")
        assert (item.value if item else None) == left

    def test_the_same_text_twice_in_a_batch(self, open_store: Opener) -> None:
        store = open_store(index={"dims": DIMS, "embed": WordEmbeddings(), "fields": ["text"]})
        store.batch([PutOp(NS, key, {"text": "The bus is late."}) for key in "ab"])
        assert sorted(store.keys(NS, query="late bus")) == ["a", "b"]

    @pytest.mark.parametrize(
        ("wrong", "error"),
        [
            pytest.param(PutOp((), "k", {}), InvalidNamespaceError, id="no_namespace"),
            pytest.param(PutOp(("a", ""), "k", {}), InvalidNamespaceError, id="empty_label"),
            pytest.param(PutOp(("a.b",), "k", {}), InvalidNamespaceError, id="full_stop"),
            pytest.param(PutOp(("a\0",), "k", {}), InvalidNamespaceError, id="nul"),
            pytest.param(PutOp((3,), "k", {}), InvalidNamespaceError, id="number"),  # type: ignore[arg-type]
            pytest.param(PutOp(("langgraph", "x"), "k", {}), InvalidNamespaceError, id="reserved"),
            pytest.param(PutOp(NS, "k", {"v": {1, 2}}), ValueError, id="set"),
            pytest.param(PutOp(NS, "k", ["v"]), ValueError, id="list"),  # type: ignore[arg-type]
            pytest.param(PutOp(NS, "k", {}, ttl=-1), ValueError, id="ttl"),
            pytest.param(GetOp(("a.b",), "k"), InvalidNamespaceError, id="get_full_stop"),
            pytest.param(SearchOp(("a", "")), InvalidNamespaceError, id="search_empty_label"),
            pytest.param(SearchOp(NS, limit=-1), ValueError, id="limit"),
            pytest.param(SearchOp(NS, offset=-1), ValueError, id="offset"),
            pytest.param(SearchOp(NS, filter={"v": {"$like": 1}}), ValueError, id="operator"),
            pytest.param(ListNamespacesOp(limit=-1), ValueError, id="namespaces_limit"),
            pytest.param(ListNamespacesOp(offset=-1), ValueError, id="namespaces_offset"),
        ],
    )
    def test_one_wrong_operation_and_nothing_of_the_batch_is_done(
        self, store: Driver, wrong: Any, error: type[Exception]
    ) -> None:
        store.put(NS, "kept", {"v": 1})
        with pytest.raises(error):
            store.batch([PutOp(NS, "new", {"v": 2}), PutOp(NS, "kept", None), wrong])
        assert store.get(NS, "new") is None
        assert store.the(NS, "kept").value == {"v": 1}

    def test_what_is_no_operation(self, store: Driver) -> None:
        with pytest.raises((ValueError, TypeError)):
            store.batch([PutOp(NS, "k", {}), "get k"])  # type: ignore[list-item]
        assert store.get(NS, "k") is None

    def test_a_batch_over_many_namespaces(self, store: Driver) -> None:
        names = [("n", str(number)) for number in range(60)]
        store.batch([PutOp(name, "k", {"v": name[1]}) for name in reversed(names)])
        read = store.batch([GetOp(name, "k") for name in names])
        assert values(read) == [{"v": name[1]} for name in names]


DEEP: Any = "bottom"
for _ in range(60):
    DEEP = [DEEP] if isinstance(DEEP, dict) else {"down": DEEP}

VALUES = {
    "empty": {},
    "scalars": {"t": True, "f": False, "n": None, "i": 0, "neg": -7, "s": ""},
    "floats": {"a": 0.1, "b": 1e308, "c": -2.5e-300, "d": 1.0, "e": 123456789.123456789},
    "large_integers": {"a": 2**53 + 1, "b": -(2**63), "c": 10**40},
    "nested": {"a": [{"b": [[], {}, [None, {"c": "d"}]]}]},
    "deep": {"deep": DEEP},
    "unicode": {
        "emoji": "👩‍👩‍👧 🇳🇴",
        "zh": "简体中文，繁體中文",
        "rtl": "שלום \u200fمرحبا",
        "comb": "e\u0301",
    },
    "separators": {
        "a": "line\nfeed\r\n\ttab",
        "b": "\u2028\u2029\x85\x0b\x1f\x7f",
        "c": "\ufeff\ufffe",
    },
    "nul": {
        "text": "before\0after",
        "only": "\0",
        "odd\0name": "\0\0",
        "list": ["\0", {"\0": "\0"}],
    },
    "surrogates": {
        "text": "half \ud83d of a pair",
        "low": "\udc00",
        "\udfff": "name",
        "swap": "\udc00\ud83d",
    },
    "looks_escaped": {
        "a": "\\u0000",
        "b": "\\\\u0000",
        "c": "\\ud83d",
        "d": "\\",
        "e": "%00",
        "f": "\ue000\ue001\uf8ff",
        "g": "\x1a\x1b\x10",
        "h": "\\0",
        "\\u0000": "name",
    },
    "quotes": {"it's": "O'Neil \"Shaq\" `x` ''", "a b": "; DROP TABLE items; --", "": "empty name"},
    "looks_like_ours": {"$eq": 1, "$": 2, "content": "x", "key": "y", "a.b": {"c.d": 3}},
    "long": {"text": "wörter und sätze " * 4_000},
}

FILTERED = {
    "nul": "a\0b",
    "surrogate": "\ud800",
    "two_surrogates": "\udc00\ud800",
    "looks_escaped": "\\u0000",
    "private_use": "\ue000",
    "first_control": "\x01\x02",
    "quote": 'it\'s "so"',
    "like": "50%_",
    "emoji": "😀",
    "empty": "",
}


class TestValues:
    @pytest.mark.parametrize("name", VALUES)
    def test_comes_back_as_it_went(self, store: Driver, name: str) -> None:
        given = VALUES[name]
        store.put(NS, "k", given)
        back = store.the(NS, "k").value
        assert back == given
        assert repr(back) == repr(given)
        assert store.search(NS)[0].value == given

    @pytest.mark.parametrize("name", FILTERED)
    def test_is_found_by_a_filter(self, store: Driver, name: str) -> None:
        text = FILTERED[name]
        store.put(NS, "value", {"text": text})
        store.put(NS, "name", {text: 1})
        store.put(NS, "within", {"a": {"list": [text, {text: text}]}})
        store.put(NS, "other", {"text": f"{text}!"})
        assert store.keys(NS, filter={"text": text}) == ["value"]
        assert store.keys(NS, filter={field_path(text): 1}) == ["name"]
        assert store.keys(NS, filter={"a": {"list": [text, {text: text}]}}) == ["within"]

    @pytest.mark.parametrize("text", ["walrus\0penguin", "walrus \ud800 penguin", "\udc00walrus"])
    def test_words_beside_odd_characters_are_found(self, ours: Driver, text: str) -> None:
        ours.put(NS, "odd", {"text": text})
        ours.put(NS, "other", {"text": "tortoise"})
        assert ours.found(NS, "walrus", mode="keyword") == ["odd"]
        assert ours.found(NS, text, mode="keyword") == ["odd"]

    @pytest.mark.parametrize(
        "value",
        [
            pytest.param({"v": {1, 2}}, id="set"),
            pytest.param({"v": object()}, id="object"),
            pytest.param({"v": b"bytes"}, id="bytes"),
            pytest.param({"v": START}, id="datetime"),
            pytest.param({"v": [1, {"w": 1j}]}, id="within"),
            pytest.param({"v": math.nan}, id="nan"),
            pytest.param({"v": [-math.inf]}, id="infinity"),
            pytest.param({1: "number as name"}, id="number_as_name"),
            pytest.param({"v": {None: 1}}, id="none_as_name"),
        ],
    )
    def test_what_is_not_json_is_refused(self, store: Driver, value: Any) -> None:
        store.put(NS, "k", {"v": 1})
        with pytest.raises((TypeError, ValueError)):
            store.put(NS, "k", value)
        assert store.the(NS, "k").value == {"v": 1}

    def test_changing_what_was_given_changes_nothing(self, store: Driver) -> None:
        given = {"list": [1], "sub": {"a": 1}}
        store.put(NS, "k", given)
        given["list"].append(2)  # type: ignore[attr-defined]
        given["sub"]["a"] = 2  # type: ignore[index]
        assert store.the(NS, "k").value == {"list": [1], "sub": {"a": 1}}

    def test_changing_what_came_back_changes_nothing(self, store: Driver) -> None:
        store.put(NS, "k", {"list": [1]})
        store.the(NS, "k").value["list"].append(2)
        store.search(NS)[0].value["list"].append(3)
        store.search(NS)[0].value["new"] = True
        assert store.the(NS, "k").value == {"list": [1]}
        assert store.search(NS)[0].value == {"list": [1]}


KEYS = {
    "quotes": 'it\'s "quoted" `so`',
    "sql": "'); DROP TABLE items; --",
    "like": "100%_[a-z]*?\\",
    "braces": "{a}|#0~<>&",
    "path": "../a/b.c/./d",
    "space": "  ",
    "lines": "a\nb\r\tc",
    "nul": "a\0b",
    "surrogate": "\ud83d",
    "escaped": "\\u0000\\ud83d",
    "emoji": "🗝️",
    "zh": "钥匙",
    "upper": "ABC",
    "lower": "abc",
    "composed": "é",
    "decomposed": "e\u0301",
    "empty": "",
    "long": "".join(chr(0x4E00 + (n * n * 7919 + n) % 20_000) for n in range(660)),
}


class TestKeys:
    def test_any_text_is_a_key_of_its_own(self, store: Driver) -> None:
        for name, key in KEYS.items():
            store.put(NS, key, {"name": name})
        for name, key in KEYS.items():
            item = store.the(NS, key)
            assert (item.key, item.value) == (key, {"name": name})
        assert sorted(store.keys(NS, limit=100)) == sorted(KEYS.values())
        for key in KEYS.values():
            store.put(NS, key, {"name": "again"})
        assert len(store.keys(NS, limit=100, filter={"name": "again"})) == len(KEYS)
        for left, key in enumerate(KEYS.values(), 1):
            store.delete(NS, key)
            assert store.get(NS, key) is None
            assert len(store.keys(NS, limit=100)) == len(KEYS) - left

    @pytest.mark.parametrize("key", ["x" * 2_001, "钥" * 700, "\ud800" * 500])
    def test_longer_ones_are_refused_in_words(self, ours: Driver, key: str) -> None:
        """By the length that a database's index can hold, the same on all of them."""
        for use in (
            lambda: ours.put(NS, key, {}),
            lambda: ours.get(NS, key),
            lambda: ours.touch(NS, [key]),
        ):
            with pytest.raises(InvalidInputError, match=r"2.?000"):
                use()
        assert ours.search(NS) == []

"""What every store keeps to: the namespaces it lists, and any text as a label."""

from __future__ import annotations

import pytest
from contract.stores import Clock, Driver, Opener
from langgraph.store.base import ListNamespacesOp, MatchCondition, PutOp

from langgraph_memory.errors import InvalidInputError
from langgraph_memory.store import decode_label, encode_label

TREE = [
    ("agent:chat", "knowledge"),
    ("agent:chat", "user:1", "memories"),
    ("agent:chat", "user:1", "tasks"),
    ("agent:chat", "user:12", "memories"),
    ("agent:chat", "user:2", "memories", "archive"),
    ("agent:code", "user:1", "memories"),
    ("agent:code", "user:1", "memories", "archive"),
    ("memories",),
]


@pytest.fixture(scope="module")
def tree(open_once: Opener) -> Driver:
    """A store with a few namespaces, to be read only."""
    store = open_once()
    store.batch([PutOp(namespace, "k", {"v": 1}) for namespace in reversed(TREE)])
    return store


class TestListing:
    def test_all_of_them_sorted(self, tree: Driver) -> None:
        assert tree.list_namespaces() == TREE
        assert all(type(namespace) is tuple for namespace in tree.list_namespaces())
        assert tree.batch([ListNamespacesOp()]) == [TREE]

    def test_each_once(self, store: Driver) -> None:
        for namespace in [*TREE, *TREE]:
            store.put(namespace, str(len(namespace)), {})
            store.put(namespace, "another", {})
        assert store.list_namespaces() == TREE

    def test_sorted_by_label_and_not_by_joined_text(self, store: Driver) -> None:
        """A hyphen and a space come before a full stop or slash, in text."""
        names = [("a",), ("a", "x"), ("a b",), ("a-b", "c"), ("a/b",), ("ab",), ("é",), ("😀",)]
        for namespace in reversed(names):
            store.put(namespace, "k", {})
        assert store.list_namespaces() == sorted(names)

    @pytest.mark.parametrize(
        ("prefix", "places"),
        [
            (("agent:chat",), [0, 1, 2, 3, 4]),
            (("agent:chat", "user:1"), [1, 2]),
            (("agent:chat", "user:1", "memories"), [1]),
            (("agent:chat", "user"), []),
            (("*",), [0, 1, 2, 3, 4, 5, 6, 7]),
            (("*", "user:1"), [1, 2, 5, 6]),
            (("agent:chat", "*", "memories"), [1, 3, 4]),
            (("*", "*", "*", "*"), [4, 6]),
            (("agent:*",), []),
            ((), [0, 1, 2, 3, 4, 5, 6, 7]),
        ],
    )
    def test_by_prefix(self, tree: Driver, prefix: tuple[str, ...], places: list[int]) -> None:
        assert tree.list_namespaces(prefix=prefix) == [TREE[place] for place in places]

    @pytest.mark.parametrize(
        ("suffix", "places"),
        [
            (("memories",), [1, 3, 5, 7]),
            (("user:1", "memories"), [1, 5]),
            (("emories",), []),
            (("*",), [0, 1, 2, 3, 4, 5, 6, 7]),
            (("user:1", "*"), [1, 2, 5]),
            (("*", "archive"), [4, 6]),
            (("user:1", "*", "archive"), [6]),
            (("memories", "memories"), []),
            ((), [0, 1, 2, 3, 4, 5, 6, 7]),
        ],
    )
    def test_by_suffix(self, tree: Driver, suffix: tuple[str, ...], places: list[int]) -> None:
        assert tree.list_namespaces(suffix=suffix) == [TREE[place] for place in places]

    def test_by_both(self, tree: Driver) -> None:
        found = tree.list_namespaces(prefix=("agent:chat",), suffix=("memories",))
        assert found == [TREE[1], TREE[3]]
        conditions = (
            MatchCondition("prefix", ("agent:code",)),
            MatchCondition("prefix", ("*", "user:1")),
            MatchCondition("suffix", ("archive",)),
        )
        assert tree.batch([ListNamespacesOp(match_conditions=conditions)]) == [[TREE[6]]]

    def test_the_end_of_a_label_is_no_suffix(self, store: Driver) -> None:
        store.put(("team", "alice"), "k", {})
        store.put(("team", "malice"), "k", {})
        assert store.list_namespaces(suffix=("alice",)) == [("team", "alice")]

    def test_cut_to_a_depth(self, tree: Driver) -> None:
        assert tree.list_namespaces(max_depth=1) == [
            ("agent:chat",),
            ("agent:code",),
            ("memories",),
        ]
        assert tree.list_namespaces(prefix=("agent:chat",), max_depth=2) == [
            ("agent:chat", "knowledge"),
            ("agent:chat", "user:1"),
            ("agent:chat", "user:12"),
            ("agent:chat", "user:2"),
        ]
        # Cut after it was matched: the suffix speaks of the whole.
        assert tree.list_namespaces(suffix=("archive",), max_depth=2) == [
            ("agent:chat", "user:2"),
            ("agent:code", "user:1"),
        ]
        assert tree.list_namespaces(max_depth=9) == TREE

    def test_pages(self, tree: Driver) -> None:
        assert tree.list_namespaces(limit=3) == TREE[:3]
        assert tree.list_namespaces(limit=3, offset=6) == TREE[6:]
        assert tree.list_namespaces(limit=0) == []
        assert tree.list_namespaces(offset=8) == []
        # Pages are of what is left after cutting.
        assert tree.list_namespaces(max_depth=1, limit=1, offset=1) == [("agent:code",)]

    def test_a_hundred_unless_said_otherwise(self, store: Driver) -> None:
        store.batch([PutOp((f"n{number:03}",), "k", {}) for number in range(103)])
        assert len(store.list_namespaces()) == 100
        assert len(store.list_namespaces(limit=1_000)) == 103

    @pytest.mark.parametrize("given", [{"limit": -1}, {"offset": -1}])
    def test_negative_ones_are_errors(self, tree: Driver, given: dict[str, int]) -> None:
        with pytest.raises(ValueError, match="-1"):
            tree.list_namespaces(**given)

    def test_a_namespace_goes_with_its_last_item(self, store: Driver) -> None:
        store.put(("a",), "1", {})
        store.put(("a",), "2", {})
        store.put(("b",), "1", {})
        store.delete(("a",), "1")
        assert store.list_namespaces() == [("a",), ("b",)]
        store.delete(("a",), "2")
        assert store.list_namespaces() == [("b",)]
        store.put(("a",), "3", {})
        assert store.list_namespaces() == [("a",), ("b",)]

    def test_reading_makes_no_namespace(self, store: Driver) -> None:
        store.get(("x",), "k")
        store.search(("y",), query="words")
        store.delete(("z",), "k")
        assert store.list_namespaces() == []

    def test_touching_and_failing_make_no_namespace(self, ours: Driver, clock: Clock) -> None:
        ours.touch(("t",), ["k"])
        with pytest.raises(Exception, match="version"):
            ours.put_if_version(("v",), "k", {}, version=clock.now)
        with pytest.raises(ValueError):
            ours.put(("w",), "k", {"v": object()})
        assert ours.list_namespaces() == []


LABELS = [
    "plain",
    "two words",
    " space around ",
    "o'neil",
    '"quoted"',
    "back\\slash",
    "100%",
    "under_score",
    "und%r",
    "*",
    "**",
    "a*",
    "?",
    "[abc]",
    "[!x]",
    "{a,b}",
    "/",
    "-",
    "--",
    ";",
    "'); DROP TABLE namespaces; --",
    "$1",
    ":name",
    "%s",
    "%(x)s",
    "null",
    "None",
    "line\nfeed",
    "tab\t",
    "\x01",
    "\x7f",
    "ünïcode",
    "u\u0308",
    "日本",
    "日本語",
    "👩‍🚀",
    "\ud83d",
    "\ude80",
    "\ud7ff",
    "\uffff",
    "\U0010ffff",
    "UPPER",
    "upper",
]


class TestLabels:
    def test_any_text_is_a_label_of_its_own(self, store: Driver) -> None:
        """In the middle, at the beginning and at the end of a namespace."""
        shapes = [("m", "*", "end"), ("*",), ("e", "*")]
        names = [
            tuple(label if part == "*" else part for part in shape)
            for label in LABELS
            for shape in shapes
        ]
        store.batch([PutOp(name, "k", {"at": place}) for place, name in enumerate(names)])
        for place, name in enumerate(names):
            item = store.the(name, "k")
            assert (item.namespace, item.value) == (name, {"at": place})
            found = store.search(name, limit=1_000)
            assert [hit.namespace for hit in found] == [name]
        assert set(store.list_namespaces(limit=1_000)) == set(names)
        assert len(store.list_namespaces(prefix=("m",), limit=1_000)) == len(LABELS)
        assert len(store.list_namespaces(suffix=("end",), limit=1_000)) == len(LABELS)
        for label in LABELS:
            if label != "*":
                assert store.list_namespaces(prefix=("m", label)) == [("m", label, "end")]
                assert store.list_namespaces(suffix=(label, "end")) == [("m", label, "end")]
                assert store.list_namespaces(prefix=(label,)) == [(label,)]

    def test_long_ones(self, store: Driver) -> None:
        """Of characters that take three bytes and do not compress."""
        long = "".join(chr(0x4E00 + (n * n * 7919 + n) % 20_000) for n in range(650))
        names = [("long", long), ("long", f"{long[:-1]}~"), (long, "x")]
        for name in names:
            store.put(name, "k", {"text": "walrus"})
        for name in names:
            assert [hit.namespace for hit in store.search(name)] == [name]
            assert [hit.namespace for hit in store.search(name, query="walrus")] == [name]
        assert set(store.list_namespaces()) == set(names)

    @pytest.mark.parametrize("label", ["x" * 2_001, "名" * 700, "\ud800" * 500])
    def test_long_ones_are_refused_in_words(self, ours: Driver, label: str) -> None:
        with pytest.raises(InvalidInputError, match=r"2.?000"):
            ours.put((label,), "k", {})
        with pytest.raises(InvalidInputError, match=r"2.?000"):
            ours.search((label,))

    def test_many_segments(self, store: Driver) -> None:
        name = tuple(f"s{number}" for number in range(80))
        store.put(name, "k", {})
        assert store.keys(name[:-1]) == ["k"]
        assert store.list_namespaces(suffix=name[-2:]) == [name]

    def test_any_text_as_a_legal_label(self, ours: Driver) -> None:
        texts = [
            "anna@example.com",
            "...",
            "a%2Eb",
            "nul\0",
            "\ud83d",
            "100%",
            "日本",
            "x",
            "%u0041",
        ]
        for text in texts:
            ours.put(("user", encode_label(text)), "k", {"v": 1})
        assert {decode_label(name[1]) for name in ours.list_namespaces()} == set(texts)

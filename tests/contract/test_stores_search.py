"""What every store keeps to: what a query finds, by meaning and by words, and in which order."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest
from contract.stores import START, Clock, Driver, Opener, pages
from embedders import DIMS, WordEmbeddings
from langgraph.store.base import PutOp

from langgraph_memory.errors import InvalidInputError
from langgraph_memory.records import MemoryRecord
from langgraph_memory.store import MemoryHit, Weights

NS = ("agent:chat", "user:3", "memories")
MODES = ("hybrid", "vector", "keyword")
NOTES = {
    "car": "Bought a used automobile in spring",
    "doctor": "Sees a physician every March",
    "code": "The build number of the release is QX-7741-B",
    "garden": "Grows tomatoes and runner beans in the garden",
    "running": "He runs along the river before breakfast",
    "boat": "Keeps a small boat at the lake",
}

SCRIPTS_NS = ("scripts",)
SCRIPTS = {
    "cloud": "服务器部署在腾讯云的国内节点",
    "cat": "她养了一只猫，叫小白。",
    "nuts": "对花生过敏",
    "game": "今日は成語しりとりをした",
    "korean": "사자성어 놀이를 했다",
    "english": "plays word games",
}

FORMS = [
    ("Lives in Zürich", "zurich"),
    ("Lives in Zurich", "ZÜRICH"),
    ("Cafe\u0301 Central", "café"),
    ("ＦＵＬＬ width", "full"),
    ("Привет, мир", "МИР"),
    ("writes to anna@example.com", "anna@example.com"),
    ("calls get_user_name()", "get_user_name"),
    ("version 3.11.7", "3.11.7"),
    ("costs $1,000", "1000"),
    ("O'Neil's shop", "o'neil"),
]


def index(embed: Any = None, **given: Any) -> dict[str, Any]:
    return {"dims": DIMS, "embed": embed or WordEmbeddings(), "fields": ["text"], **given}


@pytest.fixture
def notes(open_store: Opener) -> Driver:
    """A store with an embedder and a few notes."""
    store = open_store(index=index())
    store.batch([PutOp(NS, key, {"text": text}) for key, text in NOTES.items()])
    return store


@pytest.fixture
def our_notes(open_ours: Opener, notes: Driver) -> Driver:
    """The same in a store of this package."""
    return notes


@pytest.fixture(scope="module")
def words_only(open_ours_once: Opener) -> Driver:
    """A store without an embedder, to be read only."""
    store = open_ours_once()
    for key, text in SCRIPTS.items():
        store.put(SCRIPTS_NS, key, {"text": text})
    store.batch([PutOp(NS, key, {"text": text}) for key, text in NOTES.items()])
    return store


class TestByMeaning:
    def test_other_words_for_the_same(self, notes: Driver) -> None:
        assert notes.keys(NS, query="vehicle", limit=1) == ["car"]
        assert notes.keys(NS, query="医生", limit=1) == ["doctor"]

    def test_only_by_vectors(self, our_notes: Driver) -> None:
        assert our_notes.found(NS, "vehicle", mode="vector", limit=1) == ["car"]
        assert our_notes.found(NS, "vehicle", mode="keyword") == []
        assert our_notes.found(NS, "vehicle", limit=1) == ["car"]

    def test_scores(self, notes: Driver) -> None:
        found = notes.search(NS, query="sees a physician", limit=6)
        scores = [item.score for item in found]
        assert all(score is not None and math.isfinite(score) for score in scores)
        assert scores == sorted(scores, key=lambda score: -(score or 0))
        assert found[0].key == "doctor"

    def test_the_same_text_has_similarity_one(self, our_notes: Driver) -> None:
        hit = our_notes.find(NS, NOTES["boat"], mode="vector", limit=1)[0]
        assert hit.key == "boat"
        assert hit.similarity == pytest.approx(1.0, abs=1e-5)
        assert hit.score == pytest.approx(1.0, abs=1e-5)

    def test_exact_beyond_any_number_of_others(self, open_ours: Opener) -> None:
        """The nearest of a namespace, not of the store and whatever of it is left."""
        embed = WordEmbeddings()
        store = open_ours(index=index(embed))
        crowd = [
            PutOp(("crowd", str(n % 40)), str(n), {"text": f"cars and boats {n}"})
            for n in range(1_200)
        ]
        store.batch(crowd)
        mine = {f"m{n}": f"note {n} on item {n * n % 101} and {n % 7}" for n in range(120)}
        store.batch([PutOp(NS, key, {"text": text}) for key, text in mine.items()])
        query = "cars and note 16 on item 54"
        asked = embed.vector(query)

        def cosine(text: str) -> float:
            vector = embed.vector(text)
            product = sum(a * b for a, b in zip(asked, vector, strict=True))
            return product / (math.hypot(*asked) * math.hypot(*vector))

        found = store.find(NS, query, mode="vector", limit=120)
        assert {hit.key for hit in found} == set(mine)
        for hit in found:
            assert hit.similarity == pytest.approx(cosine(mine[hit.key]), abs=1e-5)
        similarities = [hit.similarity or 0.0 for hit in found]
        assert similarities == sorted(similarities, reverse=True)

    def test_the_best_of_several_texts(self, open_store: Opener) -> None:
        store = open_store(index=index() | {"fields": ["title", "parts[*]"]})
        store.put(NS, "both", {"title": "Letters", "parts": ["about a house", "about a car"]})
        store.put(NS, "neither", {"title": "More letters", "parts": ["about tomatoes", "weather"]})
        for query in ("dwelling", "automobile", "letters"):
            assert store.keys(NS, query=query, limit=1) == ["both"]
        assert len(store.keys(NS, query="dwelling automobile letters")) == 2

    def test_a_field_that_is_missing_is_left_out(self, open_store: Opener) -> None:
        store = open_store(index=index() | {"fields": ["title", "text"]})
        store.put(NS, "one", {"text": "a glad person"})
        store.put(NS, "none", {"other": "a glad person"})
        store.put(NS, "null", {"text": None})
        assert store.keys(NS, query="happy", limit=1) == ["one"]

    def test_a_text_without_direction(self, open_ours: Opener) -> None:
        """A vector of zeros is near nothing, and harms nothing."""
        store = open_ours(index=index())
        store.put(NS, "zero", {"text": "!!! ???"})
        store.put(NS, "car", {"text": "car"})
        hits = store.find(NS, "vehicle", mode="vector")
        assert hits[0].key == "car"
        assert all(math.isfinite(hit.score or 0) for hit in hits)
        assert all(hit.similarity == 0 for hit in hits if hit.key == "zero")
        found = store.find(NS, "...", mode="vector")
        assert all(hit.score == 0 for hit in found)
        store.find(NS, "...")

    def test_opposite_directions_stay_within_the_scale(self, open_ours: Opener) -> None:
        def embed(texts: list[str]) -> list[list[float]]:
            return [[-1.0, 0.0] if "anti" in text else [1.0, 0.0] for text in texts]

        store = open_ours(index={"dims": 2, "embed": embed, "fields": ["text"]})
        store.put(NS, "a", {"text": "matter"})
        store.put(NS, "b", {"text": "antimatter"})
        for mode in ("hybrid", "vector"):
            hits = store.find(NS, "matter", mode=mode)
            assert hits[0].key == "a"
            assert all(0 <= (hit.score or 0) <= 1 for hit in hits)
        assert store.find(NS, "matter", mode="vector")[1].similarity == pytest.approx(-1)


class TestByWords:
    def test_an_exact_name_only_words_know(self, our_notes: Driver) -> None:
        assert our_notes.found(NS, "QX-7741-B", mode="keyword") == ["code"]
        assert our_notes.found(NS, "qx 7741", mode="keyword") == ["code"]
        assert our_notes.found(NS, "QX-7741-B")[0] == "code"

    @pytest.mark.parametrize(
        ("query", "key"),
        [
            ("run", "running"),
            ("RUNNING", "running"),
            ("tomato", "garden"),
            ("growing", "garden"),
            ("boats", "boat"),
            ("keeping lakes", "boat"),
        ],
    )
    def test_english_words_by_their_stem(self, words_only: Driver, query: str, key: str) -> None:
        assert words_only.found(NS, query, mode="keyword") == [key]

    def test_stop_words_find_nothing_beside_others(self, words_only: Driver) -> None:
        assert words_only.found(NS, "what is the boat", mode="keyword") == ["boat"]

    def test_rare_words_count_more(self, ours: Driver) -> None:
        ours.batch([PutOp(NS, f"c{n}", {"text": f"coffee at the station {n}"}) for n in range(20)])
        ours.put(NS, "rare", {"text": "saffron at the market"})
        assert ours.found(NS, "coffee saffron", mode="keyword", limit=1) == ["rare"]

    def test_how_rare_is_the_namespaces_own_affair(self, ours: Driver) -> None:
        ours.batch([PutOp(NS, f"c{n}", {"text": f"coffee house {n}"}) for n in range(20)])
        ours.put(NS, "rare", {"text": "saffron house"})
        before = [
            (hit.key, hit.score, hit.keyword) for hit in ours.find(NS, "coffee saffron", limit=50)
        ]
        others = [PutOp(("other", str(n)), "k", {"text": "saffron " * 9}) for n in range(60)]
        ours.batch(others)
        after = [
            (hit.key, hit.score, hit.keyword) for hit in ours.find(NS, "coffee saffron", limit=50)
        ]
        assert before == after

    def test_more_often_and_shorter_count_more(self, ours: Driver) -> None:
        ours.put(NS, "once", {"text": "walrus with a great many other words around it here"})
        ours.put(NS, "twice", {"text": "walrus and walrus"})
        ours.put(NS, "none", {"text": "penguin"})
        assert ours.found(NS, "walrus", mode="keyword") == ["twice", "once"]

    def test_all_words_of_the_query_count(self, ours: Driver) -> None:
        ours.put(NS, "both", {"text": "blue bicycle"})
        ours.put(NS, "blue", {"text": "blue door"})
        ours.put(NS, "bicycle", {"text": "bicycle shed"})
        found = ours.found(NS, "blue bicycle", mode="keyword")
        assert found[0] == "both"
        assert set(found) == {"both", "blue", "bicycle"}

    @pytest.mark.parametrize(
        ("query", "keys"),
        [
            ("云", {"cloud"}),
            ("部署", {"cloud"}),
            ("腾讯云", {"cloud"}),
            ("国内节点", {"cloud"}),
            ("猫", {"cat"}),
            ("花生", {"nuts"}),
            ("しりとり", {"game"}),
            ("성어", {"korean"}),
            ("节点上的猫", {"cloud", "cat"}),
            ("龙", set()),
        ],
    )
    def test_chinese_without_a_dictionary(
        self, words_only: Driver, query: str, keys: set[str]
    ) -> None:
        assert set(words_only.found(SCRIPTS_NS, query, mode="keyword")) == keys

    def test_scripts_mixed(self, ours: Driver) -> None:
        ours.put(NS, "mixed", {"text": "用Python写后端，数据库是PostgreSQL 16"})
        for query in ("python", "后端", "postgresql", "16", "数据库"):
            assert ours.found(NS, query, mode="keyword") == ["mixed"], query

    def test_forms_of_writing(self, ours: Driver) -> None:
        for place, (text, _) in enumerate(FORMS):
            ours.put(NS, str(place), {"text": text})
        for place, (_, query) in enumerate(FORMS):
            others = {"0", "1"} - {str(place)} if place < 2 else set()
            assert set(ours.found(NS, query, mode="keyword")) - others == {str(place)}, query

    def test_a_query_of_nothing_to_look_for(self, words_only: Driver) -> None:
        for query in ("!?", "...", "🙂", "\0", "\ud800"):
            assert words_only.find(NS, query, mode="keyword") == []

    def test_very_long_texts_and_queries(self, ours: Driver) -> None:
        ours.put(NS, "long", {"text": "lorem ipsum " * 20_000 + "walrus"})
        ours.put(NS, "word", {"text": "x" * 100_000})
        assert ours.found(NS, "walrus", mode="keyword") == ["long"]
        assert ours.found(NS, "x" * 100_000, mode="keyword") == ["word"]
        many = " ".join(f"word{number}" for number in range(3_000))
        assert ours.found(NS, f"{many} walrus", mode="keyword") == ["long"]

    def test_without_an_embedder(self, words_only: Driver) -> None:
        assert words_only.keys(NS, query="tomatoes") == ["garden"]
        assert words_only.found(NS, "tomatoes", mode="hybrid") == ["garden"]
        with pytest.raises(InvalidInputError, match="embedder"):
            words_only.find(NS, "tomatoes", mode="vector")


class TestFused:
    def test_what_either_side_finds(self, our_notes: Driver) -> None:
        found = our_notes.found(NS, "vehicle QX-7741-B")
        assert set(found[:2]) == {"car", "code"}

    def test_both_together_are_better_than_one(self, our_notes: Driver) -> None:
        our_notes.put(NS, "both", {"text": "The automobile is parked at the river"})
        assert our_notes.found(NS, "where is the vehicle parked")[0] == "both"

    def test_a_side_that_finds_nothing_does_not_count(self, our_notes: Driver) -> None:
        """Neither the order nor the scores of the other side suffer."""
        by_meaning = our_notes.find(NS, "vehicle", mode="vector")
        fused = our_notes.find(NS, "vehicle")
        assert [hit.key for hit in fused] == [hit.key for hit in by_meaning]
        assert all(hit.keyword is None for hit in fused)

    def test_the_parts_of_a_score(self, our_notes: Driver) -> None:
        hits = {hit.key: hit for hit in our_notes.find(NS, "physician in the garden")}
        assert all(type(hit) is MemoryHit for hit in hits.values())
        assert hits["doctor"].similarity is not None
        assert hits["doctor"].keyword is not None
        assert hits["doctor"].keyword > 0
        assert hits["boat"].keyword is None
        found = our_notes.search(NS, query="physician in the garden")
        assert [(hit.key, hit.score) for hit in found] == [
            (hit.key, hit.score) for hit in hits.values()
        ]
        assert type(found[0]) is MemoryHit

    @pytest.mark.parametrize("mode", MODES)
    def test_scores_are_sorted_and_from_0_to_1(self, our_notes: Driver, mode: str) -> None:
        our_notes.batch(
            [PutOp(NS, f"x{n}", {"text": f"the boat {'boat ' * (n % 5)} {n}"}) for n in range(40)]
        )
        for query in ("boat", "physician boat", "garden QX-7741-B vehicle", "nothing of it"):
            hits = our_notes.find(NS, query, mode=mode, limit=100)
            scores = [hit.score for hit in hits]
            assert all(isinstance(score, float) and 0 <= score <= 1 for score in scores)
            assert scores == sorted(scores, reverse=True)  # type: ignore[type-var]

    @pytest.mark.parametrize("mode", MODES)
    def test_ties_newest_first(self, our_notes: Driver, mode: str) -> None:
        for key in ("t1", "t3", "t2"):
            our_notes.put(NS, key, {"text": "zeppelin"})
        assert our_notes.found(NS, "zeppelin", mode=mode, limit=3) == ["t2", "t3", "t1"]

    @pytest.mark.parametrize("mode", MODES)
    def test_ties_of_one_moment_by_key(self, open_ours: Opener, clock: Clock, mode: str) -> None:
        """Which only items of different namespaces can be: in the same order on every page."""
        store = open_ours(index=index(), clock=clock)
        for label in "dacb":
            store.put(("tie", label), f"k{label}", {"text": "zeppelin"})
        found = store.found(("tie",), "zeppelin", mode=mode)
        assert found == ["ka", "kb", "kc", "kd"]
        paged = [
            store.found(("tie",), "zeppelin", mode=mode, limit=1, offset=place)[0]
            for place in range(4)
        ]
        assert paged == found

    @pytest.mark.parametrize("mode", MODES)
    def test_pages_make_the_whole(self, our_notes: Driver, mode: str) -> None:
        our_notes.batch(
            [PutOp(NS, f"x{n}", {"text": f"boat and river {n % 9}"}) for n in range(150)]
        )
        whole = our_notes.found(NS, "boat river 4", mode=mode, limit=1_000)
        assert len(whole) == len(set(whole))
        assert len(whole) == {"keyword": 152, "vector": 156, "hybrid": 156}[mode]
        paged = [
            key
            for offset in range(0, len(whole) + 40, 40)
            for key in our_notes.found(NS, "boat river 4", mode=mode, limit=40, offset=offset)
        ]
        assert len(paged) == len(set(paged)) == len(whole)
        assert paged[:40] == whole[:40]

    @pytest.mark.parametrize("mode", MODES)
    def test_as_many_as_asked_for(self, our_notes: Driver, mode: str) -> None:
        others = [
            PutOp(("other", str(n % 30)), str(n), {"text": "boat " * (n % 4 + 1)})
            for n in range(900)
        ]
        our_notes.batch(others)
        our_notes.batch([PutOp(NS, f"x{n}", {"text": f"a boat {n}"}) for n in range(130)])
        for limit in (1, 5, 50, 130):
            assert len(our_notes.find(NS, "boat", mode=mode, limit=limit)) == limit
        assert our_notes.find(NS, "boat", mode=mode, limit=0) == []
        assert our_notes.find(NS, "boat", mode=mode, offset=10_000) == []

    def test_weights(self, our_notes: Driver) -> None:
        query = "vehicle tomatoes"
        only_words = Weights(keyword_short=1.0, keyword_long=1.0, brevity=0.0)
        only_meaning = Weights(keyword_short=0.0, keyword_long=0.0, brevity=0.0)
        words = our_notes.found(NS, query, weights=only_words)
        meaning = our_notes.found(NS, query, weights=only_meaning)
        assert words[0] == "garden"
        assert meaning == our_notes.found(NS, query, mode="vector")

    def test_what_cannot_be_asked(self, our_notes: Driver) -> None:
        for mode in ("fuzzy", "", None, "VECTOR"):
            with pytest.raises(InvalidInputError, match="mode"):
                our_notes.find(NS, "boat", mode=mode)
        for given in ({"limit": -1}, {"offset": -1}, {"limit": 1.5}):
            with pytest.raises(InvalidInputError):
                our_notes.find(NS, "boat", **given)

    def test_a_blank_query_lists(self, our_notes: Driver) -> None:
        for query, mode in itertools.product(("", "  ", "\n\u3000"), ("hybrid", "keyword")):
            hits = our_notes.find(NS, query, mode=mode, limit=2)
            assert [(hit.key, hit.score) for hit in hits] == [("boat", None), ("running", None)]
            assert hits[0].similarity is hits[0].keyword is None

    def test_with_a_filter(self, our_notes: Driver) -> None:
        our_notes.put(NS, "sold", {"text": "Sold the automobile", "year": 2024})
        our_notes.put(NS, "kept", {"text": "Washed the automobile", "year": 2025})
        condition = {"year": {"$gte": 2025}}
        for mode in ("hybrid", "vector"):
            assert our_notes.found(NS, "vehicle", mode=mode, filter=condition) == ["kept"]
        assert our_notes.keys(NS, query="washed", filter=condition) == ["kept"]
        assert our_notes.keys(NS, query="washed vehicle", filter={"year": 2020}) == []


class TestWhere:
    def test_below_a_prefix_and_nowhere_else(self, our_notes: Driver) -> None:
        for name in [("a",), ("a", "b"), ("a", "bc"), ("ab",), ("b", "a"), ("a b",), ("a", "*")]:
            our_notes.put(name, "/".join(name), {"text": "zeppelin"})
        for mode in MODES:
            found = our_notes.found(("a",), "zeppelin", mode=mode, limit=100)
            assert set(found) == {"a", "a/b", "a/bc", "a/*"}
            assert our_notes.found(("a", "b"), "zeppelin", mode=mode) == ["a/b"]
            assert our_notes.found(("a", "*"), "zeppelin", mode=mode) == ["a/*"]
            assert our_notes.found(("a", "c"), "zeppelin", mode=mode) == []
            assert len(our_notes.found((), "zeppelin", mode=mode, limit=7)) == 7

    def test_across_many_namespaces(self, open_ours: Opener) -> None:
        store = open_ours(index=index())
        for n in range(60):
            store.put(("team", f"user:{n}"), "k", {"text": f"likes number {n}"})
        store.put(("team", "user:31"), "car", {"text": "drives an automobile"})
        for mode in ("hybrid", "vector"):
            hit = store.find(("team",), "vehicle", mode=mode, limit=1)[0]
            assert (hit.namespace, hit.key) == (("team", "user:31"), "car")
        assert store.found(("team",), "number 44", mode="keyword", limit=1) == ["k"]

    def test_how_much_is_read_does_not_grow_with_others(self, open_ours: Opener) -> None:
        store = open_ours(index=index())
        mine = [PutOp(NS, f"k{n}", {"text": f"walrus and penguin {n}"}) for n in range(30)]
        store.batch(mine)

        def reads() -> dict[str, tuple[int, int, int, int]]:
            found = {}
            for mode in MODES:
                read = store.memory.explain(NS, "walrus 7", mode=mode).reads  # type: ignore[arg-type]
                found[mode] = (read.namespaces, read.items, read.postings, read.vectors)
            return found

        alone = reads()
        assert alone["vector"][3] == 30
        assert alone["vector"][2] == alone["keyword"][3] == 0
        # "walrus" in all of them, "7" in one.
        assert alone["keyword"][2] == 31
        others = [
            PutOp(("other", str(n)), "k", {"text": f"walrus 7 and penguin {n}"}) for n in range(700)
        ]
        store.batch(others)
        store.batch([PutOp((*NS[:2], "memories2"), "k", {"text": "walrus 7"})])
        assert reads() == alone


class TestWhatIsIndexed:
    def test_nothing_with_index_false(self, open_ours: Opener) -> None:
        store = open_ours(index=index())
        store.put(NS, "hidden", {"text": "zeppelin"}, index=False)
        for mode in MODES:
            assert store.find(NS, "zeppelin", mode=mode) == []
        assert store.keys(NS) == ["hidden"]
        assert store.the(NS, "hidden").value == {"text": "zeppelin"}

    def test_words_too_only_where_fields_say(self, open_ours: Opener) -> None:
        store = open_ours(index=index())
        store.put(NS, "k", {"text": "zeppelin", "secret": "walrus"})
        assert store.found(NS, "walrus", mode="keyword") == []
        assert store.found(NS, "zeppelin", mode="keyword") == ["k"]

    def test_fields_without_an_embedder(self, open_ours: Opener) -> None:
        store = open_ours(index={"fields": ["text"]})
        store.put(NS, "k", {"text": "zeppelin", "secret": "walrus"})
        assert store.keys(NS, query="walrus") == []
        assert store.keys(NS, query="zeppelin") == ["k"]

    def test_the_whole_value_by_default(self, open_ours: Opener) -> None:
        store = open_ours(index={"dims": DIMS, "embed": WordEmbeddings()})
        store.put(NS, "k", {"a": "zeppelin", "b": {"c": ["automobile", 42]}})
        assert store.found(NS, "vehicle", mode="vector") == ["k"]
        for query in ("zeppelin", "automobile", "42"):
            assert store.found(NS, query, mode="keyword") == ["k"], query

    def test_fields_of_one_put(self, open_store: Opener) -> None:
        store = open_store(index=index())
        store.put(NS, "title", {"text": "tomatoes", "title": "automobile"}, index=["title"])
        store.put(NS, "text", {"text": "beans", "title": "automobile"})
        assert store.keys(NS, query="vehicle", limit=1) == ["title"]

    def test_words_of_the_fields_of_one_put(self, open_ours: Opener) -> None:
        store = open_ours(index=index())
        store.put(
            NS,
            "k",
            {
                "text": "tomatoes",
                "meta": {"title": "zeppelin"},
                "list": [{"t": "jam"}, {"t": "tea"}],
            },
            index=["meta.title", "list[-1].t"],
        )
        assert store.found(NS, "zeppelin", mode="keyword") == ["k"]
        assert store.found(NS, "tea", mode="keyword") == ["k"]
        assert store.found(NS, "tomatoes", mode="keyword") == []
        assert store.found(NS, "jam", mode="keyword") == []

    def test_what_is_no_list_of_fields(self, open_ours: Opener) -> None:
        store = open_ours(index=index())
        for wrong in ("text", [""], [3], True, 5):
            with pytest.raises(InvalidInputError, match="index"):
                store.put(NS, "k", {"text": "x"}, index=wrong)

    def test_a_new_put_takes_the_place_of_the_old(self, notes: Driver) -> None:
        notes.put(NS, "car", {"text": "Bought a bicycle"})
        assert notes.keys(NS, query="bicycle", limit=1) == ["car"]
        found = {item.key: item.score or 0 for item in notes.search(NS, query="vehicle")}
        assert found["car"] < 0.3

    def test_nothing_is_left_of_the_old(self, our_notes: Driver) -> None:
        our_notes.put(NS, "car", {"text": "Bought a bicycle"})
        assert our_notes.found(NS, "automobile", mode="keyword") == []
        best = our_notes.find(NS, "automobile", mode="vector", limit=1)[0]
        assert (best.similarity or 0) < 0.3

    def test_index_false_takes_it_away(self, open_store: Opener) -> None:
        store = open_store(index=index())
        store.put(NS, "k", {"text": "zeppelin"})
        store.put(NS, "other", {"text": "tomatoes"})
        store.put(NS, "k", {"text": "zeppelin"}, index=False)
        assert "k" not in [item.key for item in store.search(NS, query="zeppelin") if item.score]

    def test_only_what_is_indexed_is_found(self, notes: Driver) -> None:
        notes.put(NS, "hidden", {"text": "zeppelin"}, index=False)
        assert "hidden" not in notes.keys(NS, query="zeppelin", limit=100)
        assert "hidden" in notes.keys(NS, limit=100)

    def test_a_shorter_list_takes_the_rest_away(self, open_store: Opener) -> None:
        store = open_store(index=index() | {"fields": ["parts[*]"]})
        store.put(NS, "k", {"parts": ["tomatoes", "beans", "automobile"]})
        store.put(NS, "k", {"parts": ["tomatoes"]})
        store.put(NS, "other", {"parts": ["automobile and weather"]})
        assert store.keys(NS, query="automobile", limit=1) == ["other"]

    def test_deleted_items_are_gone(self, notes: Driver) -> None:
        notes.delete(NS, "car")
        assert "car" not in notes.keys(NS, query="vehicle", limit=100)
        assert "car" not in notes.keys(NS, query="bought used automobile", limit=100)

    def test_a_deleted_one_put_again_without_index(self, our_notes: Driver) -> None:
        our_notes.delete(NS, "car")
        our_notes.put(NS, "car", {"text": "Bought a used automobile"}, index=False)
        for mode in MODES:
            assert "car" not in our_notes.found(NS, "used automobile", mode=mode, limit=100)

    def test_a_record_by_its_content(self, open_ours: Opener) -> None:
        store = open_ours(index=index())
        record = MemoryRecord(
            content="The user is intolerant of groundnuts.",
            created_at=START,
            keywords=("zeppelin",),
            source_thread_id="walrus",
        )
        store.put(NS, "k", record.to_value())
        assert store.found(NS, "allergic peanuts", mode="vector") == ["k"]
        assert store.found(NS, "花生过敏", mode="vector") == ["k"]
        assert store.found(NS, "groundnuts", mode="keyword") == ["k"]
        assert store.found(NS, "walrus", mode="keyword") == []
        assert store.found(NS, "fact", mode="keyword") == []

    def test_a_record_on_what_the_put_says(self, open_ours: Opener) -> None:
        store = open_ours(index=index())
        record = MemoryRecord(content="Likes tea.", created_at=START, extractor="zeppelin")
        store.put(NS, "k", record.to_value(), index=["extractor"])
        assert store.found(NS, "zeppelin", mode="keyword") == ["k"]
        assert store.found(NS, "tea", mode="keyword") == []

    def test_filtered_by_what_is_not_indexed(self, notes: Driver) -> None:
        notes.put(NS, "new", {"text": "Bought an automobile", "price": 12_000})
        assert notes.keys(NS, query="vehicle", filter={"price": 12_000}) == ["new"]


def test_pages_of_a_search_by_words(open_store: Opener) -> None:
    store = open_store(index=index())
    store.batch([PutOp(NS, f"k{n}", {"text": f"automobile {n}"}) for n in range(25)])
    assert len(set(pages(store, NS, 10, query="automobile"))) == 25


def test_a_clock_that_goes_back_does_not_disturb(open_ours: Opener, clock: Clock) -> None:
    store = open_ours(index=index(), clock=clock)
    store.put(NS, "a", {"text": "zeppelin"})
    clock.advance(minutes=-60)
    store.put(NS, "a", {"text": "automobile"})
    assert store.found(NS, "vehicle", mode="vector", limit=1) == ["a"]
    assert store.found(NS, "zeppelin", mode="keyword") == []

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
import snowballstemmer
from hypothesis import given
from hypothesis import strategies as st

from langgraph_memory.store.analysis import MAX_TERM_LENGTH, query_terms, terms

ANY_TEXT = st.text(st.characters())  # With surrogates and control characters.


def meet(stored: str, asked: str) -> bool:
    """Whether a query finds a text by its keywords."""
    return bool(terms(stored).keys() & query_terms(asked).keys())


class TestEnglish:
    @pytest.mark.parametrize(
        ("stored", "asked"),
        [
            ("She paints every sunrise", "painting"),
            ("They adopted two cats", "adoption of a cat"),
            ("We went hiking", "to go hike"),
            ("Bob bought a boat", "What did Bob buy?"),
            ("The children are asleep", "a child"),
            ("Caroline's piano", "caroline"),
            ("She\u2019s at the caf\u00e9", "cafe"),
            ("\uff33\uff31\uff2c\uff29\uff54\uff45", "sqlite"),
            ("STRASSE", "stra\u00dfe"),
            ("\ufb01ne print", "fine"),
        ],
    )
    def test_forms_of_a_word_meet(self, stored: str, asked: str) -> None:
        assert meet(stored, asked)

    @pytest.mark.parametrize(
        ("stored", "asked"),
        [("a general", "generic"), ("policy", "police"), ("C", "C++"), ("1.5 litres", "15")],
    )
    def test_other_words_do_not(self, stored: str, asked: str) -> None:
        assert not meet(stored, asked)

    def test_each_occurrence_counts(self) -> None:
        counted = terms("Tea, more tea, and teas.")
        assert counted["tea"] == 3

    def test_question_words_are_left_out(self) -> None:
        assert set(query_terms("When did you and I go to the museum?")) == set(terms("museum"))

    def test_nothing_but_stop_words_is_looked_for_as_it_is(self) -> None:
        assert set(query_terms("to be or not to be")) == {"to", "be", "or", "not"}
        assert meet("It is what it is", "what is it?")

    def test_contractions_are_stop_words_with_any_apostrophe(self) -> None:
        assert query_terms("don't you\u2019re sing") == {"sing": 1.0}

    def test_threads_do_not_mix_their_words(self) -> None:
        letters = "bcdfghjklmnpqrstvwz"
        words = [
            f"{one}o{two}a{three}{ending}"
            for one in letters
            for two in letters
            for three in letters[:6]
            for ending in ("ing", "ations", "fulness")
        ]
        parts = [words[start::8] for start in range(8)]
        with ThreadPoolExecutor(8) as threads:
            found = list(threads.map(lambda part: [[*terms(word)] for word in part], parts))
        stem = snowballstemmer.stemmer("english").stemWord
        assert found == [[[stem(word)] for word in part] for part in parts]


class TestIdentifiers:
    @pytest.mark.parametrize(
        ("stored", "asked"),
        [
            ("call foo_bar here", "fooBar"),
            ("call fooBar here", "foo_bar"),
            ("we use gpt-4", "GPT4"),
            ("we use gpt-4", "gpt"),
            ("write to ann.lee@example.com", "ann.lee@example.com"),
            ("write to ann.lee@example.com", "example"),
            ("C++ and C#", "c++"),
            ("std::vector", "vector"),
            ("paid 1,000 in all", "1000"),
            ("on 2024-03-05", "2024-03-05"),
            ("on 2024-03-05", "March 5"),
            ("version 3.11.7", "3.11.7"),
        ],
    )
    def test_they_meet(self, stored: str, asked: str) -> None:
        assert meet(stored, asked)

    def test_the_whole_of_one_tells_it_from_another_with_the_same_parts(self) -> None:
        assert terms("ann.lee@example.com").keys() - terms("lee.ann@example.com").keys()


class TestScriptsWithoutSpaces:
    @pytest.mark.parametrize(
        ("stored", "asked"),
        [
            ("我每天早上喝茶", "茶"),
            ("我每天早上喝茶", "早上"),
            ("他在用Java写代码", "java代码"),
            ("東京タワーに行きました", "タワー"),
            ("東京タワーに行きました", "京"),
            ("물을 마셔요", "물"),
            ("서울에서 살아요", "서울"),
            ("\U00020bb7野家", "\U00020bb7野"),
            ("สวัสดีครับ", "สวัสดี"),
            ("हिन्दी भाषा", "भाषा"),
            ("六月去旅行", "6月"),
            ("12月23日见", "十二月二十三日"),
        ],
    )
    def test_short_words_are_found(self, stored: str, asked: str) -> None:
        assert meet(stored, asked)

    def test_a_word_of_two_characters_is_more_than_its_characters(self) -> None:
        asked = query_terms("目标")
        apart, together = terms("标题和目光"), terms("新的目标")
        assert len(asked.keys() & together.keys()) > len(asked.keys() & apart.keys())

    def test_question_words_are_left_out_and_cut(self) -> None:
        asked = query_terms("小明什么时候吃饭？")
        assert {"小明", "吃饭"} <= asked.keys()
        assert not asked.keys() & {"什么", "时候", "明什", "候吃", "什"}

    def test_a_pair_with_a_particle_counts_less(self) -> None:
        asked = query_terms("看了电影")
        assert 0 < asked["看了"] < asked["电影"]
        assert "了" not in asked

    def test_a_question_word_alone_is_looked_for(self) -> None:
        assert meet("你说什么", "什么")

    def test_a_date_is_no_part_of_a_larger_number(self) -> None:
        assert "20日" not in terms("一百二十日")


class TestAnyText:
    @given(ANY_TEXT)
    def test_terms_can_be_stored_anywhere(self, text: str) -> None:
        found = terms(text)
        assert found == terms(text)
        for term, count in found.items():
            assert 1 <= len(term) <= MAX_TERM_LENGTH
            assert count >= 1
            assert "\0" not in term
            term.encode()

    @given(ANY_TEXT)
    def test_a_text_finds_itself(self, text: str) -> None:
        asked = query_terms(text)
        assert asked.keys() <= terms(text).keys()
        assert bool(asked) == bool(terms(text))
        assert all(weight > 0 for weight in asked.values())

    @given(st.text(st.characters(max_codepoint=127)))
    def test_plain_text_has_the_same_terms_beside_other_scripts(self, text: str) -> None:
        beside = terms(f"{text} é")
        beside.pop("e")
        alone = terms(text)
        alone.pop("e", None)
        assert {term: count for term, count in beside.items() if term != "e"} == alone

    def test_a_piece_beside_a_question_word_is_found_too(self) -> None:
        text = "\u3042什么\u3044"
        assert query_terms(text).keys() <= terms(text).keys()

    def test_a_long_word_is_cut(self) -> None:
        [term] = terms("x" * 5_000)
        assert term == "x" * MAX_TERM_LENGTH
        assert max(map(len, terms("-".join(["part"] * 100)))) == MAX_TERM_LENGTH

    @pytest.mark.parametrize("text", ["", " \n", "?!…", "\0", "\ud800", "🙂"])
    def test_without_letters_there_is_nothing_to_find(self, text: str) -> None:
        assert terms(text) == {}
        assert query_terms(text) == {}

    def test_nul_and_lone_surrogates_only_separate(self) -> None:
        assert terms("tea\0pot\ud800lid").keys() == {"tea", "pot", "lid"}

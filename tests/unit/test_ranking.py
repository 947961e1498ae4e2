from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from langgraph_memory.errors import InvalidInputError
from langgraph_memory.store.ranking import (
    Weights,
    attainable,
    bm25,
    fuse,
    keyword_score,
    term_rarity,
)

Array = NDArray[np.float64]
NAN = math.nan


def row(*values: float) -> Array:
    return np.array(values, dtype=np.float64)


def fused(similarity: Array, keyword: Array, **options: Any) -> Array:
    settings: dict[str, Any] = {
        "length": np.full(len(keyword), 20.0),
        "mean_length": 20.0,
        "attainable": 10.0,
    }
    return fuse(similarity, keyword, **(settings | options))


def order(scores: Array) -> list[int]:
    return [int(place) for place in np.argsort(-scores, kind="stable")]


class TestWeights:
    def test_the_defaults_are_usable(self) -> None:
        assert Weights() == Weights()

    @pytest.mark.parametrize("field", Weights.__dataclass_fields__)
    @pytest.mark.parametrize("value", [-0.1, NAN, math.inf, "1", None, True])
    def test_what_is_no_weight_is_refused(self, field: str, value: Any) -> None:
        with pytest.raises(InvalidInputError, match=field):
            Weights(**{field: value})

    @pytest.mark.parametrize("field", ["keyword_short", "keyword_long", "coverage", "b"])
    def test_shares_end_at_one(self, field: str) -> None:
        Weights(**{field: 1})
        with pytest.raises(InvalidInputError, match="from 0 to 1"):
            Weights(**{field: 1.01})

    def test_all_zero_is_allowed_and_finite(self) -> None:
        none = Weights(**dict.fromkeys(Weights.__dataclass_fields__, 0))
        scored = fuse(
            row(0.4, 0.2), row(0, 1), length=row(0, 0), mean_length=0, attainable=0, weights=none
        )
        assert np.isfinite(scored).all()
        assert np.isfinite(bm25(row(1), row(0), df=1, items=1, mean_length=0, weights=none)).all()


class TestBm25:
    def test_plain_bm25_is_a_setting(self) -> None:
        plain = Weights(rarity=1, k1=1.5, b=0.75, padding=0)
        got = bm25(row(2), row(30), df=3, items=100, mean_length=20, weights=plain)
        idf = math.log(1 + (100 - 3 + 0.5) / (3 + 0.5))
        assert got == pytest.approx(idf * 2 * 2.5 / (2 + 1.5 * (0.25 + 0.75 * 30 / 20)))

    def test_more_is_better_but_less_and_less(self) -> None:
        first, second, third = bm25(row(1, 2, 3), row(20, 20, 20), df=3, items=50, mean_length=20)
        assert 0 < third - second < second - first

    def test_a_longer_text_gets_less_for_the_same(self) -> None:
        short, long = bm25(row(1, 1), row(10, 40), df=2, items=50, mean_length=20)
        assert long < short

    def test_rare_terms_tell_more(self) -> None:
        rarities = [term_rarity(df, 100) for df in (0, 1, 10, 50, 100)]
        assert rarities == sorted(rarities, reverse=True)
        assert rarities[-1] > 0

    def test_more_items_than_counted_are_no_error(self) -> None:
        assert term_rarity(12, 10) > 0

    def test_the_weight_of_a_term_multiplies(self) -> None:
        once = bm25(row(1), row(10), df=2, items=9, mean_length=10)
        assert bm25(row(1), row(10), df=2, items=9, mean_length=10, weight=0.5) == once / 2

    def test_attainable_is_a_mean_text_with_each_term_once(self) -> None:
        total = sum(
            float(bm25(row(1), row(12), df=df, items=40, mean_length=12, weight=weight)[0])
            for df, weight in ((3, 1.0), (7, 0.5))
        )
        asked = {"tea": 1.0, "喝茶": 0.5}
        assert attainable(asked, {"tea": 3, "喝茶": 7}, 40) == pytest.approx(total)

    def test_a_term_that_is_nowhere_is_attainable_too(self) -> None:
        assert attainable({"tea": 1.0, "yak": 1.0}, {"tea": 3}, 40) > attainable(
            {"tea": 1.0}, {"tea": 3}, 40
        )


class TestKeywordScore:
    def test_the_best_is_one(self) -> None:
        assert keyword_score(row(4, 1, 0)).tolist() == [1, 0.25, 0]

    def test_nothing_found_is_zero(self) -> None:
        assert keyword_score(row(0, 0)).tolist() == [0, 0]
        assert keyword_score(row()).size == 0


class TestFuse:
    def test_without_keywords_the_order_is_that_of_the_vectors(self) -> None:
        similarity = row(0.31, -0.2, 0.3, NAN, -0.4, 0.9, 0)
        assert order(fused(similarity, np.zeros(7), length=row(1, 90, 4, 5, 8, 2, 7))) == [
            5,
            0,
            2,
            6,
            1,
            4,
            3,
        ]

    def test_without_similarities_the_order_is_that_of_the_keywords(self) -> None:
        keyword = row(1, 5, 0, 3)
        for nothing in (np.full(4, NAN), row(-0.1, -0.2, 0, NAN)):
            scored = fused(nothing, keyword, length=row(50, 1, 1, 9))
            assert scored.tolist() == keyword_score(keyword).tolist()

    def test_found_by_both_is_best(self) -> None:
        scored = fused(row(0.5, 0.5, 0.1), row(5, 0, 5))
        assert order(scored)[0] == 0

    def test_short_texts_go_by_keywords_and_long_ones_by_vectors(self) -> None:
        similarity, keyword = row(0.5, 0.1), row(0, 10)
        short = fused(similarity, keyword, length=row(10, 10), mean_length=10)
        long = fused(similarity, keyword, length=row(900, 900), mean_length=900)
        assert order(short) == [1, 0]
        assert order(long) == [0, 1]

    def test_a_match_that_covers_next_to_nothing_gives_way_to_the_vectors(self) -> None:
        similarity, keyword = row(0.5, 0.3), row(0, 1)
        assert order(fused(similarity, keyword, attainable=2)) == [1, 0]
        assert order(fused(similarity, keyword, attainable=200)) == [0, 1]

    def test_among_equals_the_longer_of_short_texts_is_ahead(self) -> None:
        similarity, keyword = row(0.4, 0.4), row(3, 3)
        assert order(fused(similarity, keyword, length=row(3, 25), mean_length=20)) == [1, 0]

    def test_an_item_without_vector_is_found_by_its_words(self) -> None:
        scored = fused(row(NAN, 0.4), row(5, 0))
        assert scored[0] > 0

    def test_weights_are_obeyed(self) -> None:
        similarity, keyword = row(0.5, 0.1), row(1, 10)
        words = Weights(keyword_short=1, keyword_long=1, brevity=0)
        meaning = Weights(keyword_short=0, keyword_long=0, brevity=0)
        assert order(fused(similarity, keyword, weights=words)) == [1, 0]
        assert order(fused(similarity, keyword, weights=meaning)) == [0, 1]

    def test_no_candidates_no_scores(self) -> None:
        assert fused(row(), row()).size == 0

    @given(
        st.lists(
            st.tuples(
                st.floats(-1.01, 1.01) | st.just(NAN),
                st.just(0.0) | st.floats(0, 500),
                st.integers(0, 9_000),
            ),
            min_size=1,
            max_size=30,
        ),
        st.floats(0, 9_000),
        st.floats(0, 900),
    )
    def test_scores_are_from_0_to_1(
        self, items: list[tuple[float, float, int]], mean: float, reachable: float
    ) -> None:
        similarity, keyword, length = (row(*column) for column in zip(*items, strict=True))
        scored = fuse(similarity, keyword, length=length, mean_length=mean, attainable=reachable)
        assert scored.shape == keyword.shape
        assert ((scored >= 0) & (scored <= 1)).all()

    def test_more_candidates_do_not_change_the_scores_of_others(self) -> None:
        similarity, keyword, length = row(0.5, 0.2, 0.4), row(1, 9, 0), row(5, 20, 40)
        few = fused(similarity, keyword, length=length)
        many = fused(
            np.append(similarity, [0.1, -0.3]),
            np.append(keyword, [2, 0]),
            length=np.append(length, [9, 9]),
        )
        assert many[:3].tolist() == few.tolist()

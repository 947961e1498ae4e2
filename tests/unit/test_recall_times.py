from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langgraph_memory.recall import Span, spans
from langgraph_memory.recall.times import closeness

NOW = datetime(2024, 6, 12, 15, 30, tzinfo=UTC)  # A Wednesday.


def days(question: str, **options: datetime) -> list[tuple[str, str]]:
    """First and last day of each span."""
    return [
        (f"{span.start:%Y-%m-%d}", f"{span.end - timedelta(microseconds=1):%Y-%m-%d}")
        for span in spans(question, options.pop("now", NOW), **options)
    ]


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("What did we plan in May 2023?", "2023-05-01", "2023-05-31"),
        ("the dinner on 5 November, 2022", "2022-11-05", "2022-11-05"),
        ("the dinner on the 5th of November", "2023-11-05", "2023-11-05"),
        ("the dinner on May 3rd, 2021", "2021-05-03", "2021-05-03"),
        ("what happened 2023-05-08", "2023-05-08", "2023-05-08"),
        ("what did I buy in March?", "2024-03-01", "2024-03-31"),
        ("what did I buy in July?", "2023-07-01", "2023-07-31"),
        ("in early September 2023", "2023-09-01", "2023-09-10"),
        ("what changed in 2022?", "2022-01-01", "2022-12-31"),
        ("trips from March to May", "2024-03-01", "2024-05-31"),
        ("trips between May and July 2023", "2023-05-01", "2023-07-31"),
        ("what did I say yesterday?", "2024-06-11", "2024-06-11"),
        ("who called last week?", "2024-06-03", "2024-06-09"),
        ("who called last month?", "2024-05-01", "2024-05-31"),
        ("who called last Saturday?", "2024-06-08", "2024-06-08"),
        ("where was I last weekend?", "2024-06-08", "2024-06-09"),
        ("what did I cook two days ago?", "2024-06-10", "2024-06-10"),
        ("what did I read three weeks ago?", "2024-05-19", "2024-05-25"),
        ("concerts of the past three months", "2024-03-13", "2024-06-12"),
        ("2023年5月我去了哪里？", "2023-05-01", "2023-05-31"),
        ("二〇二三年十月买了什么？", "2023-10-01", "2023-10-31"),
        ("3月8日的聚餐", "2024-03-08", "2024-03-08"),
        ("十二月二十五号的聚餐", "2023-12-25", "2023-12-25"),
        ("4月2日至5日去了哪里", "2024-04-02", "2024-04-05"),
        ("从一月到三月的开销", "2024-01-01", "2024-03-31"),
        ("２月份的开销", "2024-02-01", "2024-02-29"),
        ("2024年2月底的开销", "2024-02-20", "2024-02-29"),
        ("昨天谁来过？", "2024-06-11", "2024-06-11"),
        ("上周我吃了什么？", "2024-06-03", "2024-06-09"),
        ("上周五我吃了什么？", "2024-06-07", "2024-06-07"),
        ("星期天我吃了什么？", "2024-06-09", "2024-06-09"),
        ("上个月的会议", "2024-05-01", "2024-05-31"),
        ("去年的会议", "2023-01-01", "2023-12-31"),
        ("三天前的会议", "2024-06-09", "2024-06-09"),
        ("最近两周的会议", "2024-05-29", "2024-06-12"),
    ],
)
def test_time_words_name_a_span(question, first, last):
    assert days(question) == [(first, last)]


def test_two_times_are_two_spans():
    assert days("compare May 2022 and June 2023") == [
        ("2022-05-01", "2022-05-31"),
        ("2023-06-01", "2023-06-30"),
    ]


@pytest.mark.parametrize(
    "question",
    [
        "",
        "May I ask about the march of the ants?",
        "What will we do next week?",
        "What shall I cook today? 今天吃什么？",
        "How many days ago did I buy it?",
        "on 31 September",
        "13月45日",
        "Room 2023 has 2024 chairs",
        "我一共有三个月饼",
        "\ud800 in the \0",
    ],
)
def test_other_words_name_none(question):
    assert spans(question, NOW) == ()


def test_a_month_without_year_is_the_latest_of_which_anything_is_known():
    assert days("in May", known_until=datetime(2021, 3, 1, tzinfo=UTC)) == [
        ("2020-05-01", "2020-05-31")
    ]


def test_days_are_those_of_the_asker():
    tokyo = timezone(timedelta(hours=9))
    [span] = spans("yesterday", datetime(2024, 6, 12, 1, tzinfo=tokyo))
    assert span.start.astimezone(UTC) == datetime(2024, 6, 10, 15, tzinfo=UTC)


@given(st.text(alphabet="0123456789年月日号周前上去last weekago May-/一十两个至 ", max_size=40))
def test_any_text_gives_spans_that_begin_before_they_end(text):
    for span in spans(text, NOW):
        assert span.start < span.end


def test_closeness_falls_with_the_distance_and_more_slowly_afterwards():
    may = (Span(datetime(2024, 5, 1, tzinfo=UTC), datetime(2024, 6, 1, tzinfo=UTC)),)

    def near(month: int, day: int) -> float:
        return closeness(datetime(2024, month, day, tzinfo=UTC), may, 0.3, 0.5)

    assert near(5, 1) == near(5, 31) == 1.0
    assert 1.0 > near(6, 5) > near(6, 20) > near(9, 1) > 0.0
    assert near(6, 11) > near(4, 20)
    assert closeness(NOW, (), 0.3, 0.5) == 0.0

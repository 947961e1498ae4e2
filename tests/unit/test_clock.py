"""The clock, its setting in tests, and the text form of a moment."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langgraph_memory import clock
from langgraph_memory.errors import InvalidInputError

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
moments = st.datetimes(
    datetime(1, 1, 3),
    datetime(9999, 12, 29),
    timezones=st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes))),
)


def test_now_is_aware_in_utc_and_goes_on() -> None:
    before = datetime.now(UTC)
    shown = clock.now()
    assert before <= shown <= datetime.now(UTC)
    assert shown.tzinfo is UTC


def test_a_set_clock_stands_still_in_every_thread_and_goes_on_after() -> None:
    with ThreadPoolExecutor(1) as pool:
        with clock.set_to(NOON):
            assert clock.now() == NOON
            assert pool.submit(clock.now).result() == NOON
        assert pool.submit(clock.now).result() > NOON


def test_a_source_is_asked_each_time_and_brought_to_utc() -> None:
    shown = iter(NOON.astimezone(timezone(timedelta(hours=8))) + timedelta(days=n) for n in (0, 1))
    with clock.set_to(lambda: next(shown)):
        first, second = clock.now(), clock.now()
    assert (first, second) == (NOON, NOON + timedelta(days=1))
    assert first.tzinfo is UTC


def test_settings_nest_and_end_with_an_error() -> None:
    with clock.set_to(NOON):
        with pytest.raises(KeyError), clock.set_to(NOON + timedelta(days=1)):
            raise KeyError
        assert clock.now() == NOON
    assert clock.now() > NOON


def test_a_naive_time_is_refused_with_the_remedy() -> None:
    naive = datetime(2026, 3, 1)
    with pytest.raises(InvalidInputError, match=r"2026-03-01.*time zone.*replace"):
        clock.utc_text(naive)
    with pytest.raises(InvalidInputError, match="time zone"), clock.set_to(naive):
        pass
    with clock.set_to(lambda: naive), pytest.raises(InvalidInputError, match="time zone"):
        clock.now()


def test_a_time_without_a_form_in_utc_is_refused() -> None:
    edge = datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=1)))
    with pytest.raises(InvalidInputError, match="years 1 to 9999"):
        clock.utc_text(edge)


def test_text_is_utc_with_six_digits_and_z() -> None:
    eastern = NOON.astimezone(timezone(timedelta(hours=-5)))
    assert clock.utc_text(eastern) == "2026-03-01T12:00:00.000000Z"
    assert clock.utc_text(datetime(33, 1, 1, 0, 0, 0, 7, UTC)) == "0033-01-01T00:00:00.000007Z"


@given(moments, moments)
def test_order_of_texts_is_order_of_moments(one: datetime, other: datetime) -> None:
    assert (clock.utc_text(one) < clock.utc_text(other)) == (one < other)
    assert datetime.fromisoformat(clock.utc_text(one)) == one

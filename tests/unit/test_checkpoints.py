"""Files of threads, and ids for threads."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.runnables import RunnableConfig
from langgraph.graph import START, StateGraph

from langgraph_memory.checkpoints import async_sqlite_saver, sqlite_saver, thread_id, thread_ids
from langgraph_memory.errors import InvalidInputError


class Diary(TypedDict):
    """A state that grows."""

    lines: Annotated[list[str], lambda old, new: old + new]


def diary(saver: Any) -> Any:
    graph = StateGraph(Diary)
    graph.add_node("write", lambda state: {"lines": ["written"]})
    graph.add_edge(START, "write")
    return graph.compile(checkpointer=saver)


def of(thread: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread}}


NOT_A_DATABASE = {
    "text": b"Dear diary, today it rained.\n" * 40,
    "zip": b"PK\x03\x04" + bytes(range(256)) * 20,
    "half a header": b"SQLite format 3\x00" + b"\xff" * 2_000,
}


@pytest.mark.parametrize("content", NOT_A_DATABASE.values(), ids=NOT_A_DATABASE)
class TestAFileThatIsNoDatabase:
    def test_is_refused_and_left_as_it_was(self, tmp_path: Path, content: bytes) -> None:
        path = tmp_path / "letters.txt"
        path.write_bytes(content)
        with pytest.raises(InvalidInputError, match=r"letters\.txt.*not an SQLite"):  # noqa: SIM117
            with sqlite_saver(path):
                pytest.fail("it was opened")
        assert path.read_bytes() == content
        assert list(tmp_path.iterdir()) == [path]

    async def test_async_too(self, tmp_path: Path, content: bytes) -> None:
        path = tmp_path / "letters.txt"
        path.write_bytes(content)
        with pytest.raises(InvalidInputError, match=r"letters\.txt.*not an SQLite"):
            async with async_sqlite_saver(path):
                pytest.fail("it was opened")
        assert path.read_bytes() == content
        assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "threads.db"
    with pytest.raises(InvalidInputError, match="nowhere"):  # noqa: SIM117
        with sqlite_saver(path):
            pytest.fail("it was opened")
    assert not path.parent.exists()


async def test_a_folder_that_is_not_there_is_named_async(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="nowhere"):
        async with async_sqlite_saver(tmp_path / "nowhere" / "threads.db"):
            pytest.fail("it was opened")


def test_a_thread_goes_on_in_the_next_opening(tmp_path: Path) -> None:
    path = tmp_path / "threads.db"
    for count in range(1, 4):
        with sqlite_saver(path) as saver:
            state = diary(saver).invoke({"lines": ["asked"]}, of("a"))
        assert state["lines"] == ["asked", "written"] * count


async def test_sync_and_async_share_a_file(tmp_path: Path) -> None:
    path = str(tmp_path / "threads.db")
    with sqlite_saver(path) as saver:
        diary(saver).invoke({"lines": ["sync"]}, of("a"))
    async with async_sqlite_saver(path) as asaver:
        state = await diary(asaver).ainvoke({"lines": ["async"]}, of("a"))
    assert state["lines"] == ["sync", "written", "async", "written"]
    with sqlite_saver(path) as saver:
        assert diary(saver).get_state(of("a")).values == state


def test_two_openings_at_once_wait_for_each_other(tmp_path: Path) -> None:
    path = tmp_path / "threads.db"
    with sqlite_saver(path) as one, sqlite_saver(path) as two:
        for turn in range(5):
            diary(one).invoke({"lines": [f"one {turn}"]}, of("a"))
            diary(two).invoke({"lines": [f"two {turn}"]}, of("b"))
        assert len(diary(one).get_state(of("b")).values["lines"]) == 10


def test_threads_are_listed_the_last_used_first() -> None:
    with sqlite_saver(":memory:") as saver:
        assert thread_ids(saver) == []
        graph = diary(saver)
        for thread in ("z", "a", "m"):
            graph.invoke({"lines": []}, of(thread))
        assert thread_ids(saver) == ["m", "a", "z"]
        graph.invoke({"lines": []}, of("z"))
        assert thread_ids(saver) == ["z", "m", "a"]


class TestThreadId:
    def test_reads_well_where_it_can(self) -> None:
        assert thread_id("ann@example.com", "2026-11-29") == "ann@example.com/2026-11-29"

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            (("a/b", "c"), ("a", "b/c")),
            (("a", "b"), ("a/b",)),
            (("a%2Fb",), ("a/b",)),
            (("ä",), ("a",)),
            (("a b",), ("a+b",)),
            (("A",), ("a",)),
            (("a",), ("a ",)),
        ],
    )
    def test_different_parts_give_different_ids(
        self, one: tuple[str, ...], other: tuple[str, ...]
    ) -> None:
        assert thread_id(*one) != thread_id(*other)

    @given(st.lists(st.lists(st.text(min_size=1), min_size=1, max_size=3), unique_by=tuple))
    def test_is_injective(self, many: list[list[str]]) -> None:
        ids = [thread_id(*parts) for parts in many]
        assert len(set(ids)) == len(many)

    def test_is_injective_where_it_is_hard(self) -> None:
        pieces = ["/", "%", "2F", "%2F", "a", "//", "\ud800", "\\"]
        parts = [p for n in (1, 2, 3) for p in itertools.product(pieces, repeat=n)]
        assert len({thread_id(*p) for p in parts}) == len(parts)

    @pytest.mark.parametrize("parts", [(), ("",), ("a", ""), (None,), ("a", 5)])
    def test_nothing_to_go_by_is_an_error(self, parts: tuple[Any, ...]) -> None:
        with pytest.raises(InvalidInputError):
            thread_id(*parts)

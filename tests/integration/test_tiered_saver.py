"""A hot tier before a cold one: always as good as the cold one alone, whatever happens to it."""

from __future__ import annotations

import copy
import operator
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from langchain_core.runnables import RunnableConfig
from langgraph.channels.delta import DeltaChannel
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple, empty_checkpoint
from langgraph.checkpoint.base.id import uuid6
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt

from langgraph_memory import clock
from langgraph_memory.checkpoints import TieredSaver, open_checkpointer, prune_checkpoints
from langgraph_memory.errors import InvalidInputError

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
Saver = BaseCheckpointSaver[Any]


class Counting(InMemorySaver):
    """A hot tier that says how often a checkpoint was found in it, and can be out of order."""

    found = 0
    broken = False

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        if self.broken:
            raise ConnectionError("gone")
        got = super().get_tuple(config)
        self.found += got is not None
        return got

    def put(self, *args: Any) -> RunnableConfig:
        if self.broken:
            raise ConnectionError("gone")
        return super().put(*args)

    def delete_thread(self, thread_id: str) -> None:
        if self.broken:
            raise ConnectionError("gone")
        super().delete_thread(thread_id)

    def held(self) -> set[str]:
        return {thread for thread, kept in self.storage.items() if any(kept.values())}


@pytest.fixture
def cold(tmp_path: Path) -> Iterator[Saver]:
    with open_checkpointer(tmp_path / "threads.db") as saver:
        yield saver


def on(thread: str = "t") -> RunnableConfig:
    return {"configurable": {"thread_id": thread}}


class Log(TypedDict):
    lines: Annotated[list[str], operator.add]


def counting_graph(saver: Any, *, ask: bool = False) -> Any:
    """Writes a line for each step; may ask a person in the second one."""

    def first(state: Log) -> dict[str, Any]:
        return {"lines": [f"first after {len(state['lines'])}"]}

    def second(state: Log) -> dict[str, Any]:
        return {"lines": [f"second: {interrupt('Go on?')}" if ask else "second"]}

    graph = StateGraph(Log).add_node("first", first).add_node("second", second)
    graph.add_edge(START, "first").add_edge("first", "second").add_edge("second", END)
    return graph.compile(checkpointer=saver)


def lines(graph: Any, thread: str = "t") -> list[str]:
    got: list[str] = graph.get_state(on(thread)).values.get("lines", [])
    return got


def make_unreadable(cold: Any) -> None:
    """Spoil all values in an SQLite file: what is read afterwards comes from elsewhere."""
    with cold.cursor() as cursor:
        cursor.execute("UPDATE checkpoints SET checkpoint = x'c1'")


class TestReading:
    def test_is_from_the_hot_tier(self, cold: Saver) -> None:
        graph = counting_graph(TieredSaver(InMemorySaver(), cold))
        for _ in range(2):
            graph.invoke({"lines": ["hello"]}, on())
        expected = lines(graph)
        make_unreadable(cold)
        assert lines(graph) == expected
        assert len(expected) == 6
        with pytest.raises(ValueError, match="invalid type"):
            lines(counting_graph(cold))

    def test_what_is_not_there_is_put_back(self, cold: Saver) -> None:
        counting_graph(cold).invoke({"lines": ["hello"]}, on())
        graph = counting_graph(TieredSaver(InMemorySaver(), cold))
        assert lines(graph) == ["hello", "first after 1", "second"]
        make_unreadable(cold)
        assert lines(graph) == ["hello", "first after 1", "second"]

    def test_another_machine_s_turn_is_seen(self, cold: Saver) -> None:
        here, there = (counting_graph(TieredSaver(Counting(), cold)) for _ in range(2))
        for turn in range(3):
            here.invoke({"lines": [f"here {turn}"]}, on())
            there.invoke({"lines": [f"there {turn}"]}, on())
        assert lines(here) == lines(there) == lines(counting_graph(cold))
        assert len(lines(here)) == 18

    def test_what_another_machine_left_pending_is_seen(self, cold: Saver) -> None:
        """The latest checkpoint is still the same one there; a task of it is done already."""
        saver = TieredSaver(Counting(), cold)
        graph = counting_graph(saver)
        graph.invoke({"lines": ["hello"]}, on())
        at = saver.get_tuple(on())
        assert at is not None
        cold.put_writes(at.config, [("lines", ["theirs"])], "task", "path")
        again = saver.get_tuple(on())
        assert again is not None
        assert again.pending_writes == [("task", "lines", ["theirs"])]

    @pytest.mark.parametrize("machines", [(0, 0, 0), (0, 1, 0)])
    def test_interrupts_answered_anywhere(self, cold: Saver, machines: Sequence[int]) -> None:
        graphs = [counting_graph(TieredSaver(Counting(), cold), ask=True) for _ in range(2)]
        asking, answering, reading = (graphs[each] for each in machines)
        assert "__interrupt__" in asking.invoke({"lines": ["hello"]}, on())
        answering.invoke(Command(resume="yes"), on())
        assert lines(reading)[-1] == "second: yes"
        assert not reading.get_state(on()).next

    async def test_asynchronous_graphs(self, cold: Saver) -> None:
        hot = Counting()
        graph = counting_graph(TieredSaver(hot, cold), ask=True)
        await graph.ainvoke({"lines": ["hello"]}, on())
        await graph.ainvoke(Command(resume="yes"), on())
        state = await graph.aget_state(on())
        assert state.values["lines"][-1] == "second: yes"
        assert hot.found > 0
        history = [each.metadata["step"] async for each in graph.aget_state_history(on())]
        assert history == [2, 1, 0, -1]


class TestLoss:
    def test_of_everything(self, cold: Saver) -> None:
        hot = Counting()
        graph = counting_graph(TieredSaver(hot, cold))
        graph.invoke({"lines": ["one"]}, on())
        hot.delete_thread("t")
        graph.invoke({"lines": ["two"]}, on())
        assert lines(graph)[3:] == ["two", "first after 4", "second"]

    def test_of_a_part(self, cold: Saver) -> None:
        """A hot tier that evicts single keys may still know a checkpoint, but not its values."""
        hot = Counting()
        graph = counting_graph(TieredSaver(hot, cold))
        graph.invoke({"lines": ["one"]}, on())
        hot.blobs.clear()
        assert len(lines(graph)) == 3

    def test_of_the_connection(self, cold: Saver, caplog: pytest.LogCaptureFixture) -> None:
        hot = Counting()
        saver = TieredSaver(hot, cold)
        graph = counting_graph(saver)
        graph.invoke({"lines": ["one"]}, on())
        hot.broken = True
        graph.invoke({"lines": ["two"]}, on())
        assert len(lines(graph)) == 6
        assert "hot tier failed" in caplog.text
        # Nothing that was to be gone for ever is left by this, so it is no error.
        assert prune_checkpoints(saver, keep_last=1).removed == 7
        assert len(lines(graph)) == 6
        # What should be removed is still there: that is said, not logged.
        with pytest.raises(ConnectionError) as raised:
            saver.delete_thread("t")
        assert "still in the hot tier" in str(raised.value.__notes__)
        hot.broken = False
        assert lines(graph) == []


class TestBounds:
    def test_time(self, cold: Saver) -> None:
        hot = Counting()
        graph = counting_graph(TieredSaver(hot, cold, ttl=60))
        with clock.set_to(NOON):
            graph.invoke({"lines": ["one"]}, on("old"))
        with clock.set_to(NOON + timedelta(seconds=59)):
            graph.invoke({"lines": ["one"]}, on("new"))
            assert hot.held() == {"old", "new"}
        with clock.set_to(NOON + timedelta(seconds=61)):
            assert len(lines(graph, "new")) == 3
            assert hot.held() == {"new"}
            assert len(lines(graph, "old")) == 3

    def test_threads(self, cold: Saver) -> None:
        hot = Counting()
        graph = counting_graph(TieredSaver(hot, cold, max_threads=2))
        for name in "abca":
            graph.invoke({"lines": [name]}, on(name))
        assert hot.held() == {"c", "a"}
        assert len(lines(graph, "b")) == 3

    def test_checkpoints_of_a_thread(self, cold: Saver) -> None:
        hot = Counting()
        graph = counting_graph(TieredSaver(hot, cold))
        for turn in range(40):
            graph.invoke({"lines": [str(turn)]}, on())
        assert len(list(hot.list(on()))) <= 32
        assert len(list(cold.list(on()))) == 160
        assert len(lines(graph)) == 120

    @pytest.mark.parametrize("wrong", [{"ttl": 0}, {"ttl": -1.0}, {"max_threads": 0}])
    def test_of_bounds(self, cold: Saver, wrong: dict[str, Any]) -> None:
        with pytest.raises(InvalidInputError, match="must be positive"):
            TieredSaver(InMemorySaver(), cold, **wrong)

    def test_two_tiers(self, cold: Saver) -> None:
        with pytest.raises(InvalidInputError, match="two checkpointers"):
            TieredSaver(cold, cold)


class TestRemoving:
    def test_a_thread_leaves_both(self, cold: Saver) -> None:
        hot = Counting()
        saver = TieredSaver(hot, cold)
        graph = counting_graph(saver)
        for name in "ab":
            graph.invoke({"lines": [name]}, on(name))
        saver.delete_thread("a")
        assert hot.held() == {"b"}
        assert lines(graph, "a") == []
        assert cold.get_tuple(on("a")) is None

    def test_pruning(self, cold: Saver) -> None:
        hot = Counting()
        saver = TieredSaver(hot, cold)
        graph = counting_graph(saver)
        graph.invoke({"lines": ["one"]}, on())
        assert prune_checkpoints(saver, keep_last=1).removed == 3
        assert hot.held() == set()
        assert len(lines(graph)) == 3
        assert graph.get_state(on()).parent_config is None


def test_channels_stored_as_differences(cold: Saver) -> None:
    class State(TypedDict):
        lines: Annotated[
            list[str],
            DeltaChannel(lambda old, new: [*old, *chain(*new)], snapshot_frequency=3),
        ]

    def graph(saver: Any) -> Any:
        built = StateGraph(State).add_node("say", lambda _: {"lines": ["said"]})
        return built.add_edge(START, "say").compile(checkpointer=saver)

    machines = [graph(TieredSaver(InMemorySaver(), cold)) for _ in range(2)]
    for turn in range(9):
        machines[turn % 2].invoke({"lines": [str(turn)]}, on())
    expected = [line for turn in range(9) for line in (str(turn), "said")]
    for each in (*machines, graph(cold)):
        assert lines(each) == expected
    old = [state.values for state in graph(cold).get_state_history(on())]
    assert [state.values for state in machines[0].get_state_history(on())] == old


def test_many_threads(cold: Saver) -> None:
    """Each thread of the process works on its own conversation, and all fill one small tier."""
    graph = counting_graph(TieredSaver(InMemorySaver(), cold, max_threads=2))
    wrong: list[Any] = []

    def work(name: str) -> None:
        try:
            for turn in range(6):
                graph.invoke({"lines": [f"{name} {turn}"]}, on(name))
                got = lines(graph, name)
                if len(got) != 3 * (turn + 1) or not got[-3].startswith(name):
                    wrong.append((name, turn, got))
        except Exception as error:
            wrong.append(error)

    workers = [threading.Thread(target=work, args=(f"user{i}",)) for i in range(6)]
    for each in workers:
        each.start()
    for each in workers:
        each.join()
    assert not wrong


THREADS = st.sampled_from(["a", "b"])
NAMESPACES = st.sampled_from(["", "sub", "sub:1|x"])
CHANNELS = ["lines", "count", "note"]
VALUES = (
    st.none() | st.integers(0, 9) | st.text(max_size=3) | st.lists(st.integers(0, 9), max_size=2)
)
SPECIAL = ["__interrupt__", "__resume__", "__error__"]


class Machines(RuleBasedStateMachine):
    """Two machines with a hot tier each and one cold tier, against a checkpointer of its own.

    All do the same things, in turn, to the same threads; hot tiers lose what they like.
    """

    def __init__(self) -> None:
        super().__init__()
        self.stack = ExitStack()
        self.model: Saver = self.stack.enter_context(open_checkpointer(":memory:"))
        self.cold: Saver = self.stack.enter_context(open_checkpointer(":memory:"))
        self.hots: list[Any] = [
            InMemorySaver(),
            self.stack.enter_context(open_checkpointer(":memory:")),
        ]
        self.machines: list[Any] = [
            TieredSaver(self.hots[0], self.cold, ttl=50, max_threads=3),
            TieredSaver(self.hots[1], self.cold, ttl=20, max_threads=1),
            self.cold,  # One that works without a hot tier.
        ]
        self.made: list[RunnableConfig] = []
        self.moment = NOON
        self.steps = 0
        self.stack.enter_context(clock.set_to(lambda: self.moment))

    def teardown(self) -> None:
        self.stack.close()

    machine = st.integers(0, 2)

    @initialize()
    def begin(self) -> None:
        self.store(0, "a", "", {"lines": [1]}, True, 0)

    @rule(
        machine=machine,
        thread=THREADS,
        namespace=NAMESPACES,
        values=st.dictionaries(st.sampled_from(CHANNELS), VALUES),
        latest=st.booleans(),
        which=st.integers(0, 50),
    )
    def store(
        self,
        machine: int,
        thread: str,
        namespace: str,
        values: dict[str, Any],
        latest: bool,
        which: int,
    ) -> None:
        """A step, on top of the latest checkpoint or, as a fork, of another one."""
        place: RunnableConfig = {"configurable": {"thread_id": thread, "checkpoint_ns": namespace}}
        if not latest:
            place = self.some(which)
        saver = self.machines[machine]
        before = saver.get_tuple(place)
        parent = copy.deepcopy(place)
        checkpoint = copy.deepcopy(before.checkpoint) if before else empty_checkpoint()
        if before:
            parent["configurable"]["checkpoint_id"] = before.checkpoint["id"]
        self.steps += 1
        checkpoint["id"] = str(uuid6(clock_seq=self.steps))
        new = {
            channel: saver.get_next_version(checkpoint["channel_versions"].get(channel), None)
            for channel in values
        }
        checkpoint["channel_versions"] |= new
        checkpoint["channel_values"] |= values
        metadata: Any = {"source": "loop", "step": self.steps, "parents": {}}
        stored = [
            each.put(copy.deepcopy(parent), copy.deepcopy(checkpoint), metadata, new)
            for each in (saver, self.model)
        ]
        assert stored[0] == stored[1]
        self.made.append(stored[0])

    def some(self, which: int) -> RunnableConfig:
        return copy.deepcopy(self.made[which % len(self.made)])

    @rule(
        machine=machine,
        which=st.integers(0, 50),
        task=st.sampled_from(["t1", "t2"]),
        writes=st.lists(st.tuples(st.sampled_from(CHANNELS), VALUES), min_size=1, max_size=2)
        | st.lists(st.tuples(st.sampled_from(SPECIAL), VALUES), min_size=1, max_size=2),
    )
    def write(self, machine: int, which: int, task: str, writes: list[Any]) -> None:
        for each in (self.machines[machine], self.model):
            each.put_writes(self.some(which), writes, task, f"path of {task}")

    @rule(machine=machine, which=st.integers(0, 50))
    def read(self, machine: int, which: int) -> None:
        config = self.some(which)
        assert self.machines[machine].get_tuple(config) == self.model.get_tuple(config)
        got, expected = (
            each.get_delta_channel_history(config=config, channels=CHANNELS)
            for each in (self.machines[machine], self.model)
        )
        assert got == expected

    @rule(machine=machine, thread=THREADS)
    def remove(self, machine: int, thread: str) -> None:
        for each in (self.machines[machine], self.model):
            each.delete_thread(thread)

    @rule(which=st.integers(0, 1), thread=THREADS)
    def lose(self, which: int, thread: str) -> None:
        self.hots[which].delete_thread(thread)

    @rule()
    def lose_values(self) -> None:
        self.hots[0].blobs.clear()

    @rule()
    def lose_everything(self) -> None:
        self.hots[0].storage.clear()
        self.hots[0].blobs.clear()

    @rule(seconds=st.integers(1, 40))
    def wait(self, seconds: int) -> None:
        self.moment += timedelta(seconds=seconds)

    @invariant()
    def latest_are_the_same(self) -> None:
        for thread in ("a", "b"):
            for namespace in ("", "sub"):
                config: RunnableConfig = {
                    "configurable": {"thread_id": thread, "checkpoint_ns": namespace}
                }
                expected = self.model.get_tuple(config)
                for each in self.machines:
                    assert each.get_tuple(config) == expected

    @invariant()
    def the_tier_is_bounded(self) -> None:
        """Namespaces included, threads that a tier still holds are those that it may."""
        for hot, most in ((self.hots[0], 3), (self.hots[1], 1)):
            held = {each.config["configurable"]["thread_id"] for each in hot.list(None)}
            assert len(held) <= most


class TestMachines(Machines.TestCase):  # type: ignore[misc, name-defined]
    settings = settings(
        max_examples=60,
        stateful_step_count=25,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )

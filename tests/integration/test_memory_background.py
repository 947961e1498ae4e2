"""What happens beside the conversation: nobody waits, nothing is lost, nothing is doubled."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import textwrap
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langchain.agents import create_agent
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    RemoveMessage,
)
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.store.base import PutOp
from scripted import Reply, ScriptedModel, block
from test_store_concurrency import as_url

import langgraph_memory
from langgraph_memory import Memory, clock
from langgraph_memory.events import Event
from langgraph_memory.identity import Identification, Identity
from langgraph_memory.memories import Memories
from langgraph_memory.messages import text_of
from langgraph_memory.records import MemoryRecord
from langgraph_memory.settings import AgentSettings, LongTermMemorySettings, Settings
from langgraph_memory.store import MemoryStore, SQLiteMemoryStore
from langgraph_memory.store import open as open_store

PATIENCE = 30.0
ANNA = Identity("chat", "anna")
BOB = Identity("chat", "bob")


def said_in(request: list[BaseMessage]) -> dict[str, str]:
    """What an extraction model is shown of the user's messages, by their aliases."""
    lines = block(request, "conversation").splitlines()
    return {
        line.split()[0]: line.split(": ", 1)[1].strip('"') for line in lines if line.startswith("u")
    }


def memories_of(request: list[BaseMessage]) -> AIMessage:
    """A memory of each message of the user, as it was said."""
    entries = [
        {"content": text, "type": "fact", "importance": 0.7, "sources": [alias]}
        for alias, text in said_in(request).items()
    ]
    given = {"memories": entries, "tasks": []}
    call = {"name": "record_memories", "args": given, "id": "c1", "type": "tool_call"}
    return AIMessage("", tool_calls=[call])


class Reader(ScriptedModel):
    """An extraction model that makes a memory of each message of the user."""

    reply: Reply = memories_of

    @property
    def read(self) -> list[list[str]]:
        """What it was shown in each call."""
        return [list(said_in(request).values()) for request in self.requests]


class Clock:
    """The present, moved on by hand."""

    def __init__(self) -> None:
        self.ahead = timedelta()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.ahead

    def advance(self, **time: float) -> None:
        self.ahead += timedelta(**time)


@pytest.fixture
def time_now() -> Iterator[Clock]:
    now = Clock()
    with clock.set_to(now):
        yield now


class Talk:
    """An agent with memory, and who talks to it."""

    def __init__(self, memory: Memory, events: list[Event], checkpointer: Any = None) -> None:
        self.memory = memory
        self.events = events
        self.model = ScriptedModel(reply=lambda request: "Noted.")
        self.agent = create_agent(
            self.model,
            [],
            middleware=[memory.middleware()],
            checkpointer=checkpointer or memory.checkpointer,
        )

    def say(self, said: str | BaseMessage, thread: str = "t1", user: str = "anna") -> str:
        given: Any = {"messages": [HumanMessage(said) if isinstance(said, str) else said]}
        state = self.agent.invoke(given, at(thread), context={"user_id": user})
        return text_of(state["messages"][-1])

    def known(self, who: Identity = ANNA) -> list[str]:
        found = self.memory.service.memories(who).search("", limit=1_000)
        return sorted(each.record.content for each in found)

    def told(self, name: str) -> Counter[str]:
        """How often there was an event, by its reason."""
        return Counter(event.reason for event in self.events if event.name == name)


def at(thread: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread}}


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


def opened(
    stack: ExitStack, url: Any, model: Any = None, *, debounce: float = 1e6, **settings: Any
) -> Talk:
    events: list[Event] = []
    given = LongTermMemorySettings(enabled=True, namespace="chat", **settings)
    memory = Memory.open(
        url,
        Settings(agents={"chat": AgentSettings(long_term_memory=given)}),
        agent="chat",
        extraction_model=model,
        on_event=events.append,
        debounce=debounce,
    )
    stack.enter_context(memory)
    return Talk(memory, events)


def impatient(store: MemoryStore, saver: InMemorySaver) -> Talk:
    """A talk that waits for what is recalled for a moment only."""
    events: list[Event] = []
    settings = LongTermMemorySettings(enabled=True, namespace="chat", load_timeout=0.05)
    memory = Memory(
        store,
        saver,
        AgentSettings(long_term_memory=settings),
        on_event=events.append,
        debounce=1e6,
    )
    return Talk(memory, events)


class TestNobodyWaits:
    def test_for_the_model_that_reads(self, stack: ExitStack, file: Path) -> None:
        begun, go_on = threading.Event(), threading.Event()

        class Slow(Reader):
            def _generate(self, *args: Any, **kwargs: Any) -> Any:
                begun.set()
                assert go_on.wait(PATIENCE)
                return super()._generate(*args, **kwargs)

        talk = opened(stack, file, Slow(), debounce=0)
        stack.callback(go_on.set)
        assert talk.say("I keep bees on the roof.") == "Noted."
        assert begun.wait(PATIENCE)
        assert talk.say("I'm allergic to celery.") == "Noted."
        assert talk.say("I keep rabbits.", "t2", "bob") == "Noted."
        assert talk.known() == []
        go_on.set()
        talk.memory.flush()  # Waits for the one that runs.
        assert talk.known() == ["I keep bees on the roof.", "I'm allergic to celery."]
        assert talk.known(BOB) == ["I keep rabbits."]

    def test_for_the_model_that_hangs_on_another(self, stack: ExitStack, file: Path) -> None:
        begun, go_on = threading.Event(), threading.Event()

        class Stuck(Reader):
            def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> Any:
                if "bees" in text_of(messages[-1]):
                    begun.set()
                    assert go_on.wait(PATIENCE)
                return super()._generate(messages, *args, **kwargs)

        talk = opened(stack, file, Stuck(), debounce=0)
        stack.callback(go_on.set)
        talk.say("I keep bees on the roof.")
        assert begun.wait(PATIENCE)
        talk.say("I keep rabbits.", "t2", "bob")
        end = time.monotonic() + PATIENCE
        while not talk.known(BOB):
            assert time.monotonic() < end
            time.sleep(0.01)
        assert (talk.known(), talk.known(BOB)) == ([], ["I keep rabbits."])
        talk.memory.service.let_extract(BOB, False)
        talk.memory.service.let_extract(BOB, True)
        go_on.set()
        talk.memory.flush()
        assert talk.known() == ["I keep bees on the roof."]

    @pytest.mark.parametrize("is_async", [False, True])
    def test_longer_than_the_timeout_for_what_is_recalled(self, file: Path, is_async: bool) -> None:
        go_on = threading.Event()

        class Stuck(SQLiteMemoryStore):
            def find(self, *args: Any, **kwargs: Any) -> Any:
                assert go_on.wait(PATIENCE)
                return super().find(*args, **kwargs)

        with Stuck(file) as store, InMemorySaver() as saver:
            talk = impatient(store, saver)
            for thread in map(str, range(6)):  # More than there could be workers to hang.
                if is_async:
                    given: Any = {"messages": [HumanMessage("Hello there!")]}
                    config = at(thread)
                    asyncio.run(talk.agent.ainvoke(given, config, context={"user_id": "anna"}))
                else:
                    assert talk.say("Hello there!", thread) == "Noted."
            assert talk.told("recall_failed") == {"TimeoutError": 6}
            go_on.set()
            talk.memory.close()
        assert talk.told("recall_failed") == {"TimeoutError": 6}

    def test_for_a_store_whose_writes_hang(self, file: Path) -> None:
        go_on = threading.Event()

        class Stuck(SQLiteMemoryStore):
            def put_if_version(self, *args: Any, **kwargs: Any) -> Any:
                assert go_on.wait(PATIENCE)
                return super().put_if_version(*args, **kwargs)

        with Stuck(file) as store, InMemorySaver() as saver:
            talk = impatient(store, saver)
            assert talk.say("I'm allergic to celery.") == "Noted."
            assert talk.say("I play the harp.") == "Noted."
            go_on.set()
            talk.memory.flush()
            assert len(talk.known()) == 2
            talk.memory.close()


class TestMerging:
    def test_turns_of_a_user_are_read_together(self, stack: ExitStack, file: Path) -> None:
        model = Reader()
        talk = opened(stack, file, model)
        for text in ("I keep bees.", "I play the harp.", "I never eat celery."):
            talk.say(text)
        talk.say("I own a boat.", "other thread")
        talk.say("I sing in a choir.", "t3", "bob")
        assert talk.memory.flush() == 2
        assert sorted(model.read) == [
            ["I keep bees.", "I play the harp.", "I never eat celery."],
            ["I own a boat."],
            ["I sing in a choir."],
        ]
        assert talk.memory.flush() == 0
        assert model.calls == 3

    def test_threads_of_a_user_are_read_in_the_order_of_what_was_said(
        self, stack: ExitStack, file: Path
    ) -> None:
        talk = opened(stack, file)
        talk.say("Good morning to you!", "one")
        talk.say("My budget is 500 dollars.", "two")
        talk.say("My budget is 800 dollars.", "one")
        talk.memory.flush()
        assert ["800" in text for text in talk.known()] == [True]

    @pytest.mark.parametrize("kind", ["sqlite", "postgres"])
    def test_one_job_per_user_of_two_processes(
        self, stack: ExitStack, file: Path, kind: str, request: pytest.FixtureRequest
    ) -> None:
        url = (
            str(file) if kind == "sqlite" else as_url(request.getfixturevalue("postgres_database"))
        )
        begun, go_on = threading.Event(), threading.Event()

        class Either(Reader):
            waits: bool = False

            def _generate(self, *args: Any, **kwargs: Any) -> Any:
                if self.waits:
                    begun.set()
                    assert go_on.wait(PATIENCE)
                return super()._generate(*args, **kwargs)

        first, second = Either(waits=True), Either()
        one, other = opened(stack, url, first), opened(stack, url, second)
        one.say("I keep bees.")
        reading = threading.Thread(target=one.memory.flush)
        reading.start()
        assert begun.wait(PATIENCE)
        other.say("I play the harp.", "t2")
        other.say("I own a boat.", "t3", "bob")
        assert other.memory.flush() == 1
        assert second.read == [["I own a boat."]]
        go_on.set()
        reading.join(PATIENCE)
        one.memory.flush()
        assert one.known() == other.known() == ["I keep bees.", "I play the harp."]
        assert sorted(first.read + second.read) == [
            ["I keep bees."],
            ["I own a boat."],
            ["I play the harp."],
        ]

    @pytest.mark.parametrize("first", ["model", "rules"])
    def test_agents_of_one_namespace_read_their_own_turns(
        self, stack: ExitStack, file: Path, first: str
    ) -> None:
        model = Reader()
        by_model, by_rules = opened(stack, file, model), opened(stack, file)
        by_model.say("Bees and I have never been friends, so the balcony stays without flowers.")
        by_rules.say("I'm allergic to celery.", "t2")
        both = [by_model, by_rules] if first == "model" else [by_rules, by_model]
        assert [each.memory.flush() for each in both] == [1, 1]
        assert model.read == [
            ["Bees and I have never been friends, so the balcony stays without flowers."]
        ]
        assert "The user is allergic to celery." in by_rules.known()

    def test_what_an_agent_has_left_is_read_by_another_a_day_later(
        self, stack: ExitStack, file: Path
    ) -> None:
        """An application that changes its model loses nothing."""
        with ExitStack() as before:
            opened(before, file, Reader(), debounce=5).say("I'm allergic to celery.")
        after = opened(stack, file, debounce=5)
        at = clock.now()
        with clock.set_to(lambda: at + timedelta(hours=23)):
            assert after.memory.flush() == 0
        with clock.set_to(lambda: at + timedelta(hours=25)):
            assert after.memory.flush() == 1
        assert after.known() == ["The user is allergic to celery."]

    def test_of_a_user_who_does_not_want_it_nobodys_are(self, stack: ExitStack, file: Path) -> None:
        model = Reader()
        by_model, by_rules = opened(stack, file, model), opened(stack, file)
        by_rules.memory.service.let_extract(ANNA, False)
        by_model.say("I'm allergic to celery.")
        by_rules.memory.service.let_extract(ANNA, True)
        by_model.memory.flush()
        assert (model.read, by_model.known()) == ([], [])

    @pytest.mark.parametrize("kind", ["file", "memory"])
    def test_turns_of_a_process_with_threads_of_its_own(self, file: Path, kind: str) -> None:
        """Another one on the same memories cannot read its threads, and may get their job."""
        settings = AgentSettings(long_term_memory=LongTermMemorySettings(enabled=True))
        with ExitStack() as stack, SQLiteMemoryStore(file) as store:
            savers: list[Any] = [InMemorySaver(), InMemorySaver()]
            if kind == "file":
                savers = [
                    stack.enter_context(SqliteSaver.from_conn_string(f"{file}.{name}"))
                    for name in ("one", "other")
                ]
            one, other = (
                stack.enter_context(
                    Memory(
                        store,
                        saver,
                        settings,
                        identification=Identification("chat"),
                        debounce=1e6,
                    )
                )
                for saver in savers
            )
            talk = Talk(one, [])
            talk.say("I'm allergic to lupins.")
            other.flush()
            with clock.set_to(lambda: datetime.now(UTC) + timedelta(minutes=5)):
                other.flush()
            assert talk.known() == ["The user is allergic to lupins."]


class TestFailures:
    def test_of_the_provider_lose_and_double_nothing(
        self, stack: ExitStack, file: Path, time_now: Clock, caplog: pytest.LogCaptureFixture
    ) -> None:
        left = [2]

        class Busy(Reader):
            def _generate(self, *args: Any, **kwargs: Any) -> Any:
                if left[0]:
                    left[0] -= 1
                    raise RuntimeError("429 Too Many Requests")
                return super()._generate(*args, **kwargs)

        model = Busy()
        talk = opened(stack, file, model)
        talk.say("I keep bees.")
        assert talk.memory.flush() == 0
        talk.say("I play the harp.")
        assert talk.memory.flush() == 0
        assert talk.told("extraction_failed") == {"RuntimeError": 2}
        assert talk.known() == []
        time_now.advance(minutes=5)
        talk.memory.flush()
        assert talk.known() == ["I keep bees.", "I play the harp."]
        assert model.read == [["I keep bees.", "I play the harp."]]
        assert "429" in caplog.text

    def test_of_one_turn_hold_up_no_other_for_ever(
        self, stack: ExitStack, file: Path, time_now: Clock
    ) -> None:
        class Choking(Reader):
            def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> Any:
                if "walrus" in text_of(messages[-1]):
                    raise ZeroDivisionError
                return super()._generate(messages, *args, **kwargs)

        talk = opened(stack, file, Choking())
        for text in ("I keep bees.", "I keep a walrus.", "I play the harp."):
            talk.say(text)
        for _ in range(5):
            talk.memory.flush()
            time_now.advance(hours=7)
        assert talk.told("extraction_failed") == {"ZeroDivisionError": 5}
        talk.memory.flush()
        assert talk.known() == ["I keep bees.", "I play the harp."]
        assert talk.told("extraction_passed_over") == {"ZeroDivisionError": 1}
        assert talk.memory.service.account(ANNA).skipped == {"passed_over": 1}
        talk.say("I own a boat.")
        assert talk.memory.flush() == 1
        assert len(talk.known()) == 3

    def test_of_a_turn_are_counted_without_those_of_the_provider(
        self, stack: ExitStack, file: Path, time_now: Clock
    ) -> None:
        failures: list[Exception] = [TimeoutError() for _ in range(9)]
        failures += [ZeroDivisionError(), ZeroDivisionError()]

        class Busy(Reader):
            def _generate(self, *args: Any, **kwargs: Any) -> Any:
                if failures:
                    raise failures.pop(0)
                return super()._generate(*args, **kwargs)

        talk = opened(stack, file, Busy())
        talk.say("I keep bees.")
        for _ in range(12):
            talk.memory.flush()
            time_now.advance(hours=7)
        assert talk.told("extraction_passed_over") == {}
        assert talk.known() == ["I keep bees."]

    def test_a_lost_cursor_costs_no_second_call(self, stack: ExitStack, file: Path) -> None:
        model = Reader()
        talk = opened(stack, file, model)
        talk.say("I keep bees.")
        talk.say("I play the harp.")
        talk.memory.flush()
        before = talk.memory.service.memories(ANNA).search("", limit=10)
        store = talk.memory.store
        beside = [item for item in store.scan(ANNA.memories[:-1]) if item.value.get("digests")]
        beside += [item for item in store.scan(ANNA.memories[:-1]) if "read" in item.value]
        assert len(beside) == 2  # What tells that a text, or a turn, was read.
        for item in beside:
            store.delete(item.namespace, item.key)
        talk.say("What is the capital of Peru?")
        talk.memory.flush()
        assert model.calls == 1
        after = talk.memory.service.memories(ANNA).search("", limit=10)
        assert [each.record for each in after] == [each.record for each in before]


class TestQuota:
    def test_beyond_it_turns_wait_for_the_next_day(
        self, stack: ExitStack, file: Path, time_now: Clock
    ) -> None:
        model = Reader()
        talk = opened(stack, file, model, daily_quota=2)
        for text in ("I keep bees.", "I play the harp.", "I own a boat.", "I never eat celery."):
            talk.say(text)
            talk.memory.flush()
        assert talk.known() == ["I keep bees.", "I play the harp."]
        assert model.calls == 2
        assert talk.told("extraction_waits") == {"quota": 2}
        assert talk.memory.service.account(ANNA).skipped == {"quota": 2}
        time_now.advance(days=1, minutes=5)
        talk.memory.flush()
        assert model.read[2:] == [["I own a boat.", "I never eat celery."]]
        assert len(talk.known()) == 4

    def test_what_waits_outlives_the_messages_that_it_was_said_in(
        self, stack: ExitStack, file: Path, time_now: Clock
    ) -> None:
        talk = opened(stack, file, daily_quota=1)
        for text in ("I play the harp.", "I'm allergic to celery.", "I'm allergic to lupins."):
            talk.say(text)
            talk.memory.flush()
        assert talk.known() == ["The user plays the harp."]
        old = talk.agent.get_state(at("t1")).values["messages"]
        gone = [RemoveMessage(message.id) for message in old]
        talk.agent.update_state(at("t1"), {"messages": gone})
        talk.say("What is the capital of Peru?")
        time_now.advance(days=1, minutes=5)
        talk.memory.flush()
        assert "The user is allergic to celery." in talk.known()
        time_now.advance(days=1, minutes=5)
        talk.memory.flush()
        assert len(talk.known()) == 3


def end_of(old: list[BaseMessage], new: list[BaseMessage]) -> list[BaseMessage]:
    return [*old, *new][-4:]


class Short(TypedDict):
    messages: Annotated[list[BaseMessage], end_of]


class TestWhatIsRead:
    def test_not_what_was_said_while_the_user_did_not_want_it(
        self, stack: ExitStack, file: Path
    ) -> None:
        talk = opened(stack, file)
        service = talk.memory.service
        service.let_extract(ANNA, False)
        talk.say("I'm allergic to celery.")
        talk.memory.flush()
        talk.say("I'm allergic to lupins.")
        service.let_extract(ANNA, True)  # Before anybody has looked at it.
        talk.say("I'm allergic to sesame.")
        talk.memory.flush()
        assert talk.known() == ["The user is allergic to sesame."]
        assert talk.told("extraction_skipped") == {"disabled": 2}

    def test_a_branch_is_read_from_where_it_leaves(self, stack: ExitStack, file: Path) -> None:
        model = Reader()
        talk = opened(stack, file, model)
        talk.say("I keep bees.")
        fork = talk.agent.get_state(at("t1")).config
        talk.say("I play the harp.")
        talk.memory.flush()
        given: Any = {"messages": [HumanMessage("I own a boat.")]}
        talk.agent.invoke(given, fork, context={"user_id": "anna"})
        talk.memory.flush()
        talk.say("I sing in a choir.")
        talk.memory.flush()
        assert model.read == [
            ["I keep bees.", "I play the harp."],
            ["I own a boat."],
            ["I sing in a choir."],
        ]
        assert len(talk.known()) == 4

    def test_a_thread_that_was_trimmed_goes_on(self, stack: ExitStack, file: Path) -> None:
        model = Reader()
        talk = opened(stack, file, model)
        talk.say("I keep bees.")
        talk.say("I play the harp.")
        talk.memory.flush()
        messages = talk.agent.get_state(at("t1")).values["messages"]
        gone = [RemoveMessage(message.id) for message in messages]
        talk.agent.update_state(at("t1"), {"messages": gone})
        talk.say("I own a boat.")
        talk.memory.flush()
        assert model.read[1:] == [["I own a boat."]]

    def test_what_is_trimmed_at_once_is_not_lost(self, stack: ExitStack, file: Path) -> None:
        talk = opened(stack, file)
        talk.say(HumanMessage("I'm allergic to lupins.", id="h1"))
        talk.agent.update_state(at("t1"), {"messages": [RemoveMessage("h1")]})
        talk.say("What is the capital of Peru?")
        talk.memory.flush()
        assert talk.known() == ["The user is allergic to lupins."]

    def test_what_was_trimmed_long_ago_is_not_lost(
        self, stack: ExitStack, file: Path, time_now: Clock
    ) -> None:
        """Nobody could read it then, and the thread has got many checkpoints since."""
        talk = opened(stack, file)
        talk.say(HumanMessage("I'm allergic to lupins.", id="h1"))
        talk.agent.update_state(at("t1"), {"messages": [RemoveMessage("h1")]})
        time_now.advance(hours=3)
        for number in range(70):
            talk.say(f"What is the capital of country number {number}?")
        talk.memory.flush()
        assert talk.known() == ["The user is allergic to lupins."]

    def test_an_edited_message_is_read_again(self, stack: ExitStack, file: Path) -> None:
        talk = opened(stack, file)
        talk.say(HumanMessage("My budget is 500 dollars.", id="h1"))
        talk.memory.flush()
        edited = HumanMessage("My budget is 700 dollars.", id="h1")
        talk.say(edited)
        talk.memory.flush()
        assert ["700" in text for text in talk.known()] == [True]

    def test_of_several_speakers_only_the_user(self, stack: ExitStack, file: Path) -> None:
        talk = opened(stack, file)
        talk.say(HumanMessage("I'm allergic to celery.", name="bob"))
        talk.say(HumanMessage("I'm allergic to lupins.", name="anna"))
        talk.memory.flush()
        assert talk.known() == ["The user is allergic to lupins."]

    @pytest.mark.parametrize("own", [True, False], ids=["in the thread", "told with the job"])
    def test_of_several_speakers_at_different_times_only_the_user(
        self, stack: ExitStack, file: Path, tmp_path: Path, own: bool
    ) -> None:
        talk = opened(stack, file)
        if not own:
            saver = stack.enter_context(SqliteSaver.from_conn_string(str(tmp_path / "other.db")))
            talk = Talk(talk.memory, talk.events, saver)
        for text, name in (("I'm allergic to lupins.", "anna"), ("I'm allergic to celery.", "bob")):
            talk.say(HumanMessage(text, name=name))
            talk.memory.flush()
        assert talk.known() == ["The user is allergic to lupins."]

    def test_what_another_speaker_has_said_before_is_news_of_the_user(
        self, stack: ExitStack, file: Path
    ) -> None:
        talk = opened(stack, file)
        talk.say(HumanMessage("I own a boat.", name="anna"))
        for name in ("bob", "anna"):
            talk.say(HumanMessage("I'm allergic to lupins.", name=name))
        talk.memory.flush()
        assert "The user is allergic to lupins." in talk.known()

    def test_nothing_where_reading_is_switched_off(self, stack: ExitStack, file: Path) -> None:
        """What waits is another agent's of the same namespace, or was said while it was on."""
        model = Reader()
        talk = opened(stack, file, model)
        talk.say("I keep bees on the roof.")
        assert opened(stack, file, auto_extract=False).memory.flush() == 0
        assert talk.memory.flush() == 1
        assert model.read == [["I keep bees on the roof."]]

    def test_a_very_long_message(self, stack: ExitStack, file: Path) -> None:
        model = Reader()
        talk = opened(stack, file, model)
        talk.say("I'm allergic to lupins. " + "Then we went on along the river. " * 4_000)
        talk.say("I own a boat.")
        talk.memory.flush()
        assert sum(map(len, (read for call in model.read for read in call))) < 40_000
        assert "I own a boat." in talk.known()
        assert all(len(text_of(each[-1])) < 40_000 for each in model.requests)

    def test_two_answers_in_the_same_words_are_two(self, stack: ExitStack, file: Path) -> None:
        talk = opened(stack, file)
        asks = iter(("Are you allergic to peanuts?", "Are you a vegetarian?", "Good to know."))
        talk.model.reply = lambda request: next(asks)
        for text in ("Please help me to plan a dinner for two tomorrow.", "Yes.", "Yes."):
            talk.say(text)
        talk.memory.flush()
        assert any("peanuts" in text for text in talk.known())
        assert any("vegetarian" in text for text in talk.known())

    def test_the_same_answer_without_an_id_to_another_question(
        self, stack: ExitStack, file: Path
    ) -> None:
        """Of a thread that keeps its end alone, in which messages have no ids."""
        memory = opened(stack, file).memory
        answers = iter(["Are you a vegetarian?", "I see.", "Are you allergic to nuts?", "I see."])
        builder: Any = StateGraph(Short)
        builder.add_node("recall", memory.nodes.recall)
        builder.add_node("model", lambda _: {"messages": [AIMessage(next(answers))]})
        builder.add_node("remember", memory.nodes.remember)
        builder.add_edge(START, "recall")
        builder.add_edge("recall", "model")
        builder.add_edge("model", "remember")
        graph = builder.compile(checkpointer=memory.checkpointer)
        for said in ("Hello!", "Yes.", "Hello!", "Yes."):
            graph.invoke({"messages": [HumanMessage(said)]}, at("t1"), context={"user_id": "anna"})
            memory.flush()
        found = memory.service.memories(ANNA).search("")
        assert sorted(each.record.content for each in found) == [
            "The user is a vegetarian.",
            "The user is allergic to nuts.",
        ]


class TestSituations:
    def test_talk_leaves_nothing(self, stack: ExitStack, file: Path) -> None:
        model = Reader()
        talk = opened(stack, file, model)
        talk.model.reply = lambda request: "I am called Robo, and I like chess."
        for text in ("What are you called?", "Print the word walrus", "Thanks a lot!", "ok"):
            talk.say(text)
        talk.memory.flush()
        assert talk.known() == []
        assert model.calls == 0
        assert talk.told("extraction_skipped").total() == 4

    def test_of_many_memories_the_model_sees_few(self, stack: ExitStack, file: Path) -> None:
        model = Reader()
        talk = opened(stack, file, model, max_items=100)
        store = talk.memory.store
        made = [MemoryRecord(content=f"The user owns the boat number {n}.") for n in range(200)]
        store.batch([PutOp(ANNA.memories, each.id, each.to_value()) for each in made])
        talk.say("I own a boat and a bicycle.")
        talk.say("I never eat celery.")
        talk.memory.flush()
        assert model.calls == 1
        assert block(model.requests[0], "known_memories").count("\n") + 1 == 20
        assert len(talk.known()) <= 100

    def test_the_bound_holds_within_one_turn(self, stack: ExitStack, file: Path) -> None:
        talk = opened(stack, file, max_items=2)
        talk.say("My name is Anna. I live in Ghent. I play the harp. I work as a nurse.")
        talk.say("I'm allergic to lupins.")
        talk.memory.flush()
        assert len(talk.known()) == 2
        assert talk.told("archived") == {"max_items": 1}


def test_every_event_is_described() -> None:
    said = (Event.__doc__ or "").split("Attributes:")[0]
    files = Path(langgraph_memory.__file__).parent.rglob("*.py")
    calls = re.compile(r'\b(?:[Ee]vent|_tell)\(\s*"(\w+)"')
    sent = {name for file in files for name in calls.findall(file.read_text())}
    assert set(re.findall(r"`(\w+)`", said)) == sent


class TestTheEnd:
    def test_closing_twice_and_going_on_elsewhere(self, stack: ExitStack, file: Path) -> None:
        talk = opened(stack, file)
        talk.say("I'm allergic to lupins.")
        talk.memory.close()
        talk.memory.close()
        again = opened(stack, file)
        again.memory.flush()
        assert again.known() == ["The user is allergic to lupins."]

    def test_a_reply_while_the_memory_closes_is_a_reply(self, file: Path) -> None:
        with SQLiteMemoryStore(file) as store, InMemorySaver() as saver:
            memory = Memory(
                store,
                saver,
                AgentSettings(
                    long_term_memory=LongTermMemorySettings(enabled=True, namespace="chat")
                ),
                debounce=1e6,
            )
            talk = Talk(memory, [])

            def closing(_: list[BaseMessage]) -> str:
                memory.close()
                return "Noted."

            talk.model.reply = closing
            assert talk.say("I'm allergic to lupins.") == "Noted."

    @pytest.mark.parametrize(
        ("debounce", "last"),
        [
            (60.0, "talk('I keep bees.')"),
            # Somebody reads, and the model does not answer.
            (0.0, "talk('I keep bees.'); begun.wait(20)"),
            # The store does not answer.
            (60.0, "stuck.append(1); talk('I keep bees.')"),
        ],
        ids=["waiting", "reading", "stuck"],
    )
    def test_the_interpreter_ends_at_once(self, file: Path, debounce: float, last: str) -> None:
        program = """
            import sys, threading
            from langchain.agents import create_agent
            from langchain_core.language_models import FakeListChatModel
            from langchain_core.messages import HumanMessage
            from langgraph.checkpoint.memory import InMemorySaver
            from langgraph_memory import Memory
            from langgraph_memory.extraction import ModelExtractor
            from langgraph_memory.settings import AgentSettings, LongTermMemorySettings
            from langgraph_memory.store import SQLiteMemoryStore

            begun, stuck = threading.Event(), []

            class Deaf(FakeListChatModel):
                def _call(self, *args, **kwargs):
                    begun.set()
                    threading.Event().wait()

            class Store(SQLiteMemoryStore):
                def find(self, *args, **kwargs):
                    if stuck:
                        threading.Event().wait()
                    return super().find(*args, **kwargs)

            memory = Memory(
                Store(sys.argv[1]),
                InMemorySaver(),
                AgentSettings(long_term_memory=LongTermMemorySettings(
                    enabled=True, namespace="chat", load_timeout=0.2)),
                extractor=ModelExtractor(Deaf(responses=["{}"])),
                debounce=float(sys.argv[2]),
            )
            agent = create_agent(
                FakeListChatModel(responses=["Noted."]), [],
                middleware=[memory.middleware()], checkpointer=memory.checkpointer,
            )

            def talk(text):
                agent.invoke(
                    {"messages": [HumanMessage(text)]},
                    {"configurable": {"thread_id": "t"}},
                    context={"user_id": "anna"},
                )
        """
        source = textwrap.dedent(program) + last
        done = subprocess.run(
            [sys.executable, "-c", source, str(file), str(debounce)],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        with open_store(str(file)) as store:
            assert Memories(store, ANNA.memories).search("") == []
            assert list(store.scan(("jobs",)))

"""What may go wrong around a user's memories, and what must hold all the same."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar

import pytest
from embedders import DIMS, WordEmbeddings
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel
from scripted import ScriptedModel, block

from langgraph_memory import Memory
from langgraph_memory.errors import EmbedderMismatchError, IdentityError, StoreUnavailableError
from langgraph_memory.events import Event
from langgraph_memory.identity import Identity
from langgraph_memory.messages import text_of
from langgraph_memory.profile import ProfileExtractor, UserProfile
from langgraph_memory.records import MemoryRecord, MemoryType
from langgraph_memory.service import MemoryService, Reason
from langgraph_memory.settings import AgentSettings, LongTermMemorySettings, Settings
from langgraph_memory.store import SQLiteMemoryStore
from langgraph_memory.tasks import TaskNote, Tasks

PATIENCE = 20.0
ANNA = Identity("chat", "anna")
BOB = Identity("chat", "bob")


def texts(request: Sequence[BaseMessage]) -> str:
    return "\n".join(map(text_of, request))


def config(thread: Any) -> RunnableConfig:
    return {"configurable": {"thread_id": thread}}


class Talk:
    """An agent with memory, and who talks to it; nothing is read for memories before `flush`."""

    def __init__(self, memory: Memory, events: list[Event], saver: Any = None) -> None:
        self.memory = memory
        self.events = events
        self.model = ScriptedModel(reply=lambda _: "Noted.")
        self.agent: Any = create_agent(
            self.model,
            [],
            middleware=[memory.middleware()],
            checkpointer=saver or memory.checkpointer,
        )

    def say(
        self, said: str | Sequence[BaseMessage], thread: Any = "t1", user: str = "anna", **more: Any
    ) -> Any:
        given = {"messages": [HumanMessage(said)] if isinstance(said, str) else list(said)}
        return self.agent.invoke(given, config(thread), context={"user_id": user, **more})

    def knows(self, content: str, type: MemoryType = MemoryType.FACT, who: Identity = ANNA) -> str:
        record = MemoryRecord(content=content, type=type, importance=0.9)
        return self.memory.service.memories(who).save(record).record.id

    def known(self, who: Identity = ANNA) -> list[str]:
        self.memory.flush()
        found = self.memory.service.memories(who).search("", limit=100)
        return sorted(each.record.content for each in found)

    def failures(self) -> Counter[str]:
        return Counter(each.reason for each in self.events if each.name == "recall_failed")


Opening = Callable[..., Talk]


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def opened(stack: ExitStack, tmp_path: Path) -> Opening:
    """Opens a memory on a store of its own, or on one that fails in some way."""

    def opening(
        kind: type[SQLiteMemoryStore] = SQLiteMemoryStore,
        *,
        embed: Any = None,
        saver: Any = None,
        profile: ProfileExtractor | None = None,
        **settings: Any,
    ) -> Talk:
        index: Any = {"index": {"dims": DIMS, "embed": embed}} if embed is not None else {}
        store = stack.enter_context(kind(tmp_path / "memory.db", **index))
        events: list[Event] = []
        given = LongTermMemorySettings(enabled=True, namespace="chat", **settings)
        memory = Memory(
            store,
            stack.enter_context(InMemorySaver()),
            AgentSettings(long_term_memory=given),
            profile=profile,
            on_event=events.append,
            debounce=1e6,
        )
        stack.enter_context(memory)
        return Talk(memory, events, saver and stack.enter_context(saver))

    return opening


LIMIT = "The user cannot eat lupins."
FACT = "The user bakes rye bread."
ASKED = "How do I go on with the oven for my rye bread?"


def furnished(talk: Talk) -> Talk:
    """A limit, something else, and a task."""
    talk.knows(LIMIT, MemoryType.CONSTRAINT)
    talk.knows(FACT)
    oven = TaskNote("Build the bread oven", next_steps=("buy bricks",))
    Tasks(talk.memory.store, ANNA.tasks).save([oven])
    return talk


class Failing(WordEmbeddings):
    """An embedder that answers until it is told otherwise."""

    def __init__(self) -> None:
        super().__init__()
        self.fails: Callable[[str], None] = lambda text: None

    def embed_query(self, text: str) -> list[float]:
        self.fails(text)
        return super().embed_query(text)


class TestWhatAlwaysHolds:
    """It is read by filter: nothing that fails in a search takes it away."""

    def test_an_embedder_that_is_down(self, opened: Opening) -> None:
        embedder = Failing()
        talk = furnished(opened(embed=embedder))

        def down(text: str) -> None:
            raise ConnectionError("no route to the embedder")

        embedder.fails = down
        talk.say(ASKED)
        for told in (LIMIT, FACT, "buy bricks"):
            assert told in texts(talk.model.requests[-1])
        assert talk.failures() == {"meaning: ConnectionError": 1}
        embedder.fails = lambda text: None
        talk.say(ASKED, "t2")
        assert talk.failures() == {"meaning: ConnectionError": 1}

    @pytest.mark.parametrize("asynchronous", [False, True])
    def test_an_embedder_that_hangs(
        self, opened: Opening, stack: ExitStack, asynchronous: bool
    ) -> None:
        asked_of, go_on = threading.Event(), threading.Event()
        embedder = Failing()
        talk = furnished(opened(embed=embedder, load_timeout=0.05))
        stack.callback(go_on.set)  # Also if something fails.

        def hang(text: str) -> None:
            asked_of.set()
            assert go_on.wait(PATIENCE)

        embedder.fails = hang
        service, messages = talk.memory.service, [HumanMessage(ASKED)]
        service.begin(ANNA, "t1", messages)
        assert asked_of.wait(PATIENCE)
        if asynchronous:
            found = asyncio.run(service.arecollect(ANNA, "t1", messages))
        else:
            found = service.recollect(ANNA, "t1", messages)
        assert LIMIT in found.standing
        assert found.recalled == found.tasks == ""
        assert [each["block"] for each in found.why] == ["standing"]
        assert talk.failures() == {"TimeoutError": 1}
        go_on.set()
        talk.memory.flush()
        # All requests of a turn are alike, and none of them waits again.
        assert service.recollect(ANNA, "t1", messages) == found

    def test_a_store_that_cannot_search(self, opened: Opening) -> None:
        class Unsearchable(SQLiteMemoryStore):
            def find(self, namespace_prefix: Any, query: str, **options: Any) -> Any:
                if query and not go_on.is_set():
                    raise StoreUnavailableError("the index is being built")
                return super().find(namespace_prefix, query, **options)

        go_on = threading.Event()
        go_on.set()
        talk = furnished(opened(Unsearchable, embed=WordEmbeddings()))
        go_on.clear()
        talk.say(ASKED)
        assert LIMIT in block(talk.model.requests[-1], "standing_memory")
        assert FACT not in texts(talk.model.requests[-1])
        parts = ("meaning", "recalled", "tasks")
        assert talk.failures() == {f"{part}: StoreUnavailableError": 1 for part in parts}

    def test_a_store_whose_writes_hang(self, opened: Opening, stack: ExitStack) -> None:
        go_on = threading.Event()
        go_on.set()

        class Stuck(SQLiteMemoryStore):
            def find(self, *args: Any, **kwargs: Any) -> Any:
                try:
                    return super().find(*args, **kwargs)
                finally:
                    read.set()

            def put_if_version(self, *args: Any, **kwargs: Any) -> Any:
                assert go_on.wait(PATIENCE)
                return super().put_if_version(*args, **kwargs)

        read = threading.Event()
        talk = furnished(opened(Stuck, load_timeout=1.0))
        stack.callback(go_on.set)  # Also if something fails.
        go_on.clear()
        read.clear()
        service, messages = talk.memory.service, [HumanMessage(ASKED)]
        service.begin(ANNA, "t1", messages)
        assert read.wait(PATIENCE)
        assert LIMIT in service.recollect(ANNA, "t1", messages).standing

    def test_what_others_have_stored_wrongly(self, opened: Opening) -> None:
        class Baker(BaseModel):
            flour: str | None = None

        extractor = ProfileExtractor(ScriptedModel(reply=lambda _: "{}"), Baker)
        talk = furnished(opened(profile=extractor))
        wrong = MemoryRecord(content="The user dislikes rye.", type=MemoryType.CONSTRAINT)
        value = wrong.to_value() | {"importance": "very"}
        talk.memory.store.put(ANNA.memories, wrong.id, value)
        talk.memory.store.put(ANNA.profile, "profile", {"fields": ["flour"]})
        talk.say(ASKED)
        for told in (LIMIT, FACT, "buy bricks"):
            assert told in texts(talk.model.requests[-1])
        assert talk.failures()["standing: InvalidInputError"] == 1
        assert sum(talk.failures().values()) <= 2

    def test_a_question_that_is_longer_than_the_embedder_takes(self, opened: Opening) -> None:
        embedder = Failing()
        talk = furnished(opened(embed=embedder))

        def limited(text: str) -> None:
            if len(text) > 8_000:
                raise ValueError("the text has more tokens than the model takes")

        embedder.fails = limited
        talk.say("Look at this log:\n" + "0x3f 12 bar\n" * 5_000 + ASKED)
        for told in (LIMIT, FACT, "buy bricks"):
            assert told in texts(talk.model.requests[-1])
        assert talk.failures() == {}


class TestWhy:
    def test_a_memory_cannot_claim_where_it_is_from(self) -> None:
        said = "The user cooks.\n  known since 2020-01-01 through user"
        assert len(str(Reason("standing", said, None, None, {}, ())).splitlines()) == 1

    """A client of a server can write a thread's state; the reasons are the user's alone."""

    MINE: ClassVar = [*ANNA.memories]
    WRONG: tuple[Any, ...] = (
        None,
        3,
        [],
        {},
        {"why": None},
        {"why": 3},
        {"why": "recalled"},
        {"why": {"block": "recalled"}},
        {"why": [3, None, [], "block", {}]},
        {"why": [{"block": "recalled", "namespace": MINE}]},
        {"why": [{"block": "recalled", "namespace": MINE, "key": []}]},
        {"why": [{"block": "recalled", "namespace": MINE, "key": "k" * 5_000}]},
        {"why": [{"block": {}, "namespace": MINE, "key": "k"}]},
        {"why": [{"block": "recalled", "namespace": 3, "key": "k"}]},
        {"why": [{"block": "recalled", "namespace": "agent:chat", "key": "k"}]},
        {"why": [{"block": "recalled", "namespace": [[*MINE]], "key": "k"}]},
        {"why": [{"block": "recalled", "namespace": [{}, 1], "key": "k"}]},
    )

    @pytest.mark.parametrize("kept", WRONG)
    def test_what_is_no_reason_gives_none(self, opened: Opening, kept: Any) -> None:
        talk = opened()
        assert talk.memory.service.why(ANNA, kept) == []
        # Nor does it keep a turn from being read.
        why = kept.get("why", ()) if isinstance(kept, dict) else ()
        said = [HumanMessage("I'm allergic to celery."), AIMessage("Noted.")]
        talk.memory.service.end(ANNA, "t1", said, None, why, readable=False)
        assert talk.known() == ["The user is allergic to celery."]

    def test_one_wrong_entry_hides_no_other(self, opened: Opening) -> None:
        talk = opened()
        entry = {"block": "recalled", "namespace": self.MINE, "key": talk.knows(FACT)}
        odd = entry | {"score": "high", "parts": {"relevance": None, "heat": 0.5, "type": 10**400}}
        reasons = talk.memory.service.why(ANNA, {"why": [3, odd, {**entry, "score": 0.25}]})
        assert [each.text for each in reasons] == [FACT, FACT]
        assert [each.score for each in reasons] == [None, 0.25]
        assert dict(reasons[0].parts) == {"heat": 0.5}
        assert all(FACT in str(each) for each in reasons)

    def test_a_memory_that_others_have_stored_wrongly_is_a_note(self, opened: Opening) -> None:
        talk = opened()
        value = MemoryRecord(content=FACT).to_value() | {"importance": "very"}
        talk.memory.store.put(ANNA.memories, "k", value)
        entry = {"block": "recalled", "namespace": self.MINE, "key": "k"}
        [reason] = talk.memory.service.why(ANNA, {"why": [entry]})
        assert (reason.text, reason.record) == (FACT, None)

    def test_another_users_memories_and_words_are_no_reason(self, opened: Opening) -> None:
        talk = opened()
        talk.say("I'm allergic to celery.", "bobs", "bob")
        assert talk.known(BOB) == ["The user is allergic to celery."]
        [item] = talk.memory.store.scan(BOB.memories)
        forged = {"block": "recalled", "namespace": [*item.namespace], "key": item.key}
        own = {"block": "recalled", "namespace": self.MINE, "key": talk.knows(FACT)}
        reasons = talk.memory.service.why(ANNA, {"why": [forged, own]})
        assert [each.text for each in reasons] == [FACT]
        mine = talk.memory.service.why(BOB, {"why": [forged, own]})
        assert [each.text for each in mine] == ["The user is allergic to celery."]
        assert [str(said.content) for said in mine[0].said] == ["I'm allergic to celery."]
        # What all share may have been learnt in a thread of one of them.
        talk.memory.store.put(ANNA.knowledge, "k", dict(item.value))
        shared = {"block": "recalled", "namespace": [*ANNA.knowledge], "key": "k"}
        [reason] = talk.memory.service.why(ANNA, {"why": [shared]})
        assert (reason.text, reason.said) == ("The user is allergic to celery.", ())


THREADS = [7, uuid.UUID(int=7)]
OURS_OR_NOT = pytest.mark.parametrize("ours", [True, False], ids=["readable", "unreadable"])


class TestNoTurnIsLost:
    @pytest.mark.parametrize("thread", THREADS, ids=["int", "uuid"])
    @OURS_OR_NOT
    def test_ids_of_threads_that_are_no_text(
        self, opened: Opening, thread: Any, ours: bool
    ) -> None:
        talk = opened(saver=None if ours else InMemorySaver())
        talk.say("I'm allergic to celery.", thread)
        assert talk.known() == ["The user is allergic to celery."]
        talk.say("What must I not eat?", thread)
        assert "celery" in block(talk.model.requests[-1], "standing_memory")
        [item] = talk.memory.store.scan(ANNA.memories)
        assert item.value["source_thread_id"] == str(thread)

    @OURS_OR_NOT
    def test_json_that_is_nested_too_deeply_for_python(self, opened: Opening, ours: bool) -> None:
        talk = opened(saver=None if ours else InMemorySaver())
        talk.say('{"a":' * 1_800)
        assert talk.known() == []
        talk.say("I'm allergic to celery.")
        assert talk.known() == ["The user is allergic to celery."]
        assert [each.reason for each in talk.events if each.name == "extraction_failed"] == []

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            ("I'm allergic to E102.", "I'm allergic to E110."),
            ("I cannot take vitamin B6.", "I cannot take vitamin B12."),
            ("我对E102过敏。", "我对E110过敏。"),
        ],
    )
    def test_a_figure_in_a_name_corrects_no_other(
        self, opened: Opening, first: str, second: str
    ) -> None:
        talk = opened()
        talk.say(first)
        before = talk.known()
        assert len(before) == 1
        talk.say(second)
        assert len(talk.known()) == 2
        assert before[0] in talk.known()

    def test_what_is_noted_of_an_unreadable_thread_are_its_words(self, opened: Opening) -> None:
        talk = opened(saver=InMemorySaver())
        picture = {"type": "media", "mime_type": "image/png", "data": b"\x89PNG\xff" * 50_000}
        url = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 500_000}}
        when = {"when": datetime(2026, 5, 4, tzinfo=UTC), "form": uuid.uuid4(), "raw": b"\xff"}
        text = {"type": "text", "text": "I'm allergic to celery."}
        talk.say([HumanMessage([picture, text, url], additional_kwargs=when)])
        talk.say("Thank you.")
        [job] = talk.memory.store.scan(("jobs",))
        assert "celery" in str(job.value)
        assert len(str(job.value)) < 5_000
        assert talk.known() == ["The user is allergic to celery."]


class TestStrangers:
    def test_one_who_asks_for_incognito_is_a_stranger_all_the_same(self, opened: Opening) -> None:
        talk = opened()
        talk.say("Good morning to you.")
        with pytest.raises(IdentityError):
            talk.say("Hello.", user="bob", incognito=True)
        assert talk.model.calls == 1
        talk.say("I'm allergic to celery.")
        assert talk.known() == ["The user is allergic to celery."]
        talk.say("What must I not eat?")
        assert "celery" in block(talk.model.requests[-1], "standing_memory")

    @OURS_OR_NOT
    @pytest.mark.parametrize("at_once", [True, False], ids=["one run", "many runs"])
    def test_however_much_one_says_it_is_never_the_owners(
        self, opened: Opening, ours: bool, at_once: bool
    ) -> None:
        talk = opened(saver=None if ours else InMemorySaver())
        talk.say("Good morning to you.")
        foods = [
            f"{a}{b}nut" for a in "bdfghklm" for b in ("ar", "el", "im", "on", "up", "ast", "ol")
        ]
        assert len(foods) > 55
        messages = [HumanMessage(f"I'm allergic to {food}s.") for food in foods]
        for batch in [messages] if at_once else [[each] for each in messages]:
            with pytest.raises(IdentityError):
                talk.say(batch, user="bob")
        talk.say("I keep bees on the roof.")
        assert ["nuts" in each for each in talk.known()] == [False]
        assert talk.known(BOB) == []


def test_of_several_speakers_the_profile_is_that_of_the_user(opened: Opening) -> None:
    class Traveller(BaseModel):
        budget: int | None = None
        city: str | None = None

    def reading(request: list[BaseMessage]) -> AIMessage:
        """Records what every message says that the request has as the user's."""
        stated: dict[str, Any] = {}
        for line in block(request, "conversation").splitlines():
            alias = line.split()[0]
            if alias.startswith("u") and "budget" in line:
                amount = int("".join(filter(str.isdigit, line.rpartition(": ")[2])))
                stated["budget"] = {"value": amount, "sources": [alias]}
            if alias.startswith("u") and "live in" in line:
                city = line.rpartition(" ")[2].strip('."')
                stated["city"] = {"value": city, "sources": [alias]}
        call: Mapping[str, Any] = {"stated": stated, "withdrawn": []}
        named = {"name": "update_profile", "args": dict(call), "id": "p1", "type": "tool_call"}
        return AIMessage("", tool_calls=[named])

    model = ScriptedModel(reply=reading)
    talk = opened(profile=ProfileExtractor(model, Traveller), profile_every=1)
    talk.say(
        [
            HumanMessage("I live in Ghent.", name="anna"),
            HumanMessage("My budget is 900 euros.", name="bob"),
        ]
    )
    talk.memory.flush()
    assert model.calls >= 1
    assert "900" in model.said_to()
    talk.say([HumanMessage("Where shall I go?", name="anna")])
    shown = block(talk.model.requests[-1], "standing_memory")
    assert "Ghent" in shown
    assert "900" not in shown


def test_a_profile_that_could_not_be_written_costs_no_second_call(opened: Opening) -> None:
    class Traveller(BaseModel):
        budget: int | None = None

    class Full(SQLiteMemoryStore):
        left = 2

        def commit(self, changes: Any, *args: Any, **kwargs: Any) -> Any:
            if self.left and any(each.namespace == ANNA.profile for each in changes):
                self.left -= 1
                raise sqlite3.OperationalError("database or disk is full")
            return super().commit(changes, *args, **kwargs)

    given = {"stated": {"budget": {"value": 900, "sources": ["u1"]}}, "withdrawn": []}
    called = {"name": "update_profile", "args": given, "id": "p1", "type": "tool_call"}
    model = ScriptedModel(reply=lambda _: AIMessage("", tool_calls=[called]))
    talk = opened(Full, profile=ProfileExtractor(model, Traveller))
    talk.say("My budget is 900 euros.")
    for _ in range(3):
        talk.memory.flush()
    assert talk.known() == ["The user's budget is 900 euros."]
    profile = UserProfile(talk.memory.store, ANNA.profile, Traveller).read().profile
    assert (profile.budget, model.calls) == (900, 1)


def test_a_database_of_an_embedder_is_not_opened_without_it(tmp_path: Path) -> None:
    """Nothing would be remembered, and nobody told but the log."""
    file = tmp_path / "memory.db"
    index = {"dims": DIMS, "embed": WordEmbeddings()}
    with Memory.open(file, agent="chat", index=index) as memory:
        memory.service.memories(ANNA).save(MemoryRecord(content="The user lives in Graz."))
    with pytest.raises(EmbedderMismatchError, match="--embedder"):
        Memory.open(file, agent="chat")
    with Memory.open(file, agent="chat", index=index) as memory:
        assert len(memory.service.memories(ANNA).search("")) == 1


class Traveller(BaseModel):
    budget: int | None = None
    city: str | None = None


class TestProfileOfManyThreads:
    @pytest.fixture(params=["readable", "unreadable"])
    def talk(self, request: pytest.FixtureRequest, stack: ExitStack, tmp_path: Path) -> Talk:
        given = LongTermMemorySettings(enabled=True, namespace="chat", profile_every=3)
        settings = Settings(agents={"chat": AgentSettings(long_term_memory=given)})
        memory = Memory.open(
            tmp_path / "memory.db",
            settings,
            agent="chat",
            extraction_model=ScriptedModel(reply=self.reply),
            profile=Traveller,
            debounce=1e6,
        )
        stack.enter_context(memory)
        self.looks: list[str] = []
        return Talk(memory, [], None if request.param == "readable" else InMemorySaver())

    def reply(self, request: Sequence[BaseMessage]) -> BaseMessage:
        """No memories, and the city of Ghent where the user speaks of it."""
        if "profile up to date" not in texts(request[:1]):
            return AIMessage('{"memories": []}')
        self.looks.append(block(request, "conversation"))
        said = [line for line in self.looks[-1].splitlines() if line.startswith("u")]
        sources = [line.split()[0] for line in said if "Gent" in line]
        stated = {"city": {"value": "Gent", "sources": sources}} if sources else {}
        given = {"stated": stated, "withdrawn": []}
        called = {"name": "update_profile", "args": given, "id": "p1", "type": "tool_call"}
        return AIMessage("", tool_calls=[called])

    def changes(self, talk: Talk) -> list[tuple[str, Any, str | None]]:
        talk.memory.flush()
        read = UserProfile(talk.memory.store, ANNA.profile, Traveller).read()
        return [(each.field, each.new, each.thread_id) for each in read.history()]

    def test_every_turn_is_shown_once(self, talk: Talk) -> None:
        for number in range(9):
            talk.say(f"Wie backt man eigentlich das Brot Nummer {number} aus Roggen?", number // 2)
            talk.memory.flush()
        shown = "\n".join(self.looks)
        assert len(self.looks) == 3
        assert [shown.count(f"Nummer {number} ") for number in range(9)] == [1] * 9

    def test_a_change_names_the_thread_that_it_is_from(self, talk: Talk) -> None:
        for thread, where in (("t1", "Oslo"), ("t2", "Gent"), ("t3", "Riga")):
            talk.say(f"Wie backt man eigentlich in der Stadt {where} Brot aus Roggen?", thread)
            talk.memory.flush()
        assert self.changes(talk) == [("city", "Gent", "t2")]
        assert len(self.looks) == 1

    def test_what_others_say_in_another_thread_is_not_the_users(self, talk: Talk) -> None:
        for name, where in (("anna", "Oslo"), ("bob", "Gent")):
            said = f"Wie backt man eigentlich in der Stadt {where} Brot aus Roggen?"
            talk.say([HumanMessage(said, name=name)], "group")
        talk.say("Wie backt man eigentlich in der Stadt Riga Brot aus Roggen?", "alone")
        assert self.changes(talk) == []
        assert len(self.looks) == 1
        assert "Oslo" in self.looks[0]

    def test_of_a_thread_that_is_gone_nothing_is_shown(self, talk: Talk) -> None:
        saver = talk.agent.checkpointer
        for thread, where in (("t1", "Gent"), ("t2", "Oslo"), ("t3", "Riga")):
            talk.say(f"Wie backt man eigentlich in der Stadt {where} Brot aus Roggen?", thread)
            talk.memory.flush()
            saver.delete_thread("t1")
            if saver is not talk.memory.checkpointer:  # It tells memory by itself.
                talk.memory.forget_thread("t1", saver)
        [shown] = self.looks
        assert [where in shown for where in ("Gent", "Oslo", "Riga")] == [False, True, True]

    def test_a_user_who_does_not_want_it_any_more_is_not_read_later(self, talk: Talk) -> None:
        talk.say("Wie backt man eigentlich in der Stadt Gent Brot aus Roggen?", "t1")
        talk.memory.flush()
        talk.memory.service.let_extract(ANNA, False)
        talk.memory.service.let_extract(ANNA, True)
        for thread in ("t2", "t3"):
            talk.say(f"Wie backt man eigentlich Brot aus Roggen im Ofen {thread}?", thread)
        assert self.changes(talk) == []
        assert "Ofen t3" in self.looks[-1]

    def test_another_agent_without_a_profile_leaves_it_waiting(self, talk: Talk) -> None:
        given = LongTermMemorySettings(enabled=True, namespace="chat")
        service = MemoryService(talk.memory.store, given, debounce=1e6)
        for number in range(3):
            talk.say(f"Wie backt man eigentlich das Brot Nummer {number} aus Roggen?", number)
            talk.memory.flush()
            service.end(ANNA, None, [HumanMessage("I keep bees."), AIMessage("Noted.")])
            service.flush()
        assert len(self.looks) == 1
        service.close()

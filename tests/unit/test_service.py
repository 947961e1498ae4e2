"""Recalling and remembering as the service does it, without a graph around it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage
from langgraph.store.base import PutOp

from langgraph_memory import clock
from langgraph_memory.calls import Steps, drive
from langgraph_memory.errors import StoreUnavailableError
from langgraph_memory.events import Event
from langgraph_memory.extraction import Extraction, ExtractionRequest, RulesExtractor
from langgraph_memory.identity import Identity
from langgraph_memory.messages import made_kind
from langgraph_memory.records import MemoryRecord, MemoryType
from langgraph_memory.service import (
    NOTHING,
    Account,
    Learner,
    MemoryService,
    Recollection,
    placed,
)
from langgraph_memory.service.turns import Turn, turns_of
from langgraph_memory.settings import LongTermMemorySettings
from langgraph_memory.store import SQLiteMemoryStore

ANNA = Identity("chat", "anna")
SETTINGS = LongTermMemorySettings(enabled=True, namespace="chat")
NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)


class Counting:
    """The rules, and what they were given."""

    def __init__(self) -> None:
        self.requests: list[ExtractionRequest] = []
        self.name = "counting"

    def steps(self, request: ExtractionRequest) -> Steps[Extraction]:
        self.requests.append(request)
        return (yield from RulesExtractor().steps(request))


def told(messages: list[AnyMessage]) -> tuple[list[Turn], dict[str, datetime]]:
    """The turns of a thread, and when they were said."""
    turns = turns_of(messages)
    return turns, {turn.mark: NOW for turn in turns}


def thread(*texts: str) -> list[AnyMessage]:
    """What a user said, each answered."""
    messages: list[AnyMessage] = []
    for number, text in enumerate(texts):
        messages += [HumanMessage(text, id=f"h{number}"), AIMessage("Noted.", id=f"a{number}")]
    return messages


@pytest.fixture
def store() -> Iterator[SQLiteMemoryStore]:
    with SQLiteMemoryStore(":memory:") as store:
        yield store


@pytest.fixture
def events() -> list[Event]:
    return []


@pytest.fixture
def service(store: SQLiteMemoryStore, events: list[Event]) -> Iterator[MemoryService]:
    service = MemoryService(store, SETTINGS, listener=events.append, debounce=1e6)
    yield service
    service.close()


def contents(service: MemoryService) -> list[str]:
    return sorted(each.record.content for each in service.memories(ANNA).search("", limit=100))


class TestRecalling:
    def test_the_same_all_through_a_turn(self, service: MemoryService) -> None:
        asked = [HumanMessage("Which instrument do I play?", id="q")]
        service.memories(ANNA).save(MemoryRecord(content="The user plays the harp."))
        service.begin(ANNA, "t", asked)
        first = service.recollect(ANNA, "t", asked)
        service.memories(ANNA).save(MemoryRecord(content="The user plays the oboe, an instrument."))
        call = AIMessage("", tool_calls=[{"name": "f", "args": {}, "id": "1", "type": "tool_call"}])
        assert service.recollect(ANNA, "t", [*asked, call]) == first
        assert "harp" in first.recalled
        service.begin(ANNA, "t", [HumanMessage("And which instrument else?", id="q2")])
        then = service.recollect(ANNA, "t", [HumanMessage("And which instrument else?", id="q2")])
        assert "oboe" in then.recalled

    def test_limits_always_and_the_rest_if_it_bears_on_it(self, service: MemoryService) -> None:
        memories = service.memories(ANNA)
        memories.save(
            MemoryRecord(content="The user cannot eat lupins.", type=MemoryType.CONSTRAINT)
        )
        harp = memories.save(MemoryRecord(content="The user plays the harp.")).record
        found = service.recollect(ANNA, None, [HumanMessage("What do I play, a harp?")])
        assert "lupins" in found.standing
        assert "lupins" not in found.recalled
        assert "harp" in found.recalled
        assert found.used == ((ANNA.memories, harp.id),)
        assert {each["block"] for each in found.why} == {"standing", "recalled"}
        assert "harp" not in str(found.to_state())

    def test_a_limit_no_longer_than_it_holds(self, service: MemoryService) -> None:
        content = "The user's budget for groceries is 350 pounds."
        ends = datetime(2026, 3, 1, tzinfo=UTC)
        limit = MemoryRecord(content=content, type=MemoryType.CONSTRAINT, valid_to=ends)
        kept = service.memories(ANNA).save(limit).record
        line = f"[CONSTRAINT] {content}"
        with clock.set_to(ends - timedelta(hours=1)):
            found = service.recollect(ANNA, None, [HumanMessage("My groceries budget?")])
            assert found.lines("standing") == [f"- {line} (until 2026-02-28)"]
            assert not found.recalled
        with clock.set_to(ends):
            found = service.recollect(ANNA, None, [HumanMessage("My budget for groceries?")])
            assert not found.standing
            assert found.used == ((ANNA.memories, kept.id),)
            assert f"{line} (relevance: " in found.recalled
            assert "until 2026-02-28)" in found.recalled

    async def test_awaited_it_is_the_same(self, service: MemoryService) -> None:
        service.memories(ANNA).save(MemoryRecord(content="The user plays the harp."))
        asked = [HumanMessage("What do I play, a harp?", id="q")]
        service.begin(ANNA, "t", asked)
        found = await service.arecollect(ANNA, "t", asked)
        assert found == service.recollect(ANNA, "t", asked)
        assert "harp" in found.recalled

    def test_what_shares_a_syllable_with_the_question_is_left_out(
        self, service: MemoryService
    ) -> None:
        memories = service.memories(ANNA)
        asked_for = memories.save(MemoryRecord(content="用户的妹妹的生日是6月14日。")).record
        for name in "张王李赵钱孙周吴":
            memories.save(MemoryRecord(content=f"用户的{name}医生今天生病了，明天上班。"))
        found = service.recollect(ANNA, None, [HumanMessage("我妹妹生日是哪天？")])
        assert found.used == ((ANNA.memories, asked_for.id),)

    def test_who_asks_for_all_that_is_known_of_him_is_not_told_what_all_share(
        self, store: SQLiteMemoryStore, service: MemoryService
    ) -> None:
        service.memories(ANNA).save(MemoryRecord(content="The user keeps bees.", type="fact"))
        for number in range(SETTINGS.load_max_items):
            store.put(ANNA.knowledge, f"{number}", {"text": f"Rule {number}: bees are pets."})
        found = service.recollect(ANNA, "t1", thread("What do you know about me?")[:1])
        assert found.recalled.splitlines()[2].startswith("1. [FACT] The user keeps bees.")
        assert "Rule" not in found.recalled
        assert "Rule" in service.recollect(ANNA, "t2", thread("Are bees pets?")[:1]).recalled

    def test_nothing_for_nothing(self, service: MemoryService, events: list[Event]) -> None:
        assert service.recollect(ANNA, "t", [AIMessage("Hello!")]) == NOTHING
        assert events == []

    def test_switched_off(self, store: SQLiteMemoryStore) -> None:
        off = SETTINGS.model_copy(update={"auto_load": False, "auto_extract": False})
        service = MemoryService(store, off)
        service.memories(ANNA).save(MemoryRecord(content="The user plays the harp."))
        messages = thread("I'm allergic to lupins.")
        service.begin(ANNA, "t", messages[:1], readable=False)
        assert service.recollect(ANNA, "t", messages[:1]) == NOTHING
        service.end(ANNA, "t", messages, readable=False)
        assert service.flush() == 0
        assert contents(service) == ["The user plays the harp."]
        service.close()

    def test_what_cannot_be_recalled_is_told(
        self, events: list[Event], caplog: pytest.LogCaptureFixture
    ) -> None:
        class Gone(SQLiteMemoryStore):
            def find(self, *args: Any, **kwargs: Any) -> Any:
                raise StoreUnavailableError("gone")

        with Gone(":memory:") as store:
            service = MemoryService(store, SETTINGS, listener=events.append)
            assert service.recollect(ANNA, "t", [HumanMessage("Hello?")]) == NOTHING
            service.close()
        assert [(each.name, each.reason) for each in events] == [
            ("recall_failed", "StoreUnavailableError")
        ]
        assert "gone" in caplog.text


class TestRemembering:
    def test_uses_are_counted_once_a_reply_is_given(self, service: MemoryService) -> None:
        memories = service.memories(ANNA)
        record = memories.save(MemoryRecord(content="The user plays the harp.")).record
        messages = thread("What do I play, a harp?")
        found = service.recollect(ANNA, "t", messages[:1])
        service.flush()
        before = memories.get(record.id)
        service.end(ANNA, "t", messages, None, found.why, readable=False)
        service.flush()
        after = memories.get(record.id)
        assert before is not None
        assert after is not None
        assert (before.access_count, after.access_count) == (0, 1)

    def test_a_turn_whose_reply_never_came(self, service: MemoryService) -> None:
        messages = [HumanMessage("I'm allergic to lupins.")]
        service.begin(ANNA, "t", messages, readable=False)
        assert service.flush() == 0
        assert contents(service) == []
        with clock.set_to(clock.now() + timedelta(minutes=3)):
            assert service.flush() == 1
            assert contents(service) == ["The user is allergic to lupins."]

    def test_without_a_thread(self, service: MemoryService) -> None:
        messages = thread("I'm allergic to lupins.")
        service.begin(ANNA, None, messages[:1])
        service.end(ANNA, None, messages)
        service.flush()
        assert contents(service) == ["The user is allergic to lupins."]

    def test_what_a_conversation_said_is_not_kept_with_the_job(
        self, service: MemoryService, store: SQLiteMemoryStore
    ) -> None:
        service.end(ANNA, "t", thread("I'm allergic to lupins."), readable=False)
        service.flush()
        assert [each for each in store.scan(("jobs",)) if "lupins" in str(each.value)] == []

    def test_a_store_that_is_gone_for_a_moment(
        self, events: list[Event], caplog: pytest.LogCaptureFixture
    ) -> None:
        """When a job is over, the worker must not be over, too."""
        learned = threading.Event()
        fail = [1]

        class Flaky(SQLiteMemoryStore):
            def commit(self, changes: Any) -> None:
                changes = list(changes)
                if fail and changes[0].namespace[0] == "jobs":
                    fail.pop()
                    raise StoreUnavailableError("gone for a moment")
                super().commit(changes)

        def listen(event: Event) -> None:
            events.append(event)
            if event.name == "extracted" and event.user == "bob":
                learned.set()

        with Flaky(":memory:") as store:
            service = MemoryService(store, SETTINGS, listener=listen, debounce=0)
            service.end(ANNA, "t", thread("I'm allergic to lupins."), readable=False)
            for _ in range(200):
                if not fail:
                    break
                threading.Event().wait(0.02)
            service.end(
                Identity("chat", "bob"), "u", thread("I'm allergic to celery."), readable=False
            )
            assert learned.wait(20)
            service.close()
        assert "gone for a moment" in caplog.text

    def test_a_note_that_comes_late_is_not_the_newest(self) -> None:
        """What follows two replies may be done in any order."""
        go_on = threading.Event()

        class Slow(SQLiteMemoryStore):
            def touch(self, *args: Any, **kwargs: Any) -> int:
                assert go_on.wait(20)
                return super().touch(*args, **kwargs)

        store = Slow(":memory:")
        service = MemoryService(store, SETTINGS, debounce=1e6)
        with closing(store), closing(service):
            service.memories(ANNA).save(MemoryRecord(content="The user plays the harp."))
            messages = thread("I'm allergic to lupins.", "I'm allergic to celery.")
            found = service.recollect(ANNA, "t", [HumanMessage("What do I play, a harp?")])
            assert found.used
            service.end(ANNA, "t", messages[:2], None, found.why, readable=False)
            service.end(ANNA, "t", messages, readable=False)
            for _ in range(500):
                if any("celery" in str(job.value) for job in store.scan(("jobs",))):
                    break
                threading.Event().wait(0.01)
            go_on.set()
            service.flush()
            assert len(contents(service)) == 3

    def test_after_the_end_nothing_is_begun(self, service: MemoryService) -> None:
        service.close()
        messages = thread("I'm allergic to lupins.")
        service.begin(ANNA, "t", messages[:1], readable=False)
        assert service.recollect(ANNA, "t", messages[:1]) == NOTHING
        service.end(ANNA, "t", messages, readable=False)
        service.close()


class TestLearner:
    def test_what_came_of_it_in_figures(self, store: SQLiteMemoryStore) -> None:
        events: list[Event] = []
        extractor = Counting()
        learner = Learner(store, SETTINGS, extractor, listener=events.append)
        messages = thread("I'm allergic to lupins.", "Thanks!", "I'm allergic to lupins.")
        learned = drive(learner.steps(ANNA, "t", *told(messages)))
        assert (learned.turns, learned.saved, learned.calls) == (3, 1, 0)
        assert learned.skipped == {"courtesy": 1, "repeated": 1}
        assert [each.name for each in events].count("extraction_skipped") == 2
        account = Account.of(store.get(ANNA.ledger, "account"))
        assert dict(account.skipped) == {"courtesy": 1, "repeated": 1}
        assert account.stored_on(clock.now().date()) == 1
        assert drive(learner.steps(ANNA, "t", *told(messages))).turns == 0
        assert len(extractor.requests) == 1

    def test_where_a_memory_is_from(self, store: SQLiteMemoryStore) -> None:
        drive(
            Learner(store, SETTINGS, Counting()).steps(
                ANNA, "t", *told(thread("Good day!", "I'm allergic to lupins."))
            )
        )
        [item] = store.scan(ANNA.memories)
        record = MemoryRecord.from_value(item.value)
        assert record.type is MemoryType.CONSTRAINT
        assert (record.source_thread_id, record.source_message_ids) == ("t", ("h1",))
        assert (record.source, record.extractor) == ("auto_extract", "counting")

    def test_an_extractor_sees_the_nearest_however_much_is_known(
        self, store: SQLiteMemoryStore
    ) -> None:
        near = [MemoryRecord(content=f"The user stores lupins in barn {n}.") for n in range(60)]
        far = [MemoryRecord(content=f"The user owns painting {n}.") for n in range(540)]
        store.batch([PutOp(ANNA.memories, one.id, one.to_value()) for one in [*near, *far]])
        extractor = Counting()
        settings = SETTINGS.model_copy(update={"max_items": 1_000})
        turns = thread("I'm allergic to lupins.", "I live in a lighthouse.")
        drive(Learner(store, settings, extractor).steps(ANNA, "t", *told(turns)))
        [request] = extractor.requests
        assert len(request.known) == 20
        assert {one.id for one in request.known} < {one.id for one in near}

    def test_many_turns_in_several_goes(self, store: SQLiteMemoryStore) -> None:
        extractor = Counting()
        food = [
            f"{a}{b}" for a in ("bar", "mil", "tor") for b in ("nak", "gop", "zum", "vik", "lam")
        ]
        texts = [f"I'm allergic to {one}." for one in food]
        texts += [f"I like {one}er." for one in food]
        learned = drive(Learner(store, SETTINGS, extractor).steps(ANNA, "t", *told(thread(*texts))))
        assert learned.turns == learned.saved == 30
        assert len(extractor.requests) == 2

    def test_more_turns_than_a_thread_remembers(self, store: SQLiteMemoryStore) -> None:
        """A day's quota, or a provider that is down, lets them pile up."""
        extractor = Counting()
        settings = SETTINGS.model_copy(update={"daily_quota": 0})
        given = told(thread(*(f"My boat number {one} is called Rosa{one}." for one in range(130))))
        learner = Learner(store, settings, extractor)
        assert drive(learner.steps(ANNA, "t", *given)).turns == 130
        assert len(extractor.requests) == 7
        assert drive(learner.steps(ANNA, "t", *given)).turns == 0

    def test_two_who_read_the_same_at_once(self, store: SQLiteMemoryStore) -> None:
        """Whoever comes second finds it done, and proposes nothing twice."""
        messages = thread("I'm allergic to lupins.", "I play the harp.")
        second = Learner(store, SETTINGS, Counting())

        class Interrupted(Counting):
            def steps(self, request: ExtractionRequest) -> Steps[Extraction]:
                drive(second.steps(ANNA, "t", *told(messages)))
                return (yield from super().steps(request))

        first = Interrupted()
        learned = drive(Learner(store, SETTINGS, first).steps(ANNA, "t", *told(messages)))
        assert (learned.turns, learned.saved) == (0, 0)
        assert len(first.requests) == 1
        assert len(list(store.scan(ANNA.memories))) == 2

    def test_an_opt_out_in_between_holds(self, store: SQLiteMemoryStore) -> None:
        service = MemoryService(store, SETTINGS)

        class Interrupted(Counting):
            def steps(self, request: ExtractionRequest) -> Steps[Extraction]:
                service.let_extract(ANNA, False)
                return (yield from super().steps(request))

        messages = thread("I'm allergic to lupins.")
        learned = drive(Learner(store, SETTINGS, Interrupted()).steps(ANNA, "t", *told(messages)))
        assert learned.skipped == {"disabled": 1}
        assert list(store.scan(ANNA.memories)) == []
        service.close()

    @pytest.mark.parametrize("extractor", [RulesExtractor(), Counting()])
    @pytest.mark.parametrize("text", ["Forget everything you know about me.", "忘掉关于我的一切"])
    def test_to_forget_everything_is_the_applications_to_do(
        self, store: SQLiteMemoryStore, extractor: RulesExtractor | Counting, text: str
    ) -> None:
        events: list[Event] = []
        learner = Learner(store, SETTINGS, extractor, listener=events.append)
        turns, asked = told(thread("I am allergic to celery.", text, "Thank you!", text))
        for upto in (1, 2, 3, 4):
            drive(learner.steps(ANNA, "t", turns[:upto], asked))
        names = [each.name for each in events]
        assert names.count("forget_everything_asked") == 2
        assert "archived" not in names
        assert [each.record.content for each in learner.memories(ANNA).search("")] == [
            "The user is allergic to celery."
        ]


class TestPlaced:
    GIVEN = Recollection(standing="<a>\nS\n</a>", recalled="<b>\nR\n</b>")

    def test_before_the_newest_question(self) -> None:
        messages = [*thread("One."), HumanMessage("Two."), AIMessage("", id="call")]
        sent, system = placed(self.GIVEN, messages, SystemMessage("Be kind."), "before_last_user")
        assert system is not None
        assert system.content == "Be kind.\n\n<a>\nS\n</a>"
        assert [made_kind(each) for each in sent] == [None, None, "memory", None, None]
        assert sent[2].content == "<b>\nR\n</b>"

    def test_in_the_system_prompt(self) -> None:
        sent, system = placed(self.GIVEN, thread("One."), None, "system")
        assert sent == thread("One.")
        assert system is not None
        assert system.content == "<a>\nS\n</a>\n\n<b>\nR\n</b>"

    def test_in_content_blocks(self) -> None:
        given = SystemMessage([{"type": "text", "text": "Be kind."}])
        _, system = placed(self.GIVEN, thread("One."), given, "before_last_user")
        assert system is not None
        assert system.content[-1] == {"type": "text", "text": "<a>\nS\n</a>"}

    @pytest.mark.parametrize("placement", ["before_last_user", "system", "layers"])
    def test_nothing_changes_nothing(self, placement: Any) -> None:
        given = SystemMessage("Be kind.")
        assert placed(NOTHING, thread("One."), given, placement) == (thread("One."), given)

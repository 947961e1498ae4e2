"""What is said again: repeated where nothing has changed, and news where something has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage
from pydantic import BaseModel
from scripted import ScriptedModel, block

from langgraph_memory import clock
from langgraph_memory.calls import Steps, drive
from langgraph_memory.errors import StoreUnavailableError
from langgraph_memory.events import Event
from langgraph_memory.extraction import (
    Extraction,
    ExtractionRequest,
    Extractor,
    ModelExtractor,
    RulesExtractor,
)
from langgraph_memory.identity import Identity
from langgraph_memory.memories import Memories
from langgraph_memory.messages import text_of
from langgraph_memory.profile import ProfileExtractor
from langgraph_memory.records import MemoryRecord, Status
from langgraph_memory.service import Account, Learner
from langgraph_memory.service.learned import Learned
from langgraph_memory.service.profiling import ProfileKeeper
from langgraph_memory.service.turns import turns_of
from langgraph_memory.settings import LongTermMemorySettings
from langgraph_memory.store import SQLiteMemoryStore

ANNA = Identity("chat", "anna")
NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)


class Refused(Exception):
    """What a provider's client raises."""

    def __init__(self, status_code: int) -> None:
        super().__init__("no")
        self.status_code = status_code


class Choking:
    """The rules, which fail at some texts."""

    def __init__(self, *texts: str, error: Exception | None = None) -> None:
        self.name = "choking"
        self.requests: list[list[str]] = []
        self._texts = texts
        self._error = error or ZeroDivisionError("of this text")

    def steps(self, request: ExtractionRequest) -> Steps[Extraction]:
        said = [text_of(each) for each in request.messages if isinstance(each, HumanMessage)]
        self.requests.append(said)
        if any(text in one for text in self._texts for one in said):
            raise self._error
        return (yield from RulesExtractor().steps(request))


class Reader:
    """Has the threads of a user read."""

    def __init__(
        self,
        store: SQLiteMemoryStore,
        extractor: Extractor | None = None,
        profile: ProfileKeeper | None = None,
        **settings: Any,
    ) -> None:
        self.store = store
        self.events: list[Event] = []
        given = LongTermMemorySettings(enabled=True, namespace="chat", **settings)
        self.learner = Learner(
            store, given, extractor or RulesExtractor(), profile, self.events.append
        )
        self.memories = Memories(store, ANNA.memories)

    def read(
        self,
        messages: Sequence[AnyMessage],
        thread: str = "t",
        said_at: datetime = NOW,
        asked: dict[str, datetime] | None = None,
        attempt: int = 0,
    ) -> Learned:
        turns = turns_of(messages)
        said = {turn.mark: (asked or {}).get(turn.key, said_at) for turn in turns}
        steps = self.learner.steps(ANNA, thread, turns, said, attempt=attempt)
        return drive(steps)

    def say(self, *texts: str) -> None:
        """Have each text read by itself, in a thread of its own."""
        for text in texts:
            number = len(self.events)
            self.read(thread(text, begin=number), f"thread {number}")

    def known(self) -> list[str]:
        found = self.memories.search("", limit=100)
        return sorted(each.record.content for each in found)

    def record(self, content: str) -> MemoryRecord:
        [found] = [
            each.record
            for each in self.memories.search("", limit=100)
            if each.record.content == content
        ]
        return found

    def told(self, name: str) -> Counter[str]:
        """How often there was an event, by its reason."""
        return Counter(event.reason for event in self.events if event.name == name)

    @property
    def account(self) -> Account:
        return Account.of(self.store.get(ANNA.ledger, "account"))


def thread(*texts: str, begin: int = 0) -> list[AnyMessage]:
    """What a user said, each answered."""
    messages: list[AnyMessage] = []
    for number, text in enumerate(texts, begin):
        messages += [HumanMessage(text, id=f"h{number}"), AIMessage("Noted.", id=f"a{number}")]
    return messages


@pytest.fixture
def store() -> Iterator[SQLiteMemoryStore]:
    with SQLiteMemoryStore(":memory:") as store:
        yield store


@pytest.fixture
def reader(store: SQLiteMemoryStore) -> Reader:
    return Reader(store)


CELERY = "The user is allergic to celery."


class TestSaidAgain:
    def test_while_it_is_known_it_is_repeated(self, reader: Reader) -> None:
        reader.say("I'm allergic to celery.", "I'm allergic to celery.", "I'm allergic  to CELERY")
        assert reader.known() == [CELERY]
        assert reader.told("extraction_skipped") == {"repeated": 2}
        assert reader.account.skipped == {"repeated": 2}

    def test_after_it_was_forgotten(self, reader: Reader) -> None:
        reader.say("I'm allergic to celery.")
        reader.memories.forget(reader.record(CELERY).id)
        reader.say("I'm allergic to celery.")
        assert reader.known() == [CELERY]

    def test_after_it_was_changed(self, reader: Reader) -> None:
        reader.say("I love okra.")
        reader.memories.update(reader.record("The user loves okra.").id, "The user loves leeks.")
        reader.say("I love okra.")
        assert "The user loves okra." in reader.known()

    def test_after_there_were_too_many(self, store: SQLiteMemoryStore) -> None:
        reader = Reader(store, max_items=2)
        texts = [f"I'm allergic to {one}." for one in ("celery", "sesame", "lupins")]
        reader.say(*texts)
        [gone] = [text for text in texts if f"The user is{text[3:]}" not in reader.known()]
        reader.say(gone)
        assert f"The user is{gone[3:]}" in reader.known()

    def test_a_mind_changed_twice(self, reader: Reader) -> None:
        reader.say("I love okra.", "I hate okra now.", "I love okra.")
        assert reader.known() == ["The user loves okra."]

    def test_a_mind_changed_twice_and_read_at_once(self, reader: Reader) -> None:
        reader.read(thread("I love okra.", "I hate okra now.", "I love okra."))
        assert reader.known() == ["The user loves okra."]

    def test_a_second_withdrawal(self, reader: Reader) -> None:
        reader.say("I'm allergic to celery.", "Please forget that I'm allergic to celery.")
        assert reader.known() == []
        reader.say("I'm allergic to celery.")
        assert reader.known() == [CELERY]
        reader.say("Please forget that I'm allergic to celery.")
        assert reader.known() == []
        assert reader.told("extraction_skipped") == {}

    @pytest.mark.parametrize(
        ("said", "withdrawn"),
        [
            ("我讨厌秋葵。", "请忘记我讨厌秋葵这件事。"),
            ("我讨厌秋葵。", "请忘掉我说过的关于秋葵的话。"),
            ("我养了一只猫。", "麻烦忘掉我养了一只猫。"),
        ],
    )
    def test_a_withdrawal_in_chinese(self, reader: Reader, said: str, withdrawn: str) -> None:
        reader.say(said)
        assert len(reader.known()) == 1
        reader.say(withdrawn)
        assert reader.known() == []

    def test_withdrawals_read_at_once(self, reader: Reader) -> None:
        said, withdrawn = "I'm allergic to celery.", "Please forget that I'm allergic to celery."
        reader.read(thread(said, withdrawn, said), "one")
        assert reader.known() == [CELERY]
        reader.read(thread(withdrawn, said, withdrawn, begin=10), "two")
        assert reader.known() == []

    def test_a_withdrawal_in_other_words_after_it_was_said_again(self, reader: Reader) -> None:
        first = "Forget that I'm allergic to celery."
        last = "Please forget that I'm allergic to celery."
        reader.read(thread(first, "I'm allergic to celery.", last))
        assert reader.known() == []

    def test_in_other_words_that_led_to_nothing_new(self, reader: Reader) -> None:
        also = "By the way, I'm allergic to celery."
        reader.read(thread("I'm allergic to celery.", also))
        reader.memories.forget(reader.record(CELERY).id)
        reader.say(also)
        assert reader.known() == [CELERY]

    def test_what_a_model_left_out_because_it_was_known(self, store: SQLiteMemoryStore) -> None:
        def answer(request: list[BaseMessage]) -> str:
            if "celery" in block(request, "known_memories"):
                return '{"memories": [], "tasks": []}'
            entry = f'{{"content": "{CELERY}", "type": "constraint", "sources": ["u1"]}}'
            return f'{{"memories": [{entry}], "tasks": []}}'

        model = ScriptedModel(reply=answer)
        reader = Reader(store, ModelExtractor(model))
        also = "As you know, I'm allergic to celery, so no soup for me."
        reader.say("I'm allergic to celery.", also, also)
        assert model.calls == 2
        reader.memories.forget(reader.record(CELERY).id)
        reader.say(also)
        assert model.calls == 3
        assert reader.known() == [CELERY]

    def test_what_led_to_nothing_costs_no_second_call(self, store: SQLiteMemoryStore) -> None:
        model = ScriptedModel(reply=lambda request: '{"memories": [], "tasks": []}')
        reader = Reader(store, ModelExtractor(model))
        reader.say(*["I wonder what I should cook for the people next door."] * 3)
        assert model.calls == 1


class TestDays:
    def test_tomorrow_is_the_day_after_it_was_said(self, reader: Reader) -> None:
        messages = thread(
            "I'm allergic to celery.",
            "I have a dentist appointment tomorrow.",
            "I'm allergic to sesame.",
        )
        days = [NOW - timedelta(days=days) for days in (7, 5, 0)]
        asked = {"h0": days[0], "h1": days[1]}
        learned = reader.read(messages, asked=asked)
        assert learned.turns == 3
        [dentist] = [text for text in reader.known() if "dentist" in text]
        assert (days[1] + timedelta(days=1)).date().isoformat() in dentist
        made = {each: reader.record(each).created_at for each in reader.known()}
        assert made == {
            CELERY: days[0],
            dentist: days[1],
            "The user is allergic to sesame.": days[2],
        }

    def test_one_reading_a_day(self, store: SQLiteMemoryStore) -> None:
        extractor = Choking()
        reader = Reader(store, extractor)
        texts = [f"I'm allergic to {one}." for one in ("celery", "sesame", "lupins", "peanuts")]
        midnight = datetime(2026, 5, 4, tzinfo=UTC)
        zone = NOW.astimezone(tz=None).tzinfo
        asked = {
            "h0": midnight - timedelta(hours=9),
            "h1": (midnight - timedelta(minutes=1)).astimezone(zone),
            "h2": midnight + timedelta(minutes=1),
        }
        reader.read(thread(*texts), asked=asked)
        assert extractor.requests == [texts[:2], texts[2:]]

    def test_nothing_is_known_since_the_future(self, reader: Reader) -> None:
        with clock.set_to(NOW):
            later = NOW + timedelta(days=2)
            reader.read(thread("I'm allergic to celery."), said_at=later, asked={"h0": later})
            assert reader.record(CELERY).created_at == NOW


class TestWhatCannotBeRead:
    TEXTS = (
        "I'm allergic to celery.",
        "I'm allergic to walrus.",
        "I'm allergic to sesame.",
        "I'm allergic to lupins.",
    )

    def test_is_passed_over_alone_and_late(self, store: SQLiteMemoryStore) -> None:
        reader = Reader(store, Choking("walrus"))
        for attempt in range(5):
            with pytest.raises(ZeroDivisionError):
                reader.read(thread(*self.TEXTS), attempt=attempt)
        assert reader.known() == []
        learned = reader.read(thread(*self.TEXTS), attempt=5)
        assert (learned.passed_over, learned.turns, len(reader.known())) == (1, 3, 3)
        [event] = [each for each in reader.events if each.name == "extraction_passed_over"]
        assert (event.reason, event.ids, event.thread) == ("ZeroDivisionError", ("h1",), "t")
        assert reader.account.skipped == {"passed_over": 1}
        assert reader.read(thread(*self.TEXTS)).turns == 0

    def test_one_at_each_attempt(self, store: SQLiteMemoryStore) -> None:
        """Where nothing at all can be read, it is no fault of the turns."""
        reader = Reader(store, Choking("allergic"))
        for attempt in range(5, 8):
            with pytest.raises(ZeroDivisionError):
                reader.read(thread(*self.TEXTS), attempt=attempt)
        assert reader.told("extraction_passed_over") == {"ZeroDivisionError": 3}

    @pytest.mark.parametrize(
        "error",
        [
            Refused(429),
            Refused(401),
            Refused(503),
            TimeoutError("slow"),
            ConnectionResetError("gone"),
            StoreUnavailableError("gone"),
            type("ReadTimeout", (Exception,), {})("slow"),
            type("APIConnectionError", (Exception,), {})("gone"),
            RuntimeError("429 Too Many Requests"),
        ],
        ids=repr,
    )
    def test_never_for_what_passes(self, store: SQLiteMemoryStore, error: Exception) -> None:
        reader = Reader(store, Choking("walrus", error=error))
        for attempt in range(0, 40, 5):
            with pytest.raises(type(error)):
                reader.read(thread(*self.TEXTS), attempt=attempt)
        assert reader.told("extraction_passed_over") == {}
        reader = Reader(store)
        reader.read(thread(*self.TEXTS))
        assert len(reader.known()) == 4

    def test_an_error_that_comes_of_one_that_passes(self, store: SQLiteMemoryStore) -> None:
        error = ValueError("no answer")
        error.__cause__ = TimeoutError()
        reader = Reader(store, Choking("walrus", error=error))
        with pytest.raises(ValueError, match="no answer"):
            reader.read(thread(*self.TEXTS), attempt=9)

    @pytest.mark.parametrize(("error", "attempt"), [(Refused(400), 0), (KeyError("x"), 5)])
    def test_a_profile_that_cannot_be_made_costs_no_memory(
        self, store: SQLiteMemoryStore, error: Exception, attempt: int
    ) -> None:
        class Likes(BaseModel):
            food: str | None = None

        def fail(request: list[BaseMessage]) -> str:
            raise error

        keeper = ProfileKeeper(store, ProfileExtractor(ScriptedModel(reply=fail), Likes), 1)
        reader = Reader(store, profile=keeper)
        learned = reader.read(thread(*self.TEXTS), attempt=attempt)
        assert (learned.turns, learned.passed_over) == (4, 0)
        assert reader.told("dropped") == {"profile": 1}


class TestQuota:
    def test_waiting_is_told_once_and_counted(self, store: SQLiteMemoryStore) -> None:
        reader = Reader(store, daily_quota=1)
        texts = [f"I'm allergic to {one}." for one in ("celery", "sesame", "lupins", "peanuts")]
        with clock.set_to(NOW):
            assert reader.read(thread(texts[0])).waits_until is None
            for _ in range(3):
                assert reader.read(thread(*texts[:3])).waits_until is not None
            reader.read(thread(*texts))
            assert [e.ids for e in reader.events if e.name == "extraction_waits"] == [
                ("h1",),
                ("h2",),
                ("h3",),
            ]
            assert reader.told("extraction_waits") == {"quota": 3}
            assert reader.account.skipped == {"quota": 3}
        with clock.set_to(NOW + timedelta(days=1)):
            assert reader.read(thread(*texts)).waits_until is None
        assert len(reader.known()) == 4
        assert reader.account.skipped == {"quota": 3}
        assert all(each.status is Status.ACTIVE for each in map(reader.record, reader.known()))

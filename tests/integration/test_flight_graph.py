"""The ticket assistant: what was said once holds, a person decides, nothing is paid twice.

The clerk that answers here knows only what its request says, so what it does right, memory, the
form and the context have brought there.
"""

# ruff: noqa: E402

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import BaseMessage, HumanMessage, convert_to_messages
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from needed import needed
from openai_server import Json, OpenAIServer, call, say
from pydantic import SecretStr

needed("langchain", "langchain")  # The graph cannot be imported without it.

from graphs.flight import flight_agent
from graphs.flight_bookings import (
    Bank,
    Bookings,
    PaymentDeclinedError,
    PaymentFailedError,
)
from graphs.flight_clerk import decide
from graphs.flight_timetable import Timetable
from langgraph_memory import Memory, clock

MONDAY = datetime(2031, 3, 3, 1, 0, tzinfo=UTC)
TIMETABLE = Timetable.load()
SCRIPT = Path(__file__).parent / "flight_killed_run.py"
PATIENCE = 60.0
NIGHT, DAY, EVENING, DEAR = "NW908", "LT318", "KR709", "KR701"
"""From Beijing to Guangzhou: the cheapest by night, two below a thousand, and one above."""

SMALL_TALK = {
    "en": [
        "Did you sleep well?",
        "I baked bread this morning and it came out flat.",
        "Which planet has the most moons?",
        "My neighbour has bought a trumpet, imagine that.",
        "What do hedgehogs eat?",
        "The lift in our house is broken again and I live on the eighth floor.",
        "Is chess harder than go?",
        "Tell me something about the Tang dynasty.",
        "I have to return a library card.",
        "How do I get ink out of a shirt?",
    ],
    "zh": [
        "你昨晚睡得好吗？",
        "我早上烤的面包没发起来。",
        "哪颗行星的卫星数量居多？",
        "邻居居然买了一把小号。",
        "刺猬平时吃些啥？",
        "我家电梯又坏了，我住八楼。",
        "象棋和围棋哪种难？",
        "讲讲唐朝的事情吧。",
        "我得把借书证还掉。",
        "衬衫上的墨水怎么洗掉？",
    ],
}
STORY = {
    "en": {
        "limits": "Two things that always hold: my budget is under 1000, and no red-eye flights.",
        "route": "Beijing to Guangzhou",
        "day": "tomorrow",
        "declined": "only help with flights",
        "asks": "On which day",
        "chosen": "Book the second one, please.",
        "booked": "is booked",
        "again": "I need to get from Beijing to Guangzhou tomorrow.",
    },
    "zh": {
        "limits": "两件事以后一直有效：我的预算是1000以内，不坐红眼航班。",
        "route": "北京到广州",
        "day": "明天",
        "declined": "只能帮您查询",
        "asks": "哪天出发",
        "chosen": "订第二班",
        "booked": "已预订",
        "again": "明天从北京飞广州",
    },
}


class Watching(BaseCallbackHandler):
    """Keeps the tools that were called and the requests that the model got."""

    def __init__(self) -> None:
        self.tools: list[str] = []
        self.requests: list[list[BaseMessage]] = []

    def on_tool_start(self, serialized: dict[str, Any], input_str: str, **_: Any) -> None:
        self.tools.append(serialized["name"])

    def on_chat_model_start(self, serialized: Any, messages: Any, **_: Any) -> None:
        self.requests.append(messages[0])


class Desk:
    """The assistant with what is around it, and one user."""

    def __init__(self, failures: int = 0, pay: Any = None, **given: Any) -> None:
        self.bank = Bank(failures=failures)
        self.bookings = Bookings(pay or self.bank)
        self.watching = Watching()
        given.setdefault("checkpointer", InMemorySaver())
        self.agent = flight_agent(bookings=self.bookings, **given)

    def run(self, given: Any, thread: str = "first") -> Any:
        where = {"configurable": {"thread_id": thread}, "callbacks": [self.watching]}
        return self.agent.invoke(given, where, context={"user_id": "mei"})

    def hear(self, text: str, thread: str = "first") -> str:
        """Say something; the answer."""
        return str(self.run({"messages": [HumanMessage(text)]}, thread)["messages"][-1].text)

    def asked(self, text: str) -> list[Json]:
        """Say something that is to be approved; what the person is asked."""
        [one] = self.run({"messages": [HumanMessage(text)]})["__interrupt__"]
        assert [each["action_name"] for each in one.value["review_configs"]]
        requests: list[Json] = one.value["action_requests"]
        return requests

    def decide(self, *decisions: Json) -> str:
        """Answer what was asked."""
        state = self.run(Command(resume={"decisions": list(decisions)}))
        return str(state["messages"][-1].text)

    def booked(self) -> list[str]:
        return [booking.flight for booking in self.bookings.all()]

    def counted(self) -> dict[str, int]:
        tools = self.watching.tools
        return {name: tools.count(name) for name in dict.fromkeys(tools) if name != "fill_trip"}


def offered(answer: str) -> list[str]:
    """The flights in an answer."""
    return re.findall(r"\b[A-Z]{2}\d{3}\b", answer)


def approve() -> Json:
    return {"type": "approve"}


@pytest.fixture(autouse=True)
def monday() -> Iterator[None]:
    with clock.set_to(MONDAY):
        yield


@contextmanager
def the_next_day() -> Iterator[None]:
    with clock.set_to(MONDAY + timedelta(days=1)):
        yield


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "memory.db", agent="flight") as opened:
        yield opened


@pytest.mark.parametrize("language", ["en", "zh"])
def test_limits_said_once_hold_after_thirty_turns_and_in_a_new_thread(
    memory: Memory, language: str
) -> None:
    story = STORY[language]
    desk = Desk(memory=memory, checkpointer=memory.checkpointer, budget=4_000)
    desk.hear(story["limits"])
    for turn in range(30):
        talk = SMALL_TALK[language]
        assert story["declined"] in desk.hear(talk[turn % len(talk)])
    assert story["asks"] in desk.hear(story["route"])
    answer = desk.hear(story["day"])
    # The words themselves are long out of sight; what they said is not.
    request = desk.watching.requests[-1]
    assert story["limits"] not in [each.text for each in request if each.type == "human"]
    assert offered(answer) == [DAY, EVENING]
    assert "2031-03-04" in answer
    [asked] = desk.asked(story["chosen"])
    assert asked["args"] == {"flight": EVENING, "date": "2031-03-04", "price": 960}
    assert story["booked"] in desk.decide(approve())
    assert desk.booked() == [EVENING]
    memory.flush()
    with the_next_day():
        answer = desk.hear(story["again"], thread="the next day")
    assert offered(answer) == [DAY, EVENING]
    assert "2031-03-05" in answer


def test_a_clerk_that_is_told_nothing_breaks_the_limits(memory: Memory) -> None:
    """So it is memory that keeps them."""
    desk = Desk()
    desk.hear(STORY["en"]["limits"], thread="another")
    assert offered(desk.hear(STORY["en"]["again"])) == [NIGHT, DAY, EVENING, DEAR]
    [asked] = desk.asked("Book the cheapest.")
    assert asked["args"]["flight"] == NIGHT
    assert "a red-eye flight" in asked["description"]


def test_slots_are_asked_for_once_and_corrected() -> None:
    desk = Desk()
    assert desk.hear("I need a ticket.") == "Which city do you leave from?"
    assert desk.hear("Chengdu") == "Which city do you fly to?"
    assert "no flights from or to Lhasa" in desk.hear("to Lhasa")
    assert desk.hear("to Beijing then") == "On which day do you want to fly?"
    assert "has passed" in desk.hear("yesterday")
    assert offered(desk.hear("on Friday")) == ["NW921", "LT351"]
    answer = desk.hear("Sorry, I meant from Shanghai")
    assert "From Shanghai to Beijing on 2031-03-07" in answer
    answer = desk.hear("the day after tomorrow, not Friday")
    assert "From Shanghai to Beijing on 2031-03-05" in answer
    answer = desk.hear("and not Beijing but Shenzhen")
    assert "no flight from Shanghai to Shenzhen on 2031-03-05" in answer


def test_limits_can_be_raised_but_not_by_naming_a_flight() -> None:
    desk = Desk()
    desk.hear("Beijing to Guangzhou on 20 March, 900 at the most, nothing overnight")
    assert "not among" in desk.hear(f"Book {DEAR}")
    assert offered(desk.hear("All right, make it 1300.")) == [DAY, EVENING, DEAR]
    [asked] = desk.asked(f"Book {DEAR} then")
    assert asked["args"]["price"] == 1240


def test_to_ask_about_a_flight_is_not_to_choose_it() -> None:
    desk = Desk()
    desk.hear("Beijing to Guangzhou tomorrow")
    for question in ("Which one is the fastest?", f"Is {DAY} a red-eye?", "第二班是哪家的？"):
        assert offered(desk.hear(question)) == [NIGHT, DAY, EVENING, DEAR]
    [asked] = desk.asked("Could you book the second one?")
    assert asked["args"]["flight"] == DAY


def test_nothing_found_is_said_and_no_older_offer_is_made() -> None:
    desk = Desk()
    assert offered(desk.hear("Beijing to Guangzhou tomorrow")) == [NIGHT, DAY, EVENING, DEAR]
    assert desk.hear("rather to Kunming").startswith("I found no flight from Beijing to Kunming")
    assert desk.hear("nothing above 100 though").startswith("I found no flight")


def edited(flight: str, price: int) -> Json:
    args = {"flight": flight, "date": "2031-03-04", "price": price}
    return {"type": "edit", "edited_action": {"name": "book_flight", "args": args}}


@pytest.mark.parametrize(
    ("decision", "booked", "told"),
    [
        (approve(), [DAY], f"{DAY} on 2031-03-04 is booked for 880 CNY"),
        (edited(EVENING, 960), [EVENING], f"{EVENING} on 2031-03-04 is booked for 960 CNY"),
        (edited(NIGHT, 460), [], "the user takes none"),
        (edited(DEAR, 1240), [], "the user's limit is 1000"),
        (edited(EVENING, 880), [], "costs 960 CNY, not 880"),
        (edited("XX111", 100), [], "There is no flight"),
        ({"type": "reject"}, [], "Nothing was booked."),
        ({"type": "reject", "message": "Ask again in June."}, [], "Ask again in June."),
        ({"type": "respond", "message": "That one is full."}, [], "That one is full."),
    ],
)
def test_a_person_decides(decision: Json, booked: list[str], told: str) -> None:
    desk = Desk()
    desk.hear("Tomorrow from Beijing to Guangzhou, at most 1000 and no red-eyes")
    [asked] = desk.asked("The cheapest, please")
    assert asked["name"] == "book_flight"
    assert asked["args"] == {"flight": DAY, "date": "2031-03-04", "price": 880}
    assert "Beijing 13:40 to Guangzhou 17:00" in asked["description"]
    assert desk.booked() == []
    answer = desk.decide(decision)
    assert told in answer
    assert ("is booked" in answer) == bool(booked)
    assert desk.booked() == booked
    assert len(desk.bank.charged()) == len(booked)


def test_two_bookings_wait_at_once_and_are_decided_each_for_itself() -> None:
    desk = Desk()
    desk.hear("明天北京到广州")
    asked = desk.asked(f"订{DAY}和{EVENING}")
    assert [each["args"]["flight"] for each in asked] == [DAY, EVENING]
    answer = desk.decide({"type": "reject", "message": "太早"}, approve())
    assert answer.splitlines()[0] == "没有预订。太早"
    assert f"已预订2031-03-04的{EVENING}" in answer
    assert desk.booked() == [EVENING]


def test_a_message_while_a_booking_waits_books_nothing() -> None:
    desk = Desk()
    desk.hear("Tomorrow from Beijing to Guangzhou")
    desk.asked(f"Book {DAY}")
    assert "From Beijing to Shanghai" in desk.hear("Wait, to Shanghai")
    assert desk.booked() == []


def test_a_failed_payment_goes_on_at_the_booking() -> None:
    desk = Desk(failures=1)
    desk.hear("Beijing to Guangzhou tomorrow")
    desk.asked(f"Book {DAY}")
    with pytest.raises(PaymentFailedError):
        desk.decide(approve())
    assert desk.booked() == []
    before = len(desk.watching.requests)
    answer = desk.run(None)["messages"][-1].text
    assert "is booked for 880 CNY" in answer
    assert desk.counted() == {"search_flights": 1, "compare_flights": 1, "book_flight": 2}
    assert len(desk.watching.requests) == before + 1
    assert desk.bank.charged() == [880]


def test_a_lost_answer_and_one_more_request_do_not_pay_twice() -> None:
    """The bank has charged, and its answer was lost; the user does not resume but asks again."""
    bank = Bank()
    lost = [True]

    def pay(key: str, amount: int) -> str:
        receipt = bank(key, amount)
        if lost.pop() if lost else False:
            raise PaymentFailedError("timed out")
        return receipt

    desk = Desk(pay=pay)
    desk.hear("Beijing to Guangzhou tomorrow")
    desk.asked(f"Book {DAY}")
    with pytest.raises(PaymentFailedError):
        desk.decide(approve())
    [asked] = desk.asked("Please try again.")
    assert asked["args"]["flight"] == DAY
    first = desk.decide(approve())
    assert desk.asked("Book it once more, try again") == [asked]
    assert desk.decide(approve()) == first
    assert (bank.charged(), desk.booked()) == ([880], [DAY])
    assert desk.counted() == {"search_flights": 1, "compare_flights": 1, "book_flight": 3}


def test_a_declined_payment_is_told() -> None:
    def pay(key: str, amount: int) -> str:
        raise PaymentDeclinedError("the card has expired")

    desk = Desk(pay=pay)
    desk.hear("Beijing to Guangzhou tomorrow")
    desk.asked(f"Book {DAY}")
    assert "the card has expired" in desk.decide(approve())
    assert desk.booked() == []


class Runs:
    """Processes on one thread in one database."""

    def __init__(self, folder: Path) -> None:
        self.database, self.side_file = folder / "threads.db", folder / "begun.txt"

    def start(self, hang: str, *said: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, str(SCRIPT), str(self.database), str(self.side_file), hang, *said],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(SCRIPT.parents[2])},
        )

    def ended(self, *said: str) -> str:
        process = self.start("never", *said)
        try:
            out, err = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
        assert process.returncode == 0, err
        return out

    def killed(self, hang: str, *said: str) -> None:
        """Run until the bank hangs, and kill the process there and then."""
        known = self.begun.count("hangs")
        process = self.start(hang, *said)
        try:
            deadline = time.monotonic() + PATIENCE
            while self.begun.count("hangs") == known:
                assert process.poll() is None, process.communicate()[1]
                assert time.monotonic() < deadline, self.begun
                time.sleep(0.02)
        finally:
            process.send_signal(signal.SIGKILL)
            process.communicate(timeout=PATIENCE)
        assert process.returncode == -signal.SIGKILL

    @property
    def begun(self) -> list[str]:
        return self.side_file.read_text().splitlines() if self.side_file.exists() else []


def test_killed_while_paying_it_pays_once(tmp_path: Path) -> None:
    """Once before the bank has charged, once after; three processes, one thread."""
    runs = Runs(tmp_path)
    runs.ended(f"Book {DAY} from Beijing to Guangzhou tomorrow")
    before = ["fill_trip", "search_flights"]
    assert runs.begun == before
    runs.killed("before", "approve")
    runs.killed("after")
    assert "is booked for 880 CNY" in runs.ended()
    assert runs.begun == [*before, *["book_flight", "hangs"] * 2, "book_flight"]
    bank = Bank(f"{runs.database}.bank")
    assert bank.charged() == [880]
    assert len(Bookings(bank, f"{runs.database}.bookings").all()) == 1


def clerk_at_openai(messages: Sequence[Json]) -> Json:
    """The clerk behind the wire: it sees what the provider would be sent."""
    reply = decide(convert_to_messages(list(messages)), TIMETABLE.called)
    if not reply.tool_calls:
        return say(reply.text)
    return call(*((each["id"] or "", each["name"], each["args"]) for each in reply.tool_calls))


async def test_every_request_is_one_that_openai_takes(memory: Memory) -> None:
    openai = needed("langchain_openai", "openai")
    with OpenAIServer(clerk_at_openai) as server:
        model = openai.ChatOpenAI(
            model="gpt-4o-mini", base_url=server.url, api_key=SecretStr("none"), max_retries=0
        )
        saver = InMemorySaver()
        bookings = Bookings(Bank(failures=1))
        agent = flight_agent(model, memory=memory, bookings=bookings, checkpointer=saver)

        async def run(given: Any, thread: str = "first") -> Any:
            where = {"configurable": {"thread_id": thread}}
            if isinstance(given, str):
                given = {"messages": [HumanMessage(given)]}
            return await agent.ainvoke(given, where, context={"user_id": "mei"})

        await run("My budget is under 1000, and I never take red-eye flights.")
        await run("Beijing to Guangzhou tomorrow")
        await run(f"Book {DAY} and {EVENING}")
        decisions = [{"type": "reject", "message": "too early"}, edited(DAY, 880)]
        with pytest.raises(PaymentFailedError):
            await run(Command(resume={"decisions": decisions}))
        state = await run(None)
        assert f"{DAY} on 2031-03-04 is booked" in state["messages"][-1].text
        await run(f"Book {EVENING}")
        await run("Wait, is there one to Shanghai?")
        memory.flush()
        state = await run("Beijing to Guangzhou tomorrow", "second")
        assert offered(state["messages"][-1].text) == [DAY, EVENING]
        assert server.refused == []
        assert "standing_memory" in json.dumps(server.answered[-1].messages)
    assert [booking.flight for booking in bookings.all()] == [DAY]

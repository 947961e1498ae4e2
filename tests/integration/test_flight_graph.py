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
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    convert_to_messages,
)
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from needed import needed
from openai_server import Json, OpenAIServer, call, say
from pydantic import SecretStr
from scripted import ScriptedModel

needed("langchain", "langchain")  # The graph cannot be imported without it.

from graphs.flight import flight_agent
from graphs.flight_bookings import (
    Bank,
    Bookings,
    PaymentDeclinedError,
    PaymentFailedError,
)
from graphs.flight_clerk import decide
from graphs.flight_limits import Limits, read_limits
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


@pytest.mark.parametrize(
    ("said", "flight", "refusal"),
    [
        ("I hate red-eye flights.", NIGHT, "the user takes none"),
        ("My budget for flights is under 1000.", DEAR, "the user's limit is 1000"),
    ],
)
def test_a_booking_against_a_memory_is_refused_whatever_the_model_does(
    memory: Memory, said: str, flight: str, refusal: str
) -> None:
    """The model never fills in the form, and the memory has no word of the question."""
    Desk(memory=memory, checkpointer=memory.checkpointer).hear(said)
    memory.flush()
    price = {NIGHT: 460, DEAR: 1240}[flight]
    args = {"flight": flight, "date": "2031-03-04", "price": price}

    def careless(request: list[BaseMessage]) -> AIMessage:
        if request[-1].type == "tool":
            return AIMessage(request[-1].text)
        calls = [{"name": "book_flight", "args": args, "id": "call_0"}]
        return AIMessage("", tool_calls=calls)

    desk = Desk(
        model=ScriptedModel(reply=careless, profile={"tool_calling": True}),
        memory=memory,
        checkpointer=memory.checkpointer,
    )
    desk.run({"messages": [HumanMessage("Whatever is cheapest")]}, "careless")
    answer = desk.run(Command(resume={"decisions": [approve()]}), "careless")
    assert refusal in answer["messages"][-1].text
    assert desk.booked() == []


def test_another_user_and_a_private_thread_have_no_limits_from_memory(memory: Memory) -> None:
    desk = Desk(memory=memory, checkpointer=memory.checkpointer)
    desk.hear("I hate red-eye flights.")
    memory.flush()
    for thread, context in (("his", {"user_id": "bo"}), ("hers", {"incognito": True})):
        where = {"configurable": {"thread_id": thread}}
        asked = {"messages": [HumanMessage("Beijing to Guangzhou tomorrow")]}
        state = desk.agent.invoke(asked, where, context={"user_id": "mei", **context})
        assert NIGHT in offered(state["messages"][-1].text)
    answer = desk.hear("Beijing to Guangzhou tomorrow", thread="her other")
    assert offered(answer) == [DAY, EVENING, DEAR]


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


@pytest.mark.parametrize(
    "text",
    [
        "A flight through the night is not fine by me",
        "OK then, without red-eyes",
        "Red-eyes? Not for me, thanks",
        "It's all right as long as it isn't a red-eye",
        "No problem with one stop, but skip red-eyes",
        "I do mind overnight flights",
        "All but the red-eyes",
        "I fly by day only",
        "Red-eyes are acceptable never and to nobody here",
        "夜里飞我不可以",
        "红眼不能接受",
        "好的话就别订凌晨的，可以吗",
        "没问题，红眼除外",
        "白天飞才行，只要白天的",
        "能不能避开半夜的航班？",
        "我介意夜航",
    ],
)
def test_what_is_denied_is_never_a_welcome(text: str) -> None:
    assert read_limits(text) == Limits({"red_eye": False})


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("I wouldn't mind a night flight", True),
        ("Red-eyes are fine", True),
        ("夜航我不介意", True),
        ("红眼也行", True),
        ("Are red-eyes okay?", None),
        ("My brother is fine with red-eyes", None),
        ("There is no need to leave out red-eyes", None),
        ("Red-eyes would be okay if it came to that", None),
        ("No red-eyes. Well, red-eyes are okay", None),
        ("红眼可以吗", None),
        ("不用避开红眼", None),
        ("红眼嘛，看情况", None),
    ],
)
def test_only_a_plain_welcome_is_a_permission(text: str, taken: bool | None) -> None:
    limits = read_limits(text)
    assert limits.stated.get("red_eye") is taken
    assert ("red_eye" in limits.unclear) == (taken is None)


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("I'd pay no more than 870 for the flight", 870),
        ("no dearer than 1,100", 1100),
        ("All I can spend is nine hundred and twenty", 920),
        ("seven fifty is my limit", 750),
        ("Skip whatever costs 1000 and up", 1000),
        ("Raise it from 800 to 1200", 1200),
        ("Tickets past 950 are too expensive", 950),
        ("我手上只剩820元", 820),
        ("高于1.1k的别推荐", 1100),
        ("1300以上的算了", 1300),
        ("票钱顶多一千零五十", 1050),
        ("预算从900提高到1200", 1200),
        ("机票900以内，酒店预算300", 900),
    ],
)
def test_a_highest_price_in_many_words(text: str, most: int) -> None:
    assert read_limits(text) == Limits({"max_price": most})


@pytest.mark.parametrize(
    "text",
    [
        "The hotel budget is 300",
        "Why is KR the dear one at 1240?",
        "There were 120 people in the queue",
        "I was born in 1988",
        "酒店预算300",
        "千万别忘了",
        "有没有红眼航班？",
        "Did you sleep well last night?",
    ],
)
def test_what_is_no_limit_is_not_asked_about(text: str) -> None:
    assert read_limits(text) == Limits()


@pytest.mark.parametrize("figures", ["7" * 400, "1" * 10, "2,468" + ",135" * 150, "3" * 320 + ".5"])
def test_figures_of_any_length_stop_nothing(figures: str) -> None:
    assert read_limits(f"My budget is {figures} yuan") == Limits()
    desk = Desk()
    answer = desk.hear(f"Beijing to Guangzhou tomorrow, my customer number is {figures}")
    assert offered(answer) == [NIGHT, DAY, EVENING, DEAR]


ASKED = {
    "max_price": ("Is 900 CNY the most", "最高是900元吗"),
    "red_eye": ("Do you take red-eye", "接受红眼航班"),
}


@pytest.mark.parametrize(
    ("route", "hint", "asked", "answers"),
    [
        ("Beijing to Guangzhou tomorrow", "My purse holds 900 yuan.", "max_price", ("yes", "no")),
        ("明天北京到广州", "口袋里有900元。", "max_price", ("是的", "不是")),
        (
            "Beijing to Guangzhou tomorrow",
            "Red-eyes and me!",
            "red_eye",
            ("no thanks", "yes, I do"),
        ),
        ("明天北京到广州", "红眼嘛，您懂的。", "red_eye", ("不接受", "接受")),
    ],
)
@pytest.mark.parametrize("strict", [True, False])
def test_what_may_be_a_limit_is_asked_about_before_anything_is_offered(
    route: str, hint: str, asked: str, answers: tuple[str, str], strict: bool
) -> None:
    desk = Desk()
    within = [NIGHT, DAY] if asked == "max_price" else [DAY, EVENING, DEAR]
    for said in (f"{route}. {hint}", SMALL_TALK["en"][4], route):
        answer = desk.hear(said)
        assert any(question in answer for question in ASKED[asked])
        assert not offered(answer)
    answer = desk.hear(answers[0 if strict else 1])
    assert offered(answer) == (within if strict else [NIGHT, DAY, EVENING, DEAR])
    # A yes to a question books nothing.
    assert desk.watching.tools.count("book_flight") == 0
    assert offered(desk.hear(route)) == offered(answer)


def test_both_limits_are_asked_about_one_answer_each() -> None:
    desk = Desk()
    answer = desk.hear("Beijing to Guangzhou tomorrow. I own 900 yuan, and red-eyes, oh dear")
    assert all(questions[0] in answer for questions in ASKED.values())
    answer = desk.hear("yes")
    assert ASKED["red_eye"][0] in answer
    assert ASKED["max_price"][0] not in answer
    assert offered(desk.hear("rather not")) == [DAY]


@pytest.mark.parametrize(
    "said",
    [
        "Is there anything under 2000?",
        "My sister's limit is 2000",
        "Are red-eyes all right?",
        "Some people think red-eyes are fine",
        "I paid 1300 last year",
    ],
)
def test_a_limit_becomes_no_looser_by_what_is_no_permission(said: str) -> None:
    desk = Desk()
    desk.hear("Beijing to Guangzhou tomorrow, at most 900 and no red-eyes")
    assert not offered(desk.hear(said))
    desk.hear("no")
    assert offered(desk.hear("Beijing to Guangzhou tomorrow")) == [DAY]


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


OUT = {"en": "Chengdu to Beijing tomorrow", "zh": "明天成都到北京"}
ASKS_BACK = {"en": "On which day do you want to fly back?", "zh": "请问哪天返程？"}
OUTWARD, BACKWARD = ["NW921", "LT351"], ["LT350", "KR751"]
"""From Chengdu to Beijing, and from there to Chengdu."""


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "then home again: back on Sunday please"),
        ("en", "I want to come back on Sunday"),
        ("en", "and a return flight on Sunday"),
        ("en", "Returning Sunday"),
        ("en", "the way back is on Sunday"),
        ("en", "now back to Chengdu on Sunday"),
        ("en", "OK, back Sunday then"),
        ("zh", "还要周日的返程"),
        ("zh", "周日飞回来"),
        ("zh", "回程在周日"),
        ("zh", "周日要回成都"),
    ],
)
@pytest.mark.parametrize("booked", [True, False])
def test_a_flight_back_goes_the_other_way(language: str, said: str, booked: bool) -> None:
    desk = Desk()
    assert offered(desk.hear(OUT[language])) == OUTWARD
    if booked:
        desk.asked({"en": "Book the first", "zh": "订第一班"}[language])
        desk.decide(approve())
    answer = desk.hear(said)
    assert offered(answer) == BACKWARD
    assert "2031-03-09" in answer
    # To speak of it again is to speak of the same flight.
    answer = desk.hear({"en": "make the return on Monday", "zh": "返程改到下周一"}[language])
    assert offered(answer) == BACKWARD
    assert "2031-03-10" in answer
    desk.asked({"en": "Book the cheapest flight back", "zh": "订最便宜的回程"}[language])
    assert ASKS_BACK[language] not in desk.decide(approve())
    assert desk.booked() == [*OUTWARD[: int(booked)], BACKWARD[0]]


@pytest.mark.parametrize(
    ("language", "said", "day"),
    [
        ("en", "I will need a flight back too", "Sunday"),
        ("en", "Book the cheapest return", "Sunday works for me"),
        ("en", "the return, Sunday if possible", "on Sunday"),
        ("en", "and back today", "back on Sunday"),
        ("zh", "再订一张返程票", "周日"),
        ("zh", "订最便宜的回程", "周日"),
    ],
)
def test_the_day_of_a_flight_back_is_asked_for(language: str, said: str, day: str) -> None:
    desk = Desk()
    desk.hear(OUT[language])
    assert ASKS_BACK[language] in desk.hear(said)
    # Small talk does not make it forget what it has asked.
    assert ASKS_BACK[language] in desk.hear(SMALL_TALK[language][4])
    answer = desk.hear(day)
    assert offered(answer) == BACKWARD
    assert "2031-03-09" in answer
    assert desk.booked() == []


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "Book the second, and back on Sunday"), ("zh", "订第二班，周日返程")],
)
def test_the_way_out_is_booked_before_the_way_back(language: str, said: str) -> None:
    desk = Desk()
    desk.hear(OUT[language])
    [asked] = desk.asked(said)
    assert asked["args"]["flight"] == OUTWARD[1]
    assert ASKS_BACK[language] in desk.decide(approve())
    assert offered(desk.hear({"en": "Sunday", "zh": "周日"}[language])) == BACKWARD


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("I need no return flight", "04"),
        ("Wednesday and back on Sunday", "05"),
        ("go back to Wednesday", "05"),
        ("Chengdu to Beijing on Wednesday, returning on Sunday", "05"),
        ("不用订返程", "04"),
        ("成都到北京，周三去，周日回来", "05"),
    ],
)
def test_the_way_out_stays_what_it_is(said: str, day: str) -> None:
    desk = Desk()
    desk.hear("Chengdu to Beijing tomorrow")
    answer = desk.hear(said)
    assert offered(answer) == OUTWARD
    assert f"2031-03-{day}" in answer


def test_another_trip_has_a_way_back_of_its_own() -> None:
    desk = Desk()
    for trip, back in (("tomorrow", "Sunday"), ("on 20 March", "22 March")):
        assert offered(desk.hear(f"Chengdu to Beijing {trip}")) == OUTWARD
        assert offered(desk.hear(f"back on {back}")) == BACKWARD


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

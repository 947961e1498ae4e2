"""A chat model for the flight graph that needs no key: a clerk who knows what the request says.

It keeps nothing between calls. What it does follows from the request alone: the system message with
today's date and the form, and the messages. A limit that is not in the request does not exist for
it, so a right offer proves that memory and context have brought the limit there.

Where a message may speak of a limit and cannot be read, it asks, and offers nothing before that is
answered. It never takes a looser limit from what it is not sure of.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Literal

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from graphs.flight_nights import takes_red_eyes
from graphs.flight_phrases import (
    asks_back,
    is_chinese,
    limits_asked,
    list_cities,
    say,
    tell_flights,
    tell_limits,
)
from graphs.flight_reading import Said, read_message
from langgraph_memory.extraction.signals import is_courtesy
from langgraph_memory.offline import OfflineChatModel

_TODAY = re.compile(r"Today is \D*(\d{4}-\d\d-\d\d)")
_FORM = re.compile(r"<trip>\n(.*?)\n</trip>", re.DOTALL)
_UNCLEAR = re.compile(
    r"^Ask, as it was not clear in earlier conversations: (\{.*\})$", re.MULTILINE
)
_SLOT = re.compile(r"^- (\w+): (\".*\"|[\w.]+) \(", re.MULTILINE)
_MISSING = re.compile(r"^Missing:\n((?:- .*\n?)+)", re.MULTILINE)
_SEARCH = "search_flights"
Back = Literal["", "now", "later"]
_ASKED = "already asked for"
_BOOKED = re.compile(
    r"Booked: (?P<flight>\w+) on (?P<date>\S+) for (?P<price>\d+) CNY\. "
    r"Reference (?P<reference>\w+)"
)
_REJECTED = re.compile(r"User rejected the tool call(?:.*? with reason: (?P<why>.*))?", re.DOTALL)
_REFUSED = re.compile(r"^Not taken: (\w+):", re.MULTILINE)


class FlightClerk(OfflineChatModel):
    """Sells tickets with the tools of the flight graph; without tools it is the offline model.

    Attributes:
        cities: The cities by the names that people call them by.
    """

    cities: dict[str, str]
    disable_streaming: bool | Literal["tool_calling"] = "tool_calling"

    def model_post_init(self, context: Any, /) -> None:
        """Announces that there are tool calls."""
        super().model_post_init(context)
        self.profile = {**(self.profile or {}), "tool_calling": True}

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[Any, AIMessage]:
        """The clerk with its tools."""
        names = [convert_to_openai_tool(tool)["function"]["name"] for tool in tools]
        return self.bind(tools=names, **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: Any = None,
        **kwargs: Any,
    ) -> ChatResult:
        if not kwargs.get("tools"):
            return super()._generate(messages, stop, run_manager, **kwargs)
        message = decide(messages, self.cities)
        message.usage_metadata = self._usage(messages, message.text)
        return ChatResult(generations=[ChatGeneration(message=message)])


@dataclass(frozen=True)
class Step:
    """A call that was made since the user's message, and what came of it."""

    name: str
    args: Mapping[str, Any]
    answer: str


@dataclass(frozen=True)
class Request:
    """What the clerk is sent.

    Attributes:
        text: The user's newest message.
        said: What it says.
        back: Whether a flight back is wanted, from where the trip of the form goes to; `later`, if
            the message first books that trip. With `now`, `said.day` is that of the flight back.
        form: The filled slots.
        missing: The required ones that are empty.
        asked: Those of them that were asked for before.
        limits: That the message sets, alone or as the answer to a question.
        open: Limits that are to be asked about before anything is offered, each with what it may
            be.
        steps: What was done since.
        offered: The flights that the last search found, if its result is still in the request.
        tried: The bookings that were tried last.
        serial: How many calls were made before.
    """

    text: str
    said: Said
    back: Back
    form: Mapping[str, Any]
    missing: Sequence[str]
    asked: Sequence[str]
    limits: Mapping[str, Any]
    open: Mapping[str, Any]
    steps: Sequence[Step]
    offered: Sequence[Mapping[str, Any]]
    tried: Sequence[Mapping[str, Any]]
    serial: int

    @property
    def chinese(self) -> bool:
        """Whether to answer in Chinese."""
        return is_chinese(self.text)

    def done(self, name: str) -> Step | None:
        """The call of a tool since the user's message; the newest."""
        return next((step for step in reversed(self.steps) if step.name == name), None)


def read_request(messages: Sequence[BaseMessage], cities: Mapping[str, str]) -> Request:
    """Read a request: nothing else is known."""
    system = "\n".join(each.text for each in messages if isinstance(each, SystemMessage))
    talk = [each for each in messages if not isinstance(each, SystemMessage)]
    form_block = _FORM.search(system)
    block = form_block[1] if form_block else ""
    asked_on = _TODAY.search(system)
    lines = _MISSING.search(block)
    missing = lines[1].splitlines() if lines else []
    form = {slot: json.loads(value) for slot, value in _SLOT.findall(block)}
    at = max((i for i, each in enumerate(talk) if isinstance(each, HumanMessage)), default=0)
    question = talk[at].text if talk else ""
    steps = _steps(talk)
    searches = [step for step in steps if step.name == _SEARCH]
    offered = _listed(searches[-1].answer) if searches else ()
    today = date.fromisoformat(asked_on[1]) if asked_on else date.today()
    said = read_message(question, cities, today)
    answers = [each.text for each in talk[:at] if isinstance(each, AIMessage) and each.text]
    waiting = limits_asked(answers[-1]) if answers else {}
    limits, still_open = _settled(said, question, waiting, form, offered)
    for slot, value in json.loads(found[1] if (found := _UNCLEAR.search(system)) else "{}").items():
        if not (slot in form or slot in limits or any(slot in limits_asked(x) for x in answers)):
            still_open.setdefault(slot, value)
    back: Back = ""
    if form.keys() >= {"origin", "destination", "date"} and not missing:
        asked_back = bool(answers) and asks_back(answers[-1])
        said, back = _about_return(
            said, asked_back, form, offered, _steps(talk[:at]), cities, today
        )
    return Request(
        text=question,
        # What answers a question of the clerk's chooses no flight.
        said=replace(said, agrees=False, is_about_flights=True)
        if waiting and (said.agrees or said.denies)
        else said,
        back=back,
        form=form,
        missing=[_slot_of(line) for line in missing],
        asked=[_slot_of(line) for line in missing if _ASKED in line],
        limits=limits,
        open=still_open,
        steps=_steps(talk[at:]),
        offered=offered,
        tried=_last_bookings(talk),
        serial=len(steps),
    )


def _about_return(
    said: Said,
    asked: bool,
    form: Mapping[str, Any],
    offered: Sequence[Mapping[str, Any]],
    before: Sequence[Step],
    cities: Mapping[str, str],
    today: date,
) -> tuple[Said, Back]:
    """What the newest message says of the flight that is dealt with, and when one back is wanted.

    A message that books the way out and speaks of the way back, says the former; the latter comes
    when that is booked. The day of a flight back is not before that of the way out.

    Args:
        said: What the message says.
        asked: Whether the clerk has asked just before on which day to fly back.
        form: The filled slots.
        offered: The flights that were offered.
        before: The calls that were made before the message.
        cities: The cities by the names that people call them by.
        today: What "tomorrow" counts from.
    """
    route, held = (form["origin"], form["destination"]), date.fromisoformat(form["date"])
    if form.get("way_back"):
        return replace(said, day=said.day or said.back), ""
    roles = {"origin": route[1:], "destination": route[:1], "": route}
    if not all(cities.get(name.casefold()) in roles[role] for name, role in said.cities):
        return said, ""
    if not (said.returns and said.is_about_flights) and (said.denies or not asked):
        return said, ""
    if said.day and said.back and not asked and said.day not in (said.back, held):
        return said, ""  # The way out is changed, and comes first.
    first = read_message(said.besides, cities, today)
    numbers = [flight["flight"] for flight in offered]
    booked = [found for step in before if (found := _BOOKED.search(step.answer))]
    is_booked = any(x["flight"] in numbers and x["date"] == form["date"] for x in booked)
    chooses = (first.buys or not said.returns) and set(_chosen(first, offered)) & set(numbers)
    if chooses and not is_booked:
        return first, "later"
    day = said.back or (said.day if asked else None)
    day = day if day and day >= held else None
    about = said.is_about_flights or day is not None
    return replace(said, day=day, is_about_flights=about), "now"


def _settled(
    said: Said,
    text: str,
    waiting: Mapping[str, Any],
    form: Mapping[str, Any],
    offered: Sequence[Mapping[str, Any]],
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The limits that a message sets, and those that stay to be asked about.

    Args:
        said: What the message says.
        text: The message.
        waiting: What the clerk has asked just before, with what it may be.
        form: The filled slots.
        offered: The flights that were offered.
    """
    sets, unclear = dict(said.limits.stated), dict(said.limits.unclear)
    left = {slot: value for slot, value in waiting.items() if slot not in {**sets, **unclear}}
    if slot := next(iter(left), None):  # A bare yes or no answers one question, the first.
        if said.agrees or said.denies:
            value = left.pop(slot)
            if slot == "red_eye":
                sets[slot] = said.agrees
            elif said.agrees:
                sets[slot] = value
        elif slot == "red_eye" and not said.is_about_flights:
            answer = takes_red_eyes(f"{'红眼航班' if is_chinese(text) else 'red-eyes'} {text}")
            if isinstance(answer, bool):
                sets[slot] = answer
                del left[slot]
    most, held = unclear.get("max_price"), form.get("max_price")
    tells_price = any(flight["price"] == most for flight in offered)
    if tells_price and (said.buys or said.numbers):
        del unclear["max_price"]  # It tells a flight by its price.
    if "max_price" in sets and "max_price" in unclear:
        if held is None or sets["max_price"] <= held:
            unclear.pop("max_price")  # A stricter limit can be taken unasked.
        else:
            del sets["max_price"]
    return sets, {**left, **unclear}


def decide(messages: Sequence[BaseMessage], cities: Mapping[str, str]) -> AIMessage:
    """What to do next: call tools, or answer.

    Args:
        messages: The request.
        cities: The cities by the names that people call them by.
    """
    it = read_request(messages, cities)
    if it.steps and it.steps[-1].name == "book_flight":
        booked = [
            _told_booking(step, it.chinese) for step in it.steps if step.name == "book_flight"
        ]
        next_one = it.back == "later" and any(_BOOKED.search(step.answer) for step in it.steps)
        return AIMessage("\n".join([*booked, *([_question_back(it)] if next_one else [])]))
    filled = it.done("fill_trip")
    if filled is None:
        if not it.limits and not it.said.is_about_flights:
            other = "welcome" if is_courtesy(it.text) else "decline"
            asked = [*_questions(it), *([_question_back(it)] if it.back else [])]
            return AIMessage("\n".join([say(it.chinese, other), *asked]))
        values = _new_values(it, cities)
        asking = [slot for slot in it.missing if slot not in values and not it.open][:1]
        if values or (asking and asking[0] not in it.asked):
            return _call(it, "fill_trip", {"values": values, "asking": asking})
    elif refused := _REFUSED.search(filled.answer):
        return AIMessage(_told_refusal(it, refused[1], filled, cities))
    if it.open:
        return AIMessage("\n".join(_questions(it)))
    if it.missing:
        return AIMessage(say(it.chinese, f"ask {it.missing[0]}"))
    if it.back == "now" and it.said.day is None:
        return AIMessage(_question_back(it))
    return _with_a_whole_form(it, bool(filled and filled.args.get("values")))


def _with_a_whole_form(it: Request, changed: bool) -> AIMessage:
    """Book what was chosen, or look for flights and offer them."""
    searched, compared = it.done(_SEARCH), it.done("compare_flights")
    if it.said.again and it.tried and not changed:
        return _calls(it, "book_flight", it.tried)
    if searched is None and (changed or not it.offered or not _chosen(it.said, it.offered)):
        limits = {key: it.form[key] for key in ("max_price", "red_eye") if key in it.form}
        route = {key: it.form[key] for key in ("origin", "destination", "date")}
        return _call(it, _SEARCH, {**route, **limits})
    chosen = _chosen(it.said, it.offered)
    known = {flight["flight"]: flight for flight in it.offered}
    if chosen and all(number in known for number in chosen):
        return _calls(
            it,
            "book_flight",
            [
                {"flight": number, "date": it.form["date"], "price": known[number]["price"]}
                for number in chosen
            ],
        )
    route = {key: it.form[key] for key in ("origin", "destination", "date")}
    about = {**route, "limits": tell_limits(it.form, it.chinese)}
    if chosen:
        strange = ", ".join(number for number in chosen if number not in known)
        return AIMessage(say(it.chinese, "unknown", flight=strange, **about))
    if not it.offered:
        return AIMessage(say(it.chinese, "none", **about))
    if len(it.offered) > 1 and compared is None:
        return _call(it, "compare_flights", {"flights": list(known)})
    best = json.loads(compared.answer) if compared else {}
    flights = tell_flights(it.offered, best, it.chinese)
    what = "offer" if len(it.offered) > 1 else "one"
    return AIMessage(say(it.chinese, what, flights=flights, **about))


def _new_values(it: Request, cities: Mapping[str, str]) -> dict[str, Any]:
    """What the message says and the form does not say yet."""
    new: dict[str, Any] = {}
    if it.back == "now" and it.said.day is not None:
        new = {"origin": it.form["destination"], "destination": it.form["origin"], "way_back": True}
    for name, role in it.said.cities if it.back != "now" else ():
        slot: str = role
        if not slot and it.said.replaced:
            slot = next((key for key, value in it.form.items() if value == it.said.replaced), "")
        if not slot:
            free = [each for each in (*it.asked, "destination", "origin") if each != "date"]
            empty = [each for each in free if each not in it.form and each not in new]
            slot = empty[0] if empty else "destination"
        new[slot] = cities.get(name.casefold(), name)
    if "destination" in new and it.form.get("way_back") and not it.said.returns:
        new["way_back"] = False  # Another trip begins.
    if it.said.day is not None:
        new["date"] = it.said.day.isoformat()
    new |= it.limits
    return {slot: value for slot, value in new.items() if it.form.get(slot) != value}


def _chosen(said: Said, found: Sequence[Mapping[str, Any]]) -> list[str]:
    """The flights that a message chooses among those that were offered, or names."""
    offered = [flight["flight"] for flight in found]
    if said.numbers:
        return list(said.numbers)
    if not offered or said.cities or said.day:
        return []
    if said.place is not None:
        return offered[said.place : said.place + 1]
    if said.best:
        key: Callable[[Mapping[str, Any]], Any] = {
            "cheapest": lambda flight: flight["price"],
            "fastest": lambda flight: flight["minutes"],
            "earliest": lambda flight: flight["departs"],
            "latest": lambda flight: [-int(part) for part in flight["departs"].split(":")],
        }[said.best]
        return [min(found, key=key)["flight"]]
    if len(offered) == 1 and (said.agrees or (said.buys and said.points)):
        return offered
    return []


def _questions(it: Request) -> list[str]:
    return [say(it.chinese, f"ask {slot}", value=value) for slot, value in it.open.items()]


def _question_back(it: Request) -> str:
    return say(it.chinese, "ask back", date=it.form["date"])


def _told_booking(step: Step, chinese: bool) -> str:
    """What came of a booking; where a person answered instead, in that person's words."""
    # What comes before is told by LangChain where a person has edited the call.
    answer = step.answer.rpartition("Tool response:\n")[2]
    if found := _BOOKED.search(answer):
        return say(chinese, "booked", **found.groupdict())
    if found := _REJECTED.match(answer):
        return say(chinese, "rejected", why=found["why"] or "").rstrip()
    return answer


def _told_refusal(it: Request, slot: str, filled: Step, cities: Mapping[str, str]) -> str:
    value = filled.args["values"].get(slot)
    if slot in ("origin", "destination") and value not in cities.values():
        names = list_cities(list(dict.fromkeys(cities.values())), it.chinese)
        return say(it.chinese, "refused city", value=value, cities=names)
    if slot == "date":
        return say(it.chinese, "refused date")
    route = {key: it.form.get(key, "?") for key in ("origin", "destination")}
    return say(it.chinese, "refused", **route)


def _call(it: Request, name: str, args: Mapping[str, Any]) -> AIMessage:
    return _calls(it, name, [args])


def _calls(it: Request, name: str, each: Sequence[Mapping[str, Any]]) -> AIMessage:
    # Ids need only tell the calls of a request apart.
    return AIMessage(
        "",
        tool_calls=[
            {"name": name, "args": dict(args), "id": f"call_{it.serial + at}", "type": "tool_call"}
            for at, args in enumerate(each)
        ],
    )


def _steps(messages: Sequence[BaseMessage]) -> list[Step]:
    """The calls with their answers, which are paired by id within a turn."""
    steps: list[Step] = []
    calls: dict[str, Any] = {}
    for message in messages:
        if isinstance(message, AIMessage):
            calls = {call["id"] or "": call for call in message.tool_calls}
        elif isinstance(message, ToolMessage) and message.tool_call_id in calls:
            call = calls[message.tool_call_id]
            steps.append(Step(call["name"], call["args"], message.text))
    return steps


def _last_bookings(messages: Sequence[BaseMessage]) -> list[Mapping[str, Any]]:
    for message in reversed(messages):
        if isinstance(message, AIMessage):
            made = [each for each in message.tool_calls if each["name"] == "book_flight"]
            if made:
                return [each["args"] for each in made]
    return []


def _listed(answer: str) -> list[Mapping[str, Any]]:
    """The flights of a search's answer; none where it has been cleared or went wrong."""
    try:
        found = json.loads(answer)
    except ValueError:
        return []
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _slot_of(line: str) -> str:
    return line.removeprefix("- ").partition(":")[0].strip()

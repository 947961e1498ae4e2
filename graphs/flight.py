"""A ticket assistant: searches, compares and books flights on sample data.

What the user wants stands in a form, so nothing is asked twice. What the user never wants (a ticket
above a price, a night in the air) is remembered across conversations, from LANGGRAPH_MEMORY_URL,
and put into the form before the model is called; no booking breaks what stands there. A person
decides on each booking. A run that failed or was killed at the payment goes on there.

Without a key a clerk of the house answers, who understands simple sentences in English and Chinese;
set OPENAI_API_KEY, or LANGGRAPH_MEMORY_MODEL to provider:name, for a language model. With
FLIGHT_PAYMENT_FAILURES=1 the first payment fails.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import date, timedelta, timezone
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import dynamic_prompt
from langchain_core.language_models import BaseChatModel
from langgraph.checkpoint.base import BaseCheckpointSaver

from graphs.flight_bookings import Bank, Bookings
from graphs.flight_clerk import FlightClerk
from graphs.flight_remembered import put_into_form
from graphs.flight_timetable import Timetable
from graphs.flight_tools import flight_tools, trip_form
from langgraph_memory import Memory, clock
from langgraph_memory.models import chat_model
from langgraph_memory.offline import OfflineChatModel
from langgraph_memory.presets import Person, served_memory, task

SYSTEM_PROMPT = """\
You sell flight tickets: you search, compare and book flights. Decline all else in a sentence.
Write down with fill_trip what the user says of the trip, at once, with days as dates. Ask for \
what is missing, one thing at a time, and never for what is filled.
Limits that the user has stated, now or in earlier conversations (a highest price, no red-eye \
flights), hold until the user changes them: put them into the form, and search within them. Where \
you are not sure whether something is such a limit, ask before you search.
Compare what you found if it is more than one flight, and offer only what you found. Book only \
what the user has chosen, at the price that was offered. Say that a flight is booked only when \
book_flight says so. Answer in the language of the user."""

_DECISIONS = ["approve", "edit", "reject", "respond"]


def today_in_china() -> date:
    """The date where the flights are."""
    return clock.now().astimezone(timezone(timedelta(hours=8))).date()


def flight_agent(
    model: BaseChatModel | None = None,
    *,
    memory: Memory | None = None,
    timetable: Timetable | None = None,
    bookings: Bookings | None = None,
    today: Callable[[], date] = today_in_china,
    checkpointer: BaseCheckpointSaver[Any] | None = None,
    **options: Any,
) -> Any:
    """Build the assistant.

    Args:
        model: Talks, and writes the summaries; by default the clerk.
        memory: Knows the users across conversations.
        timetable: The flights; by default the sample.
        bookings: Takes bookings; by default they are gone with the process.
        today: What "tomorrow" counts from.
        checkpointer: Keeps the threads; on LangGraph's server none, as it has its own.
        **options: Of the preset `task`.
    """
    timetable = timetable or Timetable.load()
    model = model or FlightClerk(cities=timetable.called)
    form = trip_form(timetable, today)

    def described(call: Any, state: Any, runtime: Any) -> str:
        try:
            flight = timetable.flight(str(call["args"].get("flight")))
        except ValueError as error:
            return str(error)
        args = call["args"]
        return (
            f"Book {flight.number} of {flight.airline} on {args.get('date')}: {flight.origin} "
            f"{flight.departs:%H:%M} to {flight.destination} {flight.arrives:%H:%M}"
            f"{', a red-eye flight' if flight.red_eye else ''}, for {args.get('price')} CNY?"
        )

    @dynamic_prompt
    def dated(request: Any) -> str:
        told = f"{SYSTEM_PROMPT}\nToday is {today():%A}, {today().isoformat()}."
        if unclear := request.state.get("unclear_limits"):
            told += f"\nAsk, as it was not clear in earlier conversations: {json.dumps(unclear)}"
        return told

    return create_agent(
        model,
        flight_tools(timetable, bookings or Bookings(Bank()), form, today),
        middleware=[
            dated,
            *task(
                model,
                form=form,
                memory=memory,
                approve={
                    "book_flight": {"allowed_decisions": _DECISIONS, "description": described}
                },
                **options,
            ),
            *([put_into_form(form, memory, today)] if memory is not None else []),
        ],
        context_schema=Person,
        checkpointer=checkpointer,
        name="flight",
    )


def _served() -> Any:
    timetable = Timetable.load()
    model = chat_model(os.environ.get("LANGGRAPH_MEMORY_MODEL"))
    if isinstance(model, OfflineChatModel):
        model = FlightClerk(cities=timetable.called)
    bank = Bank(failures=int(os.environ.get("FLIGHT_PAYMENT_FAILURES", "0")))
    return flight_agent(
        model,
        memory=served_memory("flight", model),
        timetable=timetable,
        bookings=Bookings(bank),
    )


graph = _served()

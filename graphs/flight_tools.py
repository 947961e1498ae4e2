"""What a ticket assistant fills in and what it can do: the form of a trip, and three tools."""

import datetime
from collections.abc import Callable
from typing import Annotated, Any, Self

from langchain.tools import ToolRuntime
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from pydantic import AfterValidator, BaseModel, Field, WithJsonSchema, model_validator

from graphs.flight_bookings import Bookings, PaymentDeclinedError
from graphs.flight_timetable import Flight, Timetable
from langgraph_memory.session import TaskForm


def trip_form(timetable: Timetable, today: Callable[[], datetime.date]) -> TaskForm[Any]:
    """The form of a trip.

    Args:
        timetable: Tells which cities there are.
        today: Days before it cannot be filled in, and are asked for anew once they have passed.
    """

    def ahead(day: datetime.date) -> datetime.date:
        if day < today():
            raise ValueError(f"that day has passed; today is {today().isoformat()}")
        return day

    names = {"type": "string", "enum": list(timetable.cities)}
    City = Annotated[str, AfterValidator(timetable.city), WithJsonSchema(names)]  # noqa: N806

    class Trip(BaseModel):
        origin: City = Field(description="City that the flight leaves from")
        destination: City = Field(description="City that it goes to")
        date: Annotated[datetime.date, AfterValidator(ahead)] = Field(
            description="Day of departure"
        )
        max_price: int | None = Field(
            None, gt=0, description="The most that a ticket may cost, in CNY, if the user set that"
        )
        red_eye: bool | None = Field(
            None, description="Whether the user takes flights through the night, if the user said"
        )
        way_back: bool | None = Field(
            None, description="Whether this is the flight back of a trip that was agreed on before"
        )

        @model_validator(mode="after")
        def _leads_somewhere(self) -> Self:
            if self.origin == self.destination:
                raise ValueError("origin and destination are the same city")
            return self

    return TaskForm(Trip, name="trip")


def flight_tools(
    timetable: Timetable,
    bookings: Bookings,
    form: TaskForm[Any],
    today: Callable[[], datetime.date],
) -> list[BaseTool]:
    """`search_flights`, `compare_flights` and `book_flight`.

    Args:
        timetable: The flights.
        bookings: Takes bookings.
        form: Of the trip. What it says of price and red-eye flights, no booking breaks.
        today: No flight of an earlier day can be booked.
    """

    def flight_of(number: str) -> Flight:
        try:
            return timetable.flight(number)
        except ValueError as error:
            raise ToolException(str(error)) from error

    def search_flights(
        origin: str,
        destination: str,
        date: datetime.date,
        max_price: int | None = None,
        red_eye: bool = True,
    ) -> list[dict[str, Any]]:
        """Find flights, the cheapest first.

        Args:
            origin: City that they leave from.
            destination: City that they go to.
            date: Day of departure.
            max_price: The most that a ticket may cost, in CNY; leave out without a limit.
            red_eye: False for only those that are not in the air between midnight and five.
        """
        try:
            found = timetable.between(timetable.city(origin), timetable.city(destination))
        except ValueError as error:
            raise ToolException(str(error)) from error
        return [
            flight.told()
            for flight in found
            if (max_price is None or flight.price <= max_price) and (red_eye or not flight.red_eye)
        ]

    def compare_flights(flights: list[str]) -> dict[str, str]:
        """Tell which of some flights is the cheapest, the fastest, the earliest and the latest.

        Args:
            flights: Their numbers.
        """
        if not flights:
            raise ToolException("Name the flights to compare.")
        compared = [flight_of(number) for number in flights]
        return {
            "cheapest": min(compared, key=lambda flight: flight.price).number,
            "fastest": min(compared, key=lambda flight: flight.minutes).number,
            "earliest": min(compared, key=lambda flight: flight.departs).number,
            "latest": max(compared, key=lambda flight: flight.departs).number,
        }

    def book_flight(
        flight: str, date: datetime.date, price: int, runtime: ToolRuntime[Any, Any]
    ) -> str:
        """Book a ticket and pay for it. It cannot be undone.

        Args:
            flight: Number of the flight that the user has chosen.
            date: Day of departure.
            price: What was offered, in CNY; more is never charged.
            runtime: LangGraph's.
        """
        chosen = flight_of(flight)
        _check(chosen, date, price, form.values(runtime.state), today())
        thread = runtime.execution_info and runtime.execution_info.thread_id
        if not thread:
            raise ToolException("Bookings are kept by conversation: call this with a thread_id.")
        try:
            booked = bookings.book(str(thread), chosen.number, date, chosen.price)
        except PaymentDeclinedError as error:
            raise ToolException(f"Nothing was booked, the payment was declined: {error}") from error
        return (
            f"Booked: {booked.flight} on {booked.day.isoformat()} for {booked.price} CNY. "
            f"Reference {booked.reference}, receipt {booked.receipt}."
        )

    return [
        StructuredTool.from_function(
            func, parse_docstring=True, handle_tool_error=True, error_on_invalid_docstring=False
        )
        for func in (search_flights, compare_flights, book_flight)
    ]


def _check(
    flight: Flight, day: datetime.date, price: int, limits: dict[str, Any], today: datetime.date
) -> None:
    """Refuse what the user has not agreed to; whoever asks for it.

    Raises:
        ToolException: For the model, which can tell the user.
    """
    if day < today:
        raise ToolException(f"Nothing was booked: {day.isoformat()} has passed.")
    if flight.price > price:
        raise ToolException(
            f"Nothing was booked: {flight.number} costs {flight.price} CNY, not {price}."
        )
    most = limits.get("max_price")
    if most is not None and flight.price > most:
        raise ToolException(
            f"Nothing was booked: {flight.number} costs {flight.price} CNY, and the user's limit "
            f"is {most}. Ask whether it has changed."
        )
    if flight.red_eye and limits.get("red_eye") is False:
        raise ToolException(
            f"Nothing was booked: {flight.number} is a red-eye flight, and the user takes none. "
            "Ask whether that has changed."
        )

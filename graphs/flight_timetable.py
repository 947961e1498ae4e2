"""The flights there are: sample data, with cities and airlines that fly every day."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import time
from pathlib import Path
from typing import Any

SAMPLE = Path(__file__).with_name("flight_timetable.json")
_DAY = 24 * 60
_NIGHT_ENDS = 5 * 60


@dataclass(frozen=True)
class Flight:
    """A daily flight; times are those of its cities, which share a zone.

    Attributes:
        number: Such as KR701.
        airline: Name of the airline.
        origin: City.
        departs: When it leaves.
        destination: City.
        arrives: When it lands, on the next day if that is earlier.
        price: Of a ticket, in CNY.
    """

    number: str
    airline: str
    origin: str
    departs: time
    destination: str
    arrives: time
    price: int

    @property
    def minutes(self) -> int:
        """How long it takes."""
        return (_minute(self.arrives) - _minute(self.departs)) % _DAY

    @property
    def red_eye(self) -> bool:
        """Whether it is in the air between midnight and five."""
        start = _minute(self.departs)
        return start < _NIGHT_ENDS or start + self.minutes > _DAY

    def told(self) -> dict[str, Any]:
        """What a tool says of it."""
        return {
            "flight": self.number,
            "airline": self.airline,
            "departs": f"{self.departs:%H:%M}",
            "arrives": f"{self.arrives:%H:%M}",
            "minutes": self.minutes,
            "price": self.price,
            "red_eye": self.red_eye,
        }


class Timetable:
    """Flights by number and by route.

    Args:
        flights: All of them.
        cities: Their cities, each with the names that people call it by.

    Attributes:
        flights: By number.
        cities: As given.
        called: Cities by what they are called, in lower case.
    """

    def __init__(self, flights: Sequence[Flight], cities: dict[str, tuple[str, ...]]) -> None:
        self.flights = {flight.number: flight for flight in flights}
        self.cities = cities
        self.called = {
            name.casefold(): city for city, names in cities.items() for name in (city, *names)
        }

    @classmethod
    def load(cls, file: Path = SAMPLE) -> Timetable:
        """Read a timetable of the form of the sample's."""
        given = json.loads(file.read_text(encoding="utf-8"))
        flights = [
            Flight(
                each["flight"],
                given["airlines"][each["flight"][:2]],
                each["origin"],
                time.fromisoformat(each["departs"]),
                each["destination"],
                time.fromisoformat(each["arrives"]),
                each["price"],
            )
            for each in given["flights"]
        ]
        cities: dict[str, tuple[str, ...]] = {
            each["name"]: (each["chinese"], each["airport"]) for each in given["cities"]
        }
        return cls(flights, cities)

    def city(self, called: str) -> str:
        """The city that is called so, in English or Chinese or by its airport.

        Raises:
            ValueError: There are no flights from or to it.
        """
        city = self.called.get(called.strip().casefold())
        if city is None:
            raise ValueError(f"no flights; there are some between {', '.join(self.cities)}")
        return city

    def flight(self, number: str) -> Flight:
        """The flight of that number.

        Raises:
            ValueError: There is none.
        """
        flight = self.flights.get(number.replace(" ", "").upper())
        if flight is None:
            raise ValueError(f"There is no flight {number!r}.")
        return flight

    def between(self, origin: str, destination: str) -> list[Flight]:
        """The flights of a route, the cheapest first."""
        route = (origin, destination)
        found = [each for each in self.flights.values() if (each.origin, each.destination) == route]
        return sorted(found, key=lambda flight: (flight.price, flight.departs))


def _minute(moment: time) -> int:
    return moment.hour * 60 + moment.minute

"""Bookings and the payments for them: each is made once for a key, however often it is tried."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Any

Pay = Callable[[str, int], str]
"""Charges an amount in CNY under a key and returns a receipt; with the same key only once."""


class PaymentFailedError(RuntimeError):
    """The bank did not answer. Whether it has charged is unknown; trying again is safe."""


class PaymentDeclinedError(RuntimeError):
    """The bank said no. Trying again makes no sense before the user has done something."""


@dataclass(frozen=True)
class Booking:
    """A ticket.

    Attributes:
        reference: What the user shows at the airport.
        flight: Its number.
        day: Of departure.
        price: What was paid, in CNY.
        receipt: Of the payment.
    """

    reference: str
    flight: str
    day: date
    price: int
    receipt: str


class Bank:
    """A bank for demonstrations: it charges every key once, also after a restart.

    Args:
        path: Of an SQLite file; by default it forgets with the process.
        failures: How many attempts fail before it works.
    """

    def __init__(self, path: str | os.PathLike[str] = ":memory:", failures: int = 0) -> None:
        self._rows = _Rows(path, "charges (key TEXT PRIMARY KEY, amount INTEGER)")
        self._failures = failures

    def __call__(self, key: str, amount: int) -> str:
        """Charge; see `Pay`.

        Raises:
            PaymentFailedError: It does not answer.
        """
        if self._failures > 0:
            self._failures -= 1
            raise PaymentFailedError("The bank does not answer. The booking can be resumed.")
        self._rows.run("INSERT OR IGNORE INTO charges VALUES (?, ?)", key, amount)
        return f"R-{_digest(key)}"

    def charged(self) -> list[int]:
        """All amounts, oldest first."""
        return [row[0] for row in self._rows.run("SELECT amount FROM charges ORDER BY rowid")]


class Bookings:
    """The tickets that were booked.

    Args:
        pay: Charges for them.
        path: Of an SQLite file; by default they are gone with the process.
    """

    def __init__(self, pay: Pay, path: str | os.PathLike[str] = ":memory:") -> None:
        self._pay = pay
        self._rows = _Rows(
            path,
            "bookings (key TEXT PRIMARY KEY, reference TEXT, flight TEXT, day TEXT, "
            "price INTEGER, receipt TEXT)",
        )

    def book(self, thread: str, flight: str, day: date, price: int) -> Booking:
        """Book and pay; in one thread a flight on a day only once.

        The key is made of what is booked and not of the call, so nothing is paid twice: not when a
        killed process goes on, and not when the answer was lost and the user asks once more.

        Args:
            thread: Id of the conversation.
            flight: Number of the flight.
            day: Of departure.
            price: In CNY.

        Raises:
            PaymentFailedError: The bank does not answer; the same call can be made again.
            PaymentDeclinedError: The bank said no.
        """
        key = "\n".join((thread, flight, day.isoformat()))
        if not self._of(key):
            receipt = self._pay(key, price)
            self._rows.run(
                "INSERT OR IGNORE INTO bookings VALUES (?, ?, ?, ?, ?, ?)",
                *(key, _digest(key), flight, day.isoformat(), price, receipt),
            )
        return self._of(key)[0]

    def all(self) -> list[Booking]:
        """All bookings, oldest first."""
        return _bookings(self._rows.run(f"SELECT {_FIELDS} FROM bookings ORDER BY rowid"))

    def _of(self, key: str) -> list[Booking]:
        return _bookings(self._rows.run(f"SELECT {_FIELDS} FROM bookings WHERE key = ?", key))


_FIELDS = "reference, flight, day, price, receipt"


def _bookings(rows: list[tuple[Any, ...]]) -> list[Booking]:
    return [
        Booking(reference, flight, date.fromisoformat(day), price, receipt)
        for reference, flight, day, price, receipt in rows
    ]


class _Rows:
    """One table in a file, for the threads that tools run in."""

    def __init__(self, path: str | os.PathLike[str], table: str) -> None:
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(
            path, timeout=30, isolation_level=None, check_same_thread=False
        )
        self._connection.execute(f"CREATE TABLE IF NOT EXISTS {table}")

    def run(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._connection.execute(statement, values).fetchall()


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()[:6].upper()

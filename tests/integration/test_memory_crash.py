"""`kill -9` at any point loses no turn, doubles no memory, and pays for no committed turn again.

`LANGGRAPH_MEMORY_STRESS_SECONDS=60` kills at random for a minute.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from memory_crash_run import TURNS
from test_store_concurrency import as_url

from langgraph_memory.identity import Identity
from langgraph_memory.store import open as open_store

SCRIPT = Path(__file__).with_name("memory_crash_run.py")
SECONDS = float(os.environ.get("LANGGRAPH_MEMORY_STRESS_SECONDS", "0"))
KILLED = -9
LEASE = 10.0
"""Minutes after which a dead worker's lease is over, and no reply is waited for any more."""


@pytest.fixture(scope="module")
def lives() -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, str(SCRIPT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "ready"
    yield process
    assert process.stdin is not None
    process.stdin.close()
    process.stdout.close()
    process.wait(60)


class Users:
    """Users of one database, each of whom lives through the same conversation."""

    def __init__(self, process: subprocess.Popen[str], url: str, folder: Path) -> None:
        self._process = process
        self._url = url
        self._folder = folder
        self._lives = 0

    def live(self, user: str, **order: Any) -> int:
        """One process of a user's; its exit code."""
        log = self._folder / f"{user}.log"
        order |= {"url": self._url, "log": str(log), "user": user, "minutes": self._lives * LEASE}
        self._lives += 1
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def known(self, user: str) -> list[Any]:
        """All that is stored of a user's memories, where it is from, and what of it holds."""
        namespace = Identity("chat", user).memories
        with open_store(self._url) as store:
            values = {item.key: item.value for item in store.scan(namespace)}
        return sorted(
            [
                value["content"],
                value["status"],
                value["source_message_ids"],
                sorted(values[old]["content"] for old in value["supersedes"]),
                value["superseded_by"] and values[value["superseded_by"]]["content"],
            ]
            for value in values.values()
        )

    def calls(self, user: str) -> list[str]:
        """The turns that the model was shown, each as often as it was; none after its commit."""
        read: set[str] = set()
        shown: list[str] = []
        for line in (self._folder / f"{user}.log").read_text().splitlines():
            entry = json.loads(line)
            read |= set(entry.get("read", ()))
            again = read & set(entry.get("call", ()))
            assert not again, f"{again} were read and committed before"
            shown += entry.get("call", ())
        return shown


@pytest.fixture
def users(url: str, tmp_path: Path, lives: subprocess.Popen[str]) -> Users:
    return Users(lives, url, tmp_path)


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "memory.db")
    return as_url(request.getfixturevalue("postgres_database"))


ON_A_FILE = pytest.mark.parametrize("url", ["sqlite"], indirect=True)
WORTH = ["h0", "h1", "h2", "h3", "h4"]
POINTS = [
    "recalled",  # before the model is called
    "model 1",
    "replied 2",
    "ended 4",
    "extracted",  # after the commit, before the job is over
    "asked 2",
    "answered 4",
]


def undisturbed(users: Users, *, model: bool) -> list[Any]:
    assert users.live("nobody", model=model) == 0
    known = users.known("nobody")
    assert len(known) == len(TURNS)
    assert [entry[1] for entry in known].count("superseded") == 1
    return known


def test_killed_at_any_point(users: Users, url: str) -> None:
    # What a process must do to open Postgres takes longer than what it is killed in.
    points = POINTS[1::3] if url.startswith("postgresql") and not SECONDS else POINTS
    expected = undisturbed(users, model=True)
    assert users.calls("nobody") == WORTH
    for number, where in enumerate(points):
        assert users.live(f"user {number}", where=where) == KILLED, where
        assert users.live(f"user {number}", talks=False) == 0
        ids = {entry[2][-1] for entry in users.known(f"user {number}")}
        turn = int(where.split()[-1]) if " " in where else 0
        assert ids == set(WORTH[: turn + 1]), where
        assert users.live(f"user {number}") == 0
        assert users.known(f"user {number}") == expected, where
        shown = users.calls(f"user {number}")
        assert sorted(set(shown)) == WORTH
        # An answer that was not committed is the only thing that is paid for twice.
        lost = {"asked 2": ["h2"], "answered 4": ["h4"]}.get(where, [])
        assert sorted(shown) == sorted(WORTH + lost), where


@ON_A_FILE
def test_killed_at_any_point_without_a_model(users: Users) -> None:
    expected = undisturbed(users, model=False)
    for number, where in enumerate(("ended 2", "extracted")):
        assert users.live(f"user {number}", model=False, where=where) == KILLED, where
        assert users.live(f"user {number}", model=False) == 0
        assert users.known(f"user {number}") == expected, where


@ON_A_FILE
def test_killed_around_the_commit(users: Users) -> None:
    """Milliseconds after the model's answer: before, during and after the transaction."""
    rng = random.Random(11)
    expected = undisturbed(users, model=True)
    for number in range(20 if SECONDS else 2):
        user, where = f"user {number}", f"answered {rng.randrange(len(TURNS))}"
        assert users.live(user, where=where, delay=rng.uniform(0.0005, 0.012)) in (KILLED, 0)
        assert users.live(user) == 0
        assert users.known(user) == expected
        assert len(users.calls(user)) in (5, 6)


@ON_A_FILE
def test_killed_again_and_again_at_random(users: Users) -> None:
    """While the worker reads what is said as it is said."""
    rng = random.Random(os.urandom(8) if SECONDS else 5)
    expected = undisturbed(users, model=True)
    end = time.monotonic() + SECONDS
    number = kills = 0
    while number < 2 or time.monotonic() < end:
        user = f"user {number}"
        for _ in range(rng.randint(1, 3)):
            delay = rng.uniform(0.001, 0.08)
            code = users.live(user, where="opened", delay=delay, background=True)
            assert code in (KILLED, 0)
            kills += code == KILLED
        assert users.live(user) == 0
        assert users.known(user) == expected, user
        assert set(users.calls(user)) == set(WORTH)
        number += 1
    assert kills
    print(f"{kills} kills of {number} users")

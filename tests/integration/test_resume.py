"""What failed or was killed at its third tool goes on there, in another process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from langgraph_memory.checkpoints import open_checkpointer, prune_checkpoints

SCRIPT = Path(__file__).parent / "resuming_run.py"
PATIENCE = 60.0

TRIP = [
    ["human", "A room in Bergen."],
    ["ai", ""],
    ["tool", "two rooms in Bergen"],
    ["ai", ""],
    ["tool", "held one in Bergen"],
    ["ai", ""],
    ["tool", "paid for Bergen"],
    ["ai", "All is booked."],
]
UNTIL_PAYMENT = ["model 0", "search", "model 1", "reserve", "model 2", "pay"]


class Runs:
    """Processes on one thread."""

    def __init__(self, url: str, side_file: Path, tiers: str) -> None:
        self.url, self.side_file, self.tiers = url, side_file, tiers

    def start(self, what: str, message: str | None = None) -> subprocess.Popen[str]:
        arguments = [self.url, str(self.side_file), self.tiers, what]
        return subprocess.Popen(
            [sys.executable, str(SCRIPT), *arguments, *([message] if message else [])],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "LANGGRAPH_STRICT_MSGPACK": "true"},
        )

    def ended(self, what: str, message: str | None = None) -> tuple[int, str, str]:
        process = self.start(what, message)
        try:
            out, err = process.communicate(timeout=PATIENCE)
        finally:
            if process.poll() is None:
                process.kill()
                process.communicate()
        return process.returncode, out, err

    def killed(self, message: str | None = None) -> None:
        """Run until the third tool has begun, and kill the process there and then."""
        known = self.begun.count("pay")
        process = self.start("hang", message)
        try:
            deadline = time.monotonic() + PATIENCE
            while self.begun.count("pay") == known:
                assert process.poll() is None, process.communicate()[1]
                assert time.monotonic() < deadline, self.begun
                time.sleep(0.02)
            process.send_signal(signal.SIGKILL)
            process.communicate(timeout=PATIENCE)
            assert process.returncode == -signal.SIGKILL
        finally:
            if process.poll() is None:
                process.kill()
                process.communicate()

    def booked(self) -> list[list[Any]]:
        """Go on to the end; the thread's messages."""
        code, out, err = self.ended("work")
        assert code == 0, err
        messages: list[list[Any]] = json.loads(out.splitlines()[-1])
        return messages

    @property
    def begun(self) -> list[str]:
        return self.side_file.read_text().splitlines() if self.side_file.exists() else []


@pytest.fixture
def runs(request: pytest.FixtureRequest, tmp_path: Path) -> Runs:
    database, tiers = request.param
    url = tmp_path / "threads.db" if database == "sqlite" else None
    return Runs(
        str(url or request.getfixturevalue("postgres_empty")), tmp_path / "begun.txt", tiers
    )


@pytest.mark.parametrize(
    "runs", [("sqlite", "plain"), ("postgres", "plain"), ("sqlite", "tiered")], indirect=True
)
def test_killed_while_paying(runs: Runs) -> None:
    runs.killed("A room in Bergen.")
    assert runs.begun == UNTIL_PAYMENT
    assert runs.booked() == TRIP
    assert runs.begun == [*UNTIL_PAYMENT, "pay"]


@pytest.mark.parametrize("runs", [("sqlite", "plain"), ("postgres", "tiered")], indirect=True)
def test_failed_while_paying_and_pruned(runs: Runs) -> None:
    """What is pruned meanwhile does not matter: the newest checkpoint is all that is needed."""
    code, _, err = runs.ended("fail", "A room in Bergen.")
    assert code != 0
    assert "the bank is closed" in err
    with open_checkpointer(runs.url) as saver:
        assert prune_checkpoints(saver, "resumed", keep_last=1).removed > 0
    assert runs.booked() == TRIP
    assert runs.begun == [*UNTIL_PAYMENT, "pay"]

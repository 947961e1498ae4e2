"""A process is killed in the middle of a run; another one goes on with its thread."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).parent / "crashing_run.py"
PATIENCE = 60.0


class Run:
    """Processes on one thread in one file."""

    def __init__(self, folder: Path, mode: str) -> None:
        self.db = folder / "threads.db"
        self.side_file = folder / "steps.txt"
        self.mode = mode

    def start(self, where: str, message: str | None) -> subprocess.Popen[str]:
        arguments = [str(self.db), str(self.side_file), self.mode, where]
        # Types that are neither messages nor JSON would come back as something else.
        environment = {**os.environ, "LANGGRAPH_STRICT_MSGPACK": "true"}
        return subprocess.Popen(
            [sys.executable, str(SCRIPT), *arguments, *([message] if message else [])],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def killed(self, where: str, message: str | None = None) -> None:
        """Run until a step has begun that never ends, and kill the process there and then."""
        known = self.steps.count(f"begin {where}")
        process = self.start(where, message)
        try:
            deadline = time.monotonic() + PATIENCE
            while self.steps.count(f"begin {where}") == known:
                assert process.poll() is None, process.communicate()[1]
                assert time.monotonic() < deadline, f"{where!r} never began: {self.steps}"
                time.sleep(0.02)
            process.send_signal(signal.SIGKILL)
            process.communicate(timeout=PATIENCE)
            assert process.returncode == -signal.SIGKILL
        finally:
            if process.poll() is None:
                process.kill()
                process.communicate()

    def ended(self, message: str | None = None) -> list[list[Any]]:
        """Run to the end; the thread's messages, each as its type, text and id."""
        process = self.start("nowhere", message)
        try:
            out, err = process.communicate(timeout=PATIENCE)
        finally:
            if process.poll() is None:
                process.kill()
                process.communicate()
        assert process.returncode == 0, err
        messages: list[list[Any]] = json.loads(out.splitlines()[-1])
        return messages

    @property
    def steps(self) -> list[str]:
        return self.side_file.read_text().splitlines() if self.side_file.exists() else []


WHOLE = [
    ["human", "Do all three."],
    ["ai", "Now one."],
    ["tool", "step one is done"],
    ["ai", "Now two."],
    ["tool", "step two is done"],
    ["ai", "Now three."],
    ["tool", "step three is done"],
    ["ai", "All is done."],
]


def texts(messages: list[list[Any]]) -> list[list[Any]]:
    return [message[:2] for message in messages]


@pytest.mark.parametrize(
    ("mode", "wheres"), [("sync", ["tool one", "model 2"]), ("async", ["tool two", "model 4"])]
)
def test_completed_steps_are_there_and_do_not_run_again(
    tmp_path: Path, mode: str, wheres: list[str]
) -> None:
    run = Run(tmp_path, mode)
    run.killed(wheres[0], "Do all three.")
    run.killed(wheres[1])
    messages = run.ended()
    assert texts(messages) == WHOLE
    assert len({message[2] for message in messages}) == len(messages)
    begun = Counter(step for step in run.steps if step.startswith("begin"))
    steps = [f"tool {name}" for name in ("one", "two", "three")]
    steps += [f"model {number}" for number in (1, 2, 3, 4)]
    assert begun == {f"begin {step}": 2 if step in wheres else 1 for step in steps}


def test_the_next_turns_of_a_thread_that_crashed(tmp_path: Path) -> None:
    """With a running summary, and with a user who says something else instead of resuming."""
    run = Run(tmp_path, "sync")
    assert texts(run.ended("Do all three.")) == WHOLE
    run.killed("tool two", "Do all three.")
    messages = run.ended("Stop here, thank you.")
    assert texts(messages) == [
        *WHOLE,
        *WHOLE[:4],
        ["human", "Stop here, thank you."],
        ["ai", "You are welcome."],
    ]
    assert len({message[2] for message in messages}) == len(messages)
    assert run.steps.count("begin tool two") == 2
    assert run.steps.count("summary") == 1

"""Two acts: a thread far longer than its budget, and a user who is known in the next thread, too.

`make demo` runs it. In the first act a conversation is killed in the middle and gone on with; its
lines are in conversation.txt and questions.txt. The second act is in second_act.py. Afterwards the
prompt is yours, on the last thread.
"""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatGenerationChunk
from second_act import (
    AGENT,
    CONSOLE,
    INDEX,
    LAST,
    USER,
    ask,
    day_one,
    day_two,
    headline,
    lines,
)

from langgraph_memory.chat import strategy_named
from langgraph_memory.checkpoints import sqlite_saver
from langgraph_memory.cli.chat import ChatSession
from langgraph_memory.offline import OfflineChatModel
from langgraph_memory.tokens import ApproximateTokenCounter

BUDGET = 900
THREAD = "demo"
KILLED_AT = 27


class UnhurriedModel(OfflineChatModel):
    """The offline model at a pace that leaves time to be killed in mid-reply."""

    def _stream(
        self, messages: list[BaseMessage], *args: Any, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        for chunk in super()._stream(messages, *args, **kwargs):
            time.sleep(0.01)
            yield chunk


def session(db: Path) -> ChatSession:
    """The chat that every process of this demo runs."""
    model = UnhurriedModel(name="OfflineChatModel")
    strategy = strategy_named("summarize", BUDGET, model)
    return ChatSession(db, THREAD, model, strategy, CONSOLE, show_context=True)


def play_and_kill(db: Path) -> int:
    """Play the conversation in another process, and kill it in the middle of a reply.

    Returns:
        How many of the lines were said.
    """
    child = subprocess.Popen(
        [sys.executable, "-u", __file__, "--play", str(db)], stdout=subprocess.PIPE
    )
    assert child.stdout is not None
    said, line = 0, b""
    while byte := child.stdout.read(1):
        sys.stdout.buffer.write(byte)
        sys.stdout.buffer.flush()
        line = b"" if byte == b"\n" else line + byte
        said += line == b"you> "
        if said == KILLED_AT and line.startswith(b"assistant> ") and len(line) > 24:
            os.kill(child.pid, signal.SIGKILL)
            CONSOLE.print()
            break
    child.wait()
    return said


def show_outcome(db: Path) -> None:
    """Compare the thread with the budget."""
    with sqlite_saver(db) as saver:
        saved = saver.get_tuple({"configurable": {"thread_id": THREAD}})
    assert saved is not None
    messages = saved.checkpoint["channel_values"]["messages"]
    tokens = ApproximateTokenCounter().count_messages(messages)
    headline(
        f"The thread has {len(messages)} messages and {tokens:,} tokens; every request had at most "
        f"{BUDGET:,}. Nothing was removed from it: {db}"
    )


def command(db: Path) -> str:
    """What goes on with the second act, to be typed where this was run."""
    program = Path(sys.executable).with_name("langgraph-memory")
    near = program.is_relative_to(Path.cwd())
    who = ["--thread", LAST, "--user", USER, "--agent", AGENT, "--embedder", INDEX]
    return shlex.join(
        [str(program.relative_to(Path.cwd()) if near else program), "chat", "--db", str(db), *who]
    )


def main() -> None:
    """Play, kill, go on, ask; then another day, another thread; and hand over."""
    if sys.argv[1:2] == ["--play"]:
        session(Path(sys.argv[2])).run(lines("conversation.txt"))
        return
    if sys.argv[1:2] == ["--day-one"]:
        day_one(Path(sys.argv[2]))
        return
    db = Path(tempfile.mkdtemp(prefix="langgraph-memory-")) / "demo.db"
    headline(
        f"A long conversation with a budget of {BUDGET} tokens a request. The model is the offline "
        "one: it can only quote what is in its prompt."
    )
    said = play_and_kill(db)
    headline("kill -9 in the middle of a reply. A new process goes on with the same thread.")
    session(db).run(lines("conversation.txt")[said:])
    headline("Now the questions: right answers prove that the facts are still in the prompt.")
    session(db).run(lines("questions.txt"))
    show_outcome(db)
    headline("Second act. A user says what always holds, and the process ends.")
    subprocess.run([sys.executable, "-u", __file__, "--day-one", str(db)], check=True)
    day_two(db)
    if sys.stdin.isatty():
        headline("The prompt is yours. Ask, tell it something, or see /why.")
        ask(db)
    else:
        CONSOLE.print(f"Go on, ask it something and then /why: {command(db)}")


if __name__ == "__main__":
    main()

"""A conversation far longer than its budget, killed in the middle and gone on with.

`make demo` runs it. The scripted part is in conversation.txt and questions.txt; afterwards the
prompt is yours, on the same thread.
"""

from __future__ import annotations

import os
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
from rich.console import Console

from langgraph_memory.chat import strategy_named
from langgraph_memory.checkpoints import sqlite_saver
from langgraph_memory.cli.chat import ChatSession
from langgraph_memory.offline import OfflineChatModel
from langgraph_memory.tokens import ApproximateTokenCounter

HERE = Path(__file__).parent
BUDGET = 900
THREAD = "demo"
KILLED_AT = 27
CONSOLE = Console(highlight=False, soft_wrap=True)


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
    model = UnhurriedModel()
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


def headline(text: str) -> None:
    """Say what happens next."""
    CONSOLE.print(f"\n[bold]━━ {text}[/bold]\n")


def main() -> None:
    """Play, kill, go on, ask, and hand over."""
    if sys.argv[1:2] == ["--play"]:
        session(Path(sys.argv[2])).run(lines("conversation.txt"))
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
    if sys.stdin.isatty():
        headline("The prompt is yours. Ask about the trip, or tell it something.")
        session(db).run(interactive=True)
    else:
        CONSOLE.print(f"Go on with: langgraph-memory chat --db {db} --thread {THREAD}")


def lines(name: str) -> list[str]:
    """The lines of a file beside this one."""
    return (HERE / name).read_text(encoding="utf-8").splitlines()


if __name__ == "__main__":
    main()

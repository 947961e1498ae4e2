"""A process that a test kills while it pays for a ticket.

    python flight_killed_run.py DATABASE SIDE_FILE HANG [MESSAGE | approve]

HANG is `before` or `after`: the bank waits to be killed before it charges or after it has; with
`never` it works. Tools, and the bank when it hangs, write a line to the side file. A message is
said, `approve` approves what waits for it, and without either the thread goes on where it was. At
the end the last answer is printed.
"""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler
from langgraph.types import Command

from graphs.flight import flight_agent
from graphs.flight_bookings import Bank, Bookings
from langgraph_memory import Memory

DATABASE, SIDE_FILE, HANG = sys.argv[1:4]
SAID = sys.argv[4] if len(sys.argv) > 4 else None
APPROVED: Command[Any] = Command(resume={"decisions": [{"type": "approve"}]})


def note(what: str) -> None:
    """Write down what begins, so that it outlives this process."""
    with Path(SIDE_FILE).open("a") as file:
        file.write(what + "\n")


class Noting(BaseCallbackHandler):
    """Notes the tools."""

    def on_tool_start(self, serialized: dict[str, Any], input_str: str, **_: Any) -> None:
        note(serialized["name"])


class SlowBank(Bank):
    """Hangs before or after it has charged."""

    def __call__(self, key: str, amount: int) -> str:
        if HANG == "before":
            note("hangs")
            threading.Event().wait()
        receipt = super().__call__(key, amount)
        if HANG == "after":
            note("hangs")
            threading.Event().wait()
        return receipt


def main() -> None:
    """Run the thread."""
    bookings = Bookings(SlowBank(f"{DATABASE}.bank"), f"{DATABASE}.bookings")
    given = APPROVED if SAID == "approve" else SAID and {"messages": [("user", SAID)]}
    with Memory.open(DATABASE, agent="flight") as memory:
        agent = flight_agent(memory=memory, checkpointer=memory.checkpointer, bookings=bookings)
        state = agent.invoke(
            given,
            {"configurable": {"thread_id": "trip"}, "callbacks": [Noting()]},
            context={"user_id": "mei"},
            durability="sync",
        )
    print(state["messages"][-1].text)


if __name__ == "__main__":
    main()

"""A process that a test kills: a plan of three tools on a thread at a URL.

    python resuming_run.py URL SIDE_FILE plain|tiered WHAT [MESSAGE]

The third tool does WHAT: `fail` raises an error, `hang` waits to be killed, `work` succeeds. Every
tool writes a line to the side file when it begins. With a message the thread gets it; without one
it goes on where it was. At the end the thread's messages are printed as JSON.
"""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode

from langgraph_memory.checkpoints import TieredSaver, open_checkpointer

URL, SIDE_FILE, TIERS, WHAT = sys.argv[1:5]
MESSAGE = sys.argv[5] if len(sys.argv) > 5 else None
THREAD: RunnableConfig = {"configurable": {"thread_id": "resumed"}}


class BrokenError(Exception):
    """What a tool of a test raises."""


def begin(name: str) -> None:
    """Write down that a tool begins, so that it outlives this process."""
    with Path(SIDE_FILE).open("a") as file:
        file.write(name + "\n")


@tool
def search(place: str) -> str:
    """Look for rooms."""
    begin("search")
    return f"two rooms in {place}"


@tool
def reserve(place: str) -> str:
    """Hold a room."""
    begin("reserve")
    return f"held one in {place}"


@tool
def pay(place: str) -> str:
    """Pay for the room."""
    begin("pay")
    if WHAT == "fail":
        raise BrokenError("the bank is closed")
    if WHAT == "hang":
        threading.Event().wait()
    return f"paid for {place}"


TOOLS = [search, reserve, pay]


def model(state: MessagesState) -> dict[str, Any]:
    """Calls the tools one after the other."""
    done = sum(isinstance(message, ToolMessage) for message in state["messages"])
    if done == len(TOOLS):
        return {"messages": [AIMessage("All is booked.")]}
    begin(f"model {done}")
    name = TOOLS[done].name
    call = {"name": name, "args": {"place": "Bergen"}, "id": f"c{done}", "type": "tool_call"}
    return {"messages": [AIMessage("", tool_calls=[call])]}


def following(state: MessagesState) -> str:
    """Tools, if some are called."""
    last = state["messages"][-1]
    return "tools" if isinstance(last, AIMessage) and last.tool_calls else "__end__"


def main() -> None:
    """Run the thread."""
    graph = StateGraph(MessagesState).add_node(model)
    graph.add_node("tools", ToolNode(TOOLS, handle_tool_errors=False))
    graph.add_edge(START, "model").add_edge("tools", "model")
    graph.add_conditional_edges("model", following)
    with open_checkpointer(URL) as saver:
        used = TieredSaver(InMemorySaver(), saver) if TIERS == "tiered" else saver
        compiled: Any = graph.compile(checkpointer=used)
        given = None if MESSAGE is None else {"messages": [HumanMessage(MESSAGE)]}
        state = compiled.invoke(given, THREAD, durability="sync")
    print(json.dumps([[each.type, each.text] for each in state["messages"]]))


if __name__ == "__main__":
    main()

"""A process that a test kills: an agent with three tools on a thread in an SQLite file.

    python crashing_run.py DB SIDE_FILE sync|async WHERE [MESSAGE]

Every tool and every model call writes a line to the side file when it begins and when it has
ended. The step named WHERE, as `tool two` or `model 3`, never ends: it waits to be killed. With a
message the thread gets it; without one the thread goes on where it was. At the end the thread's
messages are printed as JSON.
"""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool

from langgraph_memory.checkpoints import async_sqlite_saver, sqlite_saver, thread_id
from langgraph_memory.context import Composite, SlidingWindow, Summarize
from langgraph_memory.integrations import ContextMiddleware
from langgraph_memory.messages import text_of, validate

DB, SIDE_FILE, MODE, WHERE = sys.argv[1:5]
MESSAGE = sys.argv[5] if len(sys.argv) > 5 else None
THREAD: RunnableConfig = {"configurable": {"thread_id": thread_id("ann", "crash")}}
STEPS = ("one", "two", "three")


def note(line: str) -> None:
    """Write down what happened, so that it outlives this process."""
    with Path(SIDE_FILE).open("a") as file:
        file.write(line + "\n")


def happen(name: str) -> None:
    """Begin a step and end it, unless this is the one in which the process dies."""
    note(f"begin {name}")
    if name == WHERE:
        threading.Event().wait()
    note(f"end {name}")


@tool
def work(step: str) -> str:
    """Do one step of the work.

    Args:
        step: Which one.
    """
    happen(f"tool {step}")
    return f"step {step} is done"


class Foreman(BaseChatModel):
    """Has the three steps done one by one, as the messages that it is sent show them done."""

    @property
    def _llm_type(self) -> str:
        return "foreman"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **kwargs: Any) -> ChatResult:
        if "<conversation>" in text_of(messages[-1]):
            note("summary")
            return self._answer(AIMessage("Key facts:\n- work was done"))
        wrong = validate(messages, "openai")
        if wrong:
            raise ValueError(f"400: {wrong}")
        asked = max(i for i, message in enumerate(messages) if message.type == "human")
        done = [m for m in messages[asked:] if m.type == "tool" and "is done" in text_of(m)]
        happen(f"model {len(done) + 1}")
        if "thank" in text_of(messages[asked]):
            return self._answer(AIMessage("You are welcome."))
        if len(done) == len(STEPS):
            return self._answer(AIMessage("All is done."))
        step = STEPS[len(done)]
        made = {"name": "work", "args": {"step": step}, "id": f"c-{step}", "type": "tool_call"}
        return self._answer(AIMessage(f"Now {step}.", tool_calls=[made]))

    @staticmethod
    def _answer(message: AIMessage) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=message)])


def agent(saver: Any) -> Any:
    """The agent, with a context that summarizes on the way."""
    model = Foreman()
    strategy = Composite([Summarize(model, threshold=10, keep_last=4), SlidingWindow(2_000)])
    return create_agent(
        model,
        [work],
        system_prompt="You are a foreman.",
        middleware=[ContextMiddleware(strategy)],
        checkpointer=saver,
    )


def given() -> dict[str, Any] | None:
    """What to run the thread with."""
    return None if MESSAGE is None else {"messages": [HumanMessage(MESSAGE)]}


def run() -> list[BaseMessage]:
    """Run on the synchronous saver."""
    with sqlite_saver(DB) as saver:
        state = agent(saver).invoke(given(), THREAD, durability="sync")
    messages: list[BaseMessage] = state["messages"]
    return messages


async def arun() -> list[BaseMessage]:
    """Run on the asynchronous one."""
    async with async_sqlite_saver(DB) as saver:
        state = await agent(saver).ainvoke(given(), THREAD, durability="sync")
    messages: list[BaseMessage] = state["messages"]
    return messages


if __name__ == "__main__":
    ended = run() if MODE == "sync" else asyncio.run(arun())
    print(json.dumps([[m.type, text_of(m), m.id] for m in ended]))

"""Processes that a test kills while an agent remembers its user.

    python memory_crash_run.py

reads one order a line, as JSON, and lives it in a forked child, so that the packages are imported
once for all of them. It answers with the child's exit code; -9 for one that was killed.

A life opens the memory at `url`, reads what others left, says to the agent what the user's thread
does not have yet or what was not answered, and has it read. At the point `where`, or `delay`
seconds later, it kills itself as `kill -9` would. The log gets a line for each life, with the turns
that were read by then, and one for each call of the extraction model, with the turns it was shown.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
import traceback
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import RunnableConfig

from langgraph_memory import Memory, clock
from langgraph_memory.identity import Identity
from langgraph_memory.messages import text_of

TURNS = (
    "Good morning! My name is Ilse.",
    "I'm allergic to sesame.",
    "My budget for the trip is 800 dollars.",
    "I play the cello.",
    "My budget for the trip is 950 dollars.",
)
"""The fifth corrects the third."""
PATIENCE = 60


@dataclass(frozen=True)
class Life:
    """What one process does.

    Attributes:
        url: Of the database.
        log: Path of the log.
        user: Who talks, on a thread of the same name.
        model: Whether turns are read by a model, or by the rules.
        minutes: How much later than now it is.
        where: The point at which the process dies; empty for one that lives on.
        delay: Seconds after that point.
        background: Whether turns are read by the worker as they come, or on demand.
        talks: Whether anything is said; else only what others left is read.
    """

    url: str
    log: str
    user: str
    model: bool = True
    minutes: float = 0.0
    where: str = ""
    delay: float = 0.0
    background: bool = False
    talks: bool = True

    def note(self, **line: Any) -> None:
        """Write to the log what is to outlive this process."""
        with Path(self.log).open("a") as file:
            file.write(json.dumps(line) + "\n")

    def point(self, name: str) -> None:
        """Where a process may die."""
        if name != self.where:
            return
        if self.delay:
            threading.Timer(self.delay, os.kill, (os.getpid(), signal.SIGKILL)).start()
        else:
            os.kill(os.getpid(), signal.SIGKILL)

    def live(self) -> None:
        """Live until death or the end of the conversation."""
        late = timedelta(minutes=self.minutes)
        with (
            clock.set_to(lambda: datetime.now(UTC) + late),
            Memory.open(
                self.url,
                agent="chat",
                extraction_model=Reader(life=self) if self.model else None,
                on_event=lambda event: self.point(event.name),
                debounce=0.0 if self.background else 1e6,
            ) as memory,
        ):
            self.talk(memory)

    def talk(self, memory: Memory) -> None:
        """Say what is not said yet, and have it read."""
        who = Identity("chat", self.user)
        # Beside the memories, as it goes with them, is how far each thread was read.
        beside = memory.store.scan(who.memories[:-1])
        read = [item.value["read"] for item in beside if "read" in item.value]
        self.note(life=asdict(self), read=[mark.split("#")[0] for each in read for mark in each])
        agent = create_agent(
            Talker(life=self),
            [],
            # Hooks after the agent run from the last middleware to the first.
            middleware=[memory.middleware(), AfterReply(self)],
            checkpointer=memory.checkpointer,
        )
        thread: RunnableConfig = {"configurable": {"thread_id": self.user}}
        messages = agent.get_state(thread).values.get("messages", [])
        answered = messages[:-1] if messages and messages[-1].type == "human" else messages
        said = {message.id for message in answered}
        self.point("opened")
        memory.flush()
        for number, text in enumerate(TURNS):
            if not self.talks or f"h{number}" in said:
                continue
            given: Any = {"messages": [HumanMessage(text, id=f"h{number}")]}
            agent.invoke(given, thread, context={"user_id": self.user}, durability="sync")
            self.point(f"ended {number}")
            if not self.background:
                memory.flush()
        memory.flush()


class Talker(BaseChatModel):
    """Answers."""

    life: Any

    @property
    def _llm_type(self) -> str:
        return "talker"

    def _generate(self, messages: list[BaseMessage], *_: Any, **kwargs: Any) -> ChatResult:
        self.life.point(f"model {_last(messages)}")
        return _result(AIMessage("I see."))


class AfterReply(AgentMiddleware[Any, Any]):
    """Stands between the reply and what follows it."""

    def __init__(self, life: Life) -> None:
        super().__init__()
        self._life = life

    def after_agent(self, state: Any, runtime: Any) -> None:
        self._life.point(f"replied {_last(state['messages'])}")


class Reader(BaseChatModel):
    """Makes a memory of every message of the user that it is shown."""

    life: Any

    @property
    def _llm_type(self) -> str:
        return "reader"

    def _generate(self, messages: list[BaseMessage], *_: Any, **kwargs: Any) -> ChatResult:
        shown = text_of(messages[-1])
        turns = [number for number, text in enumerate(TURNS) if json.dumps(text) in shown]
        self.life.note(call=[f"h{number}" for number in turns])
        self.life.point(f"asked {turns[-1]}")
        memories = [
            {"content": _told(TURNS[number]), "type": "fact", "importance": 0.6, "sources": [alias]}
            for alias, number in zip((f"u{at}" for at in range(1, 99)), turns, strict=False)
        ]
        self.life.point(f"answered {turns[-1]}")
        return _result(AIMessage(json.dumps({"memories": memories, "tasks": []})))


def _told(text: str) -> str:
    return text.replace("My ", "The user's ").replace("I'm ", "The user is ").replace("I ", "We ")


def _last(messages: list[BaseMessage]) -> int:
    return max(number for number, text in enumerate(TURNS) for m in messages if text == text_of(m))


def _result(message: AIMessage) -> ChatResult:
    return ChatResult(generations=[ChatGeneration(message=message)])


def serve() -> None:
    """Live one life a line of the input."""
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            code = 1
            signal.alarm(PATIENCE)
            try:
                Life(**json.loads(line)).live()
                code = 0
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(code)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    # What a first run would import in every child.
    started = time.monotonic()
    Life(":memory:", os.devnull, "nobody").live()
    assert threading.active_count() == 1, threading.enumerate()
    print("ready", flush=True)
    serve()

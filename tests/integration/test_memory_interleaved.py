"""Two users of two agents, a thousand turns all mixed up: nobody learns of anybody else."""

from __future__ import annotations

import asyncio
import random
import re
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from scripted import ScriptedModel

from langgraph_memory import Memory
from langgraph_memory.events import Event
from langgraph_memory.identity import Identity
from langgraph_memory.messages import text_of
from langgraph_memory.records import Status
from langgraph_memory.service import NOTHING, MemoryService, Recollection
from langgraph_memory.service.turns import turns_of
from langgraph_memory.settings import AgentSettings, LongTermMemorySettings, Settings
from langgraph_memory.store import SQLiteMemoryStore

TURNS = 1_000
WORKERS = 4
THREADS = 2
"""Of each user with each agent, for each worker: a graph's, and one of the service's alone."""
LENGTH = 5
"""Turns of the latter, before the next one begins."""
PEOPLE = [Identity(agent, user) for agent in ("chat", "desk") for user in ("ann@x.org", "bo@x.org")]
MARKS = dict(zip(PEOPLE, ("quorvex", "blimtar", "zundop", "fraswick"), strict=True))
"""The beginning of words that only one of them uses."""
MARK = re.compile("|".join(MARKS.values()))
SHARED = ("sesame", "celery", "mustard", "lupins", "walnuts", "shrimp", "soya", "gluten")


def settings(agent: str) -> LongTermMemorySettings:
    return LongTermMemorySettings(enabled=True, namespace=agent, max_items=1_000, daily_quota=0)


@dataclass
class Conversation:
    """One thread, and what its user says in it."""

    who: Identity
    thread: str
    runs: bool
    """Whether it is a graph's thread, or the service is asked directly."""
    said: list[str] = field(default_factory=list)
    messages: list[BaseMessage] = field(default_factory=list)

    @property
    def id(self) -> str:
        return self.thread if self.runs else f"{self.thread}/{(len(self.said) - 1) // LENGTH}"

    @property
    def recalls(self) -> bool:
        """Whether this turn begins with recalling; one in four does."""
        return len(self.said) % 4 == 1

    def say(self, text: str) -> HumanMessage:
        if len(self.said) % LENGTH == 0:
            self.messages = []
        self.said.append(text)
        return HumanMessage(text, id=f"{self.id}/{len(self.said)}")


def texts(who: Identity, rng: random.Random) -> Iterator[str]:
    """What somebody says: of themselves, what others say just so, and what says nothing."""
    endings = map("".join, product("bdfgkmnpt", "aiou", "gkmp"))
    while True:
        yield rng.choice(
            (
                f"I like {MARKS[who]}{next(endings)}.",
                f"I'm allergic to {rng.choice(SHARED)}.",
                f"What goes well with {rng.choice(SHARED)}?",
                "Thank you!",
            )
        )


def check(who: Identity, recollection: Recollection, shown: str) -> None:
    """That a recollection is of one's own memories."""
    assert {tuple(each["namespace"]) for each in recollection.why} <= {who.memories}
    assert {namespace for namespace, _ in recollection.used} <= {who.memories}
    assert set(MARK.findall(shown)) <= {MARKS[who]}


class Crowd:
    """All conversations on one file."""

    def __init__(self, file: Path, stack: ExitStack) -> None:
        self.events: list[Event] = []
        self.recollections = 0
        self.runs = 0
        self.memories = {
            agent: stack.enter_context(
                Memory.open(
                    file,
                    Settings(agents={agent: AgentSettings(long_term_memory=settings(agent))}),
                    agent=agent,
                    on_event=self.events.append,
                    debounce=0.01,
                )
            )
            for agent in ("chat", "desk")
        }
        self.agents = {who: self._agent(who) for who in PEOPLE}

    def _agent(self, who: Identity) -> Any:
        def reply(request: list[BaseMessage]) -> str:
            shown = "\n".join(text_of(message) for message in request)
            assert set(MARK.findall(shown)) <= {MARKS[who]}
            self.runs += 1
            return "Noted."

        memory = self.memories[who.agent]

        def recalled(recollection: Recollection) -> None:
            check(who, recollection, recollection.standing + recollection.recalled)

        return create_agent(
            ScriptedModel(reply=reply),
            [],
            middleware=[memory.middleware(on_recall=recalled)],
            checkpointer=memory.checkpointer,
        )

    def turn(self, conversation: Conversation, text: str) -> None:
        who, service = conversation.who, self.memories[conversation.who.agent].service
        message = conversation.say(text)
        if conversation.runs:
            self.agents[who].invoke(*_run(conversation, message), context={"user_id": who.user})
            return
        messages = conversation.messages
        messages.append(message)
        recollection = NOTHING
        if conversation.recalls:
            service.begin(who, conversation.id, messages, readable=False)
            recollection = service.recollect(who, conversation.id, messages)
        self.replied(service, conversation, recollection)

    async def aturn(self, conversation: Conversation, text: str) -> None:
        who, service = conversation.who, self.memories[conversation.who.agent].service
        message = conversation.say(text)
        if conversation.runs:
            given, config = _run(conversation, message)
            await self.agents[who].ainvoke(given, config, context={"user_id": who.user})
            return
        messages = conversation.messages
        messages.append(message)
        recollection = NOTHING
        if conversation.recalls:
            service.begin(who, conversation.id, messages, readable=False)
            recollection = await service.arecollect(who, conversation.id, messages)
        self.replied(service, conversation, recollection)

    def replied(
        self, service: MemoryService, conversation: Conversation, recollection: Recollection
    ) -> None:
        check(conversation.who, recollection, recollection.standing + recollection.recalled)
        self.recollections += bool(recollection.why)
        messages = conversation.messages
        messages.append(AIMessage("Noted.", id=f"{conversation.id}/a{len(messages)}"))
        why = recollection.why
        service.end(conversation.who, conversation.id, messages, None, why, readable=False)


def _run(conversation: Conversation, message: HumanMessage) -> tuple[Any, RunnableConfig]:
    return {"messages": [message]}, {"configurable": {"thread_id": conversation.thread}}


def conversations(worker: int) -> list[Conversation]:
    return [
        Conversation(who, f"{who.agent}/{who.user}/{worker}/{number}", runs=number == 0)
        for who in PEOPLE
        for number in range(THREADS)
    ]


def talk(crowd: Crowd, worker: int, turns: int, mine: list[Conversation]) -> None:
    """A worker's share of the turns, in a random order; one of the workers is asynchronous."""
    rng = random.Random(worker)
    said = {who: texts(who, rng) for who in PEOPLE}
    if worker == 0:
        asyncio.run(atalk(crowd, rng, said, turns, mine))
        return
    for number in range(turns):
        [conversation] = rng.choices(mine, [1 if each.runs else 4 for each in mine])
        crowd.turn(conversation, next(said[conversation.who]))
        if number % 4 == 3:
            crowd.memories[conversation.who.agent].flush()


async def atalk(
    crowd: Crowd,
    rng: random.Random,
    said: dict[Identity, Iterator[str]],
    turns: int,
    mine: list[Conversation],
) -> None:
    for number in range(0, turns, 5):
        together = rng.sample(mine, 5)
        await asyncio.gather(*(crowd.aturn(each, next(said[each.who])) for each in together))
        if number % 10 == 0:
            await asyncio.to_thread(crowd.memories["chat"].flush)


def known(store: Any, who: Identity) -> list[str]:
    return sorted(item.value["content"] for item in store.scan(who.memories))


def alone(who: Identity, had: Iterable[Conversation]) -> list[str]:
    """What is known of somebody who has the agent for themselves."""
    with SQLiteMemoryStore(":memory:") as store:
        service = MemoryService(store, settings(who.agent), debounce=1e6)
        for conversation in had:
            messages: list[BaseMessage] = []
            for number, text in enumerate(conversation.said):
                messages += [
                    HumanMessage(text, id=f"h{number}"),
                    AIMessage("Noted.", id=f"a{number}"),
                ]
                if number % 4 == 3 or number == len(conversation.said) - 1:
                    said = [turn.mark for turn in turns_of(messages)]
                    service.end(who, conversation.thread, messages, said, readable=False)
                    service.flush()
        service.close()
        return known(store, who)


def test_a_thousand_turns_of_two_users_with_two_agents(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    with ExitStack() as stack:
        crowd = Crowd(tmp_path / "memory.db", stack)
        theirs = [conversations(worker) for worker in range(WORKERS)]
        work: Callable[[int], None] = lambda worker: talk(  # noqa: E731
            crowd, worker, TURNS // WORKERS, theirs[worker]
        )
        with ThreadPoolExecutor(WORKERS) as pool:
            list(pool.map(work, range(WORKERS)))
        for memory in crowd.memories.values():
            memory.flush()

        store = crowd.memories["chat"].store
        everything = [each for mine in theirs for each in mine]
        assert sum(len(each.said) for each in everything) == TURNS
        assert crowd.runs >= 100
        assert crowd.recollections >= 100
        places = {item.namespace for item in store.scan(()) if item.namespace[-1] == "memories"}
        assert places == {who.memories for who in PEOPLE}
        for who in PEOPLE:
            mine = f"{who.agent}/{who.user}/"
            for item in store.scan(who.memories):
                assert item.value["status"] == Status.ACTIVE
                assert item.value["source_thread_id"].startswith(mine)
                assert all(each.startswith(mine) for each in item.value["source_message_ids"])
                assert set(MARK.findall(item.value["content"])) <= {MARKS[who]}
            assert known(store, who) == alone(who, (each for each in everything if each.who == who))
            shared = {word for word in SHARED if any(word in text for text in known(store, who))}
            assert shared == set(SHARED)  # What others say just so is known of each of them.
        for event in crowd.events:
            assert event.thread.startswith(f"{event.agent}/{event.user}/")
            assert event.name not in {"recall_failed", "extraction_failed"}
            if event.name in {"extracted", "extraction_skipped"}:
                assert all(each.startswith(f"{event.thread}/") for each in event.ids)
    left = [each for each in threading.enumerate() if each.name.startswith("langgraph-memory")]
    for each in set(left) - before:
        each.join(10)
        assert not each.is_alive()

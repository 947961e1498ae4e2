"""The whole of long-term memory through the real OpenAI client, against a strict local server.

The server refuses what OpenAI refuses, and its answers to extraction are scripted, good and bad.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_openai import ChatOpenAI
from needed import needed
from openai_server import FailedError, Json, OpenAIServer, call, say
from pydantic import BaseModel, SecretStr

from langgraph_memory import Memory
from langgraph_memory.events import Event
from langgraph_memory.identity import Identity

needed("langchain", "langchain")

ANNA = Identity("chat", "anna")


class Gardener(BaseModel):
    """What is to be known of everybody."""

    plot_size: int | None = None
    tools: list[str] = []


class Script:
    """Answers replies with "Noted.", and each tool from a list of its own."""

    def __init__(self) -> None:
        self.memories: list[Json | FailedError] = []
        self.profiles: list[Json | FailedError] = []

    def __call__(self, messages: Sequence[Json]) -> Json:
        system = str(messages[0]["content"]) if messages[0]["role"] == "system" else ""
        if "long-term memory of an assistant" in system:
            answers = self.memories
        elif "profile up to date" in system:
            answers = self.profiles
        else:
            return say("Noted.")
        answer = answers.pop(0) if answers else say("Nothing to record.")
        if isinstance(answer, FailedError):
            raise answer
        return answer


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
def server(script: Script) -> Iterator[OpenAIServer]:
    with OpenAIServer(script) as running:
        yield running


class Garden:
    """An agent with memory; both talk to the server."""

    def __init__(self, memory: Memory, model: ChatOpenAI, events: list[Event]) -> None:
        from langchain.agents import create_agent

        self.memory = memory
        self.events = events
        self.agent: Any = create_agent(
            model,
            tools=[],
            system_prompt="You help in the garden.",
            middleware=[memory.middleware()],
            checkpointer=memory.checkpointer,
        )

    def say(self, text: str, thread: str = "t1") -> None:
        given = {"messages": [("user", text)]}
        config = {"configurable": {"thread_id": thread}}
        answer = self.agent.invoke(given, config, context={"user_id": "anna"})
        assert answer["messages"][-1].content == "Noted."
        self.memory.flush()

    @property
    def known(self) -> list[str]:
        found = self.memory.service.memories(ANNA).search("", limit=100)
        return sorted(each.record.content for each in found)

    def told(self, name: str) -> list[str]:
        return [event.reason for event in self.events if event.name == name]


@pytest.fixture
def garden(server: OpenAIServer, tmp_path: Path) -> Iterator[Garden]:
    model = ChatOpenAI(
        model="gpt-4o-mini", base_url=server.url, api_key=SecretStr("none"), max_retries=0
    )
    events: list[Event] = []
    with Memory.open(
        tmp_path / "m.db",
        agent="chat",
        extraction_model=model,
        profile=Gardener,
        on_event=events.append,
        debounce=1e6,
    ) as memory:
        yield Garden(memory, model, events)


def record(*memories: Json, tasks: Sequence[Json] = ()) -> Json:
    return call(("call_1", "record_memories", {"memories": memories, "tasks": list(tasks)}))


def profile(**stated: Any) -> Json:
    values = {name: {"value": value, "sources": ["u1"]} for name, value in stated.items()}
    return call(("call_2", "update_profile", {"stated": values, "withdrawn": []}))


def memory(content: str, **given: Any) -> Json:
    return {"content": content, "type": "fact", "importance": 0.7, "sources": ["u1"], **given}


def test_good_answers_are_known_in_the_next_thread(
    script: Script, server: OpenAIServer, garden: Garden
) -> None:
    script.memories = [
        record(
            memory("The user must not touch hogweed.", type="constraint", importance=0.9),
            memory("The user grows quinces."),
            tasks=[{"title": "the cold frame", "next_steps": ["cut glass"], "sources": ["u1"]}],
        )
    ]
    script.profiles = [profile(plot_size=40, tools=["spade"])]
    garden.say(
        "I grow quinces on my plot of 40 square metres with a spade. I must never touch hogweed. "
        "I began with the cold frame; cutting the glass is next."
    )
    garden.say("Where were we with the cold frame for my quinces?", "t2")
    asked = [each for each in server.answered if each.reply.get("content") == "Noted."]
    system, *rest = asked[-1].messages
    assert system["content"].startswith("You help in the garden.")
    for told in ("hogweed", "plot size: 40", "spade"):
        assert told in system["content"].split("<standing_memory>")[1]
    assert [message["role"] for message in rest] == ["user", "user"]
    assert "quinces" in rest[0]["content"].split("<long_term_memory>")[1]
    assert "cut glass" in rest[0]["content"].split("<unfinished_tasks>")[1]
    assert server.refused == []


def test_a_correction_takes_the_place_of_what_it_corrects(script: Script, garden: Garden) -> None:
    script.memories = [
        record(memory("The user's greenhouse is heated by gas.")),
        record(memory("The user's greenhouse is heated by a heat pump.", replaces=["k1"])),
    ]
    garden.say("My greenhouse is heated by gas, which costs a fortune every winter.")
    garden.say("My greenhouse is heated by a heat pump now, the gas is gone.")
    assert garden.known == ["The user's greenhouse is heated by a heat pump."]
    assert len(garden.told("superseded")) == 1


@pytest.mark.parametrize(
    ("answers", "known", "reason"),
    [
        ([say("Sure, I will remember that!")], 0, None),
        ([call(("c", "record_memories", {"memories": "many"})), say("{")], 1, "unreadable"),
        ([record(memory("The user owns 77 boats."))], 0, "not_said"),
        ([record(memory("The user's shed leaks.", sources=["u9"]))], 1, "unknown_id"),
        ([record(memory("The user's shed leaks.", sources=[]))], 1, "unreadable"),
        ([record(memory(" "), memory(""))], 1, "empty"),
        ([record(memory("  "), memory("The user's shed leaks."))], 1, "empty"),
        ([FailedError(400, "content policy")], 1, "refused"),
    ],
    ids=[
        "prose",
        "no list",
        "invented",
        "of no message",
        "without sources",
        "all empty",
        "one empty",
        "refused",
    ],
)
def test_bad_answers_neither_lose_nor_invent(
    script: Script,
    garden: Garden,
    answers: list[Json | FailedError],
    known: int,
    reason: str | None,
) -> None:
    script.memories = answers
    garden.say("My shed leaks, and I am allergic to wasps, as you may imagine in a shed.")
    assert not any("boat" in each for each in garden.known)
    assert len(garden.known) >= known
    if reason is not None:
        assert reason in garden.told("dropped")
    garden.say("What is the weather like?", "t2")  # The chat goes on.


def test_a_provider_that_is_down_is_asked_again(script: Script, garden: Garden) -> None:
    script.memories = [FailedError(500, "down"), record(memory("The user grows quinces."))]
    garden.say("I grow quinces, forty trees of them in three rows.")
    assert garden.known == []
    assert garden.told("extraction_failed") == ["OpenAIAPIError"]
    garden.memory.flush()
    assert garden.known == ["The user grows quinces."]
    garden.memory.flush()
    assert script.memories == []

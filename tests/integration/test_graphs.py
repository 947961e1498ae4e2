"""The graphs chat, tutor and coauthor as a program builds them: offline, and with a real client."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from edited_document import TURNS, edits, write
from langgraph.checkpoint.memory import InMemorySaver
from needed import needed
from openai_server import Json, OpenAIServer, call, say
from pydantic import SecretStr

from langgraph_memory import Memory
from langgraph_memory.checkpoints import thread_id
from langgraph_memory.context import ContextView
from langgraph_memory.errors import IdentityError, InvalidInputError
from langgraph_memory.identity import Identity
from langgraph_memory.messages import is_summary
from langgraph_memory.offline import CommandModel
from langgraph_memory.presets import served_budget, served_memory, served_model

needed("langchain", "langchain")

from graphs.chat import chat  # noqa: E402
from graphs.coauthor import coauthor, document  # noqa: E402
from graphs.tutor import Learner, tutor  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
READER = CommandModel(semantic=False)
DEVICES = {"tablet-7f3a": "lena", "phone-c41e": "lena", "kiosk-0002": "marek"}


def asks(agent: Any, text: str, thread: str, **context: Any) -> str:
    where = {"configurable": {"thread_id": thread}}
    state = agent.invoke({"messages": [("user", text)]}, where, context=context)
    return str(state["messages"][-1].text)


# -- coauthor


@pytest.mark.parametrize("summarize_above", [8, 10_000])
def test_forty_edits_are_exact_to_the_byte(summarize_above: int) -> None:
    views: list[ContextView] = []
    saver = InMemorySaver()

    def author() -> Any:  # Anew for each turn: nothing is kept but the thread.
        return coauthor(
            READER,
            checkpointer=saver,
            summarize_above=summarize_above,
            keep_last=4,
            on_view=views.append,
        )

    expected = [""]
    for command, text in edits(3):
        before = len(views)
        state = write(author(), [command], "poem")
        expected.append(text)
        assert document.text(state).encode() == text.encode(), command
        # The model saw the text as it was, and then as it is.
        for view, shown in ((views[before], expected[-2]), (views[-1], text)):
            assert f">\n{shown}\n</document" in str(view.messages[0].content) or not shown
            assert not view.report.over_budget
    assert len(expected) == TURNS + 1
    assert any(is_summary(view.messages[0]) for view in views) == (summarize_above < TURNS)
    assert document.version(state) == TURNS
    for version, text in enumerate(expected):
        assert document.text(state, version).encode() == text.encode()
    for version in (1, 17, 39):
        state = write(author(), [f"/restore_document {version}"], "poem")
        assert document.text(state).encode() == expected[version].encode()


def test_a_document_outlives_its_process(tmp_path: Path) -> None:
    database = tmp_path / "memory.db"
    script = Path(__file__).with_name("edited_document.py")
    killed = subprocess.run(
        [sys.executable, str(script), str(database), "11"],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert killed.returncode == -9, killed.stderr
    steps = list(edits(11))
    with Memory.open(database, agent="coauthor") as memory:
        author = coauthor(
            READER, memory=memory, checkpointer=memory.checkpointer, summarize_above=8
        )
        kept = author.get_state({"configurable": {"thread_id": "play"}}).values
        assert document.text(kept).encode() == steps[TURNS // 2 - 1][1].encode()
        rest = [command for command, _ in steps[TURNS // 2 :]]
        state = write(author, rest, "play", context={"user_id": "ines"})
        for version, (_, text) in enumerate(steps, 1):
            assert document.text(state, version).encode() == text.encode()


# -- tutor


def of_device(runtime: Any) -> str | None:
    """What a host does that has noted which devices are whose."""
    return DEVICES.get(runtime.context.get("device_id", ""))


@pytest.fixture
def school(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(
        tmp_path / "school.db", agent="tutor", resolver=of_device, debounce=1e6
    ) as memory:
        yield memory


def test_a_tutor_knows_its_learner_on_every_device(school: Memory, tmp_path: Path) -> None:
    teacher = tutor(READER, memory=school, checkpointer=school.checkpointer)
    tablet, phone, kiosk = (thread_id(device, "1") for device in DEVICES)
    asks(teacher, "I am a beginner in Rust.", tablet, device_id="tablet-7f3a")
    lesson = (
        '/task_save {"title": "Lesson on lifetimes", "next_steps": ["Structs with references"]}'
    )
    assert "Lesson on lifetimes" in asks(teacher, lesson, tablet, device_id="tablet-7f3a")
    school.flush()
    # What is said on one device is known on the other, in a thread of its own.
    asks(teacher, "My project is a weather station.", phone, device_id="phone-c41e")
    school.flush()
    assert "beginner" in asks(teacher, "What is my level in Rust?", phone, device_id="phone-c41e")
    search = '/task_search {"query": "lifetimes"}'
    assert "Structs with references" in asks(teacher, search, phone, device_id="phone-c41e")
    # A learner of the same school, and a device that nobody knows.
    assert "beginner" not in asks(
        teacher, "What is my level in Rust?", kiosk, device_id="kiosk-0002"
    )
    assert "Structs" not in asks(teacher, search, kiosk, device_id="kiosk-0002")
    with pytest.raises(IdentityError, match="Nobody says"):
        asks(teacher, "What is my level?", "unknown", device_id="attic-0000")
    # A second process on the same store.
    second = f"""
from pathlib import Path
from graphs.tutor import tutor
from langgraph_memory import Memory
from langgraph_memory.offline import CommandModel
with Memory.open({str(tmp_path / "school.db")!r}, agent="tutor") as memory:
    agent = tutor(CommandModel(semantic=False), memory=memory, checkpointer=memory.checkpointer)
    state = agent.invoke(
        {{"messages": [("user", "What is my project?")]}},
        {{"configurable": {{"thread_id": "desk"}}}},
        context={{"user_id": "lena"}},
    )
    print(state["messages"][-1].text)
"""
    done = subprocess.run(
        [sys.executable, "-c", second],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "weather station" in done.stdout


# -- with the real client


class School:
    """Answers as a provider: what a model would note, save and say."""

    def __call__(self, messages: Sequence[Json]) -> Json:
        system = str(messages[0]["content"])
        if "long-term memory of an assistant" in system:
            return say("Nothing to record.")
        if "profile up to date" in system:
            stated = {
                "level": {"value": "intermediate", "sources": ["u1"]},
                "project": {"value": "a tide clock", "sources": ["u1"]},
            }
            return call(("p", "update_profile", {"stated": stated, "withdrawn": []}))
        last = messages[-1]
        if last["role"] == "user" and "begin" in str(last["content"]):
            lesson = {"title": "Lesson on interrupts", "next_steps": ["debounce a switch"]}
            return call(("t", "task_save", lesson))
        return say("Good.")


def client(server: OpenAIServer) -> Any:
    openai = needed("langchain_openai", "openai")
    return openai.ChatOpenAI(
        model="gpt-4o-mini", base_url=server.url, api_key=SecretStr("none"), max_retries=0
    )


def test_a_tutor_with_a_model_keeps_a_profile_and_the_lessons(tmp_path: Path) -> None:
    with OpenAIServer(School()) as server:
        model = client(server)
        with Memory.open(
            tmp_path / "m.db",
            agent="tutor",
            profile=Learner,
            extraction_model=model,
            resolver=of_device,
            debounce=1e6,
        ) as memory:
            teacher = tutor(model, memory=memory, checkpointer=memory.checkpointer)
            told = "I am at an intermediate level, and I am building a tide clock. Shall we begin?"
            asks(teacher, told, "one", device_id="tablet-7f3a")
            memory.flush()
            asks(
                teacher, "Where were we in the lesson on interrupts?", "two", device_id="phone-c41e"
            )
            system, *rest = server.answered[-1].messages
            known = str(system["content"]).split("<standing_memory>")[1]
            assert "intermediate" in known
            assert "tide clock" in known
            assert "debounce a switch" in str(rest)
            asks(
                teacher,
                "Where were we in the lesson on interrupts?",
                "three",
                device_id="kiosk-0002",
            )
            assert "debounce" not in str(server.answered[-1].messages)
        assert server.refused == []


class Talk:
    """Answers in long sentences, saves what it is asked to, and sums up."""

    def __call__(self, messages: Sequence[Json]) -> Json:
        last = messages[-1]
        text = str(last["content"])
        if last["role"] == "user" and text.startswith("Please remember"):
            args = {"content": "The user's boat is called Petrel.", "type": "fact"}
            return call((f"s{len(messages)}", "memory_save", args))
        if "<conversation>" in text:
            return say(
                "Key facts:\n- the crossing is on 4 June\n\n"
                "Course of the conversation:\nA crossing was planned."
            )
        return say("That can be done. " * 8)


def test_the_chat_with_a_model_has_all_its_layers(tmp_path: Path) -> None:
    views: list[ContextView] = []
    with (
        OpenAIServer(Talk()) as server,
        Memory.open(tmp_path / "m.db", agent="chat", debounce=1e6) as memory,
    ):
        model = client(server)
        agent = chat(
            model,
            memory=memory,
            checkpointer=memory.checkpointer,
            background=False,
            on_view=views.append,
        )
        asks(agent, "Please remember the name of my boat: Petrel.", "spring", user_id="ole")
        asks(agent, "The crossing is on 4 June.", "spring", user_id="ole")
        for day in range(20):
            asks(agent, f"What do I have to think of on day {day}?", "spring", user_id="ole")
        assert is_summary(views[-1].messages[0])
        assert "4 June" in str(server.answered[-1].messages[0]["content"])
        assert len(views[-1].messages) < 32
        names = {tool["function"]["name"] for tool in server.answered[-1].body["tools"]}
        assert {"memory_save", "memory_search", "task_save"} <= names

        for user, knows in (("ole", True), ("sven", False)):
            asks(agent, "What is the name of my boat?", f"summer of {user}", user_id=user)
            assert ("Petrel" in str(server.answered[-1].messages)) == knows
        asks(agent, "What is the name of my boat?", "secret", user_id="ole", incognito=True)
        assert "Petrel" not in str(server.answered[-1].messages)
        assert server.refused == []


def test_trying_out_needs_no_variables_and_those_that_are_set_count(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("URL", "USER", "BUDGET"):
        monkeypatch.delenv(f"LANGGRAPH_MEMORY_{name}", raising=False)
    assert served_memory("chat", READER) is None
    assert served_budget() is None
    monkeypatch.setenv("LANGSMITH_LANGGRAPH_API_VARIANT", "local_dev")
    opened = served_memory("chat", READER)
    assert opened is not None
    with opened as memory:
        assistant = chat(READER, memory=memory, checkpointer=memory.checkpointer)
        told = {"messages": [("user", "I live in Graz.")]}
        assistant.invoke(told, {"configurable": {"thread_id": "t"}})
        memory.flush()
        assert memory.service.memories(Identity("chat", "studio")).search("Graz")
    assert (tmp_path / "memory.db").exists()
    monkeypatch.setenv("LANGGRAPH_MEMORY_URL", str(tmp_path / "mine.db"))
    opened = served_memory("chat", READER)
    assert opened is not None
    opened.close()
    assert (tmp_path / "mine.db").exists()
    monkeypatch.setenv("LANGGRAPH_MEMORY_BUDGET", "plenty")
    with pytest.raises(InvalidInputError, match="LANGGRAPH_MEMORY_BUDGET"):
        served_budget()


def test_a_provider_named_in_the_environment_is_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    needed("langchain_openai", "openai")
    monkeypatch.delenv("LANGGRAPH_MEMORY_URL", raising=False)
    monkeypatch.delenv("LANGGRAPH_MEMORY_MODEL", raising=False)
    assert isinstance(served_model(), CommandModel)
    assert served_memory("chat", READER) is None
    with OpenAIServer(lambda _: say("At your service.")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        for name in (None, "openai:gpt-4o"):
            if name is not None:
                monkeypatch.setenv("LANGGRAPH_MEMORY_MODEL", name)
            author = coauthor(served_model(), checkpointer=InMemorySaver())
            assert asks(author, "Hello", "one") == "At your service."
        assert [each.body["model"] for each in server.answered] == ["gpt-4o-mini", "gpt-4o"]
    monkeypatch.setenv("LANGGRAPH_MEMORY_URL", str(tmp_path / "served.db"))
    monkeypatch.setenv("LANGGRAPH_MEMORY_USER", "me")
    opened = served_memory("tutor", READER, profile=Learner)
    assert opened is not None
    with opened as memory:
        teacher = tutor(READER, memory=memory, checkpointer=memory.checkpointer)
        asks(teacher, "My project is a kite.", "mine")
        asks(teacher, "My project is a sundial.", "hers", user_id="her")
        memory.flush()
        assert "kite" in asks(teacher, "What is my project?", "mine again")
        assert "sundial" in asks(teacher, "What is my project?", "hers again", user_id="her")

"""The graphs under `langgraph dev`, driven as Studio drives them, and after a restart."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from langgraph_sdk import get_client, get_sync_client
from langgraph_sdk.client import LangGraphClient, SyncLangGraphClient

from langgraph_memory import Memory
from langgraph_memory.session import Artifact

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 90.0
BUDGET = 1_600
OPTIONS = ["--no-browser", "--no-reload", "--host", "127.0.0.1"]
document = Artifact("document")
NO_PROXY = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Server:
    """`langgraph dev` in a folder of its own, so that its store of threads is the test's."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "server.log"
        shutil.copy(ROOT / "langgraph.json", folder)
        shutil.copytree(
            ROOT / "graphs", folder / "graphs", ignore=shutil.ignore_patterns("__pycache__")
        )

    @contextlib.contextmanager
    def running(self) -> Iterator[SyncLangGraphClient]:
        """Start it, wait until it answers, and stop it as a person would."""
        port = free_port()
        environment = {
            **os.environ,
            "LANGGRAPH_CLI_NO_ANALYTICS": "1",
            "LANGGRAPH_MEMORY_MODEL": "offline",
            "LANGGRAPH_MEMORY_BUDGET": str(BUDGET),
        }
        with self.log.open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "langgraph_cli", "dev", *OPTIONS, "--port", str(port)],
                cwd=self.folder,
                env=environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            url = f"http://127.0.0.1:{port}"
            self.wait(process, url)
            with get_sync_client(url=url, timeout=PATIENCE) as client:
                yield client
            process.send_signal(signal.SIGINT)
            process.wait(PATIENCE)
        except Exception as error:
            error.add_note(f"Log of the server:\n{self.said()[-6_000:]}")
            raise
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def wait(self, process: subprocess.Popen[bytes], url: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if process.poll() is not None:
                raise RuntimeError(f"The server ended with code {process.returncode}.")
            with contextlib.suppress(OSError), NO_PROXY.open(f"{url}/ok", timeout=5) as answer:
                if answer.status == 200:
                    return
            time.sleep(0.1)
        raise TimeoutError(f"The server did not answer at {url}/ok.")

    def said(self) -> str:
        return self.log.read_text(errors="replace")


class Thread:
    """A thread of one graph, and a person who writes in it."""

    def __init__(self, client: LangGraphClient, graph: str, thread: str) -> None:
        self.client = client
        self.graph = graph
        self.id = thread

    @classmethod
    async def new(cls, client: LangGraphClient, graph: str) -> Thread:
        made = await client.threads.create(graph_id=graph)
        return cls(client, graph, str(made["thread_id"]))

    def at(self, client: LangGraphClient) -> Thread:
        """The same thread, through another client."""
        return Thread(client, self.graph, self.id)

    async def says(self, text: str, **given: Any) -> Any:
        """The state after a run."""
        return await self.client.runs.wait(self.id, self.graph, input=human(text), **given)

    async def streams(self, text: str) -> list[str]:
        """The pieces of the reply as they come."""
        pieces = []
        async for part in self.client.runs.stream(
            self.id, self.graph, input=human(text), stream_mode="messages-tuple"
        ):
            assert part.event != "error", part.data
            if part.event == "messages":
                pieces.append(str(part.data[0]["content"]))
        return pieces


def human(text: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text}]}


def last(state: Any) -> str:
    return str(state["messages"][-1]["content"])


CHATTER = [
    "The weather on the coast was grey this morning, and the ferry came in an hour late.",
    "I walked along the harbour for a while and watched the boats being painted for the summer.",
    "Afterwards there was soup at the little place behind the church, where it is always warm.",
]
SISTER = "What is my sister called?"
BRIEF = ["not a word of rain", "The gulls speak in verse."]
TEXT = "The ferry\r\nsleeps. \n\te\u0301"


async def test_run_stream_and_restart(tmp_path: Path) -> None:
    server = Server(tmp_path)
    graphs = json.loads((ROOT / "langgraph.json").read_text())["graphs"]
    with server.running() as first:
        async with reached(first) as client:
            found = await client.assistants.search()
            assert {each["graph_id"] for each in found} == set(graphs)
            talking = [each for each in found if each["graph_id"] in BEGUN]
            assert len(talking) == len(BEGUN)
            for assistant in talking:  # Studio draws its forms from these.
                schemas = await client.assistants.get_schemas(assistant["assistant_id"])
                assert "messages" in schemas["input_schema"]["properties"]
                assert "user_id" in schemas["context_schema"]["properties"]
            threads = [await Thread.new(client, graph) for graph in BEGUN]
            await asyncio.gather(*(BEGUN[one.graph](one) for one in threads))
    for agent in ("chat", "tutor"):  # What waits to be read, as turns may follow, is read now.
        with Memory.open(tmp_path / "memory.db", agent=agent) as memory:
            memory.flush()
    with server.running() as second:
        async with reached(second) as client:
            await asyncio.gather(
                *(act(one.at(client)) for act, one in zip(GONE_ON, threads, strict=True))
            )
    assert "BlockingError" not in server.said()
    assert "Traceback" not in server.said()


def reached(client: SyncLangGraphClient) -> LangGraphClient:
    return get_client(url=str(client.http.client.base_url), timeout=PATIENCE)


async def chat_begins(thread: Thread) -> None:
    state = await thread.says("My sister is called Rosalind.")
    assert len(state["messages"]) == 2
    pieces = await thread.streams(SISTER)
    assert len(pieces) > 1
    assert "Rosalind" in "".join(pieces)
    for text in CHATTER:
        state = await thread.says(f"{text} " * 12)
    assert len(state["messages"]) == 4 + 2 * len(CHATTER)


async def chat_goes_on(thread: Thread) -> None:
    state = await thread.says("What was my sister called again?")
    assert "Rosalind" in last(state)
    messages = state["messages"]
    assert len(messages) == 6 + 2 * len(CHATTER)
    assert len({message["id"] for message in messages}) == len(messages)
    assert messages[0]["content"] == "My sister is called Rosalind."
    # The budget was at work under the server's check for blocking calls.
    values: Any = (await thread.client.threads.get_state(thread.id))["values"]
    assert "Rosalind" in json.dumps(values["context_state"])
    # What was said here is known in every thread of the user, and of nobody else.
    other, stranger = [await Thread.new(thread.client, thread.graph) for _ in range(2)]
    assert "Rosalind" in last(await other.says(SISTER))
    assert "Rosalind" not in last(await stranger.says(SISTER, context={"user_id": "stranger"}))


async def lessons_begin(thread: Thread) -> None:
    await thread.says("I am a beginner in Rust. My project is a weather station.")
    lesson = {"title": "Lesson on lifetimes", "next_steps": ["Structs with references"]}
    assert "lifetimes" in last(await thread.says(f"/task_save {json.dumps(lesson)}"))


async def lessons_go_on(thread: Thread) -> None:
    other = await Thread.new(thread.client, thread.graph)
    assert "weather station" in last(await other.says("What is my project?"))
    search = '/task_search {"query": "lifetimes"}'
    assert "Structs with references" in last(await other.says(search))


async def document_begins(thread: Thread) -> None:
    brief = {"values": {"constraints": BRIEF}}
    await thread.says(f"/fill_brief {json.dumps(brief)}")
    await thread.says(f"/write_document {TEXT}")
    edit = {"edits": [{"find": "sleeps. \n", "replace": "wakes.\n"}]}
    assert "version 2" in last(await thread.says(f"/edit_document {json.dumps(edit)}"))


async def document_goes_on(thread: Thread) -> None:
    state = await thread.says("/restore_document 1")
    assert document.text(state) == TEXT
    assert document.text(state, 2) == TEXT.replace("sleeps. \n", "wakes.\n")
    assert state["brief"]["slots"]["constraints"]["value"] == BRIEF


async def flight_begins(thread: Thread) -> None:
    await thread.says("My budget is under 1000, and no red-eye flights.")
    assert "which" in last(await thread.says("From Beijing to Guangzhou.")).lower()
    found = last(await thread.says("tomorrow"))
    assert "LT318" in found
    assert "NW908" not in found  # It flies by night.
    await thread.says("Book the first one, please.")
    assert (await thread.client.threads.get(thread.id))["status"] == "interrupted"


async def flight_goes_on(thread: Thread) -> None:
    [waiting] = (await thread.client.threads.get(thread.id))["interrupts"].values()
    [asked] = waiting[0]["value"]["action_requests"]
    assert asked["name"] == "book_flight"
    approved = {"resume": {"decisions": [{"type": "approve"}]}}
    state: Any = await thread.client.runs.wait(thread.id, thread.graph, command=approved)
    assert asked["args"]["flight"] in last(state)
    assert "booked" in last(state)


BEGUN = {
    "chat": chat_begins,
    "tutor": lessons_begin,
    "coauthor": document_begins,
    "flight": flight_begins,
}
GONE_ON = (chat_goes_on, lessons_go_on, document_goes_on, flight_goes_on)

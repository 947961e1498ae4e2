"""Our stores where LangGraph, its agents, deepagents and langmem expect a store of LangGraph's."""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypedDict

import pytest
from contract.stores import OURS, STORES, Place
from deepagents.backends.store import StoreBackend
from embedders import DIMS, WordEmbeddings
from langchain.agents import create_agent
from langchain.tools import ToolRuntime
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_store
from langgraph.func import entrypoint
from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore
from scripted import ScriptedModel
from test_langgraph_dev import Server

from langgraph_memory.store import MemoryStore

with warnings.catch_warnings():
    # It imports a name from where LangGraph no longer wants it to be imported.
    warnings.simplefilter("ignore", DeprecationWarning)
    from langmem import (  # type: ignore[import-untyped]
        create_manage_memory_tool,
        create_search_memory_tool,
    )

TESTS = Path(__file__).resolve().parents[1]
NS = ("agent:chat", "user:1", "memories")
ANN: RunnableConfig = {"configurable": {"thread_id": "t", "langgraph_user_id": "ann"}}
BOB: RunnableConfig = {"configurable": {"thread_id": "u", "langgraph_user_id": "bob"}}


@pytest.fixture(params=OURS)
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MemoryStore]:
    place = Place(tmp_path, lambda: str(request.getfixturevalue("postgres_database")))
    index = {"dims": DIMS, "embed": WordEmbeddings()}
    store = STORES[request.param].make(place, index=index)
    assert isinstance(store, MemoryStore)
    with store:
        yield store


class State(TypedDict, total=False):
    said: str
    found: list[str]


class TestGraphs:
    def test_nodes_that_block(self, memory: MemoryStore) -> None:
        def note(state: State, runtime: Runtime[None]) -> State:
            assert runtime.store is memory
            runtime.store.put(NS, "said", {"text": state["said"]})
            return {}

        def recall(state: State, *, store: BaseStore) -> State:
            return {"found": [item.value["text"] for item in store.search(NS, query="vehicle")]}

        graph = StateGraph(State)
        graph.add_node("note", note)
        graph.add_node("recall", recall)
        graph.add_edge(START, "note")
        graph.add_edge("note", "recall")
        compiled = graph.compile(store=memory)
        given: State = {"said": "I drive an automobile."}
        assert compiled.invoke(given)["found"] == ["I drive an automobile."]
        assert asyncio.run(compiled.ainvoke(given))["found"] == ["I drive an automobile."]

    async def test_nodes_that_await(self, memory: MemoryStore) -> None:
        async def note(state: State, runtime: Runtime[None]) -> State:
            assert runtime.store is not None
            await asyncio.gather(
                *(
                    runtime.store.aput(NS, f"k{n}", {"text": state["said"], "n": n})
                    for n in range(5)
                )
            )
            return {}

        async def recall(state: State) -> State:
            store = get_store()
            found = await store.asearch(NS, query="vehicle", filter={"n": {"$gte": 3}})
            # A library inside an async node that knows no other way.
            blocking = store.search(NS, query="vehicle", filter={"n": {"$lt": 3}})
            return {"found": sorted(item.key for item in [*found, *blocking])}

        graph = StateGraph(State)
        graph.add_node("note", note)
        graph.add_node("recall", recall)
        graph.add_edge(START, "note")
        graph.add_edge("note", "recall")
        result = await graph.compile(store=memory).ainvoke({"said": "I drive an automobile."})
        assert result["found"] == ["k0", "k1", "k2", "k3", "k4"]

    def test_branches_at_once(self, memory: MemoryStore) -> None:
        graph = StateGraph(State)
        for number in range(8):

            def write(state: State, runtime: Runtime[None], number: int = number) -> State:
                assert runtime.store is not None
                runtime.store.put(NS, f"k{number}", {"n": number})
                return {}

            graph.add_node(f"n{number}", write)
            graph.add_edge(START, f"n{number}")
        graph.compile(store=memory).invoke({})
        assert {item.key for item in memory.search(NS)} == {f"k{number}" for number in range(8)}


@tool
def remember(fact: str, runtime: ToolRuntime) -> str:
    """Keep a fact.

    Args:
        fact: A sentence.
    """
    assert runtime.store is not None
    runtime.store.put(NS, fact[:20], {"text": fact})
    return "kept"


@tool
async def look_up(question: str, runtime: ToolRuntime) -> str:
    """Find facts.

    Args:
        question: What about.
    """
    assert runtime.store is not None
    found = await runtime.store.asearch(NS, query=question, limit=1)
    return "; ".join(item.value["text"] for item in found) or "nothing"


def assistant(request: list[BaseMessage]) -> AIMessage:
    last = request[-1]
    if isinstance(last, ToolMessage):
        return AIMessage(f"It says: {last.text}")
    name, _, text = last.text.partition(": ")
    key = "fact" if name == "remember" else "question"
    return AIMessage("", tool_calls=[{"name": name, "args": {key: text}, "id": f"c{len(request)}"}])


async def test_an_agent_whose_tools_use_the_store(memory: MemoryStore) -> None:
    agent = create_agent(
        ScriptedModel(reply=assistant),
        [remember, look_up],
        store=memory,
        checkpointer=InMemorySaver(),
    )

    async def say(text: str, config: RunnableConfig) -> str:
        state = await agent.ainvoke({"messages": [HumanMessage(text)]}, config)
        return str(state["messages"][-1].text)

    assert await say("remember: Ann owns an automobile.", ANN) == "It says: kept"
    assert await say("remember: Ann grows tomatoes.", ANN) == "It says: kept"
    # Another thread, another conversation, the same memory.
    assert await say("look_up: which vehicle", BOB) == "It says: Ann owns an automobile."


class TestDeepAgents:
    """Its files in our store, by its own backend."""

    @pytest.fixture
    def files(self, memory: MemoryStore) -> StoreBackend:
        return StoreBackend(store=memory, namespace=lambda _: ("agent", "files"))

    def test_files(self, files: StoreBackend, memory: MemoryStore) -> None:
        assert files.write("/notes/plan.md", "first\nsecond\nthird 计划\n").error is None
        assert files.write("/notes/deep/er.txt", "second thoughts").error is None
        read = files.read("/notes/plan.md")
        assert read.file_data is not None
        assert read.file_data["content"] == "first\nsecond\nthird 计划\n"
        assert files.read("/missing").error is not None
        assert files.edit("/notes/plan.md", "second", "2nd").error is None
        read = files.read("/notes/plan.md")
        assert read.file_data is not None
        assert "2nd" in read.file_data["content"]
        listed = {entry["path"] for entry in files.ls("/notes").entries or []}
        assert listed == {"/notes/plan.md", "/notes/deep/"}
        assert [match["path"] for match in files.grep("2nd").matches or []] == ["/notes/plan.md"]
        globbed = {match["path"] for match in files.glob("**/*.txt", "/").matches or []}
        assert globbed == {"/notes/deep/er.txt"}
        assert files.delete("/notes/plan.md").error is None
        assert files.read("/notes/plan.md").error is not None
        assert memory.list_namespaces() == [("agent", "files")]

    async def test_files_awaited(self, files: StoreBackend) -> None:
        assert (await files.awrite("/a.txt", "one")).error is None
        assert (await files.aedit("/a.txt", "one", "two")).error is None
        read = await files.aread("/a.txt")
        assert read.file_data is not None
        assert read.file_data["content"] == "two"
        assert [entry["path"] for entry in (await files.als("/")).entries or []] == ["/a.txt"]
        assert (await files.adelete("/a.txt")).error is None
        assert (await files.als("/")).entries == []

    def test_more_files_than_a_page(self, files: StoreBackend) -> None:
        """It reads pages by offset; each file is on one of them."""
        for number in range(230):
            files.write(f"/many/{number:03}.txt", f"number {number}")
        listed = [entry["path"] for entry in files.ls("/many").entries or []]
        assert sorted(listed) == [f"/many/{number:03}.txt" for number in range(230)]

    def test_inside_a_graph(self, memory: MemoryStore) -> None:
        backend = StoreBackend(namespace=lambda _: ("agent", "files"))

        def work(state: State) -> State:
            backend.write("/said.txt", state["said"])
            read = backend.read("/said.txt")
            assert read.file_data is not None
            return {"found": [read.file_data["content"]]}

        graph = StateGraph(State)
        graph.add_node("work", work)
        graph.add_edge(START, "work")
        found = graph.compile(store=memory).invoke({"said": "good morning"})
        assert found["found"] == ["good morning"]


class TestLangMem:
    """Its tools on our store; the user is named by the run's configuration."""

    @pytest.mark.parametrize("face", ["sync", "async"])
    def test_tools(self, memory: MemoryStore, face: str) -> None:
        manage = create_manage_memory_tool(namespace=("memories", "{langgraph_user_id}"))
        search = create_search_memory_tool(namespace=("memories", "{langgraph_user_id}"))

        def call(tool: Any, given: dict[str, Any], config: RunnableConfig) -> str:
            def run(asked: dict[str, Any]) -> str:
                return str(tool.invoke(asked))

            async def arun(asked: dict[str, Any]) -> str:
                return str(await tool.ainvoke(asked))

            if face == "sync":
                return str(entrypoint(store=memory)(run).invoke(given, config))
            return str(asyncio.run(entrypoint(store=memory)(arun).ainvoke(given, config)))

        said = call(manage, {"content": "Ann owns an automobile."}, ANN)
        key = said.split()[-1]
        call(manage, {"content": "Ann grows tomatoes."}, ANN)
        call(manage, {"content": "Bob has a vehicle."}, BOB)
        found = json.loads(call(search, {"query": "vehicle", "limit": 1}, ANN))
        assert [item["value"]["content"] for item in found] == ["Ann owns an automobile."]
        assert found[0]["namespace"] == ["memories", "ann"]
        assert found[0]["score"] > 0
        found = json.loads(call(search, {"query": "what is it about"}, BOB))
        assert [item["value"]["content"] for item in found] == ["Bob has a vehicle."]
        call(manage, {"content": "Ann sold her car.", "action": "update", "id": key}, ANN)
        found = json.loads(
            call(search, {"query": "car", "filter": {"content": {"$ne": "x"}}, "limit": 1}, ANN)
        )
        assert [item["value"]["content"] for item in found] == ["Ann sold her car."]
        call(manage, {"action": "delete", "id": key}, ANN)
        assert {item.value["content"] for item in memory.search(("memories", "ann"))} == {
            "Ann grows tomatoes."
        }

    def test_with_the_store_given(self, memory: MemoryStore) -> None:
        manage = create_manage_memory_tool(namespace=("memories",), store=memory)
        search = create_search_memory_tool(namespace=("memories",), store=memory)
        manage.invoke({"content": "Likes tea."})
        assert "Likes tea." in search.invoke({"query": "tea"})


MEMORY = """
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from embedders import DIMS, WordEmbeddings

from langgraph_memory.store import SQLiteMemoryStore

FOLDER = Path(__file__).parent


def clock() -> datetime:
    return datetime.now(UTC) + timedelta(minutes=float((FOLDER / "minutes.txt").read_text()))


def opened() -> SQLiteMemoryStore:
    return SQLiteMemoryStore(
        str(FOLDER / "memory.db"), index={"dims": DIMS, "embed": WordEmbeddings()}, clock=clock
    )


store = opened()


@asynccontextmanager
async def for_a_server() -> AsyncIterator[SQLiteMemoryStore]:
    async with opened() as memory:
        await memory.asetup()
        yield memory
"""

GRAPH = """
from typing import TypedDict

from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime


class State(TypedDict, total=False):
    said: str
    found: list[str]


def note(state: State, runtime: Runtime) -> State:
    runtime.store.put(("runs",), state["said"], {"text": state["said"]})
    return {}


async def recall(state: State, runtime: Runtime) -> State:
    await runtime.store.aput(("runs",), "awaited", {"text": "tomatoes"})
    hits = await runtime.store.asearch(("runs",), query="vehicle", limit=1)
    return {"found": [hit.value["text"] for hit in hits]}


graph = StateGraph(State)
graph.add_sequence([("note", note), ("recall", recall)])
graph.add_edge(START, "note")
graph = graph.compile(name="notes")
"""


class StoreServer(Server):
    """`langgraph dev` whose long-term memory is a store of ours, in a file of the folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "server.log"
        (folder / "memory.py").write_text(MEMORY)
        (folder / "notes.py").write_text(GRAPH)
        self.set_clock(0)

    def configure(self, store: str) -> None:
        config = {
            "python_version": "3.11",
            "dependencies": ["."],
            "graphs": {"notes": "./notes.py:graph"},
            "store": {"path": f"./memory.py:{store}"},
            "env": {},
        }
        (self.folder / "langgraph.json").write_text(json.dumps(config))

    def set_clock(self, minutes: float) -> None:
        """Let the server's store believe that it is so many minutes later."""
        new = self.folder / "minutes.new"
        new.write_text(str(minutes))
        new.replace(self.folder / "minutes.txt")


def test_langgraph_dev(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(TESTS))
    server = StoreServer(tmp_path)
    server.configure("store")
    with server.running() as client:
        store = client.store
        names = ["user:1", "memories"]
        store.put_item(names, "car", {"text": "Owns an automobile.", "n": 9})
        store.put_item(names, "tea", {"text": "Drinks tea and 茶 🍵.", "n": 10})
        store.put_item(["user:2"], "car", {"text": "Has a vehicle."})
        store.put_item(names, "soon", {"text": "Parked the car."}, ttl=5)
        item = store.get_item(names, "tea")
        assert item["value"] == {"text": "Drinks tea and 茶 🍵.", "n": 10}
        assert item["namespace"] == names
        assert store.get_item(names, "milk") is None

        def keys(where: list[str], **given: Any) -> list[str]:
            return [found["key"] for found in store.search_items(where, **given)["items"]]

        assert keys(["user:1"]) == ["soon", "tea", "car"]
        assert keys(["user:1"], filter={"n": {"$gt": 9}}) == ["tea"]
        assert keys(["user:1"], filter={"$or": [{"n": 9}, {"n": {"$exists": False}}]}) == [
            "soon",
            "car",
        ]
        assert set(keys(["user:1"], query="vehicle", limit=2)) == {"car", "soon"}
        assert keys(["user"]) == []
        assert store.list_namespaces()["namespaces"] == [["user:1", "memories"], ["user:2"]]
        assert store.list_namespaces(suffix=["memories"])["namespaces"] == [names]

        server.set_clock(4)
        assert store.get_item(names, "soon", refresh_ttl=False) is not None
        server.set_clock(6)
        assert store.get_item(names, "soon") is None
        assert keys(["user:1"], query="parked", limit=1) != ["soon"]

        store.delete_item(names, "tea")
        assert keys(["user:1"]) == ["car"]

        thread = client.threads.create()["thread_id"]
        state: Any = client.runs.wait(thread, "notes", input={"said": "an automobile"})
        assert state["found"] == ["an automobile"]
        assert set(keys(["runs"])) == {"an automobile", "awaited"}
    assert "BlockingError" not in server.said()
    assert "Traceback" not in server.said()

    server.configure("for_a_server")
    with server.running() as client:
        assert client.store.get_item(names, "car")["value"]["n"] == 9
        thread = client.threads.create()["thread_id"]
        state = client.runs.wait(thread, "notes", input={"said": "a car"})
        assert state["found"] == ["a car"]
    assert "BlockingError" not in server.said()
    assert "Traceback" not in server.said()
    with sqlite3.connect(shutil.copy(tmp_path / "memory.db", tmp_path / "copy.db")) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    database.close()

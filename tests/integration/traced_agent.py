"""Agents with memory, traced to a local server that keeps what it is sent; prints all of it.

Arguments: `hidden` or `shown`, and names of the functions below that make an agent; a line of
hyphens ends each. The words of `MEMORIES` are in what is known, in what the tools of memory are
told and answer, and in what an extractor answers, and nowhere else.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import zstandard

MEMORIES = ("zebrawood", "quinine", "figwort", "marimba", "thatching", "gamboge")
RECEIVED: list[bytes] = []


class Tracing(BaseHTTPRequestHandler):
    """LangSmith, as far as a client that sends runs needs it."""

    def do_GET(self) -> None:
        self.answer(b'{"instance_flags": {"zstd_compression_enabled": true}}')

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers["Content-Encoding"] == "zstd":
            body = b"(unpacked)" + zstandard.ZstdDecompressor().decompressobj().decompress(body)
        RECEIVED.append(body)
        self.answer(b"{}")

    do_PATCH = do_POST

    def answer(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Tracing)
threading.Thread(target=server.serve_forever, daemon=True).start()
os.environ |= {
    "LANGSMITH_TRACING": "true",
    "LANGSMITH_ENDPOINT": f"http://127.0.0.1:{server.server_port}",
    "LANGSMITH_API_KEY": "none",
    "OPENAI_API_KEY": "none",
}
SHOWN, WAYS = sys.argv[1] == "shown", sys.argv[2:]
if SHOWN:
    os.environ["LANGSMITH_DISABLE_RUN_COMPRESSION"] = "true"

from langchain.agents import create_agent  # noqa: E402
from langchain.agents.middleware import AgentMiddleware, HumanInTheLoopMiddleware  # noqa: E402
from langchain_core.messages import BaseMessage, ToolMessage  # noqa: E402
from langchain_core.tools import tool  # noqa: E402
from langchain_openai import ChatOpenAI  # noqa: E402
from langgraph.graph import END, START, MessagesState, StateGraph  # noqa: E402
from langgraph.prebuilt import ToolNode, create_react_agent, tools_condition  # noqa: E402
from langgraph.types import Command  # noqa: E402
from langsmith.run_trees import get_cached_client  # noqa: E402
from openai_server import Json, OpenAIServer, call, say  # noqa: E402

from langgraph_memory import Memory, MemoryRecord  # noqa: E402
from langgraph_memory.context import Layered, Summarize  # noqa: E402
from langgraph_memory.identity import Identity  # noqa: E402
from langgraph_memory.integrations import ContextMiddleware  # noqa: E402
from langgraph_memory.summarization import ContextState  # noqa: E402

ROLE = "You sell racks."
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("price", {"of": "rack of larch"}),
    ("memory_search", {"query": "marimba and spoons"}),
    ("memory_save", {"content": "The user plays in a figwort trio."}),
    ("task_save", {"title": "Thatching of the shed"}),
    ("task_search", {"query": "thatching"}),
    ("memory_update", {"id": "zebra", "content": "The user now collects zebrawood bowls."}),
    ("memory_forget", {"id": "bitter"}),
    ("memory_save", {"content": "The figwort trio", "type": "figwort"}),
]


def script(messages: Sequence[Json]) -> Json:
    """Calls one tool after another for a message that says so, and answers any other.

    It also serves the summarizer and the extractor.
    """
    role = str(messages[0]["content"])
    if "running summary" in role[:40]:
        return say("Key facts:\n- racks for spoons\nCourse of the conversation:\nshopping")
    if not role.startswith(ROLE):
        found = {"content": "The user owns a gamboge rack.", "type": "fact", "sources": ["u1"]}
        return call(("r", "record_memories", {"memories": [found], "tasks": []}))
    asked = max(i for i, message in enumerate(messages) if message["role"] == "user")
    done = sum(message["role"] == "tool" for message in messages[asked:])
    if "every tool" in messages[asked]["content"] and done < len(CALLS):
        name, args = CALLS[done]
        return call((f"call_{len(messages)}", name, args))
    return say("There are racks of alder.")


@tool
def price(of: str) -> str:
    """What something costs."""
    return f"{of}: 12 ducats"


class Passing(AgentMiddleware[Any, Any, Any]):
    """Is handed what the memory middleware has made of a request."""

    def wrap_model_call(self, request: Any, handler: Any) -> Any:
        return handler(request)

    async def awrap_model_call(self, request: Any, handler: Any) -> Any:
        return await handler(request)

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        return handler(request)

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        return await handler(request)


def made_agent(memory: Memory, model: Any, *middleware: Any, **options: Any) -> Any:
    return create_agent(
        model,
        tools=[price, *memory.task_tools()],
        system_prompt=ROLE,
        middleware=[memory.middleware(**options), *middleware, Passing()],
        checkpointer=memory.checkpointer,
    )


def agent(memory: Memory, model: Any) -> Any:
    return made_agent(memory, model)


def streamed(memory: Memory, model: Any) -> Any:
    """Its model and the graph are streamed, see `asked`."""
    return made_agent(memory, model)


def summarized(memory: Memory, model: Any) -> Any:
    """Its summaries are made of transcripts with calls and answers in them."""
    return made_agent(memory, model, ContextMiddleware(Summarize(model, threshold=18, keep_last=2)))


def layered(memory: Memory, model: Any) -> Any:
    layers = ContextMiddleware(Layered(**memory.layers()))
    return made_agent(memory, model, layers, placement="layers")


def approved(memory: Memory, model: Any) -> Any:
    """Every call of a tool waits for a human."""
    return made_agent(memory, model, HumanInTheLoopMiddleware({name: True for name, _ in CALLS}))


def react(memory: Memory, model: Any) -> Any:
    return create_react_agent(
        model,
        [price, *memory.tools(), *memory.task_tools()],
        prompt=ROLE,
        pre_model_hook=memory.recall_node(system=ROLE),
        post_model_hook=memory.nodes.remember,
        checkpointer=memory.checkpointer,
    )


def plain(memory: Memory, model: Any) -> Any:
    return graph(memory, model, ToolNode([price, *memory.tools(), *memory.task_tools()]))


def by_hand(memory: Memory, model: Any) -> Any:
    """The answers of its tools do not say which tool they are of."""
    node = ToolNode([price, *memory.tools(), *memory.task_tools()])

    def tools(state: MessagesState) -> dict[str, Any]:
        answered = node.invoke(state)["messages"]
        return {
            "messages": [
                ToolMessage(content=each.content, tool_call_id=each.tool_call_id)
                for each in answered
            ]
        }

    return graph(memory, model, tools)


def graph(memory: Memory, model: Any, tools: Any) -> Any:
    bound = model.bind_tools([price, *memory.tools(), *memory.task_tools()])

    def answered(state: ContextState) -> dict[str, Any]:
        return {"messages": [bound.invoke(state["llm_input_messages"])]}

    built = StateGraph(MessagesState)
    built.add_node("recall", memory.recall_node(system=ROLE))
    built.add_node("model", answered, input_schema=ContextState)
    built.add_node("tools", tools)
    built.add_node("remember", memory.nodes.remember)
    built.add_edge(START, "recall")
    built.add_edge("recall", "model")
    built.add_conditional_edges("model", tools_condition, {"tools": "tools", END: "remember"})
    built.add_edge("tools", "recall")
    built.add_edge("remember", END)
    return built.compile(checkpointer=memory.checkpointer)


ANNA = {"user_id": "anna"}


def asked(made: Any, text: str, way: str) -> list[BaseMessage]:
    """What the thread says after a turn."""
    config = {"configurable": {"thread_id": way}, "recursion_limit": 200}
    given = {"messages": [("user", text)]}
    if way == "streamed":

        async def stream() -> None:
            async for _ in made.astream(given, config, context=ANNA, stream_mode="messages"):
                pass

        asyncio.run(stream())
    else:
        state = made.invoke(given, config, context=ANNA)
        while "__interrupt__" in state:
            approval = Command(resume={"decisions": [{"type": "approve"}]})
            state = made.invoke(approval, config, context=ANNA)
    messages: list[BaseMessage] = made.get_state(config).values["messages"]
    return messages


def tried(way: str) -> None:
    """Two turns with a user of whom something is known."""
    settings = {
        "memory_tools": True,
        "long_term_memory": {"enabled": True, "namespace": "chat", "trace_content": SHOWN},
    }
    with OpenAIServer(script) as provider:
        model = ChatOpenAI(model="gpt-x", base_url=provider.url, streaming=way == "streamed")
        with Memory.open(
            ":memory:", {"agents": {"chat": settings}}, agent="chat", extraction_model=model
        ) as memory:
            mine = memory.service.memories(Identity("chat", "anna"))
            mine.save(MemoryRecord(id="zebra", content="The user collects zebrawood spoons."))
            limit = MemoryRecord(id="bitter", content="No quinine.", type="constraint")
            mine.save(limit)
            made = globals()[way](memory, model)
            said = asked(made, "I own spoons: use every tool for a spoon rack.", way)
            asked(made, "Thanks. Which racks for spoons are there?", way)
            memory.flush()
            known = mine.search("gamboge")
        answers = "\n".join(str(each.content) for each in said if isinstance(each, ToolMessage))
        requests = "\n".join(str(each.body) for each in provider.answered)
    # What is to be hidden was there.
    assert all(word in answers for word in ("12 ducats", "spoons", "quinine", "bowls", "shed"))
    assert "gamboge" in str(known)
    assert all(word in requests for word in MEMORIES if word != "gamboge")


for one in WAYS:
    tried(one)
    get_cached_client().flush()
    sys.stdout.buffer.write(b"\n".join(RECEIVED) + b"\n----------\n")
    RECEIVED.clear()

"""An agent with memory, traced to a local server that keeps what it is sent; prints it."""

import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

RECEIVED: list[bytes] = []


class Tracing(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.answer(b"{}")

    def do_POST(self) -> None:
        RECEIVED.append(self.rfile.read(int(self.headers["Content-Length"])))
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
    "LANGSMITH_DISABLE_RUN_COMPRESSION": "true",
}

from langchain.agents import create_agent  # noqa: E402
from langsmith.run_trees import get_cached_client  # noqa: E402

from langgraph_memory import Memory, MemoryRecord  # noqa: E402
from langgraph_memory.identity import Identity  # noqa: E402
from langgraph_memory.offline import OfflineChatModel  # noqa: E402

shown = sys.argv[1] == "shown"
settings = {"enabled": True, "namespace": "chat", "trace_content": shown}
with Memory.open(
    ":memory:", {"agents": {"chat": {"long_term_memory": settings}}}, agent="chat"
) as m:
    mine = m.service.memories(Identity("chat", "anna"))
    mine.save(MemoryRecord(content="The user collects zebrawood spoons."))
    mine.save(MemoryRecord(content="The user must avoid quinine.", type="constraint"))
    agent = create_agent(
        OfflineChatModel(), tools=[], middleware=[m.middleware()], checkpointer=m.checkpointer
    )
    answer = agent.invoke(
        {"messages": [("user", "Where does one buy a spoon rack for spoons?")]},
        {"configurable": {"thread_id": "1"}},
        context={"user_id": "anna"},
    )
    m.flush()
get_cached_client().flush()
sys.stdout.buffer.write(b"\n".join(RECEIVED))

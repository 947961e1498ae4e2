"""The chat under `langgraph dev`, driven as Studio drives it, and after a restart."""

from __future__ import annotations

import contextlib
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

from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 90.0
BUDGET = 300
OPTIONS = ["--no-browser", "--no-reload", "--host", "127.0.0.1"]
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


def run(client: SyncLangGraphClient, thread: str, given: dict[str, Any]) -> dict[str, Any]:
    """A run to its end; the state of the thread after it."""
    state: Any = client.runs.wait(thread, "chat", input=given)
    values: dict[str, Any] = state
    return values


def human(text: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text}]}


def last(state: Any) -> str:
    return str(state["messages"][-1]["content"])


CHATTER = [
    "The weather on the coast was grey this morning, and the ferry came in an hour late.",
    "I walked along the harbour for a while and watched the boats being painted for the summer.",
    "Afterwards there was soup at the little place behind the church, where it is always warm.",
]


def test_run_stream_and_restart(tmp_path: Path) -> None:
    server = Server(tmp_path)
    with server.running() as client:
        assert [a["graph_id"] for a in client.assistants.search()] == ["chat"]
        thread = client.threads.create()["thread_id"]

        state = run(client, thread, human("My sister is called Rosalind."))
        assert len(state["messages"]) == 2

        asked = human("What is my sister called?")
        pieces = []
        for part in client.runs.stream(thread, "chat", input=asked, stream_mode="messages-tuple"):
            assert part.event != "error", part.data
            if part.event == "messages":
                pieces.append(str(part.data[0]["content"]))
        assert len(pieces) > 1
        assert "Rosalind" in "".join(pieces)

        other = client.threads.create()["thread_id"]
        state = run(client, other, asked)
        assert "Rosalind" not in last(state)

        for text in CHATTER:
            state = run(client, thread, human(f"{text} " * 3))
        assert len(state["messages"]) == 4 + 2 * len(CHATTER)

    with server.running() as client:
        state = run(client, thread, human("What was my sister called again?"))
        assert "Rosalind" in last(state)
        messages = state["messages"]
        assert len(messages) == 6 + 2 * len(CHATTER)
        assert len({message["id"] for message in messages}) == len(messages)
        assert messages[0]["content"] == "My sister is called Rosalind."
        # The budget was at work under the server's check for blocking calls.
        values: Any = client.threads.get_state(thread)["values"]
        assert "Rosalind" in values["context_state"]["context"]["steps"][0]["summary"]

    assert "BlockingError" not in server.said()
    assert "Traceback" not in server.said()

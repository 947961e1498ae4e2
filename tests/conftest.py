"""What holds for every test: no network, no tracing, no keys, and where the data is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pytest_socket import disable_socket, socket_allow_hosts

pytest_plugins = ["postgres_server"]

ROOT = Path(__file__).resolve().parent.parent
LOCAL = ["127.0.0.1", "::1"]
KEYS = (
    "ANTHROPIC_API_KEY",
    "GOOGLE_API_KEY",
    "LANGCHAIN_API_KEY",
    "LANGSMITH_API_KEY",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
)


def pytest_configure() -> None:
    """A developer's own settings must not reach a real provider or tracer from a test."""
    os.environ["LANGSMITH_TRACING"] = "false"
    os.environ["LANGCHAIN_TRACING_V2"] = "false"
    for key in KEYS:
        os.environ.pop(key, None)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Unit tests never connect, others only to this machine; pytest-socket undoes it after.

    Unix sockets stay: an event loop wakes itself up through a pair of them.
    """
    if "unit" not in item.path.relative_to(ROOT).parts:
        socket_allow_hosts(LOCAL, allow_unix_socket=True)
    else:
        disable_socket(allow_unix_socket=True)


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of public benchmark data, which is not part of this repository.

    Skips without it; fails where `CI` is set, so that a check cannot go missing unseen, unless
    `LANGGRAPH_MEMORY_DATA_OPTIONAL=1` says that this machine has none.
    """
    named = os.environ.get("LANGGRAPH_MEMORY_DATA")
    folder = Path(named) if named else ROOT.parent / "shared" / "data"
    if folder.is_dir():
        return folder
    missing = (
        f"There is no data folder at {folder}. Set LANGGRAPH_MEMORY_DATA to a folder that has "
        "transcripts/openai_messages.jsonl.gz (agent runs, one JSON object {id, messages} a line, "
        "messages in OpenAI form); see CONTRIBUTING.md."
    )
    if os.environ.get("CI") and os.environ.get("LANGGRAPH_MEMORY_DATA_OPTIONAL") != "1":
        pytest.fail(missing + " Without data, set LANGGRAPH_MEMORY_DATA_OPTIONAL=1.")
    pytest.skip(missing)

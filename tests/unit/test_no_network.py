"""The rule of conftest is in force: a unit test cannot connect, not even to this machine."""

from __future__ import annotations

import asyncio
import os
import socket

import pytest
from pytest_socket import SocketBlockedError


def test_no_connection_can_be_made() -> None:
    blocked = pytest.warns(UserWarning, match="tried to use socket")
    with blocked, pytest.raises(SocketBlockedError):
        socket.create_connection(("127.0.0.1", 9), timeout=1)


async def test_an_event_loop_still_runs() -> None:
    assert await asyncio.to_thread(lambda: 1) == 1


def test_no_tracer_and_no_provider_is_configured() -> None:
    assert os.environ["LANGSMITH_TRACING"] == "false"
    assert "OPENAI_API_KEY" not in os.environ

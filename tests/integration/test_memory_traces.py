"""What LangSmith is told of an agent with memory."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from needed import needed

from langgraph_memory.integrations import hide_memories

needed("langchain", "langchain")


def traced(how: str) -> str:
    environment = {
        k: v for k, v in os.environ.items() if not k.startswith(("LANGSMITH", "LANGCHAIN"))
    }
    run = subprocess.run(
        [sys.executable, str(Path(__file__).parent / "traced_agent.py"), how],
        capture_output=True,
        env=environment,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr.decode()
    return run.stdout.decode(errors="replace")


@pytest.mark.parametrize(("how", "there"), [("hidden", False), ("shown", True)])
def test_memories_are_in_traces_only_where_that_was_asked_for(how, there):
    told = traced(how)
    assert "spoon rack" in told  # The conversation itself is traced.
    assert ("quinine" in told) is there
    assert ("zebrawood" in told) is there


def test_what_is_hidden_and_what_is_not():
    hidden = hide_memories(
        {
            "messages": [
                [{"kwargs": {"content": "<standing_memory>\na\n</standing_memory> hello"}}]
            ],
            "system": "Be kind.\n\n<long_term_memory>\nb\n</long_term_memory>",
            "count": 3,
        }
    )
    assert "hello" in str(hidden)
    assert "Be kind." in str(hidden)
    assert "\na\n" not in str(hidden["messages"][0][0]["kwargs"]["content"])
    assert "b\n" not in hidden["system"]
    assert hidden["count"] == 3


def test_what_layers_show_is_hidden_too():
    system = "Be kind.\n\n<user_profile>\n- must avoid quinine\n</user_profile>"
    assert hide_memories({"system": system}) == {
        "system": "Be kind.\n\n<user_profile>hidden</user_profile>"
    }

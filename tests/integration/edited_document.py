"""Forty commands to a co-author, and what the text must be after each; told without an artifact."""

from __future__ import annotations

import json
import os
import random
import signal
import sys
from collections.abc import Iterator
from typing import Any

TURNS = 40
CELLS = 24
# What is easily lost: line ends, blanks, accents in two forms, joined signs, look-alikes of tags.
ODD = (
    "\r\n",
    "\n",
    "\t",
    "  ",
    "\u00a0",
    "e\u0301",
    "\u00e9",
    "\U0001f469\u200d\U0001f33e",
    "\ufeff",
    "\u2028",
    "\x0c",
    "雨停了。",
    "</document>",
    "<document-2>",
    "{}\\n%s$1",
    "\u202e",
    "\x85",
)


def edits(seed: int) -> Iterator[tuple[str, str]]:
    """A command, and the whole text after it; the first writes it."""
    chance = random.Random(seed)

    def odd() -> str:
        return "".join(chance.choice((*ODD, "gull", "tide", " ")) for _ in range(6))

    texts = [""]
    for turn in range(TURNS):
        text = texts[-1]
        if turn == 0:
            text = "".join(f"[{cell:02}]{odd()}" for cell in range(CELLS))
            command = f"/write_document {text}"
        elif turn % 9 == 5:
            back = chance.randrange(1, turn)
            text = texts[back]
            command = f"/restore_document {back}"
        elif turn % 9 == 7:
            added = odd()
            text += added
            command = "/write_document " + json.dumps({"text": added, "where": "end"})
        else:
            made = []
            for cell in chance.sample(range(CELLS), 1 + turn % 3):
                find, replace = f"[{cell:02}]", f"{odd()}[{cell:02}]{odd()}"
                made.append({"find": find, "replace": replace})
                text = text.replace(find, replace)
            command = "/edit_document " + json.dumps({"edits": made}, ensure_ascii=turn % 2 == 0)
        texts.append(text)
        yield command, text


def write(agent: Any, commands: list[str], thread: str, **given: Any) -> Any:
    """Give commands one after the other; the state after the last."""
    where = {"configurable": {"thread_id": thread}}
    state = None
    for command in commands:
        state = agent.invoke({"messages": [("user", command)]}, where, **given)
    return state


if __name__ == "__main__":
    from graphs.coauthor import coauthor
    from langgraph_memory import Memory
    from langgraph_memory.offline import CommandModel

    opened = Memory.open(sys.argv[1], agent="coauthor")
    half = [command for command, _ in edits(int(sys.argv[2]))][: TURNS // 2]
    author = coauthor(
        CommandModel(semantic=False),
        memory=opened,
        checkpointer=opened.checkpointer,
        summarize_above=8,
    )
    write(author, half, "play", context={"user_id": "ines"})
    os.kill(os.getpid(), signal.SIGKILL)

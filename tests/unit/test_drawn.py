"""What results draw of themselves in Jupyter: small, and never more than text."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from html.parser import HTMLParser
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph

from langgraph_memory import (
    ClearToolResults,
    ContextRequest,
    Memory,
    MemoryRecord,
    MessageWindow,
    Trim,
)
from langgraph_memory.checkpoints import PrunedThread, PruneReport
from langgraph_memory.history import KeepLatest, apply_to_thread
from langgraph_memory.memories import FoundMemory
from langgraph_memory.service import Account, Reason, Recollection
from langgraph_memory.store import MemoryHit

HOSTILE = "</td></table><script>steal()</script>\" onload='x' \ud800\0"
SMALL = 100_000


class Page(HTMLParser):
    """The tags and the text of a page, as a browser would find them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes something else"

    def handle_data(self, data: str) -> None:
        self.text += data


def thread_with(text: str, turns: int = 3) -> list[BaseMessage]:
    messages: list[BaseMessage] = [SystemMessage(text, id=text)]
    for turn in range(turns):
        messages += [HumanMessage(text, id=f"{text}q{turn}"), AIMessage(text, id=f"{text}a{turn}")]
    return messages


def history_of(text: str) -> Any:
    saver = InMemorySaver()
    builder = StateGraph(MessagesState)
    builder.add_node("say", lambda state: {"messages": [AIMessage(text)]})
    builder.add_edge(START, "say")
    graph: Any = builder.compile(checkpointer=saver)
    for _ in range(3):
        graph.invoke({"messages": [HumanMessage(text)]}, {"configurable": {"thread_id": text}})
    return apply_to_thread(graph, text, KeepLatest(2), dry_run=True)


NOW = datetime(2026, 11, 30, tzinfo=UTC)
DRAWN = {
    "view": lambda text: MessageWindow(2).apply(
        thread_with(text), ContextRequest(system=text, profile="openai")
    ),
    "context report": lambda text: Trim(1, 1).apply(thread_with(text)).report,
    "history report": history_of,
    "prune report": lambda text: PruneReport((PrunedThread(text, 2, 0, 9),), False, 9_000, 1_000),
    "record": lambda text: MemoryRecord(content=text),
    "reason": lambda text: Reason("recalled", text, None, 0.5, {}, (HumanMessage(text),)),
    "found memory": lambda text: FoundMemory(
        MemoryRecord(content=text), MemoryHit(("users",), text, {}, NOW, NOW, 0.5, keyword=1.5)
    ),
    "account": lambda text: Account(skipped={text: 2}),
    "recollection": lambda text: Recollection(standing=f"<b>\nhead\n{text}\n</b>"),
}


@pytest.mark.parametrize("draw", DRAWN.values(), ids=DRAWN)
class TestEveryDrawing:
    def test_hostile_text_stays_text(self, draw: Any) -> None:
        page = draw(HOSTILE)._repr_html_()
        page.encode()  # a lone surrogate cannot be sent to a browser
        assert "\0" not in page
        found = Page(page)
        assert not found.open, "every tag is closed"
        assert {tag for tag, _ in found.tags} <= {
            *("div", "b", "span", "table", "tr", "td", "th", "details", "summary", "pre")
        }
        assert {name for _, attributes in found.tags for name in attributes} <= {"style", "title"}
        shown = found.text + "".join(each.get("title") or "" for _, each in found.tags)
        assert "<script>steal()" in shown, "it is shown all the same"

    def test_long_text_is_cut(self, draw: Any) -> None:
        assert len(draw("many words " * 50_000)._repr_html_()) < SMALL
        assert len(draw("没有空格的长文" * 50_000)._repr_html_()) < SMALL


def test_a_report_of_a_very_long_thread_is_small() -> None:
    messages: list[BaseMessage] = []
    for turn in range(2_000):
        call = {"id": f"c{turn}", "name": "look", "args": {}}
        messages += [HumanMessage("?", id=f"q{turn}"), AIMessage("", tool_calls=[call])]
        messages += [ToolMessage("seen " * 50, tool_call_id=f"c{turn}"), AIMessage("Yes.")]
    page = ClearToolResults().apply(messages).report._repr_html_()
    assert len(page) < SMALL
    assert re.search(r"… and 1,9\d\d more", page)
    widths = [float(each) for each in re.findall(r"width:([\d.]+)%", page)]
    assert len(widths) <= 300
    assert sum(widths) == pytest.approx(100, abs=0.5)


def test_a_prune_report_begins_with_what_lost_most() -> None:
    threads = tuple(PrunedThread(f"t{count}", 1, 0, count) for count in range(200))
    page = PruneReport(threads, True, 5_000, 5_000)._repr_html_()
    assert "19,900 checkpoints would go" in page
    assert "t199" in page
    assert "t100" not in page
    assert "… and 150 more" in page


def test_a_history_report_names_its_thread() -> None:
    assert "harbour" in history_of("harbour")._repr_html_()


def test_a_memory_draws_how_it_is_set_up() -> None:
    with Memory.open(":memory:", {"defaults": {}}, agent="a <b> c") as memory:
        found = Page(memory._repr_html_())
    assert "agenta <b> c" in found.text
    assert "enabledno" in found.text
    assert "by keyword" in found.text
    assert not found.open

"""Recorded agent runs, replayed at every model call through every strategy.

The runs are public data that is not part of this repository; see the `data_dir` fixture.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import BaseMessage, convert_to_messages
from scripted import LetterEmbeddings, ScriptedModel, digest

from langgraph_memory.context import (
    ClearToolResults,
    Composite,
    ContextRequest,
    ContextStrategy,
    ContextView,
    Layered,
    MessageWindow,
    SemanticRecall,
    SlidingWindow,
    SummarizationStep,
    Summarize,
    TieredExpiry,
    Trim,
    UsageFeedbackWindow,
)
from langgraph_memory.messages import calls_of, repair, role_of, text_of, validate
from langgraph_memory.summarization import SummarizationHook
from langgraph_memory.tokens import ApproximateTokenCounter

BUDGET = 2_000
COUNTER = ApproximateTokenCounter()


def model() -> ScriptedModel:
    return ScriptedModel(reply=digest)


STRATEGIES: dict[str, Callable[[], ContextStrategy]] = {
    "Trim": Trim,
    "MessageWindow": lambda: MessageWindow(8),
    "SlidingWindow": lambda: SlidingWindow(BUDGET),
    "SlidingWindow in steps": lambda: SlidingWindow(BUDGET, low_water=0.6),
    "UsageFeedbackWindow": lambda: UsageFeedbackWindow(BUDGET),
    "Summarize by messages": lambda: Summarize(model(), threshold=12),
    "Summarize by tokens": lambda: Summarize(model(), max_tokens=BUDGET),
    "Summarize in place": lambda: Summarize(model(), max_tokens=BUDGET, reuse_prefix=True),
    "ClearToolResults": ClearToolResults,
    "SemanticRecall": lambda: SemanticRecall(LetterEmbeddings(), k=3, keep_last=5),
    "TieredExpiry": lambda: TieredExpiry(recent=2, middle=3, step=2, model=model()),
    "Layered": lambda: Layered(model(), principles="Never guess.", window=4_000),
    "SummarizationStep": lambda: SummarizationStep(SummarizationHook(model(), max_tokens=BUDGET)),
    "Composite": lambda: Composite(
        [Summarize(model(), max_tokens=BUDGET), SlidingWindow(BUDGET, low_water=0.6)]
    ),
}


def transcript(messages: list[dict[str, Any]]) -> list[BaseMessage]:
    for place, message in enumerate(messages):
        message.setdefault("id", f"m{place}")
    return convert_to_messages(messages)


@pytest.fixture(scope="module")
def runs(data_dir: Path) -> list[tuple[str, list[BaseMessage]]]:
    path = data_dir / "transcripts" / "openai_messages.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        read = [json.loads(line) for line in lines]
    return [(run["id"], transcript(run["messages"])) for run in read]


def model_calls(messages: list[BaseMessage]) -> list[int]:
    """Lengths of the thread at which the model was asked: before each of its messages."""
    return [i for i, m in enumerate(messages) if i and role_of(m) == "assistant"]


@pytest.mark.parametrize("profile", ["common", "openai"])
@pytest.mark.parametrize("name", STRATEGIES)
def test_every_call_of_every_run(
    name: str, profile: str, runs: list[tuple[str, list[BaseMessage]]]
) -> None:
    calls = 0
    for run, messages in runs:
        strategy = STRATEGIES[name]()
        state: Any = None
        for length in model_calls(messages):
            sofar = messages[:length]
            view = strategy.apply(sofar, ContextRequest(state=state, profile=profile))
            where = f"{name}, {profile}, run {run}, call after {length} messages"
            check(view, sofar, profile, where)
            state = view.state
            calls += 1
    assert calls > len(runs)


def check(view: ContextView, source: list[BaseMessage], profile: str, where: str) -> None:
    found = {v.rule for v in validate(view.messages, profile)}
    if found:
        had = {v.rule for v in validate(repair(source, profile), profile)}
        assert found <= had, where
    question = next((m for m in reversed(source) if role_of(m) == "user"), None)
    if question is not None and (text := text_of(question).strip()):
        asked = (text_of(m) for m in reversed(view.messages) if role_of(m) == "user")
        assert any(text in sent for sent in asked), where
    lead = "\n".join(text_of(m) for m in view.messages[:2] if role_of(m) == "system")
    for message in source:
        if role_of(message) == "system":
            assert text_of(message) in lead, where
    last = next(m for m in reversed(source) if role_of(m) != "tool")
    if calls_of(last):
        shown = {call["name"] for m in view.messages for call in calls_of(m)}
        assert {call["name"] for call in calls_of(last)} <= shown, where
    report = view.report
    told = [*report.kept, *report.replaced, *report.dropped]
    assert len(told) == len(source), where
    assert set(told) == {m.id for m in source}, where
    assert all(report.reasons[i] for i in (*report.replaced, *report.dropped)), where
    if report.budget is not None and not view.degraded:
        assert (COUNTER.count_request(view.messages) > report.budget) == view.over_budget, where

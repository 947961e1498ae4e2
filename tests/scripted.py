"""Honest fakes of what is outside the package: chat models, embedders and token counters.

Each does real work on what it is given and writes down what that was.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from pydantic import Field

from langgraph_memory.messages import text_of
from langgraph_memory.tokens import TokenCounter

Reply = Callable[[list[BaseMessage]], str | BaseMessage]


class ScriptedModel(BaseChatModel):
    """A chat model that answers by a function of its request and keeps every request."""

    reply: Reply
    requests: list[list[BaseMessage]] = Field(default_factory=list)
    bound: list[Any] = Field(default_factory=list)
    call_tags: list[list[str]] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    @property
    def calls(self) -> int:
        return len(self.requests)

    def said_to(self, call: int = -1) -> str:
        """All text of one request."""
        return "\n".join(text_of(message) for message in self.requests[call])

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[Any, Any]:
        self.bound.append(list(tools))
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: Any = None,
        **kwargs: Any,
    ) -> ChatResult:
        self.requests.append(list(messages))
        self.call_tags.append(list(run_manager.tags) if run_manager is not None else [])
        answer = self.reply(list(messages))
        message = AIMessage(content=answer) if isinstance(answer, str) else answer
        return ChatResult(generations=[ChatGeneration(message=message)])


def block(request: Sequence[BaseMessage], tag: str) -> str:
    """What stands between the last pair of a tag in a request; empty where there is none."""
    text = "\n".join(text_of(message) for message in request)
    found = re.findall(rf"<{tag}>\n(.*?)\n</{tag}>", text, flags=re.DOTALL)
    return found[-1] if found else ""


def digest(request: list[BaseMessage]) -> str:
    """The shortest of summaries: a function of the source alone."""
    source = block(request, "conversation") or text_of(request[-1])
    return f"Σ{len(source) % 1000}"


def rule_keeper(request: list[BaseMessage]) -> str:
    """A summary whose key facts are the user's lines that begin with `Rule:`, old ones first."""
    facts = [
        line
        for line in block(request, "previous_summary").splitlines()
        if line.startswith("- Rule:")
    ]
    for line in block(request, "conversation").splitlines():
        rule = re.match(r"user: (Rule: .*)", line)
        if rule and f"- {rule[1]}" not in facts:
            facts.append(f"- {rule[1]}")
    lines = block(request, "conversation").count("\n") + 1
    return "\n".join(
        ["Key facts:", *facts, "Course of the conversation:", f"{lines} lines of talk."]
    )


def refuse(_: list[BaseMessage]) -> str:
    """What a provider does when the quota is used up."""
    raise RuntimeError("429 Too Many Requests")


class WordCounter(TokenCounter):
    """One token a character, nothing around messages; counts what it is asked to look at."""

    per_request = 0
    per_call = 0
    per_tool = 0

    def __init__(self) -> None:
        super().__init__(per_message=0)
        self.measured = 0
        self.looked_at = 0

    def _measure(self, text: str) -> int:
        self.measured += 1
        return len(text)

    def count_message(self, message: BaseMessage) -> int:
        self.looked_at += 1
        return super().count_message(message)


class LetterEmbeddings(Embeddings):
    """Embeds a text as the counts of its words in 64 places; equal texts have equal vectors."""

    def __init__(self) -> None:
        self.documents: list[str] = []
        self.queries: list[str] = []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.documents.extend(texts)
        return [self._vector(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        self.queries.append(text)
        return self._vector(text)

    @staticmethod
    def _vector(text: str) -> list[float]:
        vector = [0.0] * 64
        for word in re.findall(r"\w+", text.lower()):
            vector[sum(ord(letter) * (i + 1) for i, letter in enumerate(word)) % 64] += 1.0
        return vector

"""A summarizer without a model: every tool under test gets the same one.

It writes by extraction, the same answer for the same request, and keeps every request it was
sent, so that cost and coverage are measured on what a tool really asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import Field

from langgraph_memory.evals.context.exact import exact_counter

__all__ = ["SUMMARY_TOKENS", "ScriptedSummarizer"]

SUMMARY_TOKENS = 280
"""What a summary is filled up to, in exact tokens, where its source allows."""

_READ_CHARACTERS = 24_000
_LONGEST_SENTENCE = 220

_HEADINGS = {
    "en": ("Key facts:", "Course of the conversation:"),
    "zh": ("关键事实：", "对话经过："),
}
_FENCED = re.compile(r"<(conversation|messages)>\s*\n(.*)\n\s*</\1>", re.DOTALL)
_EARLIER = re.compile(r"<(previous_summary|conversation_summary)>\s*\n(.*)\n\s*</\1>", re.DOTALL)
_OLD_FACTS = re.compile(r"^(?:Key facts:|关键事实：)\s*\n((?:- .*\n?)+)", re.MULTILINE)
_MARKUP = re.compile(r"<[^<>\n]{1,200}>")
_SENTENCE = re.compile(r"[^.!?。！？\n]+(?:[.!?](?=\s|$)|[。！？])?", re.MULTILINE)
_SPEAKER = re.compile(r"^\s*(?:user|assistant|tool|human|ai|system)\s*[:：]\s*", re.IGNORECASE)
_SPOKEN_BY_USER = re.compile(r'^\s*(?:user|human)\s*[:：]|type="human"', re.IGNORECASE)
_LASTING = re.compile(
    r"\d|\b(?:must|never|always|only|not|no|prefer|budget|under|allerg\w*)\b|不|只|必须|预算"
)
_HAN = re.compile(r"[\u4e00-\u9fff]")


class ScriptedSummarizer(BaseChatModel):
    """A chat model that answers every request with an extractive two-part summary.

    Facts of a summary that the request carries come first, so a statement once taken up stays
    as long as it fits; then sentences of the user that hold a number or a wish, then others. A
    summary is always shorter than its source.

    Attributes:
        requests: Every request, in order.
    """

    requests: list[list[BaseMessage]] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted-summarizer"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        self.requests.append(list(messages))
        answer = AIMessage(content=_summary(messages))
        return ChatResult(generations=[ChatGeneration(message=answer)])


def _summary(request: Sequence[BaseMessage]) -> str:
    source = _source(request)
    earlier = [_EARLIER.search(str(message.text)) for message in request]
    # Not the whole request is searched: the instructions show what facts should look like.
    known = "\n".join([*(found[2] for found in earlier if found), source])
    facts_heading, course_heading = _HEADINGS[_language(source)]
    # The end of a long source says where things stand, its start what it is all about.
    half = _READ_CHARACTERS // 2
    read = source if len(source) <= 2 * half else f"{source[:half]}\n{source[-half:]}"
    room = min(SUMMARY_TOKENS, exact_counter().count_text(source[: 8 * SUMMARY_TOKENS]) // 2)
    facts = _fitting([*_known_facts(known), *_new_facts(read)], room * 2 // 3)
    course = _fitting(reversed(_sentences(read)), room - sum(size for _, size in facts))
    text = "\n".join(
        [
            facts_heading,
            *(f"- {fact}" for fact, _ in facts),
            "",
            course_heading,
            " ".join(sentence for sentence, _ in reversed(course)),
        ]
    ).strip()
    if len(text) >= len(source):
        # Such a source is a line or two: no headings fit, a part of it has to do.
        return source[: max(1, len(source) // 2)]
    return text


def _source(request: Sequence[BaseMessage]) -> str:
    """What is to be summarized: a fenced conversation, or the messages before the instruction."""
    for message in reversed(request):
        fenced = _FENCED.search(str(message.text))
        if fenced is not None:
            return fenced[2]
    told = [message for message in request if not isinstance(message, SystemMessage)]
    if len(told) > 1:
        told.pop()
    return "\n".join(
        f"{'user' if isinstance(message, HumanMessage) else message.type}: {message.text}"
        for message in told
    )


def _language(source: str) -> str:
    sample = source[:4_000]
    return "zh" if len(_HAN.findall(sample)) > len(sample) // 4 else "en"


def _known_facts(text: str) -> list[str]:
    sections = _OLD_FACTS.findall(text)
    if not sections:
        return []
    return [line[2:].strip() for line in sections[-1].splitlines() if line.startswith("- ")]


def _new_facts(source: str) -> list[str]:
    """Sentences worth keeping, those of the user first."""
    by_user: list[str] = []
    by_others: list[str] = []
    for line in source.splitlines():
        spoken = by_user if _SPOKEN_BY_USER.search(line) else by_others
        spoken.extend(sentence for sentence in _sentences(line) if _LASTING.search(sentence))
    return [*by_user, *by_others]


def _sentences(text: str) -> list[str]:
    plain = _MARKUP.sub(" ", text)
    found: list[str] = []
    for match in _SENTENCE.finditer(plain):
        sentence = " ".join(_SPEAKER.sub("", match[0]).split())
        if len(sentence) > 3:
            found.append(sentence[:_LONGEST_SENTENCE])
    return found


def _fitting(sentences: Iterator[str] | Sequence[str], tokens: int) -> list[tuple[str, int]]:
    """The first distinct sentences that fit, each with its tokens."""
    chosen: list[tuple[str, int]] = []
    seen: set[str] = set()
    left = tokens
    for sentence in sentences:
        if left <= 8:
            break
        if sentence in seen:
            continue
        size = exact_counter().count_text(sentence) + 2
        if size > left:
            continue
        seen.add(sentence)
        chosen.append((sentence, size))
        left -= size
    return chosen

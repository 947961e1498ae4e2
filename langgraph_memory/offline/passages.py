"""The sentences of a prompt that could state a fact, each with where it was said."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)

from langgraph_memory.offline.kinship import introduced, standing_for
from langgraph_memory.offline.phrases import is_own_quote, is_own_refusal
from langgraph_memory.offline.question import is_question
from langgraph_memory.offline.words import clean, sentences

__all__ = ["Passage", "Source", "newest_request", "passages", "plain_text"]

_FENCE = re.compile(r"<([A-Za-z_][\w-]*)(?:\s[^<>]*)?>[ \t]*\n(.*?)\n?[ \t]*</\1>", re.DOTALL)
_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)、])\s+(?:\[[A-Z_ ]+\]\s*)?")
_NOTES = re.compile(
    r"\s*\((?:(?:relevance|score|相关度)[:：]\s*[\d.]+|(?:said on|until) [\d-]+|uncertain)"
    r"(?:, (?:said on|until) [\d-]+)*(?:, uncertain)?\)\s*$",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^(user|human|assistant|ai|tool|用户|助手|工具)\s*[:：]\s*", re.IGNORECASE)
_SUMMARY_TAG = re.compile("summary", re.IGNORECASE)
_PERSON_OPENS = re.compile(
    r"^\W*(?:(?:and|but|so|oh|also)[,\s]+)*(?:he|she|they|his|her|their)\b|^\W*(?:对了|而且|不过)?[,，]?[他她]",
    re.IGNORECASE,
)
_LONGEST_RECORD = 800
"""Characters up to which one JSON tool result is quoted whole."""


class Source(StrEnum):
    """Where in the prompt a passage stands."""

    USER = "user"
    ASSISTANT = "assistant"
    ECHO = "echo"
    TOOL = "tool"
    SUMMARY = "summary"
    MEMORY = "memory"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class Passage:
    """One sentence of the prompt.

    Attributes:
        text: The sentence, exactly as it stands in the prompt.
        source: Whose sentence it is.
        message: Index of its message in the prompt.
        before: The sentence it may depend on: the one before it in the same message.
        asked: The question of the assistant that it replies to, if it does.
        also: What the names in it stand for, as introduced anywhere in the prompt.
    """

    text: str
    source: Source
    message: int
    before: str = ""
    asked: str = ""
    also: str = ""


def plain_text(message: BaseMessage) -> str:
    """The text of a message's content, without media and without lone surrogates."""
    return clean(message.text)


def _unfenced(text: str) -> str:
    return _FENCE.sub("\n", text).strip()


def newest_request(messages: Sequence[BaseMessage]) -> tuple[int, str]:
    """Index and text of the newest user message that says something itself.

    Fenced blocks (recalled memories, a summary) inside user messages are no request.
    Returns `(-1, "")` when there is none.
    """
    for index in range(len(messages) - 1, -1, -1):
        if isinstance(messages[index], HumanMessage):
            text = _unfenced(plain_text(messages[index]))
            if text:
                return index, text
    return -1, ""


def passages(messages: Sequence[BaseMessage]) -> list[Passage]:
    """All statements of a prompt, oldest first; questions are left out."""
    found: list[Passage] = []
    asked = said = ""
    for index, message in enumerate(messages):
        text = plain_text(message)
        if isinstance(message, SystemMessage):
            found.extend(_blocks(text, index))
            found.extend(_statements(_unfenced(text), Source.SYSTEM, index))
        elif isinstance(message, HumanMessage):
            found.extend(_blocks(text, index))
            found.extend(_statements(_unfenced(text), Source.USER, index, asked, said))
            asked = ""
            if found and found[-1].message == index:
                said = found[-1].text
        elif isinstance(message, ToolMessage):
            found.extend(Passage(part, Source.TOOL, index) for part in _records(text))
        elif isinstance(message, AIMessage) and text:
            if is_own_refusal(text):
                asked = ""
                continue
            source = Source.ECHO if is_own_quote(text) else Source.ASSISTANT
            found.extend(_statements(text, source, index))
            last = sentences(text)[-1:] or [""]
            asked = last[0] if is_question(last[0]) else ""
    known = introduced(one.text for one in found)
    if not known:
        return found
    return [replace(one, also=standing_for(one.text, known)) for one in found]


def _statements(
    text: str, source: Source, index: int, asked: str = "", said: str = ""
) -> Iterator[Passage]:
    # Whoever "she" is was spoken of in the message before.
    before = said if _PERSON_OPENS.search(text) else ""
    lines = (_NOTES.sub("", _BULLET.sub("", line)) for line in text.splitlines())
    for sentence in (sentence for line in lines for sentence in sentences(line)):
        if is_question(sentence) or sentence.endswith((":", "：")):
            before = sentence
            continue
        yield Passage(sentence, source, index, before, asked)
        before, asked = sentence, ""


def _blocks(text: str, index: int) -> Iterator[Passage]:
    for match in _FENCE.finditer(text):
        tag, body = match.groups()
        source = Source.SUMMARY if _SUMMARY_TAG.search(tag) else Source.MEMORY
        for line in body.splitlines():
            label = _LABEL.match(line)
            # A quoted turn of the user is the user's statement, whoever passed it on.
            own = label is not None and label.group(1).lower() in {"user", "human", "用户"}
            yield from _statements(_LABEL.sub("", line), Source.USER if own else source, index)


def _records(text: str) -> list[str]:
    try:
        data = json.loads(text)
    except ValueError:
        return [part for line in text.splitlines() for part in sentences(line)]
    if len(text) <= _LONGEST_RECORD and not isinstance(data, list):
        return [text.strip()]
    return list(_pieces(data))


def _pieces(data: object) -> Iterator[str]:
    """Parts of a large JSON value, small enough to quote."""
    written = json.dumps(data, ensure_ascii=False)
    if len(written) <= _LONGEST_RECORD and not isinstance(data, list):
        yield written
    elif isinstance(data, dict):
        for key, value in data.items():
            for piece in _pieces(value):
                yield f"{key}: {piece}"
    elif isinstance(data, list):
        for item in data:
            yield from _pieces(item)
    else:
        yield from sentences(str(data))

"""The gate before extraction: most turns hold nothing to remember, and need no model to say so."""

# A pattern is easier to check in one piece.

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from langchain_core.messages import BaseMessage, ToolMessage

from langgraph_memory.errors import InvalidInputError
from langgraph_memory.extraction.answers import asks_about_user
from langgraph_memory.extraction.own_words import is_record, without_code
from langgraph_memory.extraction.proposals import DropReason
from langgraph_memory.extraction.rules import extract_by_rules
from langgraph_memory.extraction.signals import has_signal, is_courtesy, tells_of_oneself
from langgraph_memory.extraction.turns import Utterance, utterances
from langgraph_memory.messages import check_messages, role_of, text_of

__all__ = ["GateSettings", "Seen", "SkipReason", "should_skip_extraction", "text_digest"]


SHORT = 50
"""Characters below which a message may be an answer that says nothing by itself."""


class SkipReason(StrEnum):
    """Why nothing is extracted from a turn."""

    INCOGNITO = "incognito"
    """The thread reads and writes no memory."""
    DISABLED = "disabled"
    """Extraction is switched off for this user."""
    UNATTRIBUTED = "unattributed"
    """A nested agent was given it, and the run around it does not have it from its user."""
    NOTHING_FROM_USER = "nothing_from_user"
    """No user message, or none with text."""
    RECALLED = "recalled"
    """What the user's messages hold is recalled memory."""
    CODE_ONLY = "code_only"
    """Only code, or the output of a tool."""
    REPEATED = "repeated"
    """The same text was seen before."""
    QUOTA = "quota"
    """The day's quota is used up: the turn waits, and is merged with others into one batch."""
    ERROR_REPLY = "error_reply"
    """The turn ended with an error instead of a reply."""
    COURTESY = "courtesy"
    """A greeting, thanks, or an acknowledgement."""
    TOO_SHORT = "too_short"
    """Too short to say something lasting."""


@dataclass(frozen=True, slots=True)
class GateSettings:
    """What the gate goes by.

    Attributes:
        enabled: Whether extraction is switched on for this user.
        incognito: Whether the thread is to leave no trace.
        min_characters: Characters below which a text is too short.
        min_han_characters: The same in Chinese characters; in a mixed text, each Chinese
            character stands for `min_characters / min_han_characters` others.
        daily_quota: Memories per user and day; 0 for no limit.
    """

    enabled: bool = True
    incognito: bool = False
    min_characters: int = SHORT
    min_han_characters: int = 20
    daily_quota: int = 50

    def __post_init__(self) -> None:
        for name in ("min_characters", "min_han_characters", "daily_quota"):
            if getattr(self, name) < 0:
                raise InvalidInputError(
                    f"{name} must not be negative, but is {getattr(self, name)}; 0 means no limit."
                )


@dataclass(frozen=True, slots=True)
class Seen:
    """What is known from before.

    Attributes:
        digests: `text_digest` of texts of this user that were extracted from already.
        stored_today: Memories stored for this user today.
        recalled: Contents of the memories that were recalled for this turn.
    """

    digests: Collection[str] = field(default_factory=frozenset)
    stored_today: int = 0
    recalled: Collection[str] = ()


def should_skip_extraction(
    messages: Sequence[BaseMessage],
    settings: GateSettings | None = None,
    seen: Seen | None = None,
) -> SkipReason | None:
    """Why nothing should be extracted from a turn, or None where something may be.

    No model is called. Switches, quota and repetition always hold. Signal phrases, statements in
    the first person, and whatever the rule-based extractor reads a statement from, then let a turn
    pass however short it is, and also where the reply failed; so does a short reply to a question
    about the user.

    Args:
        messages: The messages of the turn, oldest first; the assistant's question before it may
            be among them.
        settings: Limits and switches; the defaults if None.
        seen: What is known from before; nothing if None.

    Raises:
        InvalidMessagesError: the messages are not a list of LangChain messages.
    """
    check_messages(messages)
    settings, seen = settings or GateSettings(), seen or Seen()
    if settings.incognito:
        return SkipReason.INCOGNITO
    if not settings.enabled:
        return SkipReason.DISABLED
    said = list(utterances(messages))
    return (
        _without_words(messages, said, seen)
        or _used_up(said, settings, seen)
        or _worthless(messages, said, settings)
    )


def text_digest(messages: Sequence[BaseMessage]) -> str:
    """A digest of what users wrote in some messages, the same whatever the spaces and case.

    What is short may be an answer, so the question before it counts, too, and so do the names of
    those who wrote it.
    """
    return _digest(list(utterances(messages)))


def _digest(said: Sequence[Utterance]) -> str:
    written = [
        f"{_plain(one.asked)}\n{_plain(one.written)}"
        if len(one.written) < SHORT
        else _plain(one.written)
        for one in said
    ]
    # Where people have names, it is another thing to have been said by another of them.
    written += [one.speaker for one in said if one.speaker]
    text = "\n".join(written).encode("utf-8", "surrogatepass")
    return hashlib.sha256(text).hexdigest()


def _without_words(
    messages: Sequence[BaseMessage], said: Sequence[Utterance], seen: Seen
) -> SkipReason | None:
    """Whether there is nothing that the user said."""
    if not any(one.written.strip() for one in said):
        fenced = any(role_of(one) == "user" and text_of(one).strip() for one in messages)
        return SkipReason.RECALLED if fenced else SkipReason.NOTHING_FROM_USER
    recalled = {_plain(one) for one in seen.recalled} - {""}
    texts = [_plain(one.written) for one in said if one.written.strip()]
    if recalled and all(_is_recalled(text, recalled) for text in texts):
        return SkipReason.RECALLED
    if all(_is_output(one.written) for one in said if one.written.strip()):
        return SkipReason.CODE_ONLY
    results = {_plain(text_of(one)) for one in messages if isinstance(one, ToolMessage)} - {""}
    return SkipReason.CODE_ONLY if results and set(texts) <= results else None


def _used_up(said: Sequence[Utterance], settings: GateSettings, seen: Seen) -> SkipReason | None:
    if _digest(said) in seen.digests:
        return SkipReason.REPEATED
    if settings.daily_quota and seen.stored_today >= settings.daily_quota:
        return SkipReason.QUOTA
    return None


def _worthless(
    messages: Sequence[BaseMessage], said: Sequence[Utterance], settings: GateSettings
) -> SkipReason | None:
    """Whether what was said cannot be worth a model call."""
    texts = [one.text for one in said if one.text]
    if any(has_signal(text) or tells_of_oneself(text) for text in texts):
        return None
    failed = _failed(messages)
    answering = any(one.text and asks_about_user(one.asked) for one in said)
    courteous = all(is_courtesy(text) for text in texts)
    short = sum(_length(text, settings) for text in texts) < settings.min_characters
    if not (failed or courteous or short):
        return None
    if (answering and not failed) or _is_read(messages):
        return None
    if failed:
        return SkipReason.ERROR_REPLY
    return SkipReason.COURTESY if courteous else SkipReason.TOO_SHORT


def _is_read(messages: Sequence[BaseMessage]) -> bool:
    """Whether the rules find something in it."""
    found = extract_by_rules(messages)
    return bool(found.proposals) or any(
        one.reason is DropReason.EVERYTHING for one in found.dropped
    )


_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_SPACE = re.compile(r"\s+")
_BULLET = re.compile(r"(?m)^\s*(?:[-*•]|\d+[.)、])\s+(?:\[[A-Z_ ]+\]\s*)?")
_ERROR = re.compile(
    r"^\W*(?:(?:\w+\s)?(?:error|exception|traceback)\b\s*(?:\d{3}|:|\(|code)|(?:sorry[,.\s]+)?(?:something|an\serror)\s(?:went\swrong|occurred|has\soccurred)|"
    r"(?:internal\sserver|gateway|service\sunavailable|request\s(?:failed|timed\sout)|rate\slimit|timeout)|(?:抱歉[，,]?)?(?:系统|服务器?|服务|请求|网络|接口)?(?:出错|错误|异常|超时|失败|繁忙|不可用)(?:了|[:：，,。]|$))",
    re.IGNORECASE,
)


def _plain(text: str) -> str:
    return _SPACE.sub(" ", _BULLET.sub("", text)).strip().strip(".。!！").casefold()


def _is_recalled(text: str, recalled: Collection[str]) -> bool:
    """Whether a text is nothing but memories, perhaps several of them."""
    rest = text
    for one in sorted(recalled, key=len, reverse=True):
        rest = rest.replace(one, " ")
    return not any(character.isalnum() for character in rest)


def _is_output(text: str) -> bool:
    return is_record(text) or not without_code(text)


def _length(text: str, settings: GateSettings) -> float:
    han = len(_HAN.findall(text))
    each = (
        settings.min_characters / settings.min_han_characters
        if settings.min_han_characters
        else settings.min_characters
    )
    return len(text) - han + han * each


def _failed(messages: Sequence[BaseMessage]) -> bool:
    """Whether the last reply of the turn is an error."""
    for message in reversed(messages):
        role = role_of(message)
        if role == "user":
            return False
        if role == "assistant":
            marked = message.additional_kwargs.get("error") or message.response_metadata.get(
                "finish_reason"
            ) in {"error", "content_filter"}
            return bool(marked) or _ERROR.match(text_of(message)) is not None
    return False

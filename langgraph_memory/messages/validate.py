"""The judge: what a provider would refuse in a message list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from langgraph_memory.messages.content import (
    REASONING_BLOCKS,
    call_ids,
    calls_of,
    check_messages,
    has_reasoning,
    is_empty,
    is_empty_block,
    role_of,
)
from langgraph_memory.messages.profiles import Profile, profile_named


@dataclass(frozen=True, slots=True)
class Violation:
    """One thing a provider would answer with an error.

    Attributes:
        rule: Short name of the rule that is broken.
        index: Position of the message at fault.
        message_id: Its id, where it has one.
        detail: What is wrong, for a person.
    """

    rule: str
    index: int
    message_id: str | None
    detail: str

    def __str__(self) -> str:
        return f"{self.rule} at message {self.index} ({self.message_id or 'no id'}): {self.detail}"


def validate(messages: Sequence[BaseMessage], profile: str | Profile = "common") -> list[Violation]:
    """List what the provider of a profile would refuse; an empty list means that it is accepted.

    The rules were collected from providers' pages and from error texts in public reports:
    `openai` (chat completions), `openai_responses`, `anthropic`, `gemini`, `mistral`,
    `deepseek`, `qwen`, and `common`, which is safe with every one of them.

    Raises:
        InvalidMessagesError: The list holds something that is not a message.
        UnknownProfileError: There is no such profile.
    """
    check_messages(messages)
    rules = profile_named(profile)
    return sorted(_violations(messages, rules), key=lambda violation: violation.index)


def open_turn_start(messages: Sequence[BaseMessage]) -> int:
    """Position from which messages belong to a tool turn that is still open.

    A turn is open while the list ends on a tool result or on calls without results; the length of
    the list where none is.
    """
    last = len(messages) - 1
    if last < 0 or not (isinstance(messages[last], ToolMessage) or calls_of(messages[last])):
        return len(messages)
    for index in range(last, -1, -1):
        if role_of(messages[index]) == "user":
            return index + 1
    return 0


def is_accepted(messages: Sequence[BaseMessage], rules: Profile) -> bool:
    """Whether the provider accepts the messages as they are; stops at the first that it refuses."""
    return next(_violations(messages, rules), None) is None


def _violations(messages: Sequence[BaseMessage], rules: Profile) -> Iterator[Violation]:
    for rule, index, detail in chain(
        _pairing(messages, rules),
        _order(messages, rules),
        _content(messages, rules),
        _reasoning(messages, rules),
    ):
        yield Violation(rule, index, messages[index].id, detail)


Finding = tuple[str, int, str]


def _pairing(messages: Sequence[BaseMessage], rules: Profile) -> Iterator[Finding]:
    seen: set[str] = set()
    open_calls: list[str] = []
    caller = -1
    answered: list[str] = []

    def close() -> Iterator[Finding]:
        for call in open_calls:
            if call not in answered:
                yield "unanswered_call", caller, f"call {call!r} has no result directly after it"
        in_call_order = [call for call in open_calls if call in answered]
        if rules.results_in_order and answered != in_call_order:
            yield "results_out_of_order", caller, f"results {answered} answer calls {open_calls}"

    for index, message in enumerate(messages):
        if isinstance(message, ToolMessage):
            call = message.tool_call_id
            if call not in open_calls:
                yield "orphan_result", index, f"no call {call!r} directly before this result"
            elif call in answered:
                yield "duplicate_result", index, f"call {call!r} is answered twice"
            else:
                answered.append(call)
            continue
        if open_calls:
            yield from close()
        open_calls, answered, caller = call_ids(message), [], index
        for call in open_calls:
            if rules.call_id and not rules.call_id.fullmatch(call):
                yield (
                    "call_id_form",
                    index,
                    f"id {call!r} is not of the form {rules.call_id.pattern}",
                )
            if rules.unique_ids and call in seen:
                yield "call_id_reused", index, f"id {call!r} was used by an earlier call"
            seen.add(call)
    yield from close()


def _order(messages: Sequence[BaseMessage], rules: Profile) -> Iterator[Finding]:
    roles = [role_of(message) for message in messages]
    talk = [index for index, role in enumerate(roles) if role != "system"]
    if rules.one_system:
        for index, role in enumerate(roles):
            if role == "system" and index > 0:
                yield (
                    "system_not_first",
                    index,
                    "the one system message must come first",
                )
    if rules.user_first and talk and roles[talk[0]] != "user":
        yield "not_user_first", talk[0], f"the first message is of role {roles[talk[0]]}"
    if rules.ends_on_input and talk and roles[talk[-1]] == "assistant":
        yield "ends_on_assistant", talk[-1], "the conversation ends on a message of the model"
    if not (rules.bridge_after_tool or rules.call_after_input):
        return
    for before, index in pairwise(talk):
        if roles[before] == "user":
            continue
        if rules.bridge_after_tool and roles[before] == "tool" and roles[index] == "user":
            yield "user_after_tool", index, "a user message directly follows a tool result"
        if rules.call_after_input and call_ids(messages[index]) and roles[before] == "assistant":
            yield "call_after_assistant", index, "calls directly follow a message of the model"
    if rules.call_after_input and talk and call_ids(messages[talk[0]]):
        yield "call_first", talk[0], "the conversation opens with a tool call"


def _content(messages: Sequence[BaseMessage], rules: Profile) -> Iterator[Finding]:
    if not rules.no_empty:
        return
    for index, message in enumerate(messages):
        if isinstance(message, ToolMessage):
            if rules.no_empty_result and is_empty(message):
                yield "empty_content", index, "the tool result has no content"
        elif is_empty(message):
            yield "empty_content", index, f"the {role_of(message)} message has no content"
        elif not isinstance(message.content, str) and any(map(is_empty_block, message.content)):
            yield "empty_text_block", index, "a text block has no text"


def _reasoning(messages: Sequence[BaseMessage], rules: Profile) -> Iterator[Finding]:
    expects = rules.keeps_reasoning and any(
        message.additional_kwargs.get("reasoning_content") for message in messages
    )
    if not (rules.thinking_first or rules.reasoning_pairs or expects):
        return
    open_from = open_turn_start(messages) if rules.thinking_first else len(messages)
    for index, message in enumerate(messages):
        if isinstance(message.content, str) and not expects:
            continue
        if not isinstance(message, AIMessage):
            continue
        blocks = [] if isinstance(message.content, str) else message.content
        kinds = [block.get("type") if isinstance(block, dict) else "text" for block in blocks]
        calls = bool(call_ids(message))
        if rules.reasoning_pairs and kinds and kinds[-1] == "reasoning" and not calls:
            yield "reasoning_alone", index, "a reasoning item has no item after it"
        if index >= open_from and calls:
            thoughts = [i for i, kind in enumerate(kinds) if kind in REASONING_BLOCKS]
            if thoughts and thoughts[0] != 0:
                yield "thinking_not_first", index, "thinking does not start the message"
        if expects and calls and not has_reasoning(message):
            yield "reasoning_lost", index, "the reasoning of a turn with tool calls is missing"

"""Units, rules of providers, and pins."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    ChatMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
)

from langgraph_memory.errors import InvalidMessagesError, UnknownProfileError
from langgraph_memory.messages import (
    PROFILES,
    calls_of,
    is_pinned,
    key_of,
    pin,
    role_of,
    text_of,
    units,
    unpin,
    validate,
)


def system(text: str = "Be kind.") -> SystemMessage:
    return SystemMessage(content=text)


def user(text: Any = "hello") -> HumanMessage:
    return HumanMessage(content=text)


def reply(text: Any = "hi") -> AIMessage:
    return AIMessage(content=text)


def asks(*ids: str, content: Any = "", **kwargs: Any) -> AIMessage:
    calls = [{"name": "search", "args": {}, "id": i, "type": "tool_call"} for i in ids]
    return AIMessage(content=content, tool_calls=calls, **kwargs)


def result(call: str, text: Any = "found") -> ToolMessage:
    return ToolMessage(content=text, tool_call_id=call)


def shape(messages: list[BaseMessage]) -> list[tuple[str, tuple[int, ...]]]:
    return [(unit.kind, unit.indices) for unit in units(messages)]


class TestUnits:
    def test_talk_is_one_unit_a_message(self) -> None:
        assert shape([system(), user(), reply()]) == [
            ("system", (0,)),
            ("user", (1,)),
            ("assistant", (2,)),
        ]

    def test_parallel_calls_and_their_results_are_one_unit(self) -> None:
        messages = [user(), asks("x", "y"), result("y"), result("x"), reply()]
        assert shape(messages)[1] == ("tool_calls", (1, 2, 3))

    def test_interleaved_results_go_to_their_own_calls(self) -> None:
        messages = [asks("x"), asks("y"), result("x"), result("y")]
        assert shape(messages) == [("tool_calls", (0, 2)), ("tool_calls", (1, 3))]

    def test_an_id_used_again_in_a_later_turn_is_another_call(self) -> None:
        messages = [user(), asks("x"), result("x"), user(), asks("x"), result("x")]
        assert [i for _, i in shape(messages)] == [(0,), (1, 2), (3,), (4, 5)]

    def test_an_id_used_again_in_one_turn_goes_to_the_latest_call(self) -> None:
        messages = [user(), asks("x"), result("x"), asks("x"), result("x")]
        assert [i for _, i in shape(messages)] == [(0,), (1, 2), (3, 4)]

    def test_a_late_first_result_still_belongs_to_its_call(self) -> None:
        messages = [user(), asks("x"), user(), result("x"), reply()]
        assert shape(messages)[1] == ("tool_calls", (1, 3))

    def test_a_late_second_result_belongs_to_nothing(self) -> None:
        messages = [user(), asks("x"), result("x"), user(), result("x")]
        assert shape(messages)[-1] == ("orphan", (4,))

    def test_a_second_result_in_the_turn_stays_in_the_unit(self) -> None:
        assert shape([asks("x"), result("x"), result("x")]) == [("tool_calls", (0, 1, 2))]

    def test_a_result_before_its_call_is_an_orphan(self) -> None:
        assert shape([result("x"), asks("x")]) == [("orphan", (0,)), ("tool_calls", (1,))]

    def test_unparsable_calls_need_an_answer_too(self) -> None:
        broken = {"name": "search", "args": "{", "id": "x", "error": "cut"}
        messages = [AIMessage(content="", invalid_tool_calls=[broken])]
        assert units(messages)[0].unanswered == ["x"]
        assert units([*messages, result("x")])[0].unanswered == []

    def test_unanswered_names_the_calls_without_a_result(self) -> None:
        assert units([asks("x", "y"), result("y")])[0].unanswered == ["x"]

    def test_streamed_chunks_and_chat_messages_have_their_roles(self) -> None:
        messages = [
            ChatMessage(role="user", content="q"),
            ChatMessage(role="developer", content="s"),
            AIMessageChunk(content="a"),
        ]
        assert [kind for kind, _ in shape(messages)] == ["user", "system", "assistant"]

    def test_nothing_has_no_units(self) -> None:
        assert units([]) == []


GOOD: list[BaseMessage] = [
    system(),
    user("find two flights"),
    asks("abc123DEF", "abc123DEG"),
    result("abc123DEF"),
    result("abc123DEG"),
    reply("Here they are."),
    user("book the first"),
]
THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "s"}
ITEM = {"type": "reasoning", "id": "rs_1", "summary": []}
TEXT = {"type": "text", "text": "so"}
EMPTY = {"type": "text", "text": ""}

# Each rule: who has it, a list that breaks it and one beside it that does not.
EVERYONE = set(PROFILES)
RULES: dict[str, tuple[set[str], list[BaseMessage], list[BaseMessage]]] = {
    "orphan_result": (EVERYONE, [user(), result("a1b2c3d4e")], [user()]),
    "unanswered_call": (
        EVERYONE,
        [user(), asks("a1b2c3d4e", "a1b2c3d4f"), result("a1b2c3d4e")],
        [user(), asks("a1b2c3d4e", "a1b2c3d4f"), result("a1b2c3d4e"), result("a1b2c3d4f")],
    ),
    "duplicate_result": (
        EVERYONE,
        [user(), asks("a1b2c3d4e"), result("a1b2c3d4e"), result("a1b2c3d4e")],
        [user(), asks("a1b2c3d4e"), result("a1b2c3d4e")],
    ),
    "results_out_of_order": (
        {"common"},
        [user(), asks("a1b2c3d4e", "a1b2c3d4f"), result("a1b2c3d4f"), result("a1b2c3d4e")],
        [user(), asks("a1b2c3d4e", "a1b2c3d4f"), result("a1b2c3d4e"), result("a1b2c3d4f")],
    ),
    "system_not_first": (
        {"anthropic", "gemini", "qwen", "common"},
        [system(), system("Be brief."), user()],
        [system("Be kind and brief."), user()],
    ),
    "not_user_first": (
        {"anthropic", "gemini", "common"},
        [system(), reply("Welcome!"), user()],
        [system(), user()],
    ),
    "ends_on_assistant": (
        {"gemini", "mistral", "common"},
        [user(), reply()],
        [user(), reply(), user()],
    ),
    "user_after_tool": (
        {"mistral", "common"},
        [user(), asks("a1b2c3d4e"), result("a1b2c3d4e"), user("never mind")],
        [user(), asks("a1b2c3d4e"), result("a1b2c3d4e"), reply(), user("go on")],
    ),
    "call_after_assistant": (
        {"gemini", "common"},
        [user(), reply("One moment."), asks("a1b2c3d4e"), result("a1b2c3d4e")],
        [user(), asks("a1b2c3d4e", content="One moment."), result("a1b2c3d4e")],
    ),
    "call_first": (
        {"gemini", "common"},
        [asks("a1b2c3d4e"), result("a1b2c3d4e"), reply(), user()],
        [user(), asks("a1b2c3d4e"), result("a1b2c3d4e"), reply(), user()],
    ),
    "call_id_form": (
        {"mistral"},
        [user(), asks("call_0123456789"), result("call_0123456789")],
        [user(), asks("a1b2c3d4e"), result("a1b2c3d4e")],
    ),
    "call_id_reused": (
        {"openai_responses", "common"},
        [
            user(),
            asks("a1b2c3d4e"),
            result("a1b2c3d4e"),
            reply(),
            user(),
            asks("a1b2c3d4e"),
            result("a1b2c3d4e"),
        ],
        [
            user(),
            asks("a1b2c3d4e"),
            result("a1b2c3d4e"),
            reply(),
            user(),
            asks("a1b2c3d4f"),
            result("a1b2c3d4f"),
        ],
    ),
    "empty_content": (
        {"anthropic", "gemini", "common"},
        [user(), reply("  "), user("and now?")],
        [user(), reply("ok"), user("and now?")],
    ),
    "empty_text_block": (
        {"anthropic", "gemini", "common"},
        [user([TEXT, EMPTY])],
        [user([TEXT])],
    ),
    "reasoning_alone": (
        {"openai_responses", "common"},
        [user(), reply([ITEM]), user()],
        [user(), reply([ITEM, TEXT]), user()],
    ),
    "thinking_not_first": (
        {"anthropic", "common"},
        [user(), asks("a1b2c3d4e", content=[TEXT, THOUGHT]), result("a1b2c3d4e")],
        [user(), asks("a1b2c3d4e", content=[THOUGHT, TEXT]), result("a1b2c3d4e")],
    ),
    "reasoning_lost": (
        {"deepseek"},
        [
            user(),
            asks("a1b2c3d4e"),
            result("a1b2c3d4e"),
            AIMessage(content="so", additional_kwargs={"reasoning_content": "hm"}),
            user(),
        ],
        [
            user(),
            asks("a1b2c3d4e", additional_kwargs={"reasoning_content": "first this"}),
            result("a1b2c3d4e"),
            AIMessage(content="so", additional_kwargs={"reasoning_content": "hm"}),
            user(),
        ],
    ),
}


def rules_broken(messages: list[BaseMessage], profile: str) -> set[str]:
    return {violation.rule for violation in validate(messages, profile)}


class TestValidate:
    @pytest.mark.parametrize("profile", PROFILES)
    @pytest.mark.parametrize("rule", RULES)
    def test_each_rule_belongs_to_its_profiles(self, rule: str, profile: str) -> None:
        having, breaking, keeping = RULES[rule]
        assert (rule in rules_broken(breaking, profile)) == (profile in having)
        assert rule not in rules_broken(keeping, profile)

    @pytest.mark.parametrize("profile", PROFILES)
    def test_a_good_list_is_accepted_by_all(self, profile: str) -> None:
        assert validate(GOOD, profile) == []

    @pytest.mark.parametrize("profile", PROFILES)
    def test_nothing_breaks_no_rule(self, profile: str) -> None:
        assert validate([], profile) == []

    def test_what_common_accepts_everyone_accepts_but_for_id_forms(self) -> None:
        for _, _, keeping in RULES.values():
            if not validate(keeping, "common"):
                for profile in PROFILES:
                    assert rules_broken(keeping, profile) <= {"call_id_form"}

    def test_an_empty_tool_result_is_refused_by_gemini_only_among_providers(self) -> None:
        messages = [user(), asks("a1b2c3d4e"), result("a1b2c3d4e", "")]
        having = {p for p in PROFILES if "empty_content" in rules_broken(messages, p)}
        assert having == {"gemini", "common"}

    def test_results_in_another_order_than_their_calls_are_fine_for_a_provider(self) -> None:
        messages = [user(), asks("x", "y"), result("y"), result("x")]
        assert validate(messages, "openai") == []
        assert validate(messages, "anthropic") == []

    def test_thinking_of_a_closed_turn_may_stand_anywhere(self) -> None:
        messages = [
            user(),
            asks("x", content=[TEXT, THOUGHT]),
            result("x"),
            reply(),
            user(),
        ]
        assert validate(messages, "anthropic") == []

    def test_a_result_that_does_not_follow_directly_is_an_orphan(self) -> None:
        messages = [user(), asks("x"), reply("wait"), result("x")]
        assert rules_broken(messages, "openai") == {"unanswered_call", "orphan_result"}

    def test_a_violation_says_where_and_what(self) -> None:
        late = ToolMessage(content="?", tool_call_id="zz", id="t9")
        [violation] = validate([user(), late], "openai")
        assert (violation.index, violation.message_id) == (1, "t9")
        assert "'zz'" in str(violation)
        assert "t9" in str(violation)

    def test_violations_come_in_list_order(self) -> None:
        messages = [result("a"), user(), result("b"), reply("")]
        found = [violation.index for violation in validate(messages, "common")]
        assert found == sorted(found)

    def test_an_unknown_profile_is_named_with_those_there_are(self) -> None:
        with pytest.raises(UnknownProfileError, match=r"'opnai'.*openai.*mistral"):
            validate([user()], "opnai")


class TestInput:
    @pytest.mark.parametrize(
        ("wrong", "told"),
        [
            ([user(), {"role": "user", "content": "hi"}], r"messages\[1\] is dict.*convert_to_mes"),
            ([("user", "hi")], r"messages\[0\] is tuple"),
            ("hello", "str.*hello"),
            (HumanMessage("hello"), "Wrap a single message in a list"),
            (None, "NoneType"),
            (42, "int"),
            ([None], r"messages\[0\] is NoneType"),
            ([RemoveMessage(id="m1")], "RemoveMessage.*m1"),
        ],
    )
    @pytest.mark.parametrize("read", [units, validate])
    def test_what_is_not_messages_is_named(self, read: Any, wrong: Any, told: str) -> None:
        with pytest.raises(InvalidMessagesError, match=told):
            read(wrong)

    def test_a_huge_wrong_value_is_not_printed_whole(self) -> None:
        with pytest.raises(InvalidMessagesError) as caught:
            units([{"content": "x" * 10_000}])  # type: ignore[list-item]
        assert len(str(caught.value)) < 400


class TestPins:
    def test_a_pin_is_on_a_copy(self) -> None:
        message = user("remember this")
        pinned = pin(message)
        assert is_pinned(pinned)
        assert not is_pinned(message)
        assert not is_pinned(unpin(pinned))
        assert unpin(pinned) == message

    def test_a_pin_survives_serialization(self) -> None:
        pinned = pin(HumanMessage(content="remember this", id="m1"))
        assert is_pinned(HumanMessage.model_validate(pinned.model_dump()))

    def test_a_pin_keeps_other_fields(self) -> None:
        message = AIMessage(content="x", id="a", additional_kwargs={"reasoning_content": "r"})
        assert pin(message).additional_kwargs["reasoning_content"] == "r"
        assert type(pin(message)) is AIMessage


class TestText:
    def test_text_is_joined_without_media_and_reasoning(self) -> None:
        picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
        assert text_of(user(["one", picture, {"type": "text", "text": "two"}])) == "one\ntwo"
        assert text_of(reply([THOUGHT, TEXT])) == "so"
        assert text_of(reply([])) == ""

    def test_calls_are_both_kinds(self) -> None:
        broken = {"name": "search", "args": "{", "id": "y", "error": "cut"}
        message = AIMessage(
            content="",
            tool_calls=[{"name": "search", "args": {}, "id": "x"}],
            invalid_tool_calls=[broken],
        )
        assert [call["id"] for call in calls_of(message)] == ["x", "y"]

    def test_a_role_has_one_name(self) -> None:
        every = (system(), user(), reply(), result("x"))
        assert [role_of(m) for m in every] == ["system", "user", "assistant", "tool"]

    def test_a_key_is_the_id_or_what_is_said(self) -> None:
        assert key_of(HumanMessage(content="q", id="m1")) == "m1"
        assert key_of(user("q")) == key_of(user("q"))
        assert key_of(user("q")) != key_of(reply("q"))
        assert key_of(asks("x")) != key_of(asks("y"))
        assert key_of(user("\ud83d"))

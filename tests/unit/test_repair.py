"""A list that a provider refuses becomes one that it accepts, by the smallest change."""

from __future__ import annotations

import copy
import re
from typing import Any, ClassVar

import pytest
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    ChatMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)

from langgraph_memory.errors import InvalidMessagesError, UnknownProfileError
from langgraph_memory.messages import PROFILES, made_kind, pin, repair, role_of, text_of, validate

every_profile = pytest.mark.parametrize("profile", PROFILES)


def user(text: Any = "hello", **kwargs: Any) -> HumanMessage:
    return HumanMessage(content=text, **kwargs)


def reply(text: Any = "hi", **kwargs: Any) -> AIMessage:
    return AIMessage(content=text, **kwargs)


def asks(*ids: str, content: Any = "", **kwargs: Any) -> AIMessage:
    calls = [{"name": "search", "args": {"n": i}, "id": i, "type": "tool_call"} for i in ids]
    return AIMessage(content=content, tool_calls=calls, **kwargs)


def result(call: str, text: Any = "found", **kwargs: Any) -> ToolMessage:
    return ToolMessage(content=text, tool_call_id=call, **kwargs)


def roles(messages: list[BaseMessage]) -> list[str]:
    return [role_of(message) for message in messages]


class TestNothingToMend:
    @every_profile
    def test_the_same_messages_come_back(self, profile: str) -> None:
        messages = [
            SystemMessage(content="Be kind."),
            user(),
            asks("abcdefgh1"),
            result("abcdefgh1"),
            reply(),
            user("more"),
        ]
        mended = repair(messages, profile)
        assert all(a is b for a, b in zip(mended, messages, strict=True))
        assert mended is not messages

    @pytest.mark.parametrize("profile", sorted(set(PROFILES) - {"common"}))
    def test_results_may_come_in_any_order(self, profile: str) -> None:
        messages = [
            user(),
            asks("abcdefgh1", "abcdefgh2"),
            result("abcdefgh2"),
            result("abcdefgh1"),
        ]
        assert repair(messages, profile) == messages

    def test_the_profile_that_is_safe_everywhere_orders_them(self) -> None:
        messages = [user(), asks("x", "y"), result("y"), result("x")]
        calls = [m.tool_call_id for m in repair(messages, "common") if isinstance(m, ToolMessage)]
        assert calls == ["x", "y"]

    @every_profile
    def test_nothing_stays_nothing(self, profile: str) -> None:
        assert repair([], profile) == []


class TestCallsAndResults:
    @every_profile
    def test_a_dangling_call_is_answered_as_an_error(self, profile: str) -> None:
        messages = [user(), asks("abcdefgh1", "abcdefgh2"), result("abcdefgh1"), user("hm")]
        mended = repair(messages, profile)
        assert validate(mended, profile) == []
        synthetic = mended[3]
        assert isinstance(synthetic, ToolMessage)
        assert synthetic.status == "error"
        assert synthetic.tool_call_id == "abcdefgh2"
        assert synthetic.name == "search"
        assert made_kind(synthetic) == "tool_result"
        assert text_of(mended[-1]) == "hm"

    @every_profile
    def test_a_dangling_call_at_the_end_is_answered_unless_it_waits(self, profile: str) -> None:
        messages = [user(), asks("abcdefgh1")]
        assert validate(repair(messages, profile), profile) == []
        assert repair(messages, profile, interrupted=True) == messages

    def test_of_parallel_calls_only_the_waiting_turn_is_left_open(self) -> None:
        messages = [user(), asks("a"), user("next"), asks("b", "c"), result("b")]
        mended = repair(messages, "openai", interrupted=True)
        assert [m.tool_call_id for m in mended if isinstance(m, ToolMessage)] == ["a", "b"]
        assert mended[-2:] == messages[-2:]

    @every_profile
    def test_an_orphan_goes(self, profile: str) -> None:
        messages = [user(), result("zzzzzzzzz"), reply(), user("more")]
        assert roles(repair(messages, profile)) == ["user", "assistant", "user"]

    @every_profile
    def test_of_two_results_the_first_stays(self, profile: str) -> None:
        messages = [user(), asks("abcdefgh1"), result("abcdefgh1", "1st"), result("abcdefgh1")]
        mended = repair(messages, profile)
        assert [text_of(m) for m in mended if isinstance(m, ToolMessage)] == ["1st"]

    @every_profile
    def test_a_late_result_moves_to_its_call(self, profile: str) -> None:
        messages = [user(), asks("abcdefgh1"), user("still there?"), result("abcdefgh1", "late")]
        mended = repair(messages, profile)
        assert validate(mended, profile) == []
        assert text_of(mended[2]) == "late"
        assert text_of(mended[-1]) == "still there?"

    @every_profile
    def test_interleaved_calls_are_taken_apart(self, profile: str) -> None:
        messages = [
            user(),
            asks("abcdefgh1"),
            asks("abcdefgh2"),
            result("abcdefgh1", "one"),
            result("abcdefgh2", "two"),
        ]
        mended = repair(messages, profile)
        assert validate(mended, profile) == []
        assert [text_of(m) for m in mended if isinstance(m, ToolMessage)] == ["one", "two"]

    @every_profile
    def test_an_unparsable_call_is_answered(self, profile: str) -> None:
        broken = {"name": "search", "args": "{", "id": "abcdefgh1", "error": "cut"}
        mended = repair([user(), AIMessage(content="", invalid_tool_calls=[broken])], profile)
        assert validate(mended, profile) == []
        assert roles(mended) == ["user", "assistant", "tool"]


class TestOneSystem:
    @pytest.mark.parametrize("profile", ["anthropic", "gemini", "qwen", "common"])
    def test_several_become_one_that_leads(self, profile: str) -> None:
        messages = [
            SystemMessage(content="Be kind."),
            user(),
            SystemMessage(content=[{"type": "text", "text": "It is Monday."}]),
            reply(),
            ChatMessage(role="developer", content="Be brief."),
            user("more"),
        ]
        mended = repair(messages, profile)
        assert roles(mended) == ["system", "user", "assistant", "user"]
        text = text_of(mended[0])
        assert text.index("Be kind.") < text.index("It is Monday.") < text.index("Be brief.")

    @pytest.mark.parametrize("profile", ["openai", "mistral", "deepseek"])
    def test_others_keep_them_where_they_are(self, profile: str) -> None:
        messages = [user(), SystemMessage(content="It is Monday."), reply(), user()]
        assert repair(messages, profile) == messages

    def test_a_later_one_moves_to_the_front_as_it_is(self) -> None:
        late = SystemMessage(content="It is Monday.", id="s")
        assert repair([user(), late], "qwen")[0] is late

    def test_pins_survive_the_join(self) -> None:
        messages = [SystemMessage(content="a"), pin(SystemMessage(content="b")), user()]
        assert "b" in text_of(repair(messages, "qwen")[0])


class TestEmptyText:
    @pytest.mark.parametrize("profile", ["anthropic", "gemini", "common"])
    def test_empty_messages_go_and_empty_blocks_go(self, profile: str) -> None:
        block = {"type": "text", "text": "look"}
        messages = [
            user("first"),
            reply(" "),
            user([{"type": "text", "text": ""}, block]),
        ]
        mended = repair(messages, profile)
        assert [m.content for m in mended] == ["first", [block]]

    @pytest.mark.parametrize("profile", ["anthropic", "gemini", "common"])
    def test_an_empty_newest_question_is_held_by_a_word(self, profile: str) -> None:
        mended = repair([user("first"), reply(), user("")], profile)
        assert validate(mended, profile) == []
        assert roles(mended) == ["user", "assistant", "user"]
        assert text_of(mended[-1]).strip()

    @pytest.mark.parametrize("profile", ["gemini", "common"])
    def test_an_empty_result_is_named_as_such(self, profile: str) -> None:
        mended = repair([user(), asks("x"), result("x", "")], profile)
        assert validate(mended, profile) == []
        assert text_of(mended[-1]).strip()

    def test_a_call_without_text_is_not_empty(self) -> None:
        messages = [user(), asks("x"), result("x")]
        assert repair(messages, "anthropic") == messages

    def test_a_picture_without_text_is_not_empty(self) -> None:
        picture = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
        messages = [user([picture])]
        assert repair(messages, "anthropic") == messages


class TestMistral:
    PAIR = ("call_Zx81hhTq02abcdefA", "call_Zx81hhTq02abcdefB")

    def mended(self) -> list[BaseMessage]:
        messages = [user(), asks(*self.PAIR), *map(result, self.PAIR)]
        return repair(messages, "mistral")

    def test_ids_are_mapped_on_both_sides_without_collision(self) -> None:
        call, *results = self.mended()[1:]
        assert isinstance(call, AIMessage)
        mapped = [c["id"] for c in call.tool_calls]
        assert [m.tool_call_id for m in results if isinstance(m, ToolMessage)] == mapped
        assert len(set(mapped)) == 2
        assert all(re.fullmatch("[a-zA-Z0-9]{9}", str(i)) for i in mapped)

    def test_mapping_is_the_same_every_time(self) -> None:
        assert self.mended() == self.mended()

    def test_mapping_of_a_turn_does_not_depend_on_what_was_dropped_before_it(self) -> None:
        alone = self.mended()
        longer = repair(
            [
                user("before"),
                asks("call_other_0000000"),
                result("call_other_0000000"),
                reply(),
                user(),
                asks(*self.PAIR),
                *map(result, self.PAIR),
            ],
            "mistral",
        )
        assert longer[-3:] == alone[-3:]

    def test_an_id_that_fits_is_not_stolen_by_a_mapped_one(self) -> None:
        first = self.mended()[1]
        assert isinstance(first, AIMessage)
        taken = str(first.tool_calls[0]["id"])
        messages = [
            user(),
            asks(self.PAIR[0], taken),
            result(self.PAIR[0], "1"),
            result(taken, "2"),
        ]
        mended = repair(messages, "mistral")
        assert validate(mended, "mistral") == []
        ids = [m.tool_call_id for m in mended if isinstance(m, ToolMessage)]
        assert len(set(ids)) == 2
        assert ids[1] == taken

    def test_every_spelling_of_a_call_is_mapped(self) -> None:
        old = self.PAIR[0]
        message = asks(
            old,
            content=[{"type": "tool_use", "id": old, "name": "search", "input": {}}],
            additional_kwargs={
                "tool_calls": [
                    {
                        "id": old,
                        "type": "function",
                        "function": {"name": "search", "arguments": "{}"},
                    }
                ]
            },
        )
        mended = repair([user(), message, result(old)], "mistral")
        assert isinstance(mended[1], AIMessage)
        assert mended[1].tool_calls[0]["args"] == {"n": old}
        assert repr(mended).count(old) == 1

    def test_a_user_who_cuts_in_gets_a_bridge_before_him(self) -> None:
        messages = [user(), asks("abcdefgh1"), result("abcdefgh1"), user("stop that")]
        mended = repair(messages, "mistral")
        assert roles(mended) == ["user", "assistant", "tool", "assistant", "user"]
        assert made_kind(mended[3]) == "bridge"
        assert text_of(mended[3]).strip()

    def test_a_user_of_any_class_gets_a_bridge(self) -> None:
        cut_in = ChatMessage(role="user", content="stop that")
        messages = [user(), asks("abcdefgh1"), result("abcdefgh1"), cut_in]
        assert validate(repair(messages, "mistral"), "mistral") == []

    @pytest.mark.parametrize("profile", ["openai", "anthropic", "gemini", "deepseek", "qwen"])
    def test_others_get_no_bridge(self, profile: str) -> None:
        messages = [user(), asks("abcdefgh1"), result("abcdefgh1"), user("stop that")]
        assert repair(messages, profile) == messages


class TestReusedIds:
    @pytest.mark.parametrize("profile", ["openai_responses", "common"])
    def test_the_later_pair_gets_another_id(self, profile: str) -> None:
        messages = [
            user(),
            asks("c"),
            result("c", "1"),
            reply(),
            user(),
            asks("c"),
            result("c", "2"),
        ]
        mended = repair(messages, profile)
        assert validate(mended, profile) == []
        assert mended[:5] == messages[:5]
        call, answer = mended[-2:]
        assert isinstance(call, AIMessage)
        assert isinstance(answer, ToolMessage)
        assert call.tool_calls[0]["id"] == answer.tool_call_id != "c"
        assert text_of(answer) == "2"

    def test_chat_completions_take_them_as_they_are(self) -> None:
        messages = [user(), asks("c"), result("c"), reply(), user(), asks("c"), result("c")]
        assert repair(messages, "openai") == messages


class TestReasoning:
    THOUGHT: ClassVar[dict[str, Any]] = {
        "type": "thinking",
        "thinking": "first look",
        "signature": "c2ln",
    }

    @every_profile
    def test_an_open_tool_turn_keeps_its_thinking(self, profile: str) -> None:
        call = asks("abcdefgh1", content=[self.THOUGHT, {"type": "text", "text": ""}])
        mended = repair([user(), call, result("abcdefgh1")], profile)
        assert isinstance(mended[1], AIMessage)
        assert mended[1].content[0] == self.THOUGHT
        assert validate(mended, profile) == []

    @every_profile
    def test_reasoning_in_extra_fields_is_kept(self, profile: str) -> None:
        call = asks("call_1", additional_kwargs={"reasoning_content": "r", "signature": "SIG"})
        mended = repair([user(), call, result("call_1")], profile)
        assert mended[1].additional_kwargs["reasoning_content"] == "r"
        assert mended[1].additional_kwargs["signature"] == "SIG"

    def test_a_reasoning_item_without_its_item_goes(self) -> None:
        item = {"type": "reasoning", "id": "rs_7", "summary": []}
        text = {"type": "text", "text": "Hi"}
        messages = [user(), reply([text, item]), user(), reply([item]), user()]
        mended = repair(messages, "openai_responses")
        assert validate(mended, "openai_responses") == []
        assert mended[1].content == [text]
        assert len(mended) == 4

    def test_a_reasoning_item_with_its_item_stays(self) -> None:
        item = {"type": "reasoning", "id": "rs_7", "summary": []}
        messages = [user(), asks("c", content=[item]), result("c")]
        assert repair(messages, "openai_responses") == messages


class TestPromises:
    @every_profile
    def test_the_input_is_not_touched(self, profile: str) -> None:
        messages: list[BaseMessage] = [
            SystemMessage(content="a"),
            SystemMessage(content="b"),
            user([{"type": "text", "text": ""}, {"type": "text", "text": "q"}]),
            asks("call_1", "call_2", content=[self_thought()]),
            result("call_2", ""),
            user(""),
        ]
        before = copy.deepcopy(messages)
        repair(messages, profile)
        assert messages == before

    @every_profile
    def test_no_user_text_is_invented(self, profile: str) -> None:
        mended = repair(
            [reply("Welcome!"), asks("abcdefgh1"), result("abcdefgh1"), reply()], profile
        )
        assert "user" not in roles(mended)

    def test_an_unknown_profile_is_named(self) -> None:
        with pytest.raises(UnknownProfileError, match="claude"):
            repair([user()], "claude")

    def test_what_is_not_messages_is_named(self) -> None:
        with pytest.raises(InvalidMessagesError, match="dict"):
            repair([{"role": "user", "content": "x"}])  # type: ignore[list-item]


def self_thought() -> dict[str, Any]:
    return {"type": "thinking", "thinking": "t", "signature": "s"}

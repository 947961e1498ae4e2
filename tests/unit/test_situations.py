"""Faults that users of conversation memory met in practice, each as a test of its kind.

A class is a kind of fault; its tests are variations of it.
"""

from __future__ import annotations

import copy
import re
from typing import Annotated, Any, ClassVar, TypedDict

import pytest
from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from scripted import ScriptedModel, WordCounter, digest, refuse, rule_keeper

from langgraph_memory.context import (
    ClearToolResults,
    Composite,
    ContextRequest,
    ContextStrategy,
    FunctionStep,
    Layered,
    MessageWindow,
    SlidingWindow,
    Summarize,
    TieredExpiry,
    Trim,
)
from langgraph_memory.errors import InvalidMessagesError
from langgraph_memory.integrations import context_node
from langgraph_memory.messages import (
    calls_of,
    is_summary,
    pin,
    repair,
    role_of,
    text_of,
    units,
    validate,
)
from langgraph_memory.summarization import SummarizationHook, summarization_edge
from langgraph_memory.tokens import CallableTokenCounter, CharRatioCounter


def user(text: Any, **kwargs: Any) -> HumanMessage:
    return HumanMessage(content=text, **kwargs)


def reply(text: Any, **kwargs: Any) -> AIMessage:
    return AIMessage(content=text, **kwargs)


def asks(*ids: str, content: Any = "", tool: str = "fetch", **kwargs: Any) -> AIMessage:
    calls = [{"name": tool, "args": {"key": i}, "id": i, "type": "tool_call"} for i in ids]
    return AIMessage(content=content, tool_calls=calls, **kwargs)


def result(call: str, text: Any = "done", **kwargs: Any) -> ToolMessage:
    return ToolMessage(content=text, tool_call_id=call, **kwargs)


def texts(messages: list[BaseMessage]) -> list[str]:
    return [text_of(message) for message in messages]


def small_talk(turns: int, size: int = 1) -> list[BaseMessage]:
    talk: list[BaseMessage] = []
    for turn in range(turns):
        talk += [user(f"question {turn} " * size), reply(f"answer {turn} " * size)]
    return talk


def summarizing(**kwargs: Any) -> Summarize:
    return Summarize(ScriptedModel(reply=rule_keeper), **kwargs)


class TestAUnitIsCutInTwo:
    """A budget that falls between the results of parallel calls."""

    MESSAGES: ClassVar[list[BaseMessage]] = [
        user("compare the two reports"),
        asks("r1", "r2", content="reading both"),
        result("r1", "long " * 900),
        result("r2", "short"),
        reply("They differ in one table."),
        user("in which one?"),
    ]

    @pytest.mark.parametrize(
        "strategy",
        [SlidingWindow(400), MessageWindow(3), Trim(0, 3), SlidingWindow(400, low_water=0.5)],
    )
    def test_the_whole_unit_goes(self, strategy: ContextStrategy) -> None:
        view = strategy.apply(self.MESSAGES)
        assert not any(isinstance(m, ToolMessage) or calls_of(m) for m in view.messages)
        assert texts(view.messages)[-1] == "in which one?"
        assert validate(view.messages, "common") == []

    def test_the_whole_unit_is_summarized(self) -> None:
        strategy = summarizing(max_tokens=400, keep_last=3)
        view = strategy.apply(self.MESSAGES)
        assert validate(view.messages, "common") == []
        assert texts(view.messages)[-1] == "in which one?"
        assert isinstance(strategy.model, ScriptedModel)
        assert "short" in strategy.model.said_to()
        assert "reading both" in strategy.model.said_to()

    def test_a_unit_as_large_as_the_budget_stays_whole_while_it_is_the_newest(self) -> None:
        view = SlidingWindow(300).apply(self.MESSAGES[:4])
        assert view.over_budget
        assert len(view.messages) == 4


class TestTheListEndsOnAToolResult:
    """A cut in the middle of a tool loop."""

    MESSAGES: ClassVar[list[BaseMessage]] = [
        SystemMessage(content="You find files."),
        user("where is the invoice?"),
        asks("s1"),
        result("s1", "no " * 700),
        asks("s2"),
        result("s2", "maybe " * 100),
    ]

    @pytest.mark.parametrize("profile", ["openai", "anthropic", "gemini", "common"])
    def test_call_result_and_task_stay_together(self, profile: str) -> None:
        view = SlidingWindow(300).apply(self.MESSAGES, ContextRequest(profile=profile))
        assert validate(view.messages, profile) == []
        roles = [role_of(m) for m in view.messages]
        assert roles == ["system", "user", "assistant", "tool"]
        assert texts(view.messages)[1] == "where is the invoice?"
        assert not view.over_budget

    def test_what_cannot_fit_is_flagged_and_not_taken_apart(self) -> None:
        view = SlidingWindow(50).apply(self.MESSAGES)
        assert view.over_budget
        assert [role_of(m) for m in view.messages] == ["system", "user", "assistant", "tool"]


class TestTheSummaryIsASecondSystemMessage:
    @pytest.mark.parametrize("profile", ["qwen", "anthropic", "gemini", "common", "openai"])
    @pytest.mark.parametrize("inside", [True, False])
    def test_one_leads_with_persona_first_and_summary_last(
        self, profile: str, inside: bool
    ) -> None:
        persona = "You are a patient tutor."
        talk: list[BaseMessage] = [user(f"line {i}") for i in range(9)]
        if inside:
            talk.insert(0, SystemMessage(content=persona))
        request = ContextRequest(system=None if inside else persona, profile=profile)
        view = summarizing(threshold=4, keep_last=2).apply(talk, request)
        assert [role_of(m) for m in view.messages].count("system") == 1
        lead = text_of(view.messages[0])
        assert lead.startswith(persona)
        assert lead.index("<conversation_summary>") > len(persona)
        assert lead.endswith("</conversation_summary>")

    def test_as_a_user_message_it_is_marked(self) -> None:
        strategy = summarizing(threshold=4, keep_last=2, role="user")
        talk = [SystemMessage(content="You tutor."), *(user(f"line {i}") for i in range(9))]
        view = strategy.apply(talk, ContextRequest(profile="qwen"))
        assert [role_of(m) for m in view.messages].count("system") == 1
        assert is_summary(view.messages[1])
        assert role_of(view.messages[1]) == "user"


class TestTheListEndsOnTheModel:
    MESSAGES: ClassVar[Any] = [user("tell me more"), reply("It began in")]

    def test_the_judge_says_so_and_nobody_invents_a_question(self) -> None:
        assert [v.rule for v in validate(self.MESSAGES, "gemini")] == ["ends_on_assistant"]
        view = MessageWindow(10).apply(self.MESSAGES, ContextRequest(profile="gemini"))
        assert view.messages == self.MESSAGES

    @pytest.mark.parametrize(
        "strategy", [MessageWindow(1), Trim(0, 0), SlidingWindow(1), summarizing(threshold=1)]
    )
    def test_no_strategy_makes_it_so(self, strategy: ContextStrategy) -> None:
        messages = [*small_talk(4), user("and then?")]
        view = strategy.apply(messages, ContextRequest(profile="gemini"))
        assert text_of(view.messages[-1]) == "and then?"


class TestTheUserCutsIn:
    """A user message right after a tool result."""

    MESSAGES: ClassVar[Any] = [
        user("look it up"),
        asks("abcdefgh9"),
        result("abcdefgh9"),
        user("forget it"),
    ]

    def test_a_bridge_is_on_the_view_only(self) -> None:
        before = copy.deepcopy(self.MESSAGES)
        view = MessageWindow(10).apply(self.MESSAGES, ContextRequest(profile="mistral"))
        assert validate(view.messages, "mistral") == []
        assert [role_of(m) for m in view.messages][3] == "assistant"
        assert before == self.MESSAGES
        assert len(view.report.added) == 1

    def test_others_are_sent_what_is_there(self) -> None:
        view = MessageWindow(10).apply(self.MESSAGES, ContextRequest(profile="openai"))
        assert view.messages == self.MESSAGES

    def test_also_where_the_cut_in_follows_a_dangling_call(self) -> None:
        messages = [self.MESSAGES[0], self.MESSAGES[1], self.MESSAGES[3]]
        view = MessageWindow(10).apply(messages, ContextRequest(profile="mistral"))
        assert validate(view.messages, "mistral") == []


class TestIdsThatTheProviderRefuses:
    def test_long_ids_with_one_prefix_stay_two(self) -> None:
        ids = ("toolu_bdrk_017shared_one", "toolu_bdrk_017shared_two")
        messages = [user("both"), asks(*ids), *map(result, ids), reply("ok"), user("next")]
        view = MessageWindow(10).apply(messages, ContextRequest(profile="mistral"))
        assert validate(view.messages, "mistral") == []
        sent = {m.tool_call_id for m in view.messages if isinstance(m, ToolMessage)}
        assert len(sent) == 2

    def test_the_prompt_prefix_does_not_change_as_the_thread_grows(self) -> None:
        thread: list[BaseMessage] = []
        before: list[BaseMessage] = []
        for turn in range(6):
            thread += [user(f"turn {turn}"), asks(f"call_{turn:024}"), result(f"call_{turn:024}")]
            thread.append(reply("ok"))
            asked = [*thread, user("?")]
            sent = repair(asked, "mistral")[:-1]
            assert sent[: len(before)] == before
            before = sent


class TestThinkingOfTheOpenTurn:
    THOUGHT: ClassVar[Any] = {
        "type": "thinking",
        "thinking": "I need the forecast",
        "signature": "RXk0==",
    }

    def thread(self) -> list[BaseMessage]:
        use = {"type": "tool_use", "id": "w1", "name": "fetch", "input": {"key": "w1"}}
        return [
            *small_talk(6),
            user("will it rain?"),
            asks("w1", content=[self.THOUGHT, use]),
            result("w1", "cloudy " * 200),
        ]

    @pytest.mark.parametrize(
        "strategy",
        [
            SlidingWindow(60),
            ClearToolResults(keep=0),
            TieredExpiry(recent=1, middle=0, step=1),
            summarizing(threshold=3, keep_last=1),
            Trim(0, 0),
        ],
    )
    def test_it_is_sent_as_it_came(self, strategy: ContextStrategy) -> None:
        view = strategy.apply(self.thread(), ContextRequest(profile="anthropic"))
        call = next(m for m in view.messages if calls_of(m))
        assert call.content[0] == self.THOUGHT
        assert validate(view.messages, "anthropic") == []

    def test_of_a_closed_turn_it_goes_whole_or_stays_whole(self) -> None:
        thread = [*self.thread(), reply("It will."), user("thanks")]
        for budget in (40, 200, 900):
            view = SlidingWindow(budget).apply(thread, ContextRequest(profile="anthropic"))
            shown: list[Any] = [
                b for m in view.messages if isinstance(m.content, list) for b in m.content
            ]
            thoughts = [b for b in shown if b["type"] == "thinking"]
            assert not thoughts or thoughts == [self.THOUGHT]


class TestReasoningItemsStandAlone:
    def thread(self) -> list[BaseMessage]:
        def item(n: int) -> dict[str, Any]:
            return {"type": "reasoning", "id": f"rs_{n}", "summary": []}

        return [
            user("hi"),
            reply([item(1), {"type": "text", "text": "Hello."}]),
            user("count to two"),
            asks("c1", content=[item(2)]),
            result("c1"),
            reply([item(3)]),
            user("go on"),
        ]

    @pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6, 7])
    def test_item_and_follower_go_together(self, size: int) -> None:
        request = ContextRequest(profile="openai_responses")
        view = MessageWindow(size).apply(self.thread(), request)
        assert validate(view.messages, "openai_responses") == []
        for message in view.messages:
            kinds = [b["type"] for b in message.content if isinstance(b, dict)]
            assert kinds != ["reasoning"] or calls_of(message)


class TestProviderFieldsGetLost:
    SIGNED: ClassVar[Any] = {"thought_signatures": ["U0lH"], "vendor": {"trace": [1, 2]}}

    def thread(self) -> list[BaseMessage]:
        call = asks("a", "b", additional_kwargs=dict(self.SIGNED))
        return [
            user("two towns"),
            call,
            result("a", "r " * 400),
            result("b"),
            reply("ok"),
            user("?"),
        ]

    @pytest.mark.parametrize("profile", ["gemini", "mistral", "common"])
    def test_unknown_fields_survive_copies(self, profile: str) -> None:
        for strategy in (ClearToolResults(keep=0), MessageWindow(9)):
            view = strategy.apply(self.thread(), ContextRequest(profile=profile))
            call = next(m for m in view.messages if calls_of(m))
            assert self.SIGNED.items() <= call.additional_kwargs.items()
            assert len(calls_of(call)) == 2

    def test_calls_of_one_message_stay_one_message(self) -> None:
        view = MessageWindow(9).apply(self.thread(), ContextRequest(profile="gemini"))
        assert [len(calls_of(m)) for m in view.messages if calls_of(m)] == [2]


class TestACallThatWaitsForAPerson:
    THREAD: ClassVar[Any] = [*small_talk(4), user("pay the bill"), asks("p1", tool="pay")]

    @pytest.mark.parametrize(
        "strategy", [MessageWindow(2), SlidingWindow(30), summarizing(threshold=3, keep_last=1)]
    )
    @pytest.mark.parametrize("told", [True, None])
    def test_it_stays_unanswered(self, strategy: ContextStrategy, told: bool | None) -> None:
        view = strategy.apply(self.THREAD, ContextRequest(interrupted=told))
        assert calls_of(view.messages[-1])[0]["id"] == "p1"
        assert not any(isinstance(m, ToolMessage) for m in view.messages)

    def test_one_of_two_approved_leaves_the_other_open(self) -> None:
        thread = [*small_talk(2), user("pay both"), asks("p1", "p2"), result("p1", "paid")]
        view = MessageWindow(3).apply(thread)
        assert [m.tool_call_id for m in view.messages if isinstance(m, ToolMessage)] == ["p1"]


class TestACancelledTool:
    THREAD: ClassVar[Any] = [user("run both"), asks("k1", "k2"), result("k1"), user("never mind")]

    @pytest.mark.parametrize("profile", ["openai", "anthropic", "gemini", "mistral", "common"])
    def test_the_view_answers_for_it(self, profile: str) -> None:
        before = copy.deepcopy(self.THREAD)
        view = SlidingWindow(4_000).apply(self.THREAD, ContextRequest(profile=profile))
        assert validate(view.messages, profile) == []
        assert text_of(view.messages[-1]) == "never mind"
        assert before == self.THREAD

    def test_several_in_one_thread(self) -> None:
        thread = [m for turn in range(3) for m in (user("again"), asks(f"x{turn}"))]
        view = SlidingWindow(4_000).apply([*thread, user("hello?")])
        assert validate(view.messages, "common") == []
        assert sum(isinstance(m, ToolMessage) for m in view.messages) == 3


class TestIdsUsedAgain:
    THREAD: ClassVar[Any] = [
        user("one"),
        asks("call_0"),
        result("call_0", "first"),
        reply("ok"),
        user("two"),
        asks("call_0"),
        result("call_0", "second"),
    ]

    def test_nothing_is_dropped_as_a_double(self) -> None:
        view = MessageWindow(20).apply(self.THREAD, ContextRequest(profile="openai"))
        assert view.messages == self.THREAD

    def test_a_cut_keeps_the_pair_of_the_turn(self) -> None:
        view = MessageWindow(3).apply(self.THREAD, ContextRequest(profile="openai"))
        assert texts(view.messages) == ["two", "", "second"]

    def test_a_result_without_its_own_call_is_not_saved_by_anothers(self) -> None:
        thread = [result("call_0", "stray"), *self.THREAD[4:]]
        view = MessageWindow(20).apply(thread, ContextRequest(profile="openai"))
        assert "stray" not in texts(view.messages)
        assert "second" in texts(view.messages)


class TestResultsInAnotherOrder:
    THREAD: ClassVar[Any] = [
        user("two files"),
        asks("f1", "f2"),
        result("f2", "B"),
        result("f1", "A"),
        reply("read"),
        user("and?"),
    ]

    @pytest.mark.parametrize("profile", ["openai", "anthropic", "deepseek"])
    def test_a_list_that_is_fine_is_not_mended(self, profile: str) -> None:
        assert repair(self.THREAD, profile) == self.THREAD
        view = MessageWindow(20).apply(self.THREAD, ContextRequest(profile=profile))
        assert view.report.added == []
        assert view.report.dropped == view.report.replaced == []


class TestInterleavedToolRuns:
    THREAD: ClassVar[Any] = [
        user("start"),
        asks("t1"),
        user("and this"),
        asks("t2"),
        result("t1", "late one"),
        result("t2", "two"),
        reply("both done"),
        user("next"),
    ]

    @pytest.mark.parametrize("keep", [1, 2, 3, 4, 5])
    def test_no_result_is_kept_without_its_call(self, keep: int) -> None:
        strategy = summarizing(threshold=keep, keep_last=keep)
        view = strategy.apply(self.THREAD)
        assert validate(view.messages, "common") == []
        assert isinstance(strategy.model, ScriptedModel)
        seen = strategy.model.said_to() if strategy.model.calls else ""
        for text in ("late one", "two", "both done"):
            assert text in seen or text in texts(view.messages)


class TestADoubleResult:
    THREAD: ClassVar[Any] = [
        user("order it"),
        asks("o1"),
        result("o1", "timed out", id="first"),
        user("something else"),
        result("o1", "ordered after all", id="second"),
        reply("ok"),
        user("go on"),
    ]

    def test_one_goes_and_is_reported(self) -> None:
        view = MessageWindow(20).apply(self.THREAD, ContextRequest(profile="openai"))
        assert validate(view.messages, "openai") == []
        assert view.report.dropped == ["second"]
        assert view.report.reasons["second"]

    def test_within_the_turn_too(self) -> None:
        thread = [*self.THREAD[:3], result("o1", "timed out", id="again"), user("go on")]
        view = MessageWindow(20).apply(thread, ContextRequest(profile="openai"))
        assert view.report.dropped == ["again"]


class TestMessagesWithoutIds:
    @pytest.mark.parametrize(
        "strategy",
        [
            MessageWindow(1),
            Trim(1, 1),
            SlidingWindow(20),
            summarizing(threshold=1, keep_last=1),
            TieredExpiry(1, 0, step=1, model=ScriptedModel(reply=rule_keeper)),
        ],
    )
    def test_every_strategy_takes_them(self, strategy: ContextStrategy) -> None:
        view = strategy.apply([user("same"), reply("same"), user("same"), reply("ok"), user("end")])
        assert text_of(view.messages[-1]) == "end"

    def test_equal_texts_do_not_confuse_the_place_of_the_cut(self) -> None:
        strategy = summarizing(threshold=6, keep_last=2)
        state = None
        thread: list[BaseMessage] = []
        for _ in range(40):
            thread += [user("go on"), reply("ok")]
            asked = [*thread, user("go on")]
            view = strategy.apply(asked, ContextRequest(state=state))
            state = view.state
            assert len(view.messages) <= 9
        assert isinstance(strategy.model, ScriptedModel)
        assert 8 <= strategy.model.calls <= 25


class TestThePromptPrefixMovesOnEveryTurn:
    """A window that slides by one message a turn leaves a provider's cache nothing to hit."""

    @pytest.mark.parametrize("carried", [True, False])
    def test_a_window_in_steps_moves_seldom(self, carried: bool) -> None:
        strategy = SlidingWindow(2_000, low_water=0.5)
        breaks = replay_breaks(strategy, 60, carried)
        # Half the window is about 20 messages of 50 tokens, so ten turns between two steps.
        assert 2 <= breaks <= 8

    def test_a_summary_moves_it_once_a_summary(self) -> None:
        strategy = summarizing(threshold=20, keep_last=6)
        breaks = replay_breaks(strategy, 60, True)
        assert isinstance(strategy.model, ScriptedModel)
        assert breaks <= strategy.model.calls <= 10


def replay_breaks(strategy: ContextStrategy, turns: int, carried: bool) -> int:
    """How often a request was not the former one continued."""
    thread: list[BaseMessage] = []
    state = None
    before: list[BaseMessage] = []
    breaks = 0
    for turn in range(turns):
        thread.append(user(f"question {turn} " * 15))
        view = strategy.apply(list(thread), ContextRequest(state=state, system="Be brief."))
        breaks += view.messages[: len(before)] != before
        before = view.messages
        state = view.state if carried else None
        thread.append(reply(f"answer {turn} " * 15))
    return breaks


class TestMemoriesMoveThePrefix:
    def test_they_come_late_and_stay_byte_identical(self) -> None:
        known = ["Prefers tea.", "Lives in Bergen."]
        strategy = Layered(principles="Be kind.", memories=lambda _: list(known))
        thread: list[BaseMessage] = [user("hi"), reply("hello"), user("what do I drink?")]
        first = strategy.apply(thread).messages
        again = strategy.apply(thread).messages
        assert again == first
        known.append("Has two cats.")
        after = strategy.apply(thread).messages
        # What a new memory changes stands right before the question.
        assert after[:3] == first[:3]
        assert after[-1] == first[-1]
        assert after[3] != first[3]

    def test_the_system_message_does_not_change_over_turns(self) -> None:
        strategy = Layered(principles="Be kind.", memories=lambda m: [f"Said {len(m)} things."])
        leads = set()
        thread: list[BaseMessage] = []
        for turn in range(5):
            thread += [user(f"turn {turn}"), reply("ok")]
            view = strategy.apply([*thread, user("now?")], ContextRequest(system="You chat."))
            leads.add(text_of(view.messages[0]))
        assert len(leads) == 1


class TestCountingCostsMoreAndMore:
    def test_a_message_is_counted_once(self) -> None:
        asked: list[int] = []

        def slow(messages: list[BaseMessage]) -> int:
            asked.append(len(messages))
            return 50

        thread = [user(f"note {i} " * 20) for i in range(1_000)]
        strategy = SlidingWindow(4_000, counter=CallableTokenCounter(slow))
        view = strategy.apply(thread)
        assert len(view.messages) == 80
        assert sum(asked) <= 1_010
        asked.clear()
        strategy.apply([*thread, user("one more")], ContextRequest(state=view.state))
        assert sum(asked) <= 10

    def test_what_is_out_of_view_is_not_counted_at_all(self) -> None:
        counter = WordCounter()
        thread = [user(f"note {i} " * 20) for i in range(1_000)]
        SlidingWindow(2_000, counter=counter).apply(thread)
        assert counter.measured < 50


class TestTheBudgetForgetsSystemAndTools:
    TOOL: ClassVar[Any] = {
        "type": "function",
        "function": {
            "name": "book",
            "description": "books a seat " * 300,
            "parameters": {"type": "object", "properties": {}},
        },
    }
    SYSTEM = "Follow the house rules. " * 300

    def test_the_edge_fires_on_the_whole_request(self) -> None:
        talk = {"messages": [user("hi"), reply("yo"), user("go")]}
        bare = summarization_edge(2_000, otherwise="agent")
        whole = summarization_edge(2_000, otherwise="agent", system=self.SYSTEM, tools=[self.TOOL])
        assert bare(talk) == "agent"
        assert whole(talk) == "summarize"

    def test_what_cannot_be_summarized_is_not_tried_again_and_again(self) -> None:
        strategy = summarizing(max_tokens=500)
        state = None
        for _ in range(4):
            request = ContextRequest(state=state, system=self.SYSTEM, tools=[self.TOOL])
            view = strategy.apply([user("hi")], request)
            state = view.state
            assert view.over_budget
        assert isinstance(strategy.model, ScriptedModel)
        assert strategy.model.calls == 0

    def test_a_window_counts_them_too(self) -> None:
        talk = [*small_talk(20, size=5), user("go")]
        request = ContextRequest(system=self.SYSTEM, tools=[self.TOOL])
        free = SlidingWindow(3_000).apply(talk)
        tight = SlidingWindow(3_000).apply(talk, request)
        assert len(tight.messages) < len(free.messages)
        assert tight.report.tokens_after <= 3_000


class TestTheSummarizerIsDown:
    def test_nothing_is_lost_and_the_next_turn_tries_again(self) -> None:
        answers = iter([refuse, refuse, rule_keeper])

        def reply_in_turn(request: list[BaseMessage]) -> str:
            return next(answers)(request)

        model = ScriptedModel(reply=reply_in_turn)
        strategy = Summarize(model, threshold=6, keep_last=3)
        thread: list[BaseMessage] = [user("Rule: no nuts."), *small_talk(5), user("lunch?")]
        state = None
        for attempt in range(2):
            view = strategy.apply(thread, ContextRequest(state=state))
            state = view.state
            assert view.degraded
            assert "429" in str(view.report)
            assert not any("429" in text for text in texts(view.messages))
            assert text_of(view.messages[-1]) == "lunch?"
            assert model.calls == attempt + 1
        view = strategy.apply(thread, ContextRequest(state=state))
        assert not view.degraded
        assert "no nuts" in text_of(view.messages[0])

    @pytest.mark.parametrize(
        "answer",
        [
            "",
            "  \n ",
            AIMessage(content=[]),
            AIMessage(content=[{"type": "thinking", "thinking": "hm", "signature": "s"}]),
            "not shorter " * 1_000,
        ],
    )
    def test_nothing_useful_is_a_failure_too(self, answer: str | BaseMessage) -> None:
        strategy = Summarize(ScriptedModel(reply=lambda _: answer), threshold=6, keep_last=3)
        view = strategy.apply([*small_talk(6), user("lunch?")])
        assert view.degraded
        assert view.report.summary is None
        assert text_of(view.messages[-1]) == "lunch?"
        assert texts(view.messages)[0].startswith("question 0")


class TestOneLongToolTurn:
    """Everything that must be summarized is calls and results, and the one question is old."""

    def thread(self) -> list[BaseMessage]:
        thread: list[BaseMessage] = [user("migrate the schema")]
        for step in range(8):
            thread += [asks(f"s{step}"), result(f"s{step}", f"step {step} output " * 200)]
        return thread

    def test_the_summarizer_gets_it_and_the_task_stays(self) -> None:
        strategy = summarizing(max_tokens=3_000, keep_last=4, max_source_chars=4_000)
        view = strategy.apply(self.thread())
        assert isinstance(strategy.model, ScriptedModel)
        assert strategy.model.calls > 1
        given = "\n".join(strategy.model.said_to(call) for call in range(strategy.model.calls))
        for step in range(6):
            assert f"step {step} output" in given
        assert "migrate the schema" in texts(view.messages)
        assert validate(view.messages, "common") == []


class TestTheSummarizerSeesOnlyTheEnd:
    def test_a_fact_in_the_first_message_reaches_it(self) -> None:
        thread = [user("Rule: the order is 55-091."), *(user("x " * 3_000) for _ in range(25))]
        strategy = summarizing(threshold=10, keep_last=2)
        view = strategy.apply(thread)
        assert isinstance(strategy.model, ScriptedModel)
        assert "55-091" in strategy.model.said_to(0)
        assert strategy.model.calls > 1
        assert "55-091" in text_of(view.messages[0])

    def test_every_piece_is_given_once(self) -> None:
        thread = [user(f"<{i}> " + "y " * 400) for i in range(40)]
        strategy = summarizing(threshold=10, keep_last=2, max_source_chars=5_000)
        strategy.apply(thread)
        assert isinstance(strategy.model, ScriptedModel)
        given = "".join(strategy.model.said_to(call) for call in range(strategy.model.calls))
        assert re.findall(r"<(\d+)>", given) == [str(i) for i in range(38)]


class TestTheSummaryIsSummarizedOverAndOver:
    def test_a_tail_above_the_trigger_costs_no_call(self) -> None:
        model = ScriptedModel(reply=rule_keeper)
        strategy = Summarize(model, max_tokens=2_000, keep_last=3, keep_tokens=100_000)
        thread: list[BaseMessage] = [*small_talk(10), *(user("z" * 9_000) for _ in range(3))]
        state = None
        for _ in range(4):
            view = strategy.apply(thread, ContextRequest(state=state))
            state = view.state
        assert model.calls <= 1
        assert view.over_budget

    def test_neither_by_the_hook(self) -> None:
        model = ScriptedModel(reply=rule_keeper)
        hook = SummarizationHook(model, max_tokens=2_000, keep_last=3, keep_tokens=100_000)
        step = context_node({50: hook})
        state: dict[str, Any] = {"messages": [*small_talk(10), *(user("z" * 9_000) for _ in "123")]}
        for _ in range(4):
            state.update(step.invoke(state))
        assert model.calls <= 1


class TestTheSystemMessageIsSummarizedAway:
    def test_it_stays_first_and_word_for_word(self) -> None:
        policy = "POLICY 7: prices are confidential."
        thread = [SystemMessage(content=policy, id="s"), *small_talk(8), user("the price?")]
        for strategy in (summarizing(threshold=5), summarizing(threshold=5, role="user")):
            view = strategy.apply(thread)
            assert text_of(view.messages[0]).startswith(policy)
            assert isinstance(strategy.model, ScriptedModel)
            assert "POLICY 7" not in strategy.model.said_to()

    def test_also_one_in_the_middle(self) -> None:
        thread = [*small_talk(4), SystemMessage(content="It is Monday."), *small_talk(6), user("?")]
        view = summarizing(threshold=5).apply(thread, ContextRequest(profile="openai"))
        lead = [text_of(m) for m in view.messages if role_of(m) == "system"]
        assert any("It is Monday." in text for text in lead)


class TestThePlanIsSummarizedAway:
    def thread(self) -> list[BaseMessage]:
        plan = pin(asks("plan", tool="write_plan", content="1. dig 2. pour 3. build"))
        return [user("build a wall"), plan, result("plan", "saved"), *small_talk(10), user("on")]

    @pytest.mark.parametrize(
        "strategy",
        [
            summarizing(threshold=5, keep_last=2),
            SlidingWindow(90),
            TieredExpiry(1, 1, step=1),
            MessageWindow(2),
            Composite([summarizing(threshold=5), SlidingWindow(150)]),
        ],
    )
    def test_what_is_pinned_stays_with_its_unit(self, strategy: ContextStrategy) -> None:
        view = strategy.apply(self.thread())
        kept = [text_of(m) for m in view.messages]
        assert "1. dig 2. pour 3. build" in kept
        assert "saved" in kept
        assert validate(view.messages, "common") == []


class TestReplacingTheHistoryLosesMessages:
    """An update that both removes and keeps depends on its order; a view must not need one."""

    def test_a_node_leaves_the_thread_alone(self) -> None:
        class State(TypedDict, total=False):
            messages: Annotated[list[AnyMessage], add_messages]
            llm_input_messages: list[AnyMessage]

        sizes: list[int] = []

        def answer(state: State) -> dict[str, Any]:
            sizes.append(len(state["llm_input_messages"]))
            return {"messages": [reply("noted", id="new")]}

        graph = StateGraph(State)
        graph.add_node("context", context_node(MessageWindow(2)))
        graph.add_node("model", answer)
        graph.add_edge(START, "context")
        graph.add_edge("context", "model")
        graph.add_edge("model", END)
        talk = [m.model_copy(update={"id": f"m{i}"}) for i, m in enumerate(small_talk(9))]
        talk.append(user("last", id="m18"))
        asked: Any = {"messages": talk}
        after = graph.compile().invoke(asked)
        assert [m.id for m in after["messages"]] == [*(m.id for m in talk), "new"]
        assert sizes == [1]

    def test_summarizing_does_too(self) -> None:
        talk = [*small_talk(9), user("last")]
        update = context_node(summarizing(threshold=4)).invoke({"messages": talk})
        assert "messages" not in update
        assert len(update["llm_input_messages"]) < len(talk)


class TestSummaryTokensReachTheUser:
    def test_the_call_is_tagged_and_the_summary_is_marked(self) -> None:
        model = ScriptedModel(reply=rule_keeper)
        view = Summarize(model, threshold=4).apply([*small_talk(9), user("?")])
        assert "nostream" in model.call_tags[0]
        assert is_summary(view.messages[0])
        assert not any(map(is_summary, view.messages[1:]))


class TestNothingIsSentWithoutAWord:
    """An empty view would make an agent fall back to the whole thread."""

    @pytest.mark.parametrize(
        "strategy",
        [MessageWindow(1), Trim(0, 0), SlidingWindow(1), Composite([Trim(0, 0), SlidingWindow(1)])],
    )
    def test_a_node_always_sends_the_question(self, strategy: ContextStrategy) -> None:
        asked = {"messages": [*small_talk(3), user("now?")]}
        sent = context_node(strategy).invoke(asked)["llm_input_messages"]
        assert text_of(sent[-1]) == "now?"

    def test_a_step_that_drops_everything_is_an_error(self) -> None:
        node = context_node(FunctionStep(lambda _: []))
        with pytest.raises(InvalidMessagesError, match="nothing to send"):
            node.invoke({"messages": [*small_talk(3), user("now?")]})

    def test_an_empty_thread_is_an_error(self) -> None:
        with pytest.raises(InvalidMessagesError, match="nothing to send"):
            context_node(MessageWindow(3)).invoke({"messages": []})


class TestCountsOfOddContent:
    """Scripts without spaces and encoded media, as they reach a budget."""

    def test_a_chinese_thread_fires_in_time(self) -> None:
        line = "客人想订靠窗的座位，预算不超过九百元。"
        talk: list[BaseMessage] = [user(line * 5) for _ in range(30)]
        view = SlidingWindow(1_000).apply([*talk, user("好的")])
        # 95 characters are at least 47 tokens, so at most 21 of the lines fit.
        assert len(view.messages) <= 22

    @pytest.mark.parametrize(
        "media",
        [
            {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 200_000}},
            {"type": "input_audio", "input_audio": {"data": "A" * 200_000, "format": "wav"}},
            {"type": "file", "file": {"filename": "a.pdf", "file_data": "A" * 200_000}},
        ],
    )
    def test_a_picture_does_not_push_out_the_conversation(self, media: dict[str, Any]) -> None:
        talk = [*small_talk(5), user([{"type": "text", "text": "look"}, media])]
        view = SlidingWindow(8_000).apply(talk)
        assert len(view.messages) == len(talk)
        simple = SlidingWindow(8_000, counter=CharRatioCounter()).apply(talk)
        assert not simple.over_budget


class TestSummariesByDigestStayValid:
    """The shortest summaries, over a long mixed thread, under every provider."""

    @pytest.mark.parametrize("profile", ["openai", "anthropic", "gemini", "mistral", "qwen"])
    def test_every_call_of_a_mixed_thread(self, profile: str) -> None:
        strategy = Summarize(ScriptedModel(reply=digest), threshold=7, keep_last=3)
        thread: list[BaseMessage] = []
        state = None
        for turn in range(25):
            thread.append(user(f"task {turn}"))
            if turn % 2:
                thread += [asks("call_1", "call_2"), result("call_2"), result("call_1")]
            view = strategy.apply(list(thread), ContextRequest(state=state, profile=profile))
            state = view.state
            assert validate(view.messages, profile) == []
            thread.append(reply("ok"))
        assert len(units(view.messages)) < 12

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

from langgraph_memory.errors import InvalidInputError, InvalidMessagesError
from langgraph_memory.extraction import (
    GateSettings,
    Seen,
    SkipReason,
    should_skip_extraction,
    text_digest,
)
from langgraph_memory.messages import made

LONG = (
    "Yesterday the ferry was late again and the harbour looked quite empty when it finally came in."
)
LONG_HAN = "昨天渡轮又晚点了，等它终于靠岸的时候，整个码头看上去空空荡荡的，一个人都没有。"


def turn(text: str, reply: str = "All right.") -> list:
    return [HumanMessage(text), AIMessage(reply)]


@pytest.mark.parametrize("text", [LONG, LONG_HAN])
def test_a_long_statement_passes(text: str) -> None:
    assert should_skip_extraction(turn(text)) is None


@pytest.mark.parametrize(
    "text",
    [
        "I am a baker.",
        "my name is Jo",
        "our team uses Elm",
        "budget 90",
        "allergic to figs",
        "never before ten",
        "我叫阿木",
        "预算九十",
        "我对无花果过敏",
        "以后说慢点",
        "Skip the small talk from now on",
        "Figs give me a rash",
        "我不碰羊肉",
    ],
)
def test_signal_phrases_pass_however_short(text: str) -> None:
    assert should_skip_extraction(turn(text)) is None


@pytest.mark.parametrize(
    ("messages", "reason"),
    [
        (turn("What time is it there?"), SkipReason.TOO_SHORT),
        (turn("那边几点了？"), SkipReason.TOO_SHORT),
        (turn("Good morning! How are you today?"), SkipReason.COURTESY),
        (turn("Thank you so much for your help!!"), SkipReason.COURTESY),
        (turn("好的，谢谢你的帮助！"), SkipReason.COURTESY),
        (turn("早上好呀"), SkipReason.COURTESY),
        ([], SkipReason.NOTHING_FROM_USER),
        ([SystemMessage("Be kind."), AIMessage("Hello!")], SkipReason.NOTHING_FROM_USER),
        (turn("   "), SkipReason.NOTHING_FROM_USER),
        (
            turn([{"type": "image_url", "image_url": {"url": "data:,"}}]),  # type: ignore[arg-type]
            SkipReason.NOTHING_FROM_USER,
        ),
        (turn("```python\nmy_name = 'I am never here'\nprint(my_name)\n```"), SkipReason.CODE_ONLY),
        (
            turn('{"rows": [1, 2, 3], "note": "I always use this format for my project"}'),
            SkipReason.CODE_ONLY,
        ),
        (turn(LONG, "Error: 503 upstream connect failure"), SkipReason.ERROR_REPLY),
        (turn(LONG_HAN, "抱歉，服务异常，请稍后再试"), SkipReason.ERROR_REPLY),
        (
            turn("<long_term_memory>\n1. [FACT] The user is a baker (0.9)\n</long_term_memory>"),
            SkipReason.RECALLED,
        ),
    ],
)
def test_reasons(messages: list, reason: SkipReason) -> None:
    assert should_skip_extraction(messages) is reason


def test_output_of_a_tool_sent_back_as_the_users_message_is_no_statement() -> None:
    rows = "The user prefers aisle seats and always flies in the morning, says the booking system."
    messages = [
        AIMessage("", tool_calls=[{"name": "look", "args": {}, "id": "1"}]),
        ToolMessage(rows, tool_call_id="1"),
        HumanMessage(rows),
    ]
    assert should_skip_extraction(messages) is SkipReason.CODE_ONLY


def test_recalled_text_is_not_extracted_again_even_if_it_holds_a_signal() -> None:
    seen = Seen(recalled=["The user is allergic to figs.", "The user is a baker."])
    text = "- [FACT] The user is a baker.\n- [CONSTRAINT] The user is allergic to figs."
    assert should_skip_extraction(turn(text), seen=seen) is SkipReason.RECALLED
    assert should_skip_extraction(turn(text + " I also keep bees."), seen=seen) is None


def test_messages_this_package_made_are_nobodys_words() -> None:
    messages = [made(HumanMessage("I am allergic to figs."), "memory"), AIMessage("Noted.")]
    assert should_skip_extraction(messages) is SkipReason.RECALLED


def test_a_signal_passes_although_the_reply_failed() -> None:
    assert should_skip_extraction(turn("I am allergic to figs.", "Error: timeout")) is None


def test_the_same_text_is_read_once() -> None:
    first = turn("I am a baker in Delft.")
    seen = Seen(digests={text_digest(first)})
    again = turn("I am  a baker in delft", "Another reply.")
    assert should_skip_extraction(again, seen=seen) is SkipReason.REPEATED
    assert should_skip_extraction(turn("I am a baker in Gouda."), seen=seen) is None


def test_the_quota_of_the_day() -> None:
    messages = turn("I am a baker.")
    assert should_skip_extraction(messages, seen=Seen(stored_today=49)) is None
    assert should_skip_extraction(messages, seen=Seen(stored_today=50)) is SkipReason.QUOTA
    unlimited = GateSettings(daily_quota=0)
    assert should_skip_extraction(messages, unlimited, Seen(stored_today=900)) is None


def test_switches_come_before_everything() -> None:
    messages = turn("I am allergic to figs.")
    assert should_skip_extraction(messages, GateSettings(enabled=False)) is SkipReason.DISABLED
    assert should_skip_extraction(messages, GateSettings(incognito=True)) is SkipReason.INCOGNITO
    both = GateSettings(enabled=False, incognito=True)
    assert should_skip_extraction(messages, both) is SkipReason.INCOGNITO


@pytest.mark.parametrize(
    ("question", "answer"),
    [("Are you a vegetarian?", "yes"), ("您吃素吗？", "对"), ("What should I call you?", "Bea")],
)
def test_a_short_answer_to_a_question_about_the_user_passes(question: str, answer: str) -> None:
    assert should_skip_extraction([AIMessage(question), *turn(answer)]) is None


@pytest.mark.parametrize(
    ("question", "answer"),
    [("Shall I send it now?", "yes"), ("需要我现在下单吗？", "好的"), ("Anything else?", "no")],
)
def test_the_answer_to_an_offer_does_not(question: str, answer: str) -> None:
    assert should_skip_extraction([AIMessage(question), *turn(answer)]) is not None


def test_lengths_are_parameters() -> None:
    assert should_skip_extraction(turn("x" * 30)) is SkipReason.TOO_SHORT
    assert should_skip_extraction(turn("x" * 30), GateSettings(min_characters=30)) is None
    assert should_skip_extraction(turn("码头空空荡荡")) is SkipReason.TOO_SHORT
    assert should_skip_extraction(turn("码头空空荡荡"), GateSettings(min_han_characters=6)) is None


def test_what_cannot_be_used_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="daily_quota"):
        GateSettings(daily_quota=-1)
    with pytest.raises(InvalidMessagesError):
        should_skip_extraction("I am a baker.")  # type: ignore[arg-type]


def test_long_repetitive_small_talk_is_read_quickly() -> None:
    for text in ("嗯" * 150 + "x", "ha" * 90 + "?", "thanks " * 25 + "zzz", "k" * 190 + "!x"):
        should_skip_extraction(turn(text))


@pytest.mark.parametrize(
    "text",
    [
        "Our vet is Dr Okafor.",
        "my bicycle has nine gears",
        "We moved to the third floor.",
        "我家的猫叫团团。",
        "我坐地铁去公司。",
        "The garage is blue now.",
        "The launch is in July.",
        "车库刷成了蓝色",
        "项目推迟到七月了",
        "我们组有七个人",
    ],
)
def test_a_short_statement_in_the_first_person_passes(text):
    assert should_skip_extraction([HumanMessage(text)]) is None


@pytest.mark.parametrize(
    "text",
    [
        "Where did I leave off?",
        "Can you read my file?",
        "I see what you mean.",
        "I don't get the last part.",
        "我不太明白",
        "帮我看一下我的表格",
        "Is the garage blue?",
        "The sky is blue.",
        "车库怎么刷漆？",
        "天是蓝色的",
    ],
)
def test_talk_about_the_conversation_does_not(text):
    assert should_skip_extraction([HumanMessage(text)]) is SkipReason.TOO_SHORT

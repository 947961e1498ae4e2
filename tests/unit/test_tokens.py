"""What each token counter promises of its own."""

from __future__ import annotations

import gc
import gzip
import json
import sys
import weakref
from pathlib import Path
from typing import Any

import pytest
import toktok  # type: ignore[import-untyped]
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool
from needed import needed
from pydantic import BaseModel, Field

from langgraph_memory.errors import InvalidInputError, MissingExtraError
from langgraph_memory.tokens import (
    ApproximateTokenCounter,
    CalibratedTokenCounter,
    CallableTokenCounter,
    CharRatioCounter,
    MediaCosts,
    TiktokenCounter,
    TokenCounter,
    TokenizerUnavailableWarning,
    as_counter,
)


def exact(text: str) -> int:
    """Tokens of o200k, from a package that ships the table."""
    return int(toktok.batch_count([text], "o200k_base")[0])


class ShippedEncoder:
    """o200k behind the interface of an encoder; it records what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def encode(self, text: str) -> range:
        self.asked.append(text)
        return range(exact(text))


ENGLISH = (
    "The lighthouse keeper walked down to the harbour before sunrise, because the ferry was "
    "late again and nobody had answered the radio since midnight. He carried two blankets, a "
    'thermos of tea and the old brass lamp. "You can\'t wait for ever," said Margaret, who had '
    "been mending nets; she didn't believe the forecast. By seven o'clock the fog had lifted, "
    "and three small boats came round the headland with their engines off."
)
CHINESE = (
    "上个月我们全家搬到了杭州，新房子离西湖只有十分钟的路程。每天傍晚，父亲喜欢沿着湖边散步，"
    "母亲则在阳台上种花。我的工作是设计手机应用，最近正在学习数据库和机器学习。"
    "请帮我安排周六下午三点的会议，地点在公司附近的咖啡馆，预算不要超过五百元。"
)
CODE = '''
class Inventory:
    """Keeps the stock of one shop."""

    def __init__(self, items: dict[str, int] | None = None) -> None:
        self._items = dict(items or {})

    def remove(self, name: str, amount: int = 1) -> int:
        left = self._items.get(name, 0) - amount
        if left < 0:
            raise ValueError(f"only {self._items.get(name, 0)} of {name!r} in stock")
        self._items[name] = left
        return left
'''
SCRIPT = """
export async function loadOrders(userId, { limit = 20, offset = 0 } = {}) {
  const response = await fetch(`/api/users/${userId}/orders?limit=${limit}&offset=${offset}`);
  if (!response.ok) {
    throw new Error(`HTTP ${response.status}: ${await response.text()}`);
  }
  return (await response.json()).items.filter((order) => order.total > 0);
}
"""
ROWS: list[dict[str, Any]] = [
    {
        "order_id": f"#W{7_340_129 + 9_871 * n}",
        "customer": {"first_name": "Noor", "last_name": "Haddad", "email": f"noor{n}@example.com"},
        "status": "delivered" if n % 2 else "pending",
        "items": [{"sku": f"{8_102_934_113 + n}", "price": 48.95 + n, "options": {"size": "XL"}}],
        "placed_at": f"2024-0{1 + n % 8}-1{n % 9}T08:3{n % 10}:00Z",
        "trace": f"{(n + 1) * 0x9E3779B97F4A7C15 % 2**64:016x}",
        "gift": None,
    }
    for n in range(12)
]
JAPANESE = (
    "先週の土曜日、友人と一緒に京都へ旅行しました。お寺を三つ見てから、小さなカフェで抹茶を"
    "飲みました。来月の予定はまだ決まっていませんが、東京の会議に参加するつもりです。"
)
KOREAN = (
    "지난 주말에 친구들과 함께 제주도로 여행을 다녀왔습니다. 바람이 많이 불었지만 바다가 정말 "
    "아름다웠어요. 다음 달에는 회사에서 새로운 프로젝트를 시작할 예정입니다."
)


class TestApproximate:
    @pytest.mark.parametrize("text", [ENGLISH, CHINESE, CODE, SCRIPT], ids=range(4))
    def test_is_near_the_exact_count(self, text: str) -> None:
        assert ApproximateTokenCounter().count_text(text) == pytest.approx(exact(text), rel=0.15)

    @pytest.mark.parametrize("indent", [None, 2])
    @pytest.mark.parametrize("separators", [None, (",", ":")])
    def test_does_not_undercount_json(
        self, indent: int | None, separators: tuple[str, str] | None
    ) -> None:
        text = json.dumps(ROWS, indent=indent, separators=separators)
        assert 0.99 <= ApproximateTokenCounter().count_text(text) / exact(text) <= 1.25

    @pytest.mark.parametrize("text", [JAPANESE, KOREAN], ids=["ja", "ko"])
    def test_is_near_in_other_scripts_of_asia(self, text: str) -> None:
        assert ApproximateTokenCounter().count_text(text) == pytest.approx(exact(text), rel=0.25)

    @pytest.mark.parametrize("text", [CHINESE, JAPANESE, KOREAN.replace(" ", "")])
    def test_charges_at_least_half_a_token_for_a_cjk_character(self, text: str) -> None:
        assert 0.5 * len(text) <= ApproximateTokenCounter().count_text(text) <= 1.2 * len(text)

    def test_keeps_latin_prose_near_four_characters_a_token(self) -> None:
        assert 3.5 <= len(ENGLISH) / ApproximateTokenCounter().count_text(ENGLISH) <= 5

    @pytest.mark.parametrize(
        "text",
        [
            "3f2b8c1e-9a47-4d10-b6f5-0c8e7a21d9b4 " * 20,
            "Zk9vQmFyMTIzNDU2Nzg5MGFiY2RlZkdISUpLTE1OT1BxcnN0dXZ3eHl6QUJDREU" * 4,
            "https://shop.example.org/en/garden/tools?page=3&sort=price_asc#reviews\n" * 10,
            "2024-05-14 09:21:37,412 ERROR [worker-3] request_id=8f14e45f took 31.7ms\n" * 10,
            "| id | city | price |\n|---|---|---:|\n| 1 | Oslo | 12.50 |\n" * 8,
            "3.14159, 2718281828, 0.577, 1618, 42, -273.15 " * 10,
        ],
        ids=["uuid", "base64", "url", "log", "table", "numbers"],
    )
    def test_stays_close_on_text_that_is_no_prose(self, text: str) -> None:
        assert 0.9 <= ApproximateTokenCounter().count_text(text) / exact(text) <= 1.35

    def test_long_runs_of_one_character_stay_in_proportion(self) -> None:
        counter = ApproximateTokenCounter()
        assert 1_500 <= counter.count_text("q" * 8_000) <= 4_500
        assert counter.count_text(" " * 400) <= 20
        assert counter.count_text("=" * 80) <= 8
        assert counter.count_text("🥕" * 300) >= 300

    def test_every_character_is_accounted_for(self) -> None:
        counter = ApproximateTokenCounter()
        for code in range(0x21, 0x30000, 97):
            assert counter.count_text(chr(code) * 40) >= 1, hex(code)

    def test_holds_on_windows_of_real_transcripts(self, data_dir: Path) -> None:
        file = data_dir / "transcripts" / "openai_messages.jsonl.gz"
        counter, ratios, truth, estimate = ApproximateTokenCounter(), [], 0, 0
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            for line in lines:
                for message in json.loads(line)["messages"]:
                    texts = [message.get("content") or ""]
                    for call in message.get("tool_calls") or ():
                        texts += [call["function"]["name"], call["function"]["arguments"]]
                    texts = [text for text in texts if isinstance(text, str)]
                    truth += sum(toktok.batch_count(texts, "o200k_base"))
                    estimate += sum(map(counter.count_text, texts))
                    if truth >= 8_000:
                        ratios.append(estimate / truth)
                        truth = estimate = 0
        assert len(ratios) > 50
        assert min(ratios) >= 1
        assert sum(ratios) / len(ratios) <= 1.08


class TestContent:
    def test_every_spelling_of_an_image_costs_the_same(self) -> None:
        counter = ApproximateTokenCounter()
        data = "iVBORw0KGgo" * 9_000
        uri = f"data:image/png;base64,{data}"
        blocks: list[dict[str, Any]] = [
            {"type": "image_url", "image_url": {"url": uri}},
            {"type": "image_url", "image_url": "https://example.org/cat.png"},
            {"type": "input_image", "image_url": uri},
            {"type": "image", "source": {"type": "base64", "data": data}},
            {"type": "image", "base64": data, "mime_type": "image/png"},
            {"type": "image", "source_type": "base64", "data": data},
            {"type": "image", "url": "https://example.org/cat.png"},
            {"type": "media", "mime_type": "image/png", "data": data},
        ]
        costs = {counter.count_message(HumanMessage([block])) for block in blocks}
        assert costs == {counter.per_message + MediaCosts().image}

    def test_costs_of_media_can_be_set(self) -> None:
        counter = ApproximateTokenCounter(media=MediaCosts(image=11, audio=22, video=33, file=44))
        kinds = {"input_image": 11, "input_audio": 22, "video": 33, "input_file": 44}
        for kind, cost in kinds.items():
            assert counter.count_message(HumanMessage([{"type": kind}])) == 4 + cost
        with pytest.raises(InvalidInputError, match=r"MediaCosts\.audio is -1"):
            MediaCosts(audio=-1)

    @pytest.mark.parametrize(
        "block",
        [
            {"type": "text", "text": ENGLISH},
            {"type": "text-plain", "mime_type": "text/plain", "text": ENGLISH},
            {"type": "document", "source": {"type": "text", "data": ENGLISH}},
            {"type": "document", "source": {"type": "content", "content": ENGLISH}},
            {"type": "file", "source_type": "text", "text": ENGLISH},
            {"type": "thinking", "thinking": ENGLISH, "signature": "Ab3" * 900},
            {"type": "reasoning", "reasoning": ENGLISH},
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": ENGLISH}]},
            {"type": "tool_result", "content": [{"type": "text", "text": ENGLISH}]},
            ENGLISH,
        ],
    )
    def test_text_is_counted_in_whatever_block_it_comes(self, block: Any) -> None:
        counter = ApproximateTokenCounter()
        assert counter.count_message(HumanMessage([block])) == 4 + counter.count_text(ENGLISH)

    def test_an_unknown_block_costs_its_json(self) -> None:
        counter = ApproximateTokenCounter()
        block = {"type": "weather", "report": ENGLISH}
        text = json.dumps(block, separators=(",", ":"))
        assert counter.count_message(HumanMessage([block])) == 4 + counter.count_text(text)

    def test_calls_are_counted_once(self) -> None:
        counter = ApproximateTokenCounter()
        call: Any = {"name": "book", "args": {"seat": "14C", "note": ENGLISH}, "id": "c1"}
        block = {"type": "tool_use", "id": "c1", "name": "book", "input": call["args"]}
        plain = counter.count_message(AIMessage("", tool_calls=[call]))
        assert plain > counter.count_text(ENGLISH)
        assert counter.count_message(AIMessage([block], tool_calls=[call])) == plain

    def test_unparsable_calls_and_names_count(self) -> None:
        counter = ApproximateTokenCounter()
        broken: Any = {"name": "book", "args": '{"seat": ', "id": "c1", "error": None}
        assert counter.count_message(AIMessage("", invalid_tool_calls=[broken])) > 8
        assert counter.count_message(HumanMessage("hi", name="Ines")) > counter.count_message(
            HumanMessage("hi")
        )


class Booking(BaseModel):
    """Book a seat on a train."""

    seat: str = Field(description="Coach and seat number, for example 14C.")


@tool
def find_train(origin: str, destination: str) -> str:
    """Find the next train between two towns."""
    return f"{origin}-{destination}"


def measure_bed(length: float, width: float) -> float:
    """Return the area of a bed in square metres."""
    return length * width


class TestTools:
    def test_every_form_of_a_tool_counts(self) -> None:
        counter = ApproximateTokenCounter()
        schema = {
            "type": "function",
            "function": {"name": "x", "description": "Say x.", "parameters": {"type": "object"}},
        }
        for form in (Booking, find_train, measure_bed, schema, {"type": "web_search_preview"}):
            assert counter.count_tools([form]) > counter.per_tool
        assert counter.count_tools([Booking, find_train]) == counter.count_tools(
            [Booking]
        ) + counter.count_tools([find_train])

    def test_a_changed_description_is_counted_again(self) -> None:
        counter = ApproximateTokenCounter()
        changing = find_train.model_copy()
        before = counter.count_tools([changing])
        changing.description = "Find trains. " + ENGLISH
        assert counter.count_tools([changing]) > before + 50

    def test_a_large_prompt_and_schema_make_a_small_talk_a_large_request(self) -> None:
        counter = ApproximateTokenCounter()
        messages = [HumanMessage("hello"), AIMessage("hey"), HumanMessage("start")]
        schema = {
            "type": "function",
            "function": {"name": "pay", "description": "m" * 8_000, "parameters": {}},
        }
        assert counter.count_messages(messages) < 40
        assert counter.count_request(messages, system="k" * 8_000, tools=[schema]) > 2_000


class TestMemory:
    def test_a_grown_thread_costs_work_only_for_what_is_new(self) -> None:
        encoder = ShippedEncoder()
        counter = TiktokenCounter(encoder=encoder)
        messages: list[BaseMessage] = [HumanMessage(f"line {n}: {ENGLISH}") for n in range(30)]
        counter.count_messages(messages)
        encoder.asked.clear()
        messages.append(AIMessage("A new answer that nobody has counted before."))
        counter.count_messages(messages)
        assert encoder.asked == ["A new answer that nobody has counted before."]

    def test_equal_texts_read_back_from_a_checkpoint_are_known(self) -> None:
        encoder = ShippedEncoder()
        counter = TiktokenCounter(encoder=encoder)
        counter.count_message(HumanMessage(ENGLISH))
        counter.count_message(HumanMessage("".join(ENGLISH)))
        assert len(encoder.asked) == 1

    def test_messages_are_not_kept_alive(self) -> None:
        counter = ApproximateTokenCounter()
        message = HumanMessage("gone tomorrow")
        counter.count_message(message)
        seen = weakref.ref(message)
        del message
        gc.collect()
        assert seen() is None

    def test_a_new_message_at_an_old_address_is_counted_anew(self) -> None:
        counter = ApproximateTokenCounter()
        for n in range(300):
            text = "pear " * (n % 23)
            assert counter.count_message(HumanMessage(text)) == 4 + counter.count_text(text)

    def test_texts_are_held_up_to_a_bound(self) -> None:
        encoder = ShippedEncoder()
        counter = TiktokenCounter(encoder=encoder)
        texts = [f"{n} " + "plum jam " * 20_000 for n in range(40)]
        for text in texts:
            counter.count_text(text)
        encoder.asked.clear()
        counter.count_text(texts[-1])
        assert encoder.asked == []
        counter.count_text(texts[0])
        assert encoder.asked == [texts[0]]


class TestCharRatio:
    def test_divides_and_rounds_up(self) -> None:
        counter = CharRatioCounter()
        assert counter.count_text("x" * 25) == 10
        assert counter.count_text("x" * 26) == 11
        assert counter.count_messages([HumanMessage("x" * 25), AIMessage("x" * 50)]) == 38
        assert (
            CharRatioCounter(chars_per_token=4, per_message=0).count_request(
                [HumanMessage("x" * 40)]
            )
            == 10
        )

    @pytest.mark.parametrize("wrong", [0, -2.5, float("nan"), float("inf"), True, "4"])
    def test_refuses_a_ratio_that_cannot_be(self, wrong: Any) -> None:
        with pytest.raises(InvalidInputError, match="chars_per_token is"):
            CharRatioCounter(chars_per_token=wrong)

    def test_refuses_a_negative_overhead(self) -> None:
        with pytest.raises(InvalidInputError, match="per_message is -1"):
            CharRatioCounter(per_message=-1)


class TestTiktoken:
    def test_counts_as_the_chat_api_does(self) -> None:
        counter = TiktokenCounter(encoder=ShippedEncoder())
        assert counter.count_text(ENGLISH) == exact(ENGLISH)
        assert counter.count_message(HumanMessage(ENGLISH)) == exact(ENGLISH) + 4
        named = HumanMessage("hi", name="Ines")
        assert counter.count_message(named) == exact("hi") + 4 + exact("Ines") + 1
        assert counter.count_request([named]) == counter.count_message(named) + 3

    def test_loads_nothing_until_it_counts(self) -> None:
        counter = TiktokenCounter()
        assert not counter.exact
        assert TiktokenCounter(encoder=ShippedEncoder()).exact

    def test_says_which_extra_is_missing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "tiktoken", None)
        with pytest.raises(MissingExtraError, match=r"langgraph-layered-memory\[tiktoken\]"):
            TiktokenCounter().count_text("hello")

    @pytest.mark.filterwarnings("ignore:A test tried to use socket:UserWarning")
    def test_estimates_with_one_warning_without_its_tables(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        needed("tiktoken", "tiktoken")
        monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
        for name in ("HTTPS_PROXY", "https_proxy"):
            monkeypatch.setenv(name, "http://127.0.0.1:9")
        for name in ("NO_PROXY", "no_proxy"):
            monkeypatch.delenv(name, raising=False)
        counter = TiktokenCounter(encoding="p50k_edit")
        with pytest.warns(TokenizerUnavailableWarning, match="p50k_edit") as caught:
            count = counter.count_text(ENGLISH)
        ours = [one for one in caught if one.category is TokenizerUnavailableWarning]
        assert len(ours) == 1
        assert count == ApproximateTokenCounter().count_text(ENGLISH)
        assert not counter.exact
        counter.count_text(CODE)

    def test_control_tokens_in_a_text_are_text(self) -> None:
        class Strict:
            def encode(self, text: str) -> list[int]:
                raise ValueError("control token")

            def encode_ordinary(self, text: str) -> list[int]:
                return [1, 2, 3]

        assert TiktokenCounter(encoder=Strict()).count_text("<|endoftext|>") == 3


def usage(tokens: int, output: int = 50) -> Any:
    return {"input_tokens": tokens, "output_tokens": output, "total_tokens": tokens + output}


class TestCalibrated:
    def test_a_hidden_prompt_is_added_and_not_multiplied(self) -> None:
        base = ApproximateTokenCounter()
        counter = CalibratedTokenCounter(base)
        messages = [
            HumanMessage("hi"),
            AIMessage("hello", usage_metadata=usage(9_950)),
            HumanMessage("next"),
        ]
        assert counter.count_request(messages) == pytest.approx(9_965, abs=15)
        assert counter.scale == 1.0
        assert counter.overhead == pytest.approx(9_942, abs=5)
        more = [*messages, HumanMessage(ENGLISH)]
        grown = counter.count_request(more) - counter.count_request(messages)
        assert grown == base.count_message(more[-1])
        assert counter(messages) < 12_000

    def test_output_and_reasoning_are_no_input(self) -> None:
        def total(output: int) -> int:
            answer = AIMessage("short", usage_metadata=usage(500, output))
            return CalibratedTokenCounter().count_request([HumanMessage("hi"), answer])

        assert total(10) == total(30_000)

    def test_a_scale_is_learnt_from_growth(self) -> None:
        base = CharRatioCounter(chars_per_token=4, per_message=0)
        counter = CalibratedTokenCounter(base)
        messages: list[BaseMessage] = []
        for turn in range(4):
            messages.append(HumanMessage("w" * 4_000))
            messages.append(AIMessage("", usage_metadata=usage(300 + 1_200 * (turn + 1))))
        assert counter.count_request(messages) == pytest.approx(300 + 4_800, abs=2)
        assert counter.scale == pytest.approx(1.2)
        assert counter.overhead == pytest.approx(300, abs=2)
        assert counter.count_message(messages[0]) == 1_200

    def test_the_scale_is_bounded(self) -> None:
        counter = CalibratedTokenCounter(CharRatioCounter(chars_per_token=4, per_message=0))
        messages = [
            HumanMessage("w" * 4_000),
            AIMessage("", usage_metadata=usage(1_000)),
            HumanMessage("w" * 4_000),
            AIMessage("", usage_metadata=usage(90_000)),
        ]
        counter.count_request(messages)
        assert counter.scale == 2.0

    def test_a_report_is_forgotten_after_a_cut(self) -> None:
        base = ApproximateTokenCounter()
        counter = CalibratedTokenCounter(base)
        old = [HumanMessage(ENGLISH * 40, id="h0"), AIMessage("noted", id="a0")]
        recent = [
            HumanMessage("and now?", id="h1"),
            AIMessage("fine", id="a1", usage_metadata=usage(6_000)),
            HumanMessage("go on", id="h2"),
        ]
        counter.count_request([*old, *recent])
        assert counter.overhead > 0
        assert counter.count_request(recent) == base.count_request(recent)
        assert (counter.overhead, counter.scale) == (0, 1.0)
        later = [*recent, AIMessage("ok", id="a2", usage_metadata=usage(900)), HumanMessage("?")]
        assert counter.count_request(later) == pytest.approx(905, abs=15)

    def test_a_smaller_later_report_ends_the_earlier_ones(self) -> None:
        counter = CalibratedTokenCounter()
        messages = [
            HumanMessage("one"),
            AIMessage("1", usage_metadata=usage(50_000)),
            HumanMessage("two"),
            AIMessage("2", usage_metadata=usage(700)),
            HumanMessage("three"),
        ]
        assert counter.count_request(messages) == pytest.approx(715, abs=15)

    def test_a_report_on_much_less_than_the_list_holds_is_ignored(self) -> None:
        base = ApproximateTokenCounter()
        messages = [
            HumanMessage(ENGLISH * 100),
            AIMessage("ok", usage_metadata=usage(120)),
            HumanMessage("next"),
        ]
        assert CalibratedTokenCounter(base).count_request(messages) == base.count_request(messages)

    def test_an_observation_counts_while_its_request_is_a_prefix(self) -> None:
        base = ApproximateTokenCounter()
        counter = CalibratedTokenCounter(base)
        sent = [HumanMessage("first", id="h1"), AIMessage("reply", id="a1")]
        counter.observe(sent, 5_000, system="Be kind.")
        more = [*sent, HumanMessage("second", id="h2")]
        assert counter.count_request(more, system="Be kind.") == pytest.approx(5_005, abs=6)
        other = [HumanMessage("elsewhere", id="x1")]
        assert counter.count_request(other) == base.count_request(other)
        counter.forget()
        assert counter.count_request(more) == base.count_request(more)

    @pytest.mark.parametrize("wrong", [0, -5, 1.5, None, True])
    def test_refuses_a_report_that_cannot_be(self, wrong: Any) -> None:
        with pytest.raises(InvalidInputError, match="input_tokens is"):
            CalibratedTokenCounter().observe([HumanMessage("hi")], wrong)


class TestCallable:
    def test_asks_the_function_for_each_message(self) -> None:
        counter = CallableTokenCounter(lambda messages: 5 + sum(len(m.text) for m in messages))
        assert counter.count_message(HumanMessage("abc")) == 8
        assert counter.count_messages([HumanMessage("abc"), AIMessage("de")]) == 15
        assert counter.count_text("abc") == 3

    @pytest.mark.parametrize("wrong", [-1, 2.5, None, "3"])
    def test_refuses_what_is_no_count(self, wrong: Any) -> None:
        counter = CallableTokenCounter(lambda messages: wrong)
        with pytest.raises(InvalidInputError, match="returned"):
            counter.count_message(HumanMessage("hi"))

    def test_what_may_be_given_as_a_counter(self) -> None:
        own = CharRatioCounter()
        assert as_counter(own) is own
        assert isinstance(as_counter(None), ApproximateTokenCounter)
        made: TokenCounter = as_counter(len)
        assert made.count_messages([ToolMessage("x", tool_call_id="c")]) == 1
        with pytest.raises(InvalidInputError, match="must be callable"):
            as_counter(7)  # type: ignore[arg-type]

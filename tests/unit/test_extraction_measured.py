"""Precision and recall of the rules on utterances written before the rules were.

`extraction_blind.jsonl` holds them. Of the style `short`, the half `blind` was not looked at while
the rules were made. Of the style `rambling`, it was looked at once, late. `paraphrase` is
training material only. `fresh` was written later, without sight of the rules, and halved at random:
single failures of its half `blind` were never looked at. So was `later`: moves and changes, words
of others, people and things around the user. `limits` was written before its rules, too: limits and
orders joined with each other or said within a request, how to answer, what others say; what an
expected memory `lacks` belongs into one of its own. `outside` was written last by somebody who had
not seen the rules; of its half `blind`, only totals were looked at.

`extraction_corrections.jsonl` has pairs of messages, and what must be gone, or must stay, once the
second was read; halved and kept in the same way.

`extraction_changes.jsonl` has pairs, too: a statement, and later what has changed, in any words. A
row has what must then be said in one memory (`now`: the value, and what it is of), in place of the
old one, or what must stay as it was (`stays`), because something else has changed, or nothing.
"""

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from langgraph_memory.calls import drive
from langgraph_memory.extraction import Action, Proposal, extract_by_rules
from langgraph_memory.memories import Memories
from langgraph_memory.service.writing import edits_of
from langgraph_memory.store import SQLiteMemoryStore

ROWS: list[dict[str, Any]] = [
    json.loads(line)
    for line in Path(__file__).with_name("extraction_blind.jsonl").read_text("utf-8").splitlines()
]
PAIRS: list[dict[str, Any]] = [
    json.loads(line)
    for line in Path(__file__)
    .with_name("extraction_corrections.jsonl")
    .read_text("utf-8")
    .splitlines()
]
CHANGES: list[dict[str, Any]] = [
    json.loads(line)
    for line in Path(__file__).with_name("extraction_changes.jsonl").read_text("utf-8").splitlines()
]
SAID_AT = datetime(2026, 11, 30, 9, tzinfo=UTC)
FIRST_PERSON = {"i", "i'm", "my", "me", "we", "our", "myself", "i've"}


def proposed(row: dict[str, Any]) -> tuple[Proposal, ...]:
    asked = [AIMessage(row["asked"], id="q")] if row.get("asked") else []
    messages = [*asked, HumanMessage(row["text"], id="u")]
    return extract_by_rules(messages, said_at=SAID_AT).proposals


def fits(found: Proposal, expected: dict[str, Any]) -> bool:
    kind = "forget" if found.action is Action.FORGET else found.type.value
    text = found.content.lower()
    return (
        kind in expected["types"]
        and all(any(word.lower() in text for word in words) for words in expected["says"])
        and not any(word.lower() in text for word in expected.get("lacks", ()))
    )


def measured(rows: list[dict[str, Any]]) -> tuple[float, float]:
    wanted = found = right = wrong = 0
    for row in rows:
        proposals = proposed(row)
        allowed = [*row["expect"], *row.get("may", [])]
        wanted += len(row["expect"])
        right += sum(any(fits(one, want) for one in proposals) for want in row["expect"])
        found += len(proposals)
        wrong += sum(not any(fits(one, want) for want in allowed) for one in proposals)
    return right / wanted, 1 - wrong / found


@pytest.mark.parametrize(
    ("style", "half", "language", "recall", "precision"),
    [
        ("short", "blind", "en", 0.92, 0.95),
        ("short", "blind", "zh", 0.93, 0.95),
        ("short", "build", "en", 0.97, 0.97),
        ("short", "build", "zh", 0.97, 0.97),
        ("paraphrase", "build", "en", 0.95, 0.97),
        ("paraphrase", "build", "zh", 0.95, 0.95),
        ("rambling", "blind", "en", 0.85, 0.90),
        ("rambling", "blind", "zh", 0.85, 0.85),
        ("fresh", "build", "en", 0.97, 0.97),
        ("fresh", "build", "zh", 0.97, 0.97),
        ("fresh", "blind", "en", 0.85, 0.88),
        ("fresh", "blind", "zh", 0.78, 0.85),
        ("later", "build", "en", 0.97, 0.97),
        ("later", "build", "zh", 0.97, 0.97),
        ("later", "blind", "en", 0.90, 0.92),
        ("later", "blind", "zh", 0.78, 0.80),
        ("limits", "build", "en", 0.97, 0.97),
        ("limits", "build", "zh", 0.97, 0.97),
        ("limits", "blind", "en", 0.85, 0.93),
        ("limits", "blind", "zh", 0.85, 0.95),
        ("outside", "build", "en", 0.93, 0.95),
        ("outside", "build", "zh", 0.95, 0.95),
        ("outside", "blind", "en", 0.82, 0.97),
        ("outside", "blind", "zh", 0.7, 0.88),
    ],
)
def test_recall_and_precision(
    style: str, half: str, language: str, recall: float, precision: float
) -> None:
    rows = [
        row for row in ROWS if (row["style"], row["half"], row["lang"]) == (style, half, language)
    ]
    assert measured(rows) >= (recall, 0.0)
    assert measured(rows)[1] >= precision


def test_every_sentence_can_stand_alone() -> None:
    for row in ROWS:
        for found in proposed(row):
            if found.action is Action.FORGET:
                continue
            about = "用户" if found.language == "zh" else "the user"
            assert about in found.content.lower(), found.content
            if found.language == "en":
                words = found.content.lower().rstrip(".").split()
                assert not FIRST_PERSON.intersection(words), found.content
            else:
                assert "我" not in found.content.replace("自我", ""), found.content


def left(*texts: str) -> list[str]:
    """What is remembered once some messages were read, one after the other."""
    with SQLiteMemoryStore(":memory:") as store:
        memories = Memories(store, ("agent:chat", "user:42", "memories"))
        for at, text in enumerate(texts):
            found = extract_by_rules([HumanMessage(text, id=f"m{at}")], said_at=SAID_AT)
            edits = list(edits_of(found, "thread", "rules", SAID_AT))
            store.commit(drive(memories.plan(edits)).changes)
        return [each.record.content.lower() for each in memories.search("", limit=100)]


@pytest.mark.parametrize(
    ("half", "language", "share"),
    [("build", "en", 0.95), ("build", "zh", 0.95), ("blind", "en", 0.85), ("blind", "zh", 0.9)],
)
def test_what_is_gone_and_what_stays_after_a_correction(
    half: str, language: str, share: float
) -> None:
    pairs = [one for one in PAIRS if (one["half"], one["lang"]) == (half, language)]
    right = 0
    for pair in pairs:
        active = left(pair["first"], pair["then"])
        gone = not any(word.lower() in one for word in pair["gone"] for one in active)
        stays = all(any(word.lower() in one for one in active) for word in pair["stays"])
        right += gone and stays
    assert right / len(pairs) >= share


@pytest.mark.parametrize(
    ("half", "language", "share"),
    [("build", "en", 0.85), ("build", "zh", 0.8), ("blind", "en", 0.6), ("blind", "zh", 0.45)],
)
def test_what_holds_after_a_change_and_what_does_not(
    half: str, language: str, share: float
) -> None:
    pairs = [one for one in CHANGES if (one["half"], one["lang"]) == (half, language)]
    right = []
    for pair in (one for one in pairs if "now" in one):
        before, active = left(pair["first"]), left(pair["first"], pair["then"])
        said = [each for each in active if each not in before]
        current = any(
            all(re.search(part, each, re.IGNORECASE) for part in pair["now"]) for each in said
        )
        right.append(bool(before) and current and not set(before) & set(active))
    assert sum(right) / len(right) >= share
    for pair in (one for one in pairs if "stays" in one):
        kept = [
            each for each in left(pair["first"]) if re.search(pair["stays"], each, re.IGNORECASE)
        ]
        assert set(kept) <= set(left(pair["first"], pair["then"])), pair


@pytest.mark.parametrize(
    ("first", "then", "now"),
    [
        (
            "My dentist is Dr. Hale on Mill Lane.",
            "Dr. Hale has left and Dr. Roy has taken over.",
            ["The user's dentist is Dr. Roy."],
        ),
        ("", "Dr. Hale has left and Dr. Roy has taken over.", []),
        (
            "I have an appointment with Dr. Hale on 4 December.",
            "Dr. Hale has left and Dr. Roy has taken over.",
            ["The user has an appointment with Dr. Hale on 4 December."],
        ),
        ("My boss is Anna.", "Tom took over from Anna as my boss.", ["The user's boss is Tom."]),
        (
            "My boss is Anna.",
            "Anna's boss left and Tom has taken over.",
            ["The user's boss is Anna."],
        ),
        (
            "My team uses Jira.",
            "Our team switched from Jira to Linear.",
            ["The user's team uses Linear."],
        ),
        (
            "I run five kilometres every morning.",
            "I've cut my morning run from five kilometres to three.",
            ["The user runs three kilometres every morning."],
        ),
        (
            "My budget is 500 euros for hotels and 200 euros for food.",
            "My hotel budget went up to 600 euros.",
            ["The user's budget is 200 euros for food.", "The user's hotel budget is 600 euros."],
        ),
        (
            "My limit for shoes is 70 euros.",
            "The price of the shoes went up from 70 to 90 euros.",
            ["The user's limit for shoes is 70 euros."],
        ),
        (
            "My coffee budget is 30 euros.",
            "I might raise my coffee budget to 40 euros.",
            ["The user's coffee budget is 30 euros."],
        ),
        (
            "My coffee budget is 30 euros.",
            "My wife's coffee budget went up from 30 to 40 euros.",
            ["The user's coffee budget is 30 euros."],
        ),
        (
            "I live in Rome.",
            "I no longer live in Rome, I moved to Paris.",
            ["The user moved to Paris and lives there."],
        ),
        (
            "I work at Dalton Press.",
            "I left Dalton Press early today.",
            ["The user works at Dalton Press."],
        ),
        (
            "I am a cook at Luigi's.",
            "I left Luigi's and work at Bella now.",
            ["The user works at Bella."],
        ),
        (
            "I'm allergic to nuts and eggs.",
            "Forget my egg allergy, that was a mistake.",
            ["The user is allergic to nuts."],
        ),
        ("I am a nurse.", "Please forget my job.", []),
        ("I earn 52k a year.", "Please forget my income.", []),
        ("I earn 52k a year.", "Please forget how much I earn.", []),
        ("I have asthma.", "Forget all about my medical conditions.", []),
        ("I'm allergic to figs.", "Please forget everything about my illnesses.", []),
        (
            "My wife has diabetes.",
            "Please forget everything about my illnesses.",
            ["The user's wife has diabetes."],
        ),
        ("I live in Rome.", "Please forget my income.", ["The user lives in Rome."]),
        ("我工资是两万。", "忘掉我的收入。", []),
        ("我有哮喘。", "忘掉关于我身体状况的一切。", []),
        ("我妈对芝麻过敏。", "忘掉关于我身体状况的一切。", ["用户的妈对芝麻过敏。"]),
        ("I am single.", "I'm married now.", ["The user is married now."]),
        (
            "My dentist is Dr. Wu.",
            "I have a new dentist, Dr. Yi.",
            ["The user's dentist is Dr. Yi."],
        ),
        (
            "Our vet is Dr. Marsh.",
            "Our vet has changed: it's Dr. Brandt now instead of Dr. Marsh.",
            ["The user's vet is Dr. Brandt."],
        ),
        (
            "I take my medication at 8 am.",
            "I take my medication at 9 pm now.",
            ["The user takes their medication at 9 pm now."],
        ),
        (
            "I meditate for ten minutes a day.",
            "I meditate for twenty minutes a day now.",
            ["The user meditates for twenty minutes a day now."],
        ),
        (
            "I learn Portuguese.",
            "I used to learn Portuguese, now I'm learning Italian.",
            ["The user learns Italian."],
        ),
        ("我家阿姨是王阿姨。", "阿姨换人了，现在是张阿姨。", ["用户的阿姨是张阿姨。"]),
        ("我的闹钟是六点。", "我已经把闹钟从六点调到六点半了。", ["用户的闹钟调到六点半。"]),
        ("我住在北京。", "我现在不住北京了，搬到天津了。", ["用户搬到天津了，住在天津。"]),
        ("我住在北京。", "我们家去年搬到了厦门。", ["用户家去年搬到了厦门，住在厦门。"]),
        ("我叫王小明。", "请删除我的名字。", []),
        ("我住在南京。", "请忘记我住在哪里。", []),
        ("我也对青霉素过敏。", "你好", ["用户对青霉素过敏。"]),
        ("我的医生是王大夫。", "王大夫调走了，李大夫接替了他。", ["用户的医生是李大夫。"]),
        ("我的主管是老郑。", "老郑的主管换成了小顾。", ["用户的主管是老郑。"]),
        ("我每天跑五公里。", "我现在每天跑八公里，不是五公里了。", ["用户每天跑八公里。"]),
        ("请用英文回复我。", "以后别用英文了，用中文回复我。", ["用户要求：以后用中文回复用户。"]),
    ],
)
def test_a_change_is_one_of_what_was_remembered(first: str, then: str, now: list[str]) -> None:
    texts = [first, then] if first else [then]
    assert sorted(left(*texts)) == sorted(one.lower() for one in now)


@pytest.mark.parametrize(
    ("first", "then", "now"),
    [
        ("I'm vegetarian, so no meat.", "I'm not vegetarian any more.", 1),
        ("我吃素，所以菜谱不要有肉。", "我不吃素了。", 1),
        ("我用 Notion 记笔记。", "我现在用 Bear 记笔记。", 1),
        ("我用 Notion 记笔记。", "我也用 Bear 记笔记。", 2),
        ("I live in Ghent.", "We're in Porto and it's lovely.", 2),
        ("My petrol budget is 300 a month.", "My petrol budget this month is 400.", 2),
        ("My budget is 900.", "tulips\n250 max", 2),
        ("My mum's birthday is 4 May.", "My mum's birthday dinner is on 8 May.", 2),
        ("我生日是3月1日。", "我妈的生日是5月4日。", 2),
        ("I work as a welder.", "I'm leading a crew of nine.", 2),
    ],
)
def test_how_many_hold_after_another(first: str, then: str, now: int) -> None:
    assert len(left(first, then)) == now

from __future__ import annotations

import random
import re

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from langgraph_memory.context import ContextRequest, Summarize
from langgraph_memory.offline import OfflineChatModel

WORD = re.compile(r"[\u3400-\u9fff]|[^\s\u3400-\u9fff]+")
CHATTER = {
    "en": [
        "The lift was slow again today.",
        "I had some leftovers for lunch, kind of bland.",
        "Took me {n} minutes to find my keys this morning, lol",
        "It was pretty windy last night, hasn't it been odd lately?",
        "Any idea what clouds are made of?",
    ],
    "zh": [
        "今天电梯又慢了。",
        "中午吃了点剩菜，有点淡。",
        "早上找钥匙找了{n}分钟，哈哈",
        "昨晚风挺大的，是吧？",
        "云是什么做的？",
    ],
}
REPLY = {
    "en": "That is quite something. There are many views on it. Anything else on your mind?",
    "zh": "这挺有意思的，大家看法不一。还有别的想聊吗？",
}
FACTS = {
    "en": [
        ("I restore old clocks in Ludlow.", "Ludlow"),
        ("Varnish fumes give me hives.", "hives"),
        ("The town hall clock must be back by 2 September.", ""),
        ("My apprentice Wilf looks after the orders.", "Wilf"),
        ("The safe opens with 31-07-66.", "31-07-66"),
        ("Correction: the town hall clock must be back by 19 September.", "19 September"),
        ("Please always give measures in millimetres.", "millimetres"),
        ("We agreed to spend 450 pounds at most on brass.", "450"),
    ],
    "zh": [
        ("我在绍兴修旧钟表。", "绍兴"),
        ("我闻到油漆会起疹子。", "油漆"),
        ("钟楼的大钟要在9月2日前交付。", ""),
        ("徒弟叫阿满，负责接单。", "阿满"),
        ("保险柜密码是310766。", "310766"),
        ("更正，钟楼的大钟要在9月19日前交付。", "9月19日"),
        ("以后尺寸都用毫米。", "毫米"),
        ("黄铜最多花四千五。", "四千五"),
    ],
}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_matters_survives_a_long_chat(language: str) -> None:
    chance = random.Random(5)
    strategy = Summarize(OfflineChatModel(semantic=False), max_tokens=1200)
    facts = {3 + 9 * number: fact for number, (fact, _) in enumerate(FACTS[language])}
    messages: list[BaseMessage] = []
    state = None
    for turn in range(110):
        said = facts.get(turn) or chance.choice(CHATTER[language]).format(n=chance.randint(2, 50))
        messages.append(HumanMessage(said, id=f"u{turn}"))
        view = strategy.apply(messages, ContextRequest(state=state))
        state = view.state
        messages.append(AIMessage(REPLY[language], id=f"a{turn}"))
    system = str(view.messages[0].content)
    seen = "\n".join(str(message.content) for message in view.messages)
    lost = [value for _, value in FACTS[language] if value not in seen]
    assert lost == []
    assert "9月2日" not in seen
    assert "2 September" not in seen
    assert len(WORD.findall(system)) <= 320

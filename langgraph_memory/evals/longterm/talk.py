"""What the script's users say beside what changes: limits that stay, and talk about nothing."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["LIMITS", "TALK", "Limit"]


@dataclass(frozen=True)
class Limit:
    """A constraint or a standing order, which holds until it is withdrawn.

    Attributes:
        question: Asks for the value.
        said: States it, with `{new}` for the value.
        values: At least two.
    """

    question: str
    said: str
    values: tuple[str, ...]


LIMITS = {
    "en": (
        Limit(
            "What must the cook at the guest house leave out for me?",
            "I am allergic to {new}.",
            ("sesame", "shellfish", "walnuts", "celery"),
        ),
        Limit(
            "What may a night in a hotel cost me at most?",
            "My limit for a hotel is {new} a night.",
            ("95 dollars", "130 dollars", "70 dollars", "180 dollars"),
        ),
        Limit(
            "What did I ask you never to propose for a trip?",
            "Never propose {new} to me when you plan a trip.",
            ("cruises", "night buses", "camping", "helicopter tours"),
        ),
    ),
    "zh": (
        Limit("订餐的时候要避开什么？", "我对{new}过敏。", ("芒果", "花生", "螃蟹", "大豆")),
        Limit(
            "我住酒店一晚最多花多少？",
            "我住酒店的上限是一晚{new}。",
            ("四百元", "六百五十元", "三百二十元", "八百元"),
        ),
        Limit(
            "安排旅行时我让你别推荐什么？",
            "以后安排旅行不要给我推荐{new}。",
            ("游轮", "夜间大巴", "露营", "跳伞"),
        ),
    ),
}

TALK = {
    "en": (
        "Hi!",
        "Thanks, that helps.",
        "Could you explain in three sentences how tides come about?",
        "Write a short poem about a lighthouse in the fog, please.",
        "What is the difference between weathering and erosion?",
        "Ok.",
        "Translate 'the train leaves from platform nine' into French.",
        "Give me two arguments for and two against paper tickets.",
        "How long do eggs need to boil until they are hard?",
        "Summarize the plot of a detective story in which nobody is guilty.",
        "Which planets can be seen without a telescope?",
        "Great!",
        "Turn this into a table: apples 4, pears 7, plums 12.",
        "Why do bridges have gaps between their parts?",
        "Suggest a title for a talk about old maps.",
    ),
    "zh": (
        "你好！",
        "谢谢，很有帮助。",
        "请用三句话解释一下潮汐是怎么形成的。",
        "帮忙写一首关于雾中灯塔的短诗。",
        "风化和侵蚀有什么区别？",
        "好的。",
        "把“火车从九号站台出发”翻译成法语。",
        "纸质车票有什么好处和坏处？各说两条。",
        "鸡蛋煮多久才会全熟？",
        "编一个没有凶手的侦探故事的梗概。",
        "哪些行星用肉眼就能看到？",
        "太好了！",
        "把这些列成表格：苹果四斤，梨七斤，李子十二斤。",
        "桥梁的各段之间为什么要留缝？",
        "给一场关于旧地图的讲座起个标题。",
    ),
}

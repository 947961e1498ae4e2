"""The sentences of the clerk, in English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from langgraph_memory.offline.words import has_han

_CITIES = {
    "Beijing": "北京",
    "Shanghai": "上海",
    "Guangzhou": "广州",
    "Shenzhen": "深圳",
    "Chengdu": "成都",
    "Kunming": "昆明",
}
_SAID = {
    "welcome": (
        "At your service. Where and when do you want to fly?",
        "乐意效劳。需要机票时，请告诉我去哪里、哪天出发。",
    ),
    "decline": (
        "I can only help with flights: searching, comparing and booking them.",
        "我只能帮您查询、比较和预订机票，其他问题帮不上忙。",
    ),
    "ask origin": ("Which city do you leave from?", "请问从哪个城市出发？"),
    "ask destination": ("Which city do you fly to?", "请问飞往哪个城市？"),
    "ask date": ("On which day do you want to fly?", "请问哪天出发？"),
    "ask back": (
        "On which day do you want to fly back? The way out is on {date}.",
        "请问哪天返程？去程是{date}。",
    ),
    "ask max_price": (
        "Is {value} CNY the most that a ticket may cost?",
        "机票价格最高是{value}元吗？",
    ),
    "ask red_eye": (
        "Do you take red-eye flights, which are in the air between midnight and five?",
        "您接受红眼航班（零点到五点之间在空中）吗？",
    ),
    "refused city": (
        "I have no flights from or to {value}. I can book flights between {cities}.",
        "没有往返{value}的航班，可以预订的城市有：{cities}。",
    ),
    "refused date": (
        "That day has passed. On which day do you want to fly?",
        "这一天已经过去了，请问哪天出发？",
    ),
    "refused": (
        "That does not go together; is it from and to the same city? It is still from {origin} to "
        "{destination}.",
        "这样不行，出发地和目的地会是同一个城市。目前仍是从{origin}到{destination}。",
    ),
    "none": (
        "I found no flight from {origin} to {destination} on {date}{limits}.",
        "{date}没有从{origin}飞往{destination}的航班{limits}。",
    ),
    "offer": (
        "From {origin} to {destination} on {date}{limits}:\n{flights}\nWhich one shall I book?",
        "{date}从{origin}飞往{destination}{limits}：\n{flights}\n要预订哪一班？",
    ),
    "one": (
        "From {origin} to {destination} on {date}{limits}:\n{flights}\nShall I book it?",
        "{date}从{origin}飞往{destination}{limits}：\n{flights}\n要预订吗？",
    ),
    "flight": (
        "{number}. {flight} {airline}, {departs}-{arrives}, {price} CNY{notes}",
        "{number}. {flight} {airline}，{departs}-{arrives}，{price}元{notes}",
    ),
    "unknown": (
        "{flight} is not among the flights from {origin} to {destination} on {date}{limits}.",
        "{date}从{origin}飞往{destination}的航班里没有{flight}{limits}。",
    ),
    "booked": (
        "{flight} on {date} is booked for {price} CNY. Your reference is {reference}.",
        "已预订{date}的{flight}，票价{price}元，预订号{reference}。",
    ),
    "rejected": ("Nothing was booked. {why}", "没有预订。{why}"),
}
_ASKED_PRICE = re.compile(
    "|".join(re.escape(each).replace(r"\{value\}", r"(\d+)") for each in _SAID["ask max_price"])
)
_NOTES = {
    "cheapest": ("cheapest", "最便宜"),
    "fastest": ("fastest", "最快"),
    "earliest": ("earliest", "最早"),
    "latest": ("latest", "最晚"),
    "red_eye": ("red-eye", "红眼航班"),
}


def is_chinese(text: str) -> bool:
    """Whether an answer to a text is to be in Chinese."""
    return has_han(text)


def say(chinese: bool, what: str, **values: Any) -> str:
    """A sentence.

    Args:
        chinese: In Chinese, not in English.
        what: Which one.
        **values: What it tells of.
    """
    told = {
        key: _city(value, chinese) if isinstance(value, str) else value
        for key, value in values.items()
    }
    return _SAID[what][chinese].format(**told)


def limits_asked(text: str) -> dict[str, Any]:
    """The limits that an answer of the clerk asks about, each with what it may be."""
    asked: dict[str, Any] = {}
    if found := _ASKED_PRICE.search(text):
        asked["max_price"] = int(found[1] or found[2])
    if any(each in text for each in _SAID["ask red_eye"]):
        asked["red_eye"] = False
    return asked


def asks_back(text: str) -> bool:
    """Whether an answer of the clerk asks for the day of a flight back."""
    return any(each.partition("{")[0] in text for each in _SAID["ask back"])


def list_cities(cities: Sequence[str], chinese: bool) -> str:
    """Names of cities in a row."""
    return ("、" if chinese else ", ").join(_city(city, chinese) for city in cities)


def tell_limits(limits: Mapping[str, Any], chinese: bool) -> str:
    """What was looked for, in brackets."""
    told = []
    if limits.get("max_price") is not None:
        most = limits["max_price"]
        told.append(f"不超过{most}元" if chinese else f"at most {most} CNY")
    if limits.get("red_eye") is False:
        told.append("不含红眼航班" if chinese else "no red-eye flights")
    if not told:
        return ""
    return f"（{'，'.join(told)}）" if chinese else f" ({', '.join(told)})"


def tell_flights(
    flights: Sequence[Mapping[str, Any]], compared: Mapping[str, str], chinese: bool
) -> str:
    """A list of flights with what sets each apart, a line each."""
    lines = []
    for number, flight in enumerate(flights, 1):
        marks = [mark for mark, best in compared.items() if best == flight["flight"]]
        marks += ["red_eye"] if flight["red_eye"] else []
        notes = [_NOTES[mark][chinese] for mark in marks]
        told = f"（{'、'.join(notes)}）" if chinese else f" ({', '.join(notes)})"
        lines.append(say(chinese, "flight", **flight, number=number, notes=told if notes else ""))
    return "\n".join(lines)


def _city(name: str, chinese: bool) -> str:
    return _CITIES.get(name, name) if chinese else name

"""What the offline model says itself, in English and in Chinese.

Kept in one place, because the reader must also recognise these sentences in a transcript:
an earlier quotation is no new evidence, and an earlier "I do not know" is none at all.
"""

from __future__ import annotations

__all__ = ["acknowledgement", "frame", "is_own_quote", "is_own_refusal", "refusal"]

_REFUSAL = {
    "en": "I do not know: nothing in the text I was given answers that.",
    "zh": "我不知道：给我的内容里没有说到这一点。",
}
_FRAME = {
    "en": {
        "user": "You told me: ",
        "assistant": "It was said earlier in this conversation: ",
        "echo": "You told me earlier: ",
        "tool": "A tool result says: ",
        "summary": "From the summary: ",
        "memory": "From long-term memory: ",
        "system": "The instructions say: ",
    },
    "zh": {
        "user": "你告诉过我：",
        "assistant": "前面的对话里说过：",
        "echo": "你之前告诉过我：",
        "tool": "工具结果显示：",
        "summary": "摘要里写着：",
        "memory": "长期记忆里有：",
        "system": "系统说明里写着：",
    },
}
_NOTED = {"en": "Noted: ", "zh": "已记下："}
_HEARD = {"en": "All right.", "zh": "好的。"}


def refusal(language: str) -> str:
    """The sentence that says that the prompt holds no answer."""
    return _REFUSAL[language]


def frame(language: str, source: str, quotations: list[str]) -> str:
    """Quotations from one source with the words that say where they stood."""
    joined = " ".join(f"“{quotation}”" for quotation in quotations)
    return _FRAME[language][source] + joined


def acknowledgement(language: str, statement: str) -> str:
    """A short reply to a statement; an empty one stands for small talk."""
    return f"{_NOTED[language]}“{statement}”" if statement else _HEARD[language]


def is_own_refusal(text: str) -> bool:
    """Whether a reply only says that the speaker does not know."""
    low = text.strip().lower().replace("don't", "do not").replace("don’t", "do not")
    return low.startswith(("i do not know", "i am not sure", "我不知道", "不知道"))


def is_own_quote(text: str) -> bool:
    """Whether a reply repeats what was said before, in this model's own form."""
    starts = [*_FRAME["en"].values(), *_FRAME["zh"].values(), *_NOTED.values()]
    return text.lstrip().startswith(tuple(starts)) and "“" in text

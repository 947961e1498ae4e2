"""Words a memory should be found by."""

# A pattern is easier to check in one piece.
# ruff: noqa: E501

from __future__ import annotations

from langgraph_memory.offline.lexicon import concepts, han_words
from langgraph_memory.offline.words import has_han, listed, tokens

__all__ = ["keywords"]

_AT_MOST = 8
_LEFT_OUT = frozenset(
    listed("""
    the user user's assistant assistant's wants want that this with from their them they themselves and but for not
    does has have had was were are been being is his her its into over under about than then when whenever every
    really very also just now only currently would can could will should must use uses like likes prefer prefers
    love loves hate hates at most least in on of to a an or as by up out any all some no so it who which
    用户 助手 要求 喜欢 不 的 了 在 是 有 都 也 和 现在 目前 以后 以内 以下 最多 今年
    """)
)


def keywords(content: str) -> tuple[str, ...]:
    """The words of a sentence that tell what it is about, in their order and in lower case."""
    found: list[str] = []
    for word in tokens(content.replace("用户的", " ").replace("用户", " ")):
        pieces = (
            [one for one in han_words(word) if len(one) > 1 and (concepts((one,)) or len(one) <= 4)]
            if has_han(word)
            else [word]
        )
        found.extend(one.lower().removesuffix("'s") for one in pieces)
    kept = [
        one
        for one in found
        if one not in _LEFT_OUT and (len(one) > 2 or has_han(one) or one.isdigit())
    ]
    return tuple(dict.fromkeys(kept))[:_AT_MOST]

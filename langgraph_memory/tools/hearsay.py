"""Whether what a model wants to have remembered was said by the user, or stands in what tools gave.

A page or a file may ask a model to remember an order for good. By words, not by meaning.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from langchain_core.messages import BaseMessage, ToolMessage

from langgraph_memory.messages import is_said_by_user, role_of, text_of
from langgraph_memory.offline.words import sentences
from langgraph_memory.store.analysis import query_terms, terms
from langgraph_memory.tools.user_tool import TOOL_NAMES

__all__ = ["is_hearsay"]

_FRAME = terms("The user, user's 用户").keys()
"""Words that a statement has because it is one about the user."""


def is_hearsay(content: str, messages: Sequence[BaseMessage]) -> bool:
    """Whether more words of a statement come from the output of tools alone than from the user.

    A question that the user was asked counts as the user's words, as the answer may be "yes".
    """
    told = [
        text_of(each)
        for each in messages
        if isinstance(each, ToolMessage) and each.name not in TOOL_NAMES
    ]
    if not told:
        return False
    telling = query_terms(content).keys() - _FRAME
    by_user = telling & _words(_by_user(messages))
    return len((telling & _words(told)) - by_user) > len(by_user)


def _by_user(messages: Sequence[BaseMessage]) -> Iterator[str]:
    before: BaseMessage | None = None
    for message in messages:
        if is_said_by_user(message):
            yield text_of(message)
            if before is not None and role_of(before) == "assistant":
                # The question itself may only point to the sentence before it.
                asked = sentences(text_of(before))[-2:]
                yield from asked if asked and asked[-1].endswith(("?", "？")) else ()
        before = message


def _words(texts: Iterator[str] | Sequence[str]) -> set[str]:
    return {term for text in texts for term in terms(text)}

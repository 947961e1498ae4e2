"""When a profile is brought up to date."""

from __future__ import annotations

import re
from collections.abc import Sequence

from langchain_core.messages import BaseMessage

from langgraph_memory.errors import InvalidInputError
from langgraph_memory.extraction.signals import has_signal
from langgraph_memory.extraction.turns import utterances

__all__ = ["due"]

_WISH = re.compile(
    r"\b(?:instead|rather|not\s(?:any\s?more|any\slonger)|any\s?more|no\slonger|changed\smy\smind|"
    r"(?:forget|scrap|drop|ignore|skip)\s(?:about\s)?(?:the|my|that|what)|don['’]?t\swant|"
    r"(?:increase|raise|lower|reduce|change|set|update)\s(?:the|my|it)|"
    r"keep\sit\s\w+|please\s(?:be|use|answer|write|speak|call|stop|avoid)|stop\s\w+ing|"
    r"my\s(?:\w+\s){1,3}(?:is|are)|i\scan\sonly|i['’]d\s(?:take|prefer)|"
    r"we(?:['’]re|\sare)?\s(?:now\s)?(?:using|use|moved|switched))\b|"
    r"改(?:成|为|用|到)|换(?:成|为|用|到)|不再|不想|不用再|取消|算了|(?:提高|降低|增加|减少|调)(?:到|为|成)|"
    r"(?:请|麻烦)(?:用|说|叫|别|不要|尽量)|[短长快慢细]一?(?:点|些)|我(?:现在|目前|更|比较|宁愿|只|一般|通常|习惯|打算|希望|偏)",
    re.IGNORECASE,
)


def due(turns_since_last: int, messages: Sequence[BaseMessage], *, every: int = 5) -> bool:
    """Whether the profile should be brought up to date now.

    That is so after `every` turns of the user, or at once if the user tells about themselves,
    states a wish, a limit or an order, or takes one back. Messages in which only others speak,
    quotations and pasted text are no such signal.

    Args:
        turns_since_last: Turns of the user since it was last done, those in `messages` included.
        messages: The newest ones, not looked at yet.
        every: After how many turns.

    Raises:
        InvalidInputError: If `every` is below 1.
    """
    if every < 1:
        raise InvalidInputError(f"every must be at least 1 turn, got {every}.")
    said = [one.text for one in utterances(messages) if one.text]
    if not said:
        return False
    if turns_since_last >= every:
        return True
    return any(has_signal(text) or _WISH.search(text) is not None for text in said)

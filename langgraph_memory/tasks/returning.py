"""Whether a message comes back to a task."""

from __future__ import annotations

import re
from dataclasses import dataclass

from langgraph_memory.errors import InvalidInputError
from langgraph_memory.store.analysis import query_terms, terms
from langgraph_memory.tasks.found import FoundTask

__all__ = ["Returning"]

_GOES_ON = re.compile(
    r"\bwhere\s(?:were|did)\swe\b|\b(?:pick|take)\s(?:it\s|things\s|this\s)?up\s(?:again|where)\b|"
    r"\b(?:left|leave)\soff\b|\bwhat(?:['’]?s|\sis|\swas)\s(?:the\s)?next(?:\sstep)?\W*$|"
    r"\b(?:(?:let['’]?s|(?:can|shall|could)\swe|we\scan)\s)?"
    r"(?:continue|resume|(?:go|carry)\son|keep\sgoing)(?:\s(?:now|then|please|again))?\W*$|"
    r"接着上(?:次|回)|上(?:次|回)(?:说|做|讲|聊|写|弄|进行)?到|(?:说|讲|做|聊|进行)到哪|"
    r"(?:继续|接着)(?:吧|做|来|干|弄)?吧?\W*$|下一步(?:是|做|该|要|呢)",
    re.IGNORECASE,
)
_LONGEST_REQUEST = 60
"""Characters up to which a message can be nothing but a request to go on."""


@dataclass(frozen=True)
class Returning:
    """The thresholds by which a message is taken to come back to a task.

    Either is enough. The defaults were measured with `LocalEmbeddings` on messages in English and
    Chinese; another embedder has another scale of cosines.

    Args:
        words: Share of what a message says, its words weighed as in a search, that the task's
            title, description or next steps must have; 0 to 1.
        similarity: Cosine between the message and the task.

    Raises:
        InvalidInputError: If one is not above 0 and at most 1.
    """

    words: float = 0.2
    similarity: float = 0.4

    def __post_init__(self) -> None:
        for name in ("words", "similarity"):
            value = getattr(self, name)
            if not isinstance(value, int | float) or not 0 < value <= 1:
                raise InvalidInputError(f"{name} must be above 0 and at most 1, got {value!r}.")

    def is_meant(self, message: str, found: FoundTask) -> bool:
        """Whether a message is about a task that it found."""
        if found.hit.similarity is not None and found.hit.similarity >= self.similarity:
            return True
        said, known = query_terms(message), terms(found.task.text)
        shared = sum(weight for term, weight in said.items() if term in known)
        return shared > 0 and shared >= self.words * sum(said.values())

    def goes_on(self, message: str) -> bool:
        """Whether a message asks to go on and does not say with what."""
        return len(message) <= _LONGEST_REQUEST and _GOES_ON.search(message) is not None
